"""Two-level atoms in a half-space with complete redistribution: source function from sqrt(eps) B at the surface to B.

In units of the Planck function it follows from the rates of scattering R and creation q per volume: S/B = eps (1 +
R/q). Expected: the integral equation of the problem, solved numerically for the same cells (reference.HALF_SPACE),
whose surface value is the exact sqrt(eps) (Avrett & Hummer 1965, MNRAS 130, 295). Tolerance: 3.5 combined standard
errors.

This tests `complete`, destruction with the line profile, roulette, a mirror, and cells of very different size.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, Measured, assert_agrees
from reference import HALF_SPACE, HALF_SPACE_EDGES, HALF_SPACE_ERROR

MODEL = Path(__file__).with_name("model.yaml")
EPS = 0.01


def source_function(linerad, packets, precision=None):
    """S/B of every cell from the surface inward, and its error."""
    run = linerad.run(MODEL, packets=packets, seed=161, precision=precision)
    depth = -run.data("mesh/x_edges")[::-1] / PARSEC_CM
    assert np.allclose(depth, HALF_SPACE_EDGES)
    creation = 1 / np.sum(run.cell_volumes)
    source = EPS * (1 + run.data("fields/scattering_rate").ravel()[::-1] / creation)
    error = EPS * run.data("fields/scattering_rate_error").ravel()[::-1] / creation
    return source, error


def compare(linerad, packets, precision=None):
    source, error = source_function(linerad, packets, precision)
    for i, expected in enumerate(HALF_SPACE):
        assert_agrees(f"S/B at depths {HALF_SPACE_EDGES[i]} to {HALF_SPACE_EDGES[i + 1]}",
                      Measured(source[i], error[i]), Measured(expected, HALF_SPACE_ERROR))


def test_source_function_of_a_half_space(linerad):
    compare(linerad, 2e5)


@pytest.mark.long
@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_source_function_of_a_half_space_in_detail(linerad, precision):
    compare(linerad, 4e6, precision)
