"""Core skipping (physics.acceleration: skip) does what it does in other codes: the spectrum is that of all scatterings,
paths are too short, and too little is absorbed.

Expected: an independent program with the same shortcut (exact_escape.c, reference.SKIPPED) and, for what must not
change, the exact references. Tolerance: 3.5 combined standard errors.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import assert_agrees, deviation
from reference import (DUST_FREE, DUSTY_DAMPING, DUSTY_DEPTH, DUSTY_ESCAPE, SKIPPED, SKIPPED_ABSORPTION, SKIPPED_SPHERE,
                       SKIPPED_X_CRIT, SPHERE)

SHELLS = Path(__file__).parents[1] / "shells" / "model.yaml"
MIDDLE = {"min": ["-0.5 pc", "-1 pc", "-1 pc"], "max": ["0.25 pc", "1 pc", "1 pc"]}
REFINED = {"mesh.cells": [8, 2, 2], "mesh.refine": [{"box": MIDDLE, "levels": 1}]}
ONE_CELL = {"mesh.cells": [1, 1, 1]}


def skip(x_crit="auto", **settings):
    given = x_crit if x_crit == "auto" else f"{x_crit:.10g}"
    return {"physics.acceleration": "skip", "physics.x_crit": given, "output.fields": False, **settings}


def slab(linerad, packets, absorption=0, **settings):
    given = skip(**{"medium.tau_absorption": absorption, **settings})
    return linerad.run("dusty_slab", given, packets=packets, seed=31)


def compare(run, expected, depth):
    for name, value in expected.items():
        found = run["scatterings_per_packet"] / depth if name == "scatterings_per_depth" else run[name]
        if name != "f_esc":
            assert_agrees(name, found, value)


# ---- the shortcut itself --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mesh", ({}, ONE_CELL, REFINED), ids=("layers", "one cell", "refined"))
def test_slab(linerad, mesh):
    compare(slab(linerad, 2e4, x_crit=SKIPPED_X_CRIT, **mesh), SKIPPED[SKIPPED_X_CRIT], DUSTY_DEPTH)


def test_slab_with_a_wide_core(linerad):
    compare(slab(linerad, 2e4, x_crit=5), SKIPPED[5], DUSTY_DEPTH)


def test_slab_with_absorption(linerad):
    run = slab(linerad, 2e4, absorption=SKIPPED_ABSORPTION, x_crit=SKIPPED_X_CRIT)
    assert_agrees("f_esc", run["f_esc"], SKIPPED[SKIPPED_X_CRIT]["f_esc"])


@pytest.mark.parametrize("shells", (1, 16))
def test_sphere_of_shells(linerad, shells):
    compare(linerad.run(SHELLS, skip(2, **{"mesh.shells": shells}), packets=4e4, seed=32), SKIPPED_SPHERE, 1000)


# ---- x_crit of each cell --------------------------------------------------------------------------------------------


def same_histories(one, other):
    return np.mean(np.isclose(one.packets["path"], other.packets["path"], rtol=1e-6))


@pytest.mark.parametrize("model, mesh, a_tau", [("dusty_slab", ONE_CELL, DUSTY_DAMPING * DUSTY_DEPTH),
                                                ("dusty_slab", {}, DUSTY_DAMPING * DUSTY_DEPTH / 128),
                                                (SHELLS, {"mesh.shells": 2}, 0.149 * 250)])
def test_auto_is_the_number_it_stands_for(linerad, model, mesh, a_tau):
    """Depth to the nearest face: of the slab, half of a layer, half of a shell. A few histories part by rounding."""
    settings = {"output.packets": True, **mesh}
    if model == "dusty_slab":
        settings["medium.tau_absorption"] = 0
    x_crit = 0.2 * np.cbrt(a_tau)
    runs = [linerad.run(model, skip(value, **settings), packets=200, seed=33, precision="double")
            for value in ("auto", x_crit)]
    assert runs[0].summary["x_crit"] == pytest.approx(x_crit, rel=1e-6)
    assert same_histories(*runs) > 0.99


def test_auto_follows_everything_in_thin_cells(linerad):
    """a tau = 0.149 * 564 / 128 = 0.66 from the middle of a layer to its face."""
    settings = {"medium.tau_mean": 1000, "output.packets": True, "output.fields": False}
    runs = [linerad.run("neufeld_slab", settings | {"physics.acceleration": value}, packets=1000, seed=34)
            for value in ("skip", "none")]
    assert runs[0].summary["x_crit"] == 0
    assert same_histories(*runs) == 1


# ---- what it keeps and what it changes ------------------------------------------------------------------------------


def test_spectrum_is_kept_and_paths_are_not(linerad):
    run = slab(linerad, 2e4, **ONE_CELL)
    assert_agrees("median_abs_x", run["median_abs_x"], DUST_FREE["median_abs_x"])
    assert deviation(run["mean_path"], DUST_FREE["mean_path"]) < -10
    assert 0.75 < run["mean_path"].value / DUST_FREE["mean_path"].value < 0.9
    assert run.summary["scatterings_per_packet"] < 0.03 * DUST_FREE["scatterings_per_depth"].value * DUSTY_DEPTH
    dusty = slab(linerad, 2e4, absorption=SKIPPED_ABSORPTION, **ONE_CELL)
    assert 1.1 < dusty["f_esc"].value / DUSTY_ESCAPE[1.20623].value < 1.4


@pytest.mark.parametrize("cameras", (1, 2))
def test_images_agree_with_packets(linerad, cameras):
    """The same atoms serve packets and cameras, in gas so shallow that photons leave directly from the core."""
    views = [{"name": f"view_{i}", "direction": [1, 1 + i, 0], "pixels": 2} for i in range(cameras)]
    settings = {**ONE_CELL, "medium.tau_mean": 20, "channels": {"number": 60, "range": ["-400 km/s", "400 km/s"]},
                "cameras": views, "image": {"errors": True}}
    run = linerad.run("neufeld_slab", skip(2.5, **settings), packets=5e5, seed=35)
    for image in run.summary["images"]:
        print(f"  {image['camera']}: {image['check']['deviation']:+.2f} sigma")
        assert abs(image["check"]["deviation"]) < 3.5


def test_wide_core_distorts_the_spectrum(linerad):
    """x_crit must be below the frequencies at which photons escape."""
    run = linerad.run(SHELLS, skip(8), packets=4e4, seed=36)
    assert abs(deviation(run["median_abs_x"], SPHERE[1000]["median_abs_x"])) > 10
