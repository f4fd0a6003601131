"""Jumps where both sides of the line differ, against runs that follow everything: shells that flow, and recoil."""

from pathlib import Path

import numpy as np
import pytest

from harness import N_SIGMA, assert_agrees, weighted_mean
from test_jumps import TRIALS, assert_equal_spectra, jumps, with_tables

HERE = Path(__file__).parent
FOLLOWED = {"physics.acceleration": "none"}
STRONG = {"medium.velocity": "200 km/s", "medium.opacity": "1e6 1/pc", "medium.damping": 0.015,
          "output.range": [-60, 60], "output.bins": 80,
          "sources": "[{point: {position: [0 pc, 0 pc, 0 pc]}, luminosity: 1 photon/s, "
                     "spectrum: {gaussian: {centre: 0 km/s, fwhm: 500 km/s}}}]"}


def skipped_part(run):
    return run.summary["scatterings_skipped"] / (run.summary["scatterings_per_packet"] * run.summary["packets"])


def compare(linerad, model, settings, packets, least_skipped):
    jumped = linerad.run(model, settings | jumps(), packets=packets[0], seed=93)
    followed = linerad.run(model, settings | FOLLOWED, packets=packets[1], seed=94)
    part = skipped_part(jumped)
    print(f"  {100 * part:.0f} % of the scatterings skipped")
    assert part > least_skipped
    assert_equal_spectra(jumped, followed, "total")
    for name in ("mean_path", "scatterings_per_packet"):
        assert_agrees(name, with_tables(jumped[name], name, TRIALS), followed[name])
    return jumped, followed


def mean_of(run, value):
    return weighted_mean(value(run.packets["x"]))


@pytest.mark.parametrize("fields", (pytest.param(False, marks=pytest.mark.long), True))
def test_shell_that_expands(linerad, fields):
    """Frequencies, too, with their sign; balls that span shells, or stay in them."""
    jumped, followed = compare(linerad, HERE / "flow.yaml", {"output.fields": fields}, (1e4, 4e3), 0.5)
    for value in (lambda x: x, lambda x: 1.0 * (x > 0)):
        assert_agrees("x", mean_of(jumped, value), mean_of(followed, value))
    if fields:
        for name in ("mean_intensity", "scattering_rate"):
            one, other = (run.data(f"fields/{name}") for run in (jumped, followed))
            error = np.hypot(*(run.data(f"fields/{name}_error") for run in (jumped, followed)))
            assert np.all(abs(one - other) < N_SIGMA * error + 0.015 * other)


@pytest.mark.long
def test_shell_that_expands_fast(linerad):
    """Balls are small there."""
    compare(linerad, HERE / "flow.yaml", STRONG | {"output.fields": False}, (8e3, 5e3), 0.2)


def test_recoil(linerad):
    """In a slab of gas so cold that recoil is near the limit of jumps: the red side is brighter."""
    given = {"medium.temperature": "80 K", "medium.tau_mean": 4000, "physics.recoil": True, "output.fields": False,
             "output.packets": True, "mesh.cells": [1, 1, 1]}
    jumped, followed = compare(linerad, "neufeld_slab", given, (4e4, 2e4), 0.5)
    for value in (lambda x: x, lambda x: 1.0 * (x > 0)):
        assert_agrees("x", mean_of(jumped, value), mean_of(followed, value))
    assert mean_of(jumped, lambda x: x).value < -5 * mean_of(jumped, lambda x: x).error
