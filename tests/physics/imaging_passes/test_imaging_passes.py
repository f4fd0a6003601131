"""A run that does not fit into memory is made in passes over the same packets, with some of the cameras and channels
each. This is exact if what a camera and a channel show does not depend on which others are present: the packets do the
same, whoever watches. (How passes are divided is tested in tests/unit/test_imaging.c.)"""

import numpy as np
import pytest

from imaging import cube

# Sums in another order: double for small meshes, then float32 in the file.
ROUNDING = 1e-6

ALL = {"cameras": "[{name: a, direction: [1, 2, 3], pixels: 12}, {name: b, direction: +z, pixels: 12}]",
       "channels": "{number: 16, range: [-32 km/s, 32 km/s]}", "mesh.cells": "[8, 8, 8]",
       "image": "{errors: true, spectrum: false}"}


def images(linerad, precision="mixed", **changes):
    return linerad.run("clumpy_box", ALL | changes, packets=3e4, seed=5, precision=precision)


def test_a_camera_alone_sees_the_same(linerad):
    together = images(linerad)
    alone = images(linerad, cameras="[{name: b, direction: +z, pixels: 12}]")
    whole, part = cube(together, "b"), cube(alone, "b")
    assert np.max(np.abs(whole.intensity - part.intensity)) < ROUNDING * whole.intensity.max()
    assert np.max(np.abs(whole.error - part.error)) < 1e-4 * whole.error.max()
    assert together.summary["scatterings"] == alone.summary["scatterings"]


def test_channels_alone_hold_the_same(linerad):
    whole = cube(images(linerad), "a")
    part = cube(images(linerad, channels="{number: 5, range: [-12 km/s, 8 km/s]}"), "a")
    assert np.allclose(part.edges, whole.edges[5:11])
    assert np.max(np.abs(whole.intensity[5:10] - part.intensity)) < ROUNDING * whole.intensity.max()


# Two passes, four and six: by cameras, then channels.
@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("gib", [0.0012, 0.0006, 0.0003])
def test_passes_make_the_whole(linerad, gib, precision):
    """With `run.memory` just above the size of the gas and the fields, the emissivity is made piece by piece."""
    whole = images(linerad, precision)
    parts = images(linerad, precision, **{"run.memory": gib, "output.fields": False})
    for name in "ab":
        one, many = cube(whole, name), cube(parts, name)
        assert np.allclose(one.edges, many.edges)
        assert np.max(np.abs(one.intensity - many.intensity)) < ROUNDING * one.intensity.max()
        assert np.max(np.abs(one.error - many.error)) < 1e-4 * one.error.max()
    assert whole.summary["scatterings"] == parts.summary["scatterings"]
