"""The examples with molecules do what their comments say."""

import numpy as np

from equilibrium import fractions, solve
from harness import EXAMPLES
from imaging import KM, cube


def test_infall_is_blue(linerad):
    """examples/hco_collapse.yaml: two peaks, the blue one brighter, and a dip at the velocity of gas at rest."""
    run = solve(linerad, "hco_collapse", {"line.molecule": EXAMPLES / "data" / "hco+_demo.dat"})
    assert run.summary["populations"]["converged"]
    image = cube(run, "front")
    middle = image.intensity[:, 30:34, 30:34].mean(axis=(1, 2))
    middle = middle - middle[0]
    blue, red = middle[image.velocity < 0].max(), middle[image.velocity > 0].max()
    dip = middle[np.abs(image.velocity) < 0.1 * KM].min()
    print(f"  blue {blue:.3g}, red {red:.3g}, between them {dip:.3g}")
    assert blue > 1.2 * red > 1.2 * 3 * dip


def test_thin_gas_is_colder_than_lte(linerad):
    """examples/co_cloud_nonlte.yaml: the excitation temperature falls below that of the gas, to that of the
    background."""
    run = solve(linerad, "co_cloud_nonlte", {"line.molecule": EXAMPLES / "data" / "co_demo.dat",
                                             "mesh.cells": [16, 16, 16]})
    temperature = run.data("populations/excitation_temperature")
    assert 2.7 < temperature.min() and temperature.max() < 30
    assert temperature[8, 8, 8] > temperature[0, 0, 0]
    np.testing.assert_allclose(fractions(run).sum(axis=-1), 1, rtol=1e-6)
