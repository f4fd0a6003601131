"""The result file of a real run: every promise of docs/result_format.md, read with h5py."""

import math

import h5py
import numpy as np
import pytest

from conftest import MODEL


@pytest.fixture
def result(folder):
    outputs = "output: {fields: true, packets: true}\n"
    folder.model.write_text(MODEL + outputs)
    summary = folder.run_json("-o", "out.h5", "--packets", "2000")
    with h5py.File(folder.path / "out.h5") as file:
        yield file, summary


def test_every_dataset_says_its_units_and_what_it_is(result):
    file, _ = result

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            assert isinstance(item.attrs["units"], str) and item.attrs["units"], name
            assert isinstance(item.attrs["description"], str) and "\n" not in item.attrs["description"], name

    file.visititems(visit)
    assert file.attrs["format"] == "linerad result"
    assert file.attrs["format_version"] == 1


def test_the_spectrum_adds_up_to_what_escaped(result):
    file, summary = result
    spectrum = file["spectrum"]
    width = np.diff(spectrum["x_edges"][:])
    assert (width > 0).all()
    total = (spectrum["total"][:] * width).sum() + spectrum.attrs["outside"]
    assert total == pytest.approx(summary["escaped"], rel=1e-6)
    assert spectrum["face"][:].sum(axis=0) == pytest.approx(spectrum["total"][:], rel=1e-6, abs=1e-12)
    assert (spectrum["face"][2:] == 0).all()  # y and z are periodic
    for name in ("total", "face"):
        assert spectrum[name].shape == spectrum[name + "_error"].shape
        assert (spectrum[name + "_error"][:] >= 0).all()


def test_velocity_runs_against_frequency(result):
    file, summary = result
    spectrum = file["spectrum"]
    expected = -spectrum["x_edges"][:] * summary["reference_b_cm_s"] / 1e5
    assert spectrum["velocity_edges"][:] == pytest.approx(expected, rel=1e-12)


def test_fields_have_the_shape_of_the_mesh_and_count_the_scatterings(result):
    file, summary = result
    edges = [file["mesh"][axis + "_edges"][:] for axis in "xyz"]
    shape = tuple(len(edge) - 1 for edge in edges)
    assert shape == (16, 2, 2)
    rate = file["fields/scattering_rate"]
    assert rate.shape == file["fields/mean_intensity"].shape == shape
    volume = np.einsum("i,j,k->ijk", *map(np.diff, edges))
    scatterings = (rate[:] * volume).sum() / summary["emitted"]
    # One estimate adds the depth of each flight (mean 1, variance 1), the other counts them.
    tolerance = 4 / math.sqrt(summary["scatterings"])
    assert scatterings == pytest.approx(summary["scatterings_per_packet"], rel=tolerance)
    assert list(file["mesh"].attrs["face_rules"]) == ["open"] * 2 + ["periodic"] * 4


def test_the_packet_list_agrees_with_the_summary(result):
    file, summary = result
    packets = file["packets"]
    n = len(packets["id"])
    assert 0 < n <= summary["packets"]
    assert len(np.unique(packets["id"][:])) == n
    assert packets["weight"][:].sum() == pytest.approx(summary["escaped"], rel=1e-5)
    assert set(packets["face"][:]) <= {0, 1}
    for name in ("position", "direction", "last_scattering"):
        assert packets[name].shape == (n, 3)
    assert np.linalg.norm(packets["direction"][:], axis=1) == pytest.approx(np.ones(n), abs=1e-5)
    x = np.abs(packets["shift"][:]) / summary["reference_b_cm_s"]
    assert np.median(x) == pytest.approx(summary["median_abs_x"], abs=5 * summary["median_abs_x_error"])


def test_summary_and_provenance_tell_how_it_was_made(result, folder):
    file, summary = result
    stored = file["summary"].attrs
    for key in ("packets", "emitted", "escaped", "escaped_error", "f_esc", "median_abs_x", "median_abs_x_error"):
        assert stored[key] == summary[key]
    assert stored["lower_quartile_abs_x"] == summary["quartiles_abs_x"][0]
    made = file["provenance"].attrs
    assert made["version"] == summary["version"]
    assert made["seed"] == summary["seed"]
    assert made["device"] == summary["device"]
    for key in ("date", "host", "cpu", "precision"):
        assert made[key]
    text = file["provenance/model"].asstr()[()]
    assert text.startswith(folder.model.read_text())
    assert "run.packets=2000" in text
