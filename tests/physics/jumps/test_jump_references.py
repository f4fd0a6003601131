"""Jumps against the exact references that test_jumps.py leaves out: the thinnest slab, cubes, the slab without dust, and
escape from its paths at all absorptions.

Expected: independent exact Monte Carlo (reference.py). Tolerance: 3.5 standard errors of packets, reference and records
combined; the last, standard deviations between sets of records, are 0.1 % of the scatterings, half of that in path and a
fifth in frequency (docs/deep_gas.md).
"""

import numpy as np
import pytest

from harness import Measured, assert_agrees, weighted_mean
from reference import (CUBE_DEPTH, CUBE_PERIODIC, CUBE_THERMAL, CUBE_WIDE, DUST_FREE, DUSTY_DAMPING, DUSTY_DEPTH,
                       DUSTY_ESCAPE, SLAB)

pytestmark = pytest.mark.long

RECORDS = {"scatterings": 1e-3, "path": 5e-4}
IN_FREQUENCY = 2e-4
JUMPS = {"physics.acceleration": "jumps", "physics.trials": 32768, "mesh.cells": [1, 1, 1], "output.fields": False}


def with_records(measured, part):
    return Measured(measured.value, np.hypot(measured.error, part * measured.value))


def compare(run, expected, depth):
    assert run.summary["scatterings_skipped"] > 0.3 * run.summary["scatterings_per_packet"] * run.summary["packets"]
    for name, value in expected.items():
        found = run["scatterings_per_packet"] / depth if name == "scatterings_per_depth" else run[name]
        kind = name.split("_")[0].replace("mean", "path")
        assert_agrees(name, with_records(found, RECORDS.get(kind, IN_FREQUENCY)), value)


def test_thin_slab(linerad):
    run = linerad.run("neufeld_slab", JUMPS | {"medium.tau_mean": 200}, packets=1e6, seed=101)
    compare(run, SLAB[200], 200 / np.sqrt(np.pi))


WIDE = {"sources.0.spectrum": "{gaussian: {centre: 0, sigma: 1}}"}
PERIODIC = {"mesh.faces": "{x: open, y: periodic, z: periodic}"}


@pytest.mark.parametrize("settings, expected",
                         (({}, CUBE_THERMAL), (WIDE, CUBE_WIDE), (WIDE | PERIODIC, CUBE_PERIODIC)),
                         ids=("thermal", "wide", "periodic"))
def test_cube(linerad, settings, expected):
    bins = {"output.range": "[-5.4, 5.4]", "output.bins": 1200}
    compare(linerad.run("box", JUMPS | bins | settings, packets=5e5, seed=102), expected, CUBE_DEPTH)


@pytest.fixture(scope="module")
def dust_free(linerad):
    given = {"medium.tau_absorption": 0, "output.packets": True}
    return linerad.run("dusty_slab", JUMPS | given, packets=2e5, seed=103)


def test_slab_without_dust(dust_free):
    compare(dust_free, DUST_FREE, DUSTY_DEPTH)


@pytest.mark.parametrize("x", DUSTY_ESCAPE)
def test_escape_follows_from_paths(dust_free, x):
    """Each path escapes with exp(-tau_a path); longer ones by the part d path / path make it smaller by -d ln f at
    most."""
    depth = x / np.cbrt(DUSTY_DAMPING * DUSTY_DEPTH)
    path = dust_free.packets["path"] / dust_free.attribute("half_size_x")
    escaping = weighted_mean(np.exp(-depth * path))
    assert_agrees(f"f_esc, X = {x}", with_records(escaping, -RECORDS["path"] * np.log(escaping.value)), DUSTY_ESCAPE[x])
