"""Results are the same to the last bit on any number of threads, in parts, and after interruptions."""

import os
import random

import h5py
import numpy as np
import pytest
from astropy.io import fits
from test_merge import share
from test_resume import ABSORBING, command, kill_until_done, prepare

# What differs from run to run: when, where and how long.
OF_THE_RUN = ("seconds", "per_second", "date", "run_id", "threads", "device", "model", "command")
CAMERAS = """\
channels: {range: [-80 km/s, 80 km/s], number: 6}
cameras:
  - {name: side, theta: 60 deg, phi: 30 deg, pixels: 5, field: 3 pc}
  - {name: front, direction: +x, pixels: 4}
image: {errors: true, emissivity: true}
"""
BOX = """\
mesh: {cells: [6, 5, 4], size: [2 pc, 2 pc, 2 pc]}
line: lya
medium: {temperature: 1e4 K, tau_mean: 200, damping: 0.0149, velocity: [9 km/s, 0 km/s, 4 km/s]}
sources: [{point: {position: [0.1 pc, 0.2 pc, 0.3 pc]}, spectrum: {gaussian: {fwhm: 12 km/s}}, luminosity: 1 photon/s}]
output: {packets: true, sums: true, directions: {mu: 3, phi: 2}}
run: {packets: 700, seed: 3, device: cpu, deterministic: true}
"""
ABSORBS = ("damping: 0.0149", "damping: 0.0149, absorption: 0.3 1/pc, destruction: 1e-3")
SHELLS = [
    ("{cells: [6, 5, 4], size: [2 pc, 2 pc, 2 pc]}", "{shells: 7, inner: 0.2 pc, outer: 1 pc}"),
    ("[9 km/s, 0 km/s, 4 km/s]", "9 km/s"),
    ("[0.1 pc, 0.2 pc, 0.3 pc]", "[0 pc, 0 pc, 0 pc]"),
    (", directions: {mu: 3, phi: 2}", ""),
]
REFINED = ("[2 pc, 2 pc, 2 pc]", "[2 pc, 2 pc, 2 pc], refine: [{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0.5 pc}, levels: 2}]")
DEEP = ("tau_mean: 200", "tau_mean: 1e6")
JUMPS = "physics: {acceleration: jumps, trials: 1000}\n"
CASES = {
    "plain": ([], ""),
    "absorption": ([ABSORBS], ""),
    "analog": ([ABSORBS], "physics: {absorption: analog}\n"),
    "cameras": ([ABSORBS], CAMERAS),
    "thin": ([("tau_mean: 200", "tau_mean: 0.01")], CAMERAS),
    "peel-off": ([], CAMERAS.replace("emissivity: true", "method: peel-off")),
    "dipole": ([], "physics: {phase: dipole, recoil: true}\n" + CAMERAS),
    "shells": (SHELLS, CAMERAS),
    "refined": ([REFINED, ABSORBS], CAMERAS),
    "jumps": ([DEEP, ABSORBS], JUMPS + CAMERAS),
}


def changed(text, changes):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def as_bytes(value):
    value = np.asarray(value)
    return repr(value.tolist()) if value.dtype.hasobject else value.tobytes()


def contents(path):
    """Every dataset and attribute of a result as bytes, and the data of its images."""
    found = {}

    def add(name, node):
        for key, value in node.attrs.items():
            found[f"{name}@{key}"] = as_bytes(value)
        if isinstance(node, h5py.Dataset):
            found[name] = as_bytes(node[()])

    with h5py.File(path) as file:
        add("", file)
        file.visititems(add)
    for image in path.parent.glob(path.stem + "_*.fits"):
        with fits.open(image) as units:
            for number, unit in enumerate(units):
                if unit.data is not None:
                    found[f"{image.name.removeprefix(path.stem)} {number}"] = unit.data.tobytes()
    return {name: value for name, value in found.items() if not any(word in name for word in OF_THE_RUN)}


def assert_identical(one, other, skip=()):
    one, other = contents(one), contents(other)
    names = {name for name in one if not any(word in name for word in skip)}
    assert len(names) > 20 and names == {name for name in other if not any(word in name for word in skip)}
    assert sorted(name for name in names if one[name] != other[name]) == []


def run(folder, output, *arguments):
    done = folder.run("run", "model.yaml", "--quiet", "-o", output, *arguments,
                      env=os.environ | {"LINERAD_CACHE": str(folder.path / "cache")})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "last digits" not in done.stderr
    return folder.path / output


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("case", CASES)
def test_threads(folder, case, precision):
    changes, more = CASES[case]
    folder.model.write_text(changed(BOX, changes) + more)
    one = run(folder, "one.h5", "--threads", 1, "--precision", precision)
    for threads in (2, 3, 4):
        other = run(folder, "other.h5", "--threads", threads, "--precision", precision)
        assert_identical(one, other)


def test_equal_results_are_equal_files(folder):
    """But for the bytes of dates, names and times, and the checksums of what contains them."""
    folder.model.write_text(BOX)
    one, other = (run(folder, name, "--threads", 2).read_bytes() for name in ("one.h5", "other.h5"))
    assert len(one) == len(other)
    differ = np.count_nonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8))
    assert 0 < differ < 200


@pytest.mark.parametrize("cameras", [False, True])
def test_a_run_killed_at_random_moments(folder, cameras):
    prepare(folder, cameras, ABSORBING)
    options = ["--packets", 2500, "--precision", "mixed"] + (["--set", "run.deterministic=true"] if cameras else [])
    done = folder.run(*command(folder, *options, "-o", "whole.h5", "--threads", 1)[1:])
    assert done.returncode == 0, done.stderr
    rng, kills = random.Random(2), 0
    while kills < 2:
        kills += kill_until_done(folder, rng, 8, *options, "--threads", 3, longest=0.4)
        assert_identical(folder.path / "whole.h5", folder.path / "out.h5")


def test_shares(folder):
    """All sums, and what follows from them; lists of packets have the weights of each share, divided and multiplied."""
    prepare(folder, cameras=False)
    options = ["--packets", 700, "--set", "output.sums=true"]
    assert folder.run(*command(folder, *options, "-o", "whole.h5")[1:]).returncode == 0
    parts = [share(folder, part, 3, *options) for part in (1, 2, 3)]
    assert folder.run("merge", parts[2], parts[0], parts[1], "-o", "all.h5").returncode == 0
    assert_identical(folder.path / "whole.h5", folder.path / "all.h5", skip=("packets/", "parts", "merged"))


def test_an_aim_is_refused(folder):
    done = folder.run("run", "model.yaml", "-o", "out.h5", "--set", "run.deterministic=true",
                      "--set", "run.until={quantity: f_esc, error: 0.1}")  # fmt: skip
    assert done.returncode == 2 and "deterministic" in done.stderr
