"""Two methods for images of scattered light (examples/clumpy_box.yaml), pixel by pixel.

`two-step` records scatterings in cells and collects them along lines of sight; `peel-off` sends every scattering to the
camera individually. They share nothing after the scattering. Pixels are whole cells, because two-step knows no
positions inside a cell, and `subcell: false`, because peel-off sees uniform cells. Then they differ only in noise and,
if a cell is thick, in what is in front of what inside it: the balls have depths of at most 0.8 per cell at line centre,
and the clumps contribute their surfaces; 1.5 % is allowed for the total flux of scattered light.

Errors per pixel come from 8 groups of packets each, so that the square of difference over error is 7/6 on average.
"""

from pathlib import Path

import numpy as np
import pytest

from imaging import cube

CAMERAS = ("x", "y", "z")


def settings(n, **more):
    cameras = [{"name": name, "direction": f"+{name}", "pixels": n, "field": "2 pc", "rays": 1} for name in CAMERAS]
    return {"mesh.cells": [n, n, n], "cameras": cameras, "image": {"errors": True, "subcell": False, **more},
            "channels": "{number: 36, range: [-36 km/s, 36 km/s]}", "output.fields": False}


def measure(linerad, n, packets):
    """Scattered flux of two-step over peel-off by camera, and the deviations of bright pixels in combined errors."""
    step = linerad.run("clumpy_box", settings(n), packets=packets, seed=21)
    peel = linerad.run("clumpy_box", settings(n, method="peel-off"), packets=packets, seed=22)
    deviations, ratios, fluxes = [], [], {}
    for name in CAMERAS:
        one, other = cube(step, name), cube(peel, name)
        difference = one.intensity - other.intensity
        scattered = np.ones_like(difference, dtype=bool)
        scattered[:, n // 2 - 1:n // 2 + 1, n // 2 - 1:n // 2 + 1] = False  # the star, which is the same in both
        signal = 0.5 * (one.intensity + other.intensity)
        bright = scattered & (signal > 0.05 * signal[scattered].max()) & (one.error > 0) & (other.error > 0)
        deviations.append(difference[bright] / np.hypot(one.error, other.error)[bright])
        ratios.append(np.median(other.error[bright] / one.error[bright]))
        flux = [np.sum(image.intensity[scattered]) for image in (one, other)]
        print(f"  toward {name}: {bright.sum()} pixels and channels, scattered flux two-step over peel-off "
              f"{flux[0] / flux[1]:.4f}")
        fluxes[name] = flux[0] / flux[1]
    deviations = np.concatenate(deviations)
    chi2, mean = np.mean(deviations**2), np.mean(deviations)
    seconds = {run: run.summary["seconds"]["total"] for run in (step, peel)}
    gain = np.mean(ratios) ** 2 * seconds[peel] / seconds[step]
    print(f"  chi^2 / n {chi2:.3f}, mean deviation {mean:+.3f}, beyond 3: {np.mean(np.abs(deviations) > 3):.4f}, "
          f"n = {len(deviations)}")
    print(f"  peel-off is {np.mean(ratios):.2f} times as noisy per packet and takes "
          f"{seconds[peel] / seconds[step]:.2f} times as long: two-step is {gain:.1f} times as fast for equal noise")
    return fluxes, deviations


def compare(linerad, n, packets):
    fluxes, deviations = measure(linerad, n, packets)
    chi2, mean = np.mean(deviations**2), np.mean(deviations)
    assert all(abs(flux - 1) < 0.015 for flux in fluxes.values())
    assert len(deviations) > 1000
    assert 0.9 < chi2 < 1.45
    assert abs(mean) < 0.15
    assert np.mean(np.abs(deviations) > 3) < 0.03  # of Student's t with 14 degrees of freedom: 0.010


@pytest.mark.parametrize("opacity", (0.9, pytest.param(5, marks=pytest.mark.long)))
def test_thin_cells_of_a_deep_mesh(linerad, opacity):
    """Cells of depth 0.045, where rays pick up light at the edge of its cell, and of 0.25, where it is followed out of
    the mesh. In the oblique view the path out changes by 4.5 cells within one."""
    model = Path(__file__).with_name("thin_cells.yaml")
    settings = {"medium.opacity": f"{opacity} 1/pc"}
    step = linerad.run(model, settings, packets=1e6, seed=23)
    peel = linerad.run(model, {**settings, "image.method": "peel-off"}, packets=1e6, seed=24)
    for name in "zo":
        one, other = cube(step, name), cube(peel, name)
        flux = [np.sum(image.intensity, axis=(1, 2)) for image in (one, other)]
        error = np.hypot(*(np.sqrt(np.sum(image.error**2, axis=(1, 2))) for image in (one, other)))
        bright = flux[1] > 0.1 * flux[1].max()
        ratio = np.sum(flux[0]) / np.sum(flux[1])
        noise = np.sqrt(np.sum(error**2)) / np.sum(flux[1])
        chi2 = np.mean(((flux[0] - flux[1]) / error)[bright] ** 2)
        print(f"  toward {name}: flux {ratio:.4f} +- {noise:.4f}, chi^2 of {bright.sum()} channels {chi2:.2f}")
        assert abs(ratio - 1) < 0.003 + 3.5 * noise
        assert chi2 < 3


@pytest.mark.long
def test_long_cells_seen_end_on(linerad):
    """Cells of depth 0.045 across and 0.45 along: they count as deep, because of their longest side."""
    model = Path(__file__).with_name("thin_cells.yaml")
    settings = {"mesh.cells": [8, 8, 20], "mesh.size": ["0.08 pc", "0.08 pc", "2 pc"], "medium.opacity": "4.5 1/pc",
                "cameras": [{"name": "o", "direction": [0.02, 0.04, 1], "pixels": 4, "field": "0.4 pc"}]}
    step = linerad.run(model, settings, packets=4e6, seed=23)
    peel = linerad.run(model, {**settings, "image.method": "peel-off"}, packets=4e6, seed=23)
    flux = [cube(run, "o").spectrum for run in (step, peel)]
    core = slice(8, 16)  # 12 km/s to either side
    ratio = flux[0][core].sum() / flux[1][core].sum()
    print(f"  line centre, two-step over peel-off: {ratio:.4f}")
    assert abs(ratio - 1) < 0.005


def test_two_step_agrees_with_peel_off(linerad):
    compare(linerad, 16, 1e6)


@pytest.mark.long
def test_two_step_agrees_with_peel_off_in_detail(linerad):
    compare(linerad, 32, 2e7)
