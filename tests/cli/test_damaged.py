"""Result files with changed bytes: an error or the true values, never a crash, a hang, or other numbers."""

import random

import h5py
import numpy as np
import pytest
from astropy.io import fits

IMAGES = """\
channels: {number: 4, range: [-60 km/s, 60 km/s]}
cameras: [{name: side, direction: +x, pixels: 4}]
image: {distance: 100 pc, emissivity: true}
"""


@pytest.fixture
def result(folder):
    folder.model.write_text(folder.model.read_text() + IMAGES)
    folder.run_json("-o", "out.h5")
    return folder.path / "out.h5"


def test_every_array_has_a_checksum(result):
    plain = []
    with h5py.File(result) as file:
        file.visititems(lambda name, item: plain.append(name)
                        if isinstance(item, h5py.Dataset) and item.shape and not item.fletcher32 else None)
    assert plain == []


def test_changed_values_are_noticed(result):
    """All bytes of one array, one at a time."""
    with h5py.File(result) as file:
        total = file["spectrum/total"]
        place, size = total.id.get_chunk_info(0).byte_offset, total.id.get_chunk_info(0).size
    whole = result.read_bytes()
    for at in range(place, place + size, max(1, size // 50)):
        result.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1:])
        with h5py.File(result) as file, pytest.raises(OSError):
            np.asarray(file["spectrum/total"])


@pytest.mark.parametrize("at", [0, 40, -1])
def test_a_changed_text_is_noticed(folder, result, at):
    """One character of the model that the result was made from."""
    with h5py.File(result) as file:
        text = file["provenance/model_resolved"][()]
    whole = result.read_bytes()
    assert whole.count(text) == 1
    place = whole.index(text) + at % len(text)
    result.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
    done = folder.run("image", "out.h5", "--quiet", "-o", "new")
    assert done.returncode == 2 and "/provenance/model_resolved' is damaged" in done.stderr, done.stderr


def test_damaged_results_end_in_one_line(folder, result):
    whole = result.read_bytes()
    draw = random.Random(1)
    assert folder.run("image", "out.h5", "--quiet", "-o", "true").returncode == 0
    expected = fits.getdata(folder.path / "true_side.fits")
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(draw.choice((1, 4, 64))):
            damaged[draw.randrange(len(whole))] = draw.randrange(256)
        (folder.path / "bad.h5").write_bytes(damaged)
        done = folder.run("image", "bad.h5", "--quiet", "--threads", "1", timeout=60)
        assert done.returncode in (0, 2), (done.returncode, done.stderr)
        if done.returncode == 0:
            assert np.array_equal(fits.getdata(folder.path / "bad_image_side.fits"), expected)
        else:
            assert done.stderr.startswith("linerad: error: ")
