"""Shared by tests of level populations in equilibrium: runs with the processor time they took, fields of shells."""

import os
import resource
from pathlib import Path

import numpy as np
import pytest


def reference(*parts):
    """A file of the reference data, which is not part of the project; the test is skipped without it."""
    root = os.environ.get("LINERAD_REFERENCE")
    path = Path(root or ".", *parts)
    if not root or not path.exists():
        pytest.skip(f"LINERAD_REFERENCE does not lead to {'/'.join(parts)}")
    return path


def solve(linerad, model, settings, fields=None, **options):
    """A run without packets. The time spent on populations is printed; no test depends on it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = linerad.run(model, settings, packets=0, fields=fields, **options)
    found = run.summary["populations"]
    error = np.inf if found["error"] is None else found["error"]  # not known right after an extrapolation
    print(f"  {found['iterations']} iterations, error {error:.1e}, noise {found['noise']}, "
          f"{run.attribute('directions', 'populations')} directions, "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before:.1f} s of user time")
    return run


def fractions(run):
    return run.data("populations/fraction").astype(float)


def shell_middles(edges):
    return 0.5 * (edges[1:] + edges[:-1])


def shell_volumes(edges):
    return 4 * np.pi / 3 * np.diff(edges**3)


def shell_means(edges, function, n=40):
    """Mean over the volume of each shell, by Gauss-Legendre in radius."""
    node, weight = np.polynomial.legendre.leggauss(n)
    r = shell_middles(edges)[:, None] + 0.5 * np.diff(edges)[:, None] * node
    return np.sum(function(r) * weight * r**2, axis=1) / np.sum(weight * r**2, axis=1)
