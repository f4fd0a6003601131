"""Cells whose damping has no records of its own: shallow cells beside deep ones follow every scattering.

Jumps with the records of another damping give 213 instead of 317 scatterings, and paths of 5.4 instead of 7.8, in the
first of these models.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import Measured, assert_agrees

HERE = Path(__file__).parent
TRIALS = 8192


@pytest.mark.parametrize("damping, opacity", (((5e-4, 0.3), (60, 3000)), ((0, 0.1), (600, 600))),
                         ids=("shallow", "no damping"))
def test_other_damping(linerad, damping, opacity):
    gas = {"gas.h5": {"damping": (np.reshape(damping, (2, 1, 1)), ""),
                      "opacity": (np.reshape(opacity, (2, 1, 1)).astype(float), "1/pc")}}
    model = HERE / "two_cells.yaml"
    jumped = linerad.run(model, {"physics.acceleration": "jumps", "physics.trials": TRIALS}, packets=1e4, seed=93,
                         fields=gas)
    followed = linerad.run(model, {"physics.acceleration": "none"}, packets=1e4, seed=94, fields=gas)
    assert jumped.summary["scatterings_skipped"] > 0
    for name, part in (("scatterings_per_packet", 1.5), ("mean_path", 0.7), ("median_abs_x", 0.3)):
        one = jumped[name]
        allowed = part / np.sqrt(TRIALS) * one.value  # of the records (docs/deep_gas.md)
        assert_agrees(name, Measured(one.value, np.hypot(one.error, allowed)), followed[name])
