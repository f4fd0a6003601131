"""An open cube that emits everywhere (examples/box.yaml), a = 4.73e-3, line-centre depth 500 from centre to face.

Expected: independent exact Monte Carlo with 1e7 photons (reference.CUBE_*), so the tolerance is 3.5 combined standard
errors. With periodic sides the cube is a slab, and the number of scatterings differs by more than a factor of two: the
two must not be confused.
"""

import numpy as np
import pytest

from harness import assert_agrees, assert_close
from reference import CUBE_DEPTH, CUBE_PEAK, CUBE_PEAK_BIN, CUBE_PERIODIC, CUBE_THERMAL, CUBE_WIDE

THERMAL = {}  # as in the example: dispersion b / sqrt(2)
WIDE = {"sources.0.spectrum": "{gaussian: {centre: 0, sigma: 1}}"}
PERIODIC = WIDE | {"mesh.faces": "{x: open, y: periodic, z: periodic}"}
# Tenths of the bins of the reference: quantiles are interpolated within them.
FINE = 10
BINS = {"output.range": "[-5.4, 5.4]", "output.bins": 120 * FINE}


def compare(linerad, settings, expected, packets, precision=None):
    run = linerad.run("box", settings | BINS, packets=packets, seed=21, precision=precision)
    for name, value in expected.items():
        if name == "scatterings_per_depth":
            assert_agrees(name, run["scatterings_per_packet"] / CUBE_DEPTH, value)
        else:
            assert_agrees(name, run[name], value)
    return run


def peak(run):
    """Centre of the highest bin of |x|, with the bins of the reference."""
    total = run.data("spectrum/total")
    half = len(total) // 2
    folded = np.sum((total[half:] + total[:half][::-1]).reshape(-1, FINE), axis=1)
    return (np.argmax(folded) + 0.5) * CUBE_PEAK_BIN


def compare_cube(linerad, settings, expected, packets, precision=None):
    run = compare(linerad, settings, expected, packets, precision)
    # The case requires 1 %; the standard error is 0.3 % or less.
    scatterings = expected["scatterings_per_depth"].value * CUBE_DEPTH
    assert_close("scatterings per photon", run["scatterings_per_packet"].value, scatterings, 0.01)
    # One bin: the reference is no more precise.
    assert abs(peak(run) - CUBE_PEAK) <= CUBE_PEAK_BIN, peak(run)
    assert abs(run.summary["peak_abs_x"] - CUBE_PEAK) <= CUBE_PEAK_BIN, run.summary["peak_abs_x"]


def test_thermal_line_matches_exact_monte_carlo(linerad):
    compare_cube(linerad, THERMAL, CUBE_THERMAL, 2e5)


def test_wide_line_matches_exact_monte_carlo(linerad):
    compare_cube(linerad, WIDE, CUBE_WIDE, 2e5)


def test_periodic_sides_make_a_slab(linerad):
    compare(linerad, PERIODIC, CUBE_PERIODIC, 1e5)


@pytest.mark.long
@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_cube_matches_exact_monte_carlo_to_a_thousandth(linerad, precision):
    compare_cube(linerad, THERMAL, CUBE_THERMAL, 2e6, precision)
    compare_cube(linerad, WIDE, CUBE_WIDE, 2e6, precision)
    compare(linerad, PERIODIC, CUBE_PERIODIC, 1e6, precision)
