"""Photons are neither lost nor created, and the tallies along the way agree with the counts at the end.

The expectations are identities. With w the weight of a packet and the integrals over its path:

    emitted = escaped + absorbed                                                   to rounding
    INT 4 pi J dV = L <path>                    without absorption                 to rounding
    absorbed = roulette + eps/(1-eps) INT scattering rate dV + kappa INT 4 pi J dV  to rounding
    INT scattering rate dV = L <scatterings>                                       in the mean

The last compares an integral of the scattering opacity along the path with the events it causes. Their difference is a
martingale whose variance is the number of events: one standard error is 1/sqrt(events).
"""

import numpy as np
import pytest

from harness import Measured, assert_agrees, assert_close

# Rounding: single precision has 1.2e-7 per operation, random in sign, in sums kept in double; double 2.2e-16.
ROUNDING = {"mixed": 1e-6, "double": 1e-12}

SLAB = {"medium.tau_mean": 500}
DUST = SLAB | {"medium.tau_absorption": 0.1}
THICK_DUST = SLAB | {"medium.tau_absorption": 3}  # most weight goes through Russian roulette
EPS = SLAB | {"medium.destruction": 0.003}
BOTH = DUST | EPS
CASES = {"none": SLAB, "dust": DUST, "thick dust": THICK_DUST, "eps": EPS, "both": BOTH,
         "analog": BOTH | {"physics.absorption": "analog"}}


def slab(linerad, case, precision):
    return linerad.run("neufeld_slab", CASES[case], packets=1e4, seed=91, precision=precision)


def integral(run, name):
    return np.sum(run.data(f"fields/{name}") * run.cell_volumes)


@pytest.mark.parametrize("precision", ROUNDING)
@pytest.mark.parametrize("case", CASES)
def test_emitted_is_escaped_plus_absorbed(linerad, case, precision):
    summary = slab(linerad, case, precision).summary
    assert (summary["absorbed"] > 0) == (case != "none")
    assert_close(case, summary["escaped"] + summary["absorbed"], summary["emitted"], ROUNDING[precision])


@pytest.mark.parametrize("precision", ROUNDING)
@pytest.mark.parametrize("case", ["none", "dust", "eps", "both"])
def test_spectra_add_up_to_what_escaped(linerad, case, precision):
    run = slab(linerad, case, precision)
    width = np.diff(run.data("spectrum/x_edges"))
    escaped = run.summary["escaped"] - run.attribute("outside", "spectrum")
    assert_close("total", np.sum(run.data("spectrum/total") * width), escaped, ROUNDING[precision])
    assert_close("faces", np.sum(run.data("spectrum/face") * width), escaped, ROUNDING[precision])


@pytest.mark.parametrize("precision", ROUNDING)
def test_mean_intensity_is_the_path(linerad, precision):
    run = slab(linerad, "none", precision)
    path = 4 * np.pi * integral(run, "mean_intensity") / run.attribute("half_size_x")
    assert_close("INT 4 pi J dV", path, run.summary["mean_path"], ROUNDING[precision])


@pytest.mark.parametrize("precision", ROUNDING)
@pytest.mark.parametrize("case", ["dust", "eps", "both", "thick dust"])
def test_absorbed_weight_is_the_absorption_along_the_path(linerad, case, precision):
    run = slab(linerad, case, precision)
    eps = CASES[case].get("medium.destruction", 0)
    kappa = CASES[case].get("medium.tau_absorption", 0) / run.attribute("half_size_x")
    absorbed = eps / (1 - eps) * integral(run, "scattering_rate") + kappa * 4 * np.pi * integral(run, "mean_intensity")
    # (1 - exp(-f)) / f is a series for small f, accurate to 2e-8: worse than rounding in double precision.
    tolerance = max(ROUNDING[precision], 2e-8)
    assert_close(case, absorbed, run.summary["absorbed"] - run.attribute("roulette_balance"), tolerance)


@pytest.mark.parametrize("case", CASES)
def test_scattering_rate_is_the_counted_scatterings(linerad, case):
    run = slab(linerad, case, "mixed")
    counted = run.summary["scatterings_per_packet"]
    # With weights the variance is the sum of w^2 over events: less than the sum of w, which is `counted`.
    error = np.sqrt(counted / run.summary["packets"])
    assert_agrees(f"INT scattering rate dV, {case}", Measured(integral(run, "scattering_rate"), error), counted, 4)


def test_free_paths_are_exponential(linerad):
    """The same with 6e7 events, one standard error of 1.3e-4. Free paths cut off at a depth of 9.2, as by a random
    number that never falls below 1e-4, would be 9e-4 too short on average."""
    run = linerad.run("neufeld_slab", {"medium.tau_mean": 2000, "mesh.cells": [16, 1, 1]}, packets=3e4, seed=93)
    per_event = integral(run, "scattering_rate") / run.summary["scatterings_per_packet"]
    assert_agrees("depth per event", Measured(per_event, 1 / np.sqrt(run.summary["scatterings"])), 1)


@pytest.mark.parametrize("case", ["thick dust", "both"])
def test_roulette_is_fair(linerad, case):
    """It removes as much as it adds: each play changes the weight w by -w (9 in 10) or +9 w, variance 9 w^2, with w
    below 1e-3 and about as many plays as there are packets in these cases, a few at most."""
    run = slab(linerad, case, "mixed")
    balance = run.attribute("roulette_balance")
    print(f"  roulette balance {balance:.2e}")
    assert balance != 0
    assert abs(balance) < 3.5 * 3 * 1e-3 / np.sqrt(run.summary["packets"])


@pytest.mark.long
@pytest.mark.parametrize("precision", ROUNDING)
def test_rounding_does_not_grow_with_scatterings(linerad, precision):
    """A million events per packet."""
    settings = {"medium.tau_mean": 1e6, "medium.tau_absorption": 0.05, "medium.destruction": 1e-7}
    run = linerad.run("neufeld_slab", settings, packets=500, seed=92, precision=precision)
    summary = run.summary
    assert_close("sum", summary["escaped"] + summary["absorbed"], summary["emitted"], ROUNDING[precision])
    counted = summary["scatterings_per_packet"]
    assert_agrees("scatterings", Measured(integral(run, "scattering_rate"), np.sqrt(counted / 500)), counted, 4)
