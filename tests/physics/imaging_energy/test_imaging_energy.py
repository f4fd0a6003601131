"""Images from all sides together contain the light that escapes.

The photons per second and steradian in images from direction n, averaged over directions, times 4 pi, are the escaped
luminosity. Directions: the 48 pixel centres of HEALPix (Gorski et al. 2005) with N_side = 2. Their equal weights do not
integrate a cube exactly: its brightness from a direction follows its projected area s = |n_x| + |n_y| + |n_z|, whose
mean over the sphere is 3/2. That part is removed by regression on s. The field of view is a whole number of rays wider
than the cube, so that its edges fall between rays. Tolerance 0.5 %, most of it for cells and channels, in which
scattered light is spread evenly.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import assert_close
from imaging import cube, healpix_centres

MODEL = Path(__file__).with_name("model.yaml")
LUMINOSITY = 1e50


def swirl(n, speed):
    """Rotation about an oblique axis with a wave superimposed, in km/s."""
    c = (2 * np.arange(n) + 1) / n - 1
    x, y, z = np.meshgrid(c, c, c, indexing="ij")
    return speed * np.stack([z - y + 0.5 * np.sin(3 * x), x - z + 0.5 * np.sin(3 * y), y - x + 0.5 * np.cos(3 * z)])


def light_from_all_sides(linerad, settings, directions, packets, seed=1):
    """The run, and L(n) 4 pi from each direction, in photon/s."""
    cameras = [{"name": f"n{i}", "direction": [float(x) for x in n], "pixels": 32, "field": "4 pc", "rays": 2}
               for i, n in enumerate(directions)]
    run = linerad.run(MODEL, settings | {"cameras": cameras}, packets=packets, seed=seed,
                      fields={"gas.h5": {"velocity": (swirl(16, 12), "km/s")}})
    return run, np.array([4 * np.pi * cube(run, f"n{i}").spectrum.sum() for i in range(len(directions))])


def mean_over_sphere(light, directions):
    """With the projected area of the cube as a control variate."""
    area = np.abs(directions).sum(axis=1)
    slope = np.polyfit(area, light, 1)[0]
    return np.mean(light - slope * (area - 1.5))


def test_directions_cover_the_sphere():
    for n_side in (1, 2):
        directions = healpix_centres(n_side)
        assert len(directions) == 12 * n_side**2
        assert np.allclose(np.linalg.norm(directions, axis=1), 1)
        assert np.allclose(directions.mean(axis=0), 0, atol=1e-15)
        assert np.allclose(directions.T @ directions / len(directions), np.eye(3) / 3, atol=0.05)
        distance = np.linalg.norm(directions[:, None] - directions[None], axis=2) + 9 * np.eye(len(directions))
        assert distance.min() > 0.8 / n_side


@pytest.mark.parametrize("absorption", ["none", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("dust", "destruction"))])
def test_images_hold_the_escaped_light(linerad, absorption):
    settings = {"none": {}, "dust": {"medium.tau_absorption": 0.5},
                "destruction": {"medium.destruction": 0.1}}[absorption]
    directions = healpix_centres(2)
    run, light = light_from_all_sides(linerad, settings, directions, packets=6e4)
    escaped = run.summary["escaped"]
    print(f"  {absorption}: escaped {escaped / LUMINOSITY:.4f}, from single sides {light.min() / LUMINOSITY:.3f} to "
          f"{light.max() / LUMINOSITY:.3f}")
    assert_close(f"{absorption}: images over escaped", mean_over_sphere(light, directions), escaped, 0.005)


def test_wide_channels_hold_the_same_light(linerad):
    """At a depth of 3 to the faces, channels of b/2 and of b against channels of b/10, from two sides; the packets are
    the same, so there is no noise in the difference. Light in the core of the line must not leave through the wing
    within a channel."""
    directions = np.array([(0.48, 0.6, 0.64), (0.8, 0, -0.6)])
    light = {n: light_from_all_sides(linerad, {"medium.tau_centre": 3, "channels": {"number": n, "range": ["-60 km/s", "60 km/s"]}, "image.subcell": False},
                                     directions, 4e4)[1].sum()
             for n in (12, 24, 120)}
    print(f"  channels of b over b/10: {light[12] / light[120]:.4f}, of b/2: {light[24] / light[120]:.4f}")
    assert abs(light[24] / light[120] - 1) < 0.01
    assert abs(light[12] / light[120] - 1) < 0.03
