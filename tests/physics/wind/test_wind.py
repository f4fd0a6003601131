"""A galaxy with a wind (examples/wind.py, examples/wind_spectrum.yaml), on a coarse mesh: what its spectrum looks like.

Gas that flows out takes photons on the blue side of the line away from the observer on the near side, and sends those
of the far side back to the red. Along the disc, which does not expand, both sides are left."""

import subprocess
import sys

import numpy as np
import pytest

from harness import EXAMPLES, assert_agrees


@pytest.fixture(scope="module")
def gas(tmp_path_factory):
    path = tmp_path_factory.mktemp("wind") / "gas.h5"
    subprocess.run([sys.executable, EXAMPLES / "wind.py", "--cells", "16", "-o", path], check=True)
    return path


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINERAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def test_wind_is_red(linerad, gas, cache):
    given = {"snapshot": gas, "physics.acceleration": "jumps", "physics.trials": 1000}
    run = linerad.run("wind_spectrum", given, packets=4000)
    skipped, followed = run.summary["scatterings_skipped"], run.summary["scatterings"]
    assert skipped > 0.99 * (skipped + followed)
    velocity = run.data("spectrum/velocity_edges")
    middle = 0.5 * (velocity[1:] + velocity[:-1])
    spectrum = run.data("spectrum/direction")[:, 0]
    spectrum = spectrum + spectrum[::-1]  # of both sides of the disc
    red = [part[middle > 0].sum() / part.sum() for part in spectrum[:4]]  # from the axis to the plane
    print("  red part, from the axis to the plane of the disc:", *(f"{part:.2f}" for part in red))
    assert red[0] > 0.85 and red[0] > red[3] + 0.05 and red[3] > 0.55
    total = run.data("spectrum/total")
    assert 150 < middle[np.argmax(np.convolve(total, np.ones(9), "same"))] < 450
    assert 0.3 < run["f_esc"].value < 0.9
    assert_agrees("escaped and absorbed", run["escaped"], run.summary["emitted"] - run.summary["absorbed"])


def test_images_show_a_halo(linerad, gas):
    """Gas far outside the middle, where all the light is made, scatters some of it; here with a hundred-thousandth of
    the gas, through which few scatterings have to be followed."""
    run = linerad.run("wind", {"snapshot": gas, "medium.tau_centre": 300}, packets=2000)
    for camera in ("face-on", "edge-on"):
        image = run.data(f"images/{camera}/intensity").sum(axis=0)
        assert image.shape == (128, 128) and image.min() >= 0
        assert 0.1 < 1 - image[56:72, 56:72].sum() / image.sum() < 0.7  # more than 1.25 kpc from the middle
