"""The redistribution modes on the slab of examples/neufeld_slab.yaml, against exact Monte Carlo (reference.SLAB).

Table modes must be within 1 % in the median and 2 % in scatterings, the stated accuracy of the mode, which is well
above the standard errors of the runs. The two approximations must not be: a blended Voigt profile is wrong between core
and wing, and complete redistribution lets photons jump to the far wing.
"""

import numpy as np
import pytest

from harness import assert_close
from reference import SLAB

MEDIAN_TOLERANCE = 0.01
SCATTERINGS_TOLERANCE = 0.02


def slab(linerad, mode, tau_mean, packets):
    settings = {"medium.tau_mean": tau_mean, "physics.redistribution": mode}
    return linerad.run("neufeld_slab", settings, packets=packets, seed=31)


def ratios(run, tau_mean):
    """Median and scatterings over those of the exact solution."""
    depth = tau_mean / np.sqrt(np.pi)
    median = run.summary["median_abs_x"] / SLAB[tau_mean]["median_abs_x"].value
    scatterings = run.summary["scatterings_per_packet"] / (depth * SLAB[tau_mean]["scatterings_per_depth"].value)
    print(f"  median {median:.4f}, scatterings {scatterings:.4f} of exact")
    return median, scatterings


def compare_tables(linerad, mode, tau_mean, packets):
    run = slab(linerad, mode, tau_mean, packets)
    # The tolerance must be meaningful: at least three standard errors of the run.
    assert 3 * run["median_abs_x"].error < MEDIAN_TOLERANCE * run["median_abs_x"].value
    assert 3 * run["scatterings_per_packet"].error < SCATTERINGS_TOLERANCE * run["scatterings_per_packet"].value
    median, scatterings = ratios(run, tau_mean)
    assert_close(f"{mode}, tau_mean {tau_mean}, median", median, 1, MEDIAN_TOLERANCE)
    assert_close(f"{mode}, tau_mean {tau_mean}, scatterings", scatterings, 1, SCATTERINGS_TOLERANCE)


@pytest.mark.parametrize("mode", ["table-global", "table-constant"])
def test_tables_are_close_to_exact(linerad, mode):
    compare_tables(linerad, mode, 2000, 3e4)


# The blend is 60 % too low at x = 2 for this damping, so photons leave early.
def test_approximate_voigt_is_visibly_wrong(linerad):
    median, scatterings = ratios(slab(linerad, "approximate-voigt", 200, 2e4), 200)
    assert median < 1 - 5 * MEDIAN_TOLERANCE
    assert scatterings < 1 - 5 * SCATTERINGS_TOLERANCE


# Complete redistribution needs of order tau / ln(tau) fewer scatterings with a damping wing; a factor of two is modest.
def test_complete_redistribution_is_another_problem(linerad):
    median, scatterings = ratios(slab(linerad, "complete", 500, 2e4), 500)
    assert median > 2
    assert scatterings < 0.5


@pytest.mark.long
@pytest.mark.parametrize("mode", ["table-global", "table-constant"])
@pytest.mark.parametrize("tau_mean", [200, 2000, 8000, 32000])
def test_tables_are_close_to_exact_at_every_depth(linerad, mode, tau_mean):
    compare_tables(linerad, mode, tau_mean, 5e4)
