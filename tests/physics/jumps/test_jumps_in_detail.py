"""Whole models with jumps and with every scattering followed: spectra by face and direction, cells, places of last
scatterings, and images. Each kind of gas asks something else of jumps.

For a GPU (LINERAD_DEVICE=cuda), where a test takes less than a minute. On a CPU there are a twentieth of the packets
and smaller tables, whose noise is in proportion to that of the packets.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import test_jump_images
from harness import assert_agrees
from test_jumps import (AMR, assert_equal_fields, assert_equal_places, assert_equal_spectra, clumps, compare_clumps,
                        jumps, with_tables)

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
ON_GPU = os.environ.get("LINERAD_DEVICE", "cpu").startswith("cuda")
TRIALS = 65536 if ON_GPU else 8192

FACES = {"output.packets": True, "output.directions": "{mu: 4, phi: 2, axis: z}", "output.bins": 60,
         "output.range": [-30, 30]}
# a < 0.006, and deep enough for balls of both grades, even with a margin for cameras. The first alone would leave one
# scattering in 250 to be followed.
DEEPER = {"medium.damping": 0.005, "mesh.cells": [1, 1, 1]}
BOTH_GRADES = 300
CELLS = {"mesh.cells": [64, 64, 64]}


def number(packets):
    return packets if ON_GPU else packets / 20


def assert_equal_layers(one, other):
    """Few layers, between which light is not independent: each of them agrees."""
    for name in ("mean_intensity", "scattering_rate"):
        value = [run.data(f"fields/{name}") for run in (one, other)]
        error = np.hypot(*(run.data(f"fields/{name}_error") for run in (one, other)))
        sigma = np.abs(value[0] - value[1]) / np.hypot(error, 0.01 * value[1])
        print(f"  {name}: {np.max(sigma):.2f} sigma at most in {sigma.size} layers")
        assert np.max(sigma) < 4


def compare(linerad, model, settings, packets, spectra, assert_fields, least_skipped=0.3, absorbing=False):
    jumped = linerad.run(model, settings | jumps(TRIALS), packets=number(packets), seed=95)
    followed = linerad.run(model, settings | {"physics.acceleration": "none"}, packets=number(packets), seed=96)
    print(f"  {jumped.summary['scatterings']:.3g} of {followed.summary['scatterings']:.3g} scatterings followed")
    assert jumped.summary["scatterings_skipped"] > least_skipped * jumped.summary["scatterings"]
    for name in spectra:
        assert_equal_spectra(jumped, followed, name)
    assert_fields(jumped, followed)
    assert_equal_places(jumped, followed)
    for name in ("median_abs_x", "mean_path", "scatterings_per_packet") + ("f_esc",) * absorbing:
        assert_agrees(name, with_tables(jumped[name], name, TRIALS), followed[name])


@pytest.mark.parametrize("settings, least_skipped", (({"mesh.cells": [16, 1, 1]}, 10), (DEEPER, BOTH_GRADES)),
                         ids=("layers", "both grades"))
def test_dusty_slab(linerad, settings, least_skipped):
    compare(linerad, EXAMPLES / "dusty_slab.yaml", FACES | settings, 4e5, ("total", "face", "direction"),
            assert_equal_layers, least_skipped, absorbing=True)


def test_refined_sphere(linerad):
    compare(linerad, AMR, FACES | {"medium.tau_centre": 2e4}, 1e6, ("total", "face", "direction"), assert_equal_fields)


def test_shell_that_expands(linerad):
    compare(linerad, HERE / "flow.yaml", {}, 1e6, ("total",), assert_equal_layers)


@pytest.fixture(scope="module")
def gas():
    """Cells of different depth, from 1 to 1e5, temperature and velocity; dust absorbs a fifth of the light."""
    return clumps(64, 1e5, 1e-7)


def test_moving_clumps(linerad, gas):
    compare_clumps(linerad, gas, CELLS | {"output.range": [-45, 45]}, number(1e6), TRIALS)


def test_histories_do_not_depend_on_other_packets(linerad):
    """A GPU moves packets that are left over to other threads, unless each has its own (static)."""
    deep = jumps(TRIALS, **{"medium.damping": 4.717e-4, "medium.tau_centre": 1e8, "mesh.cells": [1, 1, 1],
                            "medium.tau_absorption": 0.02, "output.packets": True})
    queue, static = (linerad.run("dusty_slab", deep | {"run.scheduling": scheduling}, packets=3000, seed=99).packets
                     for scheduling in ("queue", "static"))
    for name in ("x", "path", "scatterings", "weight", "last_scattering"):
        assert np.array_equal(queue[name], static[name])


# ---- images ---------------------------------------------------------------------------------------------------------


def compare_images(linerad, model, settings, packets, least_skipped=0.3, fields=None):
    test_jump_images.compare(linerad, test_jump_images.ONE | settings, (number(2 * packets), number(packets)),
                             least_skipped, model, ("one",), (97, 98), fields, TRIALS)


def test_image_of_slab_with_both_grades(linerad):
    slab = {"medium.tau_absorption": 0.02, "channels": "{number: 40, range: [-25, 25]}",
            "cameras": "[{name: one, direction: [0.75, 0.6614378, 0], field: 1 pc, pixels: 1}]"}
    compare_images(linerad, EXAMPLES / "dusty_slab", DEEPER | slab, 2e5, BOTH_GRADES)


def test_image_of_refined_sphere(linerad):
    sphere = {"medium.tau_centre": 2e4, "channels": "{number: 40, range: [-30, 30]}"}
    compare_images(linerad, AMR.with_suffix(""), sphere, 4e5)


def test_image_of_shell_that_expands(linerad):
    compare_images(linerad, "flow", {"channels": "{number: 40, range: [-40, 30]}"}, 4e5)


def test_image_of_moving_clumps(linerad, gas):
    seen = {"channels": "{number: 40, range: [-45, 45]}",
            "cameras": "[{name: one, direction: [0.3, 0.5, 0.8], pixels: 2}]"}
    compare_images(linerad, "clumps", CELLS | seen, 4e5, fields=gas)
