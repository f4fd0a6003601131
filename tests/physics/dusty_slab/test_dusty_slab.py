"""The thick slab with grey absorption (examples/dusty_slab.yaml): a = 0.015, line-centre depth 1e5.

Expected: independent exact Monte Carlo (reference.DUSTY_ESCAPE) over three decades of the escape fraction. Tolerance:
3.5 combined standard errors. Each packet scatters 1.75e5 times, so the quick tests use few packets.

A second, independent route to the same numbers: grey absorption does not change the paths of photons, so that
f_esc(tau_a) = <exp(-tau_a path)> over the paths of a run without dust.
"""

import numpy as np
import pytest

from harness import assert_agrees, assert_close, weighted_mean
from reference import DUST_FREE, DUSTY_DAMPING, DUSTY_DEPTH, DUSTY_ESCAPE

X_PER_TAU = np.cbrt(DUSTY_DAMPING * DUSTY_DEPTH)


def dusty(linerad, x, packets, seed=51, **settings):
    settings = {"medium.tau_absorption": f"{x / X_PER_TAU:.10g}", "output.fields": False} | settings
    return linerad.run("dusty_slab", settings, packets=packets, seed=seed)


def dust_free(linerad, packets):
    settings = {"medium.tau_absorption": 0, "output.packets": True, "output.fields": False}
    return linerad.run("dusty_slab", settings, packets=packets, seed=52)


def escape_from_paths(run, x):
    """<exp(-tau_a path)>"""
    path = run.packets["path"] / run.attribute("half_size_x")
    return weighted_mean(np.exp(-x / X_PER_TAU * path))


# If little escapes, packets die early and more of them are affordable.
@pytest.mark.parametrize("x, packets", [(0.24075, 1200), (1.20623, 1200), (5.143, 3000)])
def test_escape_matches_exact_monte_carlo(linerad, x, packets):
    assert_agrees(f"f_esc, X = {x}", dusty(linerad, x, packets)["f_esc"], DUSTY_ESCAPE[x])


def test_escape_follows_from_the_paths_without_dust(linerad):
    run = dust_free(linerad, 1200)
    for x, expected in DUSTY_ESCAPE.items():
        # Beyond X = 3 the mean is dominated by a few short paths, and its standard error means little with 1200 of
        # them.
        if x < 3:
            assert_agrees(f"<exp(-tau_a path)>, X = {x}", escape_from_paths(run, x), expected)


def test_dust_takes_weight_but_does_not_bend_paths(linerad):
    """With the same seed a dusty run follows the same packets as the run without dust, so that the two routes to f_esc
    differ only by rounding: less than 1e-7 of single precision in every sum, random in sign. The standard error is ten
    thousand times larger."""
    x = 0.24075  # no path is long enough for Russian roulette
    dust = dusty(linerad, x, 1200, seed=52)
    assert_close("f_esc, same packets", dust["f_esc"].value, escape_from_paths(dust_free(linerad, 1200), x).value, 1e-6)


def test_analog_absorption_agrees_with_continuous(linerad):
    """Whole packets absorbed with probability, instead of weight loss."""
    analog = {"physics.absorption": "analog"}
    assert_agrees("f_esc, analog", dusty(linerad, 1.20623, 2000, **analog)["f_esc"], DUSTY_ESCAPE[1.20623])


def test_escape_without_dust_matches_exact_monte_carlo(linerad):
    compare_dust_free(dust_free(linerad, 1200))


def compare_dust_free(run):
    assert run.summary["absorbed"] == 0
    for name, expected in DUST_FREE.items():
        per_depth = run["scatterings_per_packet"] / DUSTY_DEPTH
        assert_agrees(f"no dust, {name}", per_depth if name == "scatterings_per_depth" else run[name], expected)


@pytest.mark.long
@pytest.mark.parametrize("x", DUSTY_ESCAPE)
def test_escape_matches_exact_monte_carlo_over_three_decades(linerad, x):
    assert_agrees(f"f_esc, X = {x}", dusty(linerad, x, 1e4 if x < 3 else 3e4)["f_esc"], DUSTY_ESCAPE[x])


@pytest.mark.long
def test_escape_follows_from_many_paths_without_dust(linerad):
    run = dust_free(linerad, 2e4)
    compare_dust_free(run)
    for x, expected in DUSTY_ESCAPE.items():
        assert_agrees(f"<exp(-tau_a path)>, X = {x}", escape_from_paths(run, x), expected)


@pytest.mark.long
@pytest.mark.parametrize("x", [0.24075, 2.405])
def test_analog_absorption_agrees_with_continuous_in_detail(linerad, x):
    analog = {"physics.absorption": "analog"}
    assert_agrees(f"f_esc, analog, X = {x}", dusty(linerad, x, 1e4, **analog)["f_esc"], DUSTY_ESCAPE[x])
