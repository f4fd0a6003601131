"""Thick, dusty, moving clumps, against peel-off pixel by pixel and against the light that escapes.

Uniform cells of depth up to 50, and a refined mesh whose cells are half as wide in and around two of the clumps.
Peel-off shares the path out of the mesh with the two-step method, but not the rays: every scattering goes to the pixel
in which its exact position is seen. The two-step method knows only the cell of a scattering, so pixels are whole cells
along the axes, and many cells wide in oblique views.

The flux of images in 48 directions, spread evenly over the sphere, is the light that escapes. In this case the gas
itself emits: direct light from a star would change too abruptly from direction to direction.
"""

from pathlib import Path

import numpy as np
import pytest

from imaging import cube

MODEL = Path(__file__).with_name("clumps.yaml")
REFINED = [{"sphere": {"centre": ["0.5 pc", "0.2 pc", "0.3 pc"], "radius": "0.35 pc"}, "levels": 1},
           {"sphere": {"centre": ["-0.3 pc", "-0.5 pc", "0.5 pc"], "radius": "0.3 pc"}, "levels": 1}]


def along_axes(pixels, refined):
    rays = {"rays": 2 if refined else 1}  # one for each cell
    return [{"name": name, "direction": f"+{name}", "pixels": pixels, "field": "2 pc", **rays} for name in "xyz"]


def obliquely(pixels):
    return [{"name": f"o{i}", "direction": list(direction), "pixels": pixels, "field": "3.6 pc"}
            for i, direction in enumerate(((1, 2, 3), (-3, 1, 2), (2, -2.5, -1)))]


def settings(n, cameras, refined=False, **more):
    mesh = {"mesh.refine": REFINED} if refined else {}
    return {"mesh.cells": [n, n, n], "cameras": cameras, **mesh, **more}


def without_star(image):
    """Pixels that do not show the star, whose direct light is the same in both."""
    n = image.shape[1]
    shown = np.ones_like(image, dtype=bool)
    shown[:, (n - 1) // 2:n // 2 + 1, (n - 1) // 2:n // 2 + 1] = False
    return shown


def compare(linerad, packets, given, tolerance):
    """Two-step against peel-off: flux within the tolerance and errors, chi-square per pixel and channel about one."""
    step = linerad.run(MODEL, given, packets=packets, seed=31)
    peel = linerad.run(MODEL, {**given, "image.method": "peel-off"}, packets=packets, seed=32)
    deviations, gains = [], []
    for camera in given["cameras"]:
        one, other = cube(step, camera["name"]), cube(peel, camera["name"])
        shown = without_star(one.intensity)
        scattered = np.sum(other.intensity[shown])
        excess = np.sum(one.intensity - other.intensity) / scattered
        error = np.sqrt(np.sum(one.error**2) + np.sum(other.error**2)) / scattered
        signal = 0.5 * (one.intensity + other.intensity)
        bright = shown & (signal > 0.05 * signal[shown].max()) & (one.error > 0) & (other.error > 0)
        deviation = (one.intensity - other.intensity)[bright] / np.hypot(one.error, other.error)[bright]
        print(f"  {camera['name']}: flux {1 + excess:.4f} +- {error:.4f}, chi^2 {np.mean(deviation**2):.3f} of "
              f"{len(deviation)}")
        assert abs(excess) < tolerance + 3.5 * error
        deviations.append(deviation)
        gains.append(np.median(other.error[bright] / one.error[bright]))
    deviations = np.concatenate(deviations)
    seconds = [run.summary["seconds"]["total"] for run in (step, peel)]
    print(f"  chi^2 {np.mean(deviations**2):.3f}, mean {np.mean(deviations):+.3f} of {len(deviations)}; peel-off "
          f"{np.mean(gains):.2f} times as noisy in {seconds[1] / seconds[0]:.2f} times the time: for equal noise "
          f"{np.mean(gains)**2 * seconds[1] / seconds[0]:.2f}")
    return deviations


def assert_noise(deviations):
    assert 0.9 < np.mean(deviations**2) < 1.45  # 8 groups of packets each: 7/6 on average
    assert abs(np.mean(deviations)) < 0.15


@pytest.mark.parametrize("refined", (pytest.param(False, marks=pytest.mark.long), True))
def test_pixels_of_one_cell(linerad, refined):
    assert_noise(compare(linerad, 2e5, settings(16, along_axes(16, refined), refined), 0.003))


def test_flux_obliquely(linerad):
    compare(linerad, 2e5, settings(16, obliquely(9), True), 0.003)


@pytest.mark.long
@pytest.mark.parametrize("refined", (False, True))
def test_in_detail(linerad, refined):
    assert_noise(compare(linerad, 1e7, settings(32, along_axes(32, refined), refined), 0.003))
    assert_noise(compare(linerad, 1e7, settings(32, along_axes(8, refined), refined), 0.003))
    compare(linerad, 1e7, settings(32, obliquely(12), refined), 0.003)


def sphere_points(n):
    """Directions spread evenly over the sphere, on a spiral."""
    mu = 1 - (2 * np.arange(n) + 1) / n
    azimuth = np.pi * (1 + 5**0.5) * np.arange(n)
    sine = np.sqrt(1 - mu**2)
    return np.transpose([sine * np.cos(azimuth), sine * np.sin(azimuth), mu])


def all_around(linerad, packets, refined):
    """Flux of the images over the light that escapes, and its error: 48 images of the same packets share it."""
    cameras = [{"name": f"d{i}", "direction": [float(v) for v in direction], "pixels": 8, "field": "3.6 pc"}
               for i, direction in enumerate(sphere_points(48))]
    shining = [{"volume": {}, "spectrum": {"gaussian": {"centre": "0 km/s", "fwhm": "25 km/s"}},
                "luminosity": "1e50 photon/s"}]
    run = linerad.run(MODEL, settings(16, cameras, refined, sources=shining), packets=packets, seed=33)
    checks = [image["check"] for image in run.summary["images"]]
    ratio = np.mean([check["image_flux"] for check in checks]) / (run["escaped"].value / (4 * np.pi))
    error = np.hypot(np.mean([check["image_flux_error"] / check["image_flux"] for check in checks]),
                     run["escaped"].error / run["escaped"].value)
    print(f"  48 directions: {ratio:.4f} +- {error:.4f}")
    return ratio, error


@pytest.mark.long
def test_all_directions_make_up_the_light_that_escapes(linerad):
    ratio, error = all_around(linerad, 1e5, True)
    assert abs(ratio - 1) < 0.003 + 3.5 * error


@pytest.mark.long
@pytest.mark.parametrize("refined", (False, True))
def test_all_directions_in_detail(linerad, refined):
    ratio, error = all_around(linerad, 4e6, refined)
    assert abs(ratio - 1) < 0.001 + 3.5 * error
