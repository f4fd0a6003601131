"""The whole escaped spectrum of a very thick slab (examples/neufeld_slab.yaml) against the curve of Neufeld (1990).

The curve is the limit a tau -> infinity of a diffusion equation; its first correction is of relative size (a
tau_mean)^(-1/3) (the depth, in free paths, at which photons of the peak frequency leave): 6 % at tau_mean = 32000.
Quantiles from 10 to 90 % must be within one such correction, plus 3.5 standard errors. The allowance shrinks with
depth.
"""

import numpy as np
import pytest

from harness import assert_agrees, fraction
from reference import SLAB_DAMPING, slab_quantile

FRACTIONS = np.arange(1, 10) / 10


def escaped(linerad, tau_mean, packets):
    settings = {"medium.tau_mean": tau_mean, "output.packets": True}
    return linerad.run("neufeld_slab", settings, packets=packets, seed=41)


def quantile_error(x, p):
    """Standard error of a sample quantile: half the distance between the quantiles at p plus and minus one standard
    error."""
    step = np.sqrt(p * (1 - p) / len(x))
    return 0.5 * (np.quantile(x, p + step) - np.quantile(x, p - step))


def smooth_peak(x):
    """Peak of a parabola through the upper part of the histogram: single bins are too noisy."""
    count, edges = np.histogram(x, bins=40, range=(0, np.quantile(x, 0.99)))
    middle = 0.5 * (edges[1:] + edges[:-1])
    top = count > 0.6 * count.max()
    curvature, slope, _ = np.polyfit(middle[top], count[top], 2)
    return -slope / (2 * curvature)


def compare_shape(run, tau_mean):
    a_tau = SLAB_DAMPING * tau_mean
    correction = a_tau ** (-1 / 3)
    x = np.abs(run.packets["x"])
    for p in FRACTIONS:
        measured, expected = np.quantile(x, p), slab_quantile(p, a_tau)
        allowed = correction * expected + 3.5 * quantile_error(x, p)
        print(f"  {p:.1f} of photons below |x| = {measured:.3f}, limit {expected:.3f}, {measured / expected - 1:+.3f} "
              f"of {allowed / expected:.3f} allowed")
        assert abs(measured - expected) < allowed, (p, measured, expected)
    # x^2 / cosh peaks at 0.8812 (a tau_mean)^(1/3).
    peak, expected = smooth_peak(x), 0.8812 * np.cbrt(a_tau)
    print(f"  peak {peak:.3f}, limit {expected:.3f}, {peak / expected - 1:+.3f} of {correction:.3f} allowed")
    assert abs(peak / expected - 1) < correction


def test_spectrum_has_the_shape_of_neufeld(linerad):
    compare_shape(escaped(linerad, 32000, 1e4), 32000)


def test_spectrum_is_symmetric(linerad):
    packets = escaped(linerad, 32000, 1e4).packets
    assert_agrees("blue half", fraction(np.sum(packets["x"] > 0), len(packets["x"])), 0.5)
    assert_agrees("upper face", fraction(np.sum(packets["face"] == 1), len(packets["x"])), 0.5)


@pytest.mark.long
def test_spectrum_tends_to_neufeld_with_depth(linerad):
    compare_shape(escaped(linerad, 32000, 1e5), 32000)
    compare_shape(escaped(linerad, 256000, 1e4), 256000)
