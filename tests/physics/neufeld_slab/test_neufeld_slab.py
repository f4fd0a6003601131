"""A thick static slab with line-centre photons from its midplane (examples/neufeld_slab.yaml), a = 0.149.

Expected: independent exact Monte Carlo at the same finite depths (reference.SLAB), so the only tolerance is
statistical: 3.5 combined standard errors.
"""

import numpy as np
import pytest

from harness import assert_agrees
from reference import SLAB

QUANTITIES = ("median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x", "scatterings_per_depth", "mean_path")


def slab(linerad, tau_mean, packets, precision=None):
    run = linerad.run("neufeld_slab", {"medium.tau_mean": tau_mean}, packets=packets, seed=11, precision=precision)
    per_depth = run["scatterings_per_packet"] * (np.sqrt(np.pi) / tau_mean)
    return {name: per_depth if name == "scatterings_per_depth" else run[name] for name in QUANTITIES}


def compare_with_reference(measured, tau_mean, precision_of_median):
    median = measured["median_abs_x"]
    assert median.error < precision_of_median * median.value
    for name in QUANTITIES:
        assert_agrees(f"tau_mean {tau_mean}, {name}", measured[name], SLAB[tau_mean][name])


def compare_precisions(single, double, tau_mean):
    """The same packets with rounding errors of 1e-7 and 1e-16. Histories diverge only if a rounding error changes a
    decision. A fraction p of such packets, which are then independent, moves a mean by sqrt(2 p) standard errors: 0.1
    allows one packet in two hundred. A systematic error of single precision would move all of them."""
    for name in QUANTITIES:
        shift = (single[name].value - double[name].value) / double[name].error
        print(f"  tau_mean {tau_mean}, {name}: mixed - double = {shift:+.4f} standard errors")
        assert abs(shift) < 0.1, (tau_mean, name, shift)


# 5e4 packets give the median to 0.2 %; the case requires 0.3 %.
@pytest.mark.parametrize("tau_mean", [200, 500, 2000, pytest.param(8000, marks=pytest.mark.long)])
def test_escape_matches_exact_monte_carlo(linerad, tau_mean):
    compare_with_reference(slab(linerad, tau_mean, 5e4), tau_mean, 0.003)


def test_double_precision_matches_exact_monte_carlo(linerad):
    compare_with_reference(slab(linerad, 2000, 5e4, "double"), 2000, 0.003)


@pytest.mark.parametrize("tau_mean", [500, pytest.param(2000, marks=pytest.mark.long)])
def test_mixed_and_double_precision_follow_the_same_packets(linerad, tau_mean):
    compare_precisions(slab(linerad, tau_mean, 5e4, "mixed"), slab(linerad, tau_mean, 5e4, "double"), tau_mean)


# 3e5 packets give the median to 0.08 %; if packets are cheap, more are used.
MANY = {200: 1e6, 500: 1e6, 2000: 5e5, 8000: 3e5, 32000: 3e5}


@pytest.mark.long
@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("tau_mean", SLAB)
def test_escape_matches_exact_monte_carlo_to_a_thousandth(linerad, tau_mean, precision):
    compare_with_reference(slab(linerad, tau_mean, MANY[tau_mean], precision), tau_mean, 0.001)


@pytest.mark.long
@pytest.mark.parametrize("tau_mean", SLAB)
def test_mixed_and_double_precision_do_not_drift(linerad, tau_mean):
    mixed, double = (slab(linerad, tau_mean, MANY[tau_mean], precision) for precision in ("mixed", "double"))
    compare_precisions(mixed, double, tau_mean)
