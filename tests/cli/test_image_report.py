"""Numbers that a run reports about its images, in cases where they are known, and destruction from a critical
density."""

import json

import math
import re

import h5py
import numpy as np
import pytest

from conftest import error_line

MODEL = """\
mesh: {cells: [4, 4, 4], size: [1 pc, 1 pc, 1 pc]}
line: {molecule: co, transition: 1-0}
medium: {temperature: 20 K, turbulence: 0.3 km/s, density: 1e-5 cm^-3, colliders: {H2: 100 cm^-3}}
channels: {number: 4, range: [-2 km/s, 2 km/s]}
cameras: [{name: front, direction: +z, pixels: 4}]
image: {unit: K, distance: 100 pc}
"""
CENTIMETRES = 3.0856775814913673e18


def run(folder, text, *options):
    folder.model.write_text(text)
    done = folder.run("run", "model.yaml", "--json", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_uniform_gas(folder):
    image = run(folder, MODEL.replace("image: {", "image: {column: true, "))["images"][0]
    # in LTE at 20 K the factor is 1 / (1 - exp(-h nu / k T)), with h nu / k = 5.5321 K
    factor = image["depth_without_stimulated_emission"]["mean"] / image["depth"]["mean"]
    assert factor == pytest.approx(4.139, rel=1e-3)
    assert image["depth"]["largest"] == pytest.approx(image["depth"]["mean"], rel=1e-5)
    assert image["correlation_with_column"] is None  # nothing varies
    assert image["centroid_shift"] == 0  # not the rounding of sums over pixels
    assert "channel centroids coincide" in folder.run("run", "model.yaml").stdout
    with h5py.File(folder.path / "model.h5") as file:
        assert file["images/front/column"][()] == pytest.approx(1e-5 * CENTIMETRES, rel=1e-5)
        assert file["images/front"].attrs["depth_mean"] == pytest.approx(image["depth"]["mean"])


def two_rows(folder, image, **changes):
    """Gas in two rows of cells along x, three cells apart in y and in z, that move apart along x."""
    density = np.zeros((4, 4, 4))
    velocity = np.zeros((3, 4, 4, 4))
    density[:, 0, 0] = density[:, 3, 3] = 1e-5
    velocity[0, :, 0, 0], velocity[0, :, 3, 3] = 1.5, -1.5
    with h5py.File(folder.path / "rows.h5", "w") as file:
        file["n"], file["v"] = density, velocity
        file["n"].attrs["units"], file["v"].attrs["units"] = "cm-3", "km/s"
    text = (
        MODEL.replace("density: 1e-5 cm^-3", "density: {file: rows.h5, dataset: /n}")
        .replace("medium: {", "medium: {velocity: {file: rows.h5, dataset: /v}, ")
        .replace("direction: +z", "direction: +x")
        .replace("distance: 100 pc", f"distance: 100 pc, {image}")
    )
    for old, new in changes.items():
        assert old in text
        text = re.sub(rf"\b{old}: [^,}}]*", f"{old}: {new}", text, count=1)
    return text


@pytest.mark.parametrize("sky", ["none", "cmb", "300 K", "cmb, subtract_background: true"])
def test_centroids_are_those_of_the_gas_and_not_of_the_sky(folder, sky):
    """In emission and, against a bright sky, in absorption."""
    image = run(folder, two_rows(folder, f"background: {sky}"))["images"][0]
    assert image["centroid_shift_unit"] == "cm"
    assert image["centroid_shift"] == pytest.approx(math.hypot(0.75, 0.75) * CENTIMETRES, rel=1e-3)


@pytest.mark.parametrize("unit", ["AU", "pc", "kpc", "Mpc"])
def test_distances_between_centroids_have_a_unit_that_fits(folder, unit):
    folder.model.write_text(two_rows(folder, "background: none").replace("1 pc", f"1 {unit}"))
    assert f"channel centroids up to 1.06 {unit} apart" in folder.run("run", "model.yaml").stdout


def test_a_near_observer_has_angles(folder):
    text = two_rows(folder, "background: cmb").replace("direction: +x", "position: [20 pc, 0 pc, 0 pc], field: 6 deg")
    image = run(folder, text.replace("pixels: 4", "pixels: 64"))["images"][0]
    assert image["centroid_shift_unit"] == "rad"
    assert image["centroid_shift"] == pytest.approx(math.hypot(0.75, 0.75) / 20, rel=0.01)
    with h5py.File(folder.path / "model.h5") as file:
        assert file["images/front"].attrs["centroid_shift"] == pytest.approx(image["centroid_shift"])
    degrees = re.search(r"channel centroids up to (\S+) deg apart", folder.run("run", "model.yaml").stdout)
    assert float(degrees[1]) == pytest.approx(math.degrees(image["centroid_shift"]), rel=0.01)


def test_one_channel_has_no_distance(folder):
    image = run(folder, two_rows(folder, "background: cmb", number="1"))["images"][0]
    assert image["centroid_shift"] is None
    assert "no separation of channel centroids" in folder.run("run", "model.yaml").stdout


def traced(text):
    return float(re.search(r"about (\S+) s of ray tracing", text)[1])


def test_time_of_the_report_is_told(folder):
    """Rays are traced a second time at all frequencies, and once more at one of them."""
    run(folder, MODEL.replace("pixels: 4", "pixels: 64"))
    summary = run(folder, MODEL.replace("pixels: 4", "pixels: 64"))
    with h5py.File(folder.path / "model.h5") as file:
        assert summary["seconds"]["images"] > file["images/front"].attrs["seconds"]
    with_it = folder.run("check", "model.yaml").stdout
    without = folder.run("check", "model.yaml", "--set", "image.report=false").stdout
    assert re.search(r"of which \S+ s for image\.report", with_it) and "MiB while image.report is made" in with_it
    assert "image.report" not in without
    assert 1.9 < traced(with_it) / traced(without) < 2.6


def test_an_image_without_stimulated_emission_says_so(folder):
    with_it = run(folder, MODEL)["images"][0]
    without = run(folder, MODEL + "populations: {method: lte, stimulated: false}\n")["images"][0]
    assert without["stimulated_emission"] is False and with_it["stimulated_emission"] is True
    for key in ("depth", "depth_without_stimulated_emission"):
        assert without[key]["mean"] == pytest.approx(with_it[key]["mean"], rel=1e-4)
    text = folder.run("run", "model.yaml").stdout
    assert "without stimulated emission (used: without)" in text


def test_a_report_can_be_left_out(folder):
    image = run(folder, MODEL, "--set", "image.report=false")["images"][0]
    assert image["depth"] == {"mean": None, "largest": None}
    assert image["correlation_with_column"] is None
    with h5py.File(folder.path / "model.h5") as file:
        assert "centroid" not in file["images/front"] and "depth_mean" not in file["images/front"].attrs


def test_levels_that_were_found(folder):
    """Levels found by a run are stored, so the depth without stimulated emission is known; otherwise it is not."""
    sphere = MODEL.replace("molecule: co,", "molecule: rates.dat,") + "populations: {method: lvg}\n"
    rates = folder.path / "rates.dat"
    rates.write_text(
        "!\nX\n!\n28.0\n!\n2\n!\n1 0.0 1.0 0\n2 3.845 3.0 1\n!\n1\n!\n1 2 1 7.2e-8 115.27\n!\n1\n!\n1 X-H2\n!\n1\n!\n1\n!\n"
        "20.0\n!\n1 2 1 3e-11\n"
    )
    assert run(folder, sphere)["images"][0]["depth_without_stimulated_emission"]["mean"] > 0
    image = run(folder, sphere, "--set", "output.populations=false")["images"][0]
    assert image["depth_without_stimulated_emission"]["mean"] is None and image["depth"]["mean"] > 0


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("{molecule: co, transition: 1-0}", "co10", "only a molecule"),
        (", colliders: {H2: 100 cm^-3}", "", "needs the density of H2"),
        ("critical_density: 1e3 cm^-3", "critical_density: 0 cm^-3", "above zero"),
        ("critical_density: 1e3 cm^-3", "critical_density: 1e3", "1e3"),
        ("critical_density: 1e3 cm^-3", "critical_density: 1e3 cm^-3, other: 1", "unknown key"),
    ],
)
def test_bad_critical_densities(folder, old, new, words):
    text = MODEL.replace("medium: {", "medium: {destruction: {critical_density: 1e3 cm^-3}, ") + "sources: [thermal: {}]\n"
    assert old in text
    text = text.replace(old, new)
    if new == "co10":
        text = text.replace(", colliders: {H2: 100 cm^-3}", "")
    folder.model.write_text(text)
    assert words in error_line(folder.run("check", "model.yaml"))


def test_columns_are_those_of_molecules(folder):
    folder.model.write_text(
        MODEL.replace("{molecule: co, transition: 1-0}", "co10")
        .replace(", colliders: {H2: 100 cm^-3}", ", destruction: 1")
        .replace("image: {", "image: {column: true, ")
        + "sources: [thermal: {}]\nrun: {packets: 0}\n"
    )
    assert "a column density needs a molecule" in error_line(folder.run("check", "model.yaml"))
