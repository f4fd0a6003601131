"""A two-level line in an isothermal layer that is thick in every sense (depth 20 / eps from face to midplane), without
a background: the source function falls from B inside to sqrt(eps) B at the face (exact for a semi-infinite layer with
complete redistribution: Avrett & Hummer 1965, MNRAS 130, 295), and in between follows the solution of dense.py, which
shares nothing with linerad. Depths t are those of line centre.

The same layer is solved for a line of h nu = 10 k T and for one of 0.3 k T, where stimulated emission removes most of
the opacity, which depends on the populations. With eps = C' / (A + C'), C' = C_ul (1 - exp(-h nu / k T)), both have the
same S / B at the same depth.
"""

import functools
from pathlib import Path

import numpy as np
import pytest

from dense import source_function
from equilibrium import fractions, solve
from harness import assert_close
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK
from molecules import Molecule

MODEL = Path(__file__).with_name("model.yaml")
TEMPERATURE = 20.0
UNIT = 1e15  # cm; depth 1 in LTE
DEPTHS = np.array([1.0, 10.0, 100.0, 1000.0])


@functools.lru_cache
def expected(eps):
    """S / B at the face and at DEPTHS; two grids, extrapolated (the error of linear S scales as the step squared)."""
    found = []
    for n in (400, 800):
        depth = np.concatenate([[0], np.geomspace(1e-2, 20 / eps, n)])
        s = source_function(depth, eps)
        inner = np.exp(np.interp(np.log(DEPTHS), np.log(depth[1:]), np.log(s[1:])))
        found.append(np.concatenate([s[:1], inner]))
    return found[1] + (found[1] - found[0]) / 3


def layer(linerad, tmp_path, eps, gap, n, **options):
    """S / B in the cells of a layer of 2 n cells, and the depths of their centres from the left face."""
    energy = gap * TEMPERATURE * BOLTZMANN / (PLANCK * LIGHT_SPEED)
    a = 1e-4
    collisions = eps / (1 - eps) * a / -np.expm1(-gap)
    molecule = Molecule((0.0, energy), (1.0, 3.0), ((1, 0, a),), ((1, 0, 1e-10),))
    lower = molecule.boltzmann(TEMPERATURE)[0]
    density = 1 / (UNIT * molecule.cross_section(KM) * lower * -np.expm1(-gap))
    half = np.concatenate([[0], np.geomspace(2e-3, 20 / eps, n)]) * UNIT
    edges = np.concatenate([half, 2 * half[-1] - half[-2::-1]])
    run = solve(linerad, MODEL, {"line.molecule": molecule.write(tmp_path), "medium.density": f"{density:.17g} cm^-3",
                                 "medium.colliders": {"H2": f"{collisions / 1e-10:.17g} cm^-3"}},
                fields={"gas.h5": {"edges": (edges, "cm")}}, threads=1, **options)
    assert run.summary["populations"]["converged"]
    x = fractions(run)[:, 0, 0]
    opacity = density * molecule.cross_section(KM) * (x[:, 0] - x[:, 1] / 3)
    step = opacity * np.diff(edges)
    source = 1 / (3 * x[:, 0] / x[:, 1] - 1) * np.expm1(gap)
    return np.cumsum(step) - 0.5 * step, source


@pytest.mark.parametrize("eps, gap, n", [(1e-2, 10.0, 150), (1e-2, 0.3, 150), (1e-4, 10.0, 800), (1e-4, 0.3, 800)])
def test_layer(linerad, tmp_path, eps, gap, n):
    """S is linear in each step, so thick cells must not differ much: all the less, the smaller eps."""
    depth, source = layer(linerad, tmp_path, eps, gap, n)
    reference = expected(eps)
    assert_close(f"eps {eps}, S(0) / B of the dense solution", reference[0], np.sqrt(eps), 0.01)
    assert_close(f"eps {eps}, S(0) / B, left", source[0], np.sqrt(eps), 0.02)
    assert_close(f"eps {eps}, S(0) / B, right", source[-1], source[0], 2e-3)
    half = slice(0, len(depth) // 2)
    for t, value in zip(DEPTHS, reference[1:]):
        found = np.exp(np.interp(np.log(t), np.log(depth[half]), np.log(source[half])))
        assert_close(f"eps {eps}, S / B at {t:g}", found, value, 0.02)
