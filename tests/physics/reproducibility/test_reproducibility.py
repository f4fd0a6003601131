"""A packet's history depends only on the seed and its number, and the quoted errors are those of repeated runs.

Nothing here has a physical expectation: the tests compare runs with each other and with the laws of statistics.
"""

import numpy as np
import pytest

SLAB = {"medium.tau_mean": 2000, "output.packets": True}
# Strong enough that most packets undergo Russian roulette.
DUST = {"medium.tau_absorption": 0.7}
SCHEDULES = [(1, "queue"), (2, "queue"), (2, "static"), (3, "queue")]

CASES = {
    "static": {},
    "dust": DUST,
    "dust, analog": DUST | {"physics.absorption": "analog"},
    "eps": {"medium.destruction": 1e-3},
    "tables": {"physics.redistribution": "table-global", "medium.tau_mean": 200},
    "dipole, recoil": {"physics.phase": "dipole", "physics.recoil": True},
}


def columns_that_differ(first, second):
    """Names and counts; empty if two packet lists agree bit for bit."""
    if not np.array_equal(first["id"], second["id"]):
        return {"id": len(np.setxor1d(first["id"], second["id"]))}
    rows = len(first["id"])
    counts = {name: int(np.sum(np.any((first[name] != second[name]).reshape(rows, -1), axis=1))) for name in first}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("case", CASES)
def test_packets_do_not_depend_on_threads(linerad, case, precision):
    """Every column of the packet list, sorted by number, bit for bit."""
    lists = [
        linerad.run("neufeld_slab", SLAB | CASES[case] | {"run.scheduling": scheduling}, packets=2000, seed=71,
                    precision=precision, threads=threads).packets
        for threads, scheduling in SCHEDULES
    ]
    assert len(lists[0]["id"]) > 20
    for other, schedule in zip(lists[1:], SCHEDULES[1:]):
        assert columns_that_differ(lists[0], other) == {}, schedule


@pytest.mark.long
@pytest.mark.parametrize("dust", (0, 0.05))
def test_long_histories_do_not_depend_on_other_packets(linerad, dust):
    """A GPU moves packets that are left over to other threads, unless each has its own (static)."""
    long = {"medium.tau_centre": 3e4, "medium.tau_absorption": dust, "output.packets": True}
    queue, static = (linerad.run("dusty_slab", long | {"run.scheduling": scheduling}, packets=3000, seed=76).packets
                     for scheduling in ("queue", "static"))
    assert np.median(queue["scatterings"]) > 3e4
    assert not columns_that_differ(queue, static)


def test_another_seed_gives_other_packets(linerad):
    first, second = (linerad.run("neufeld_slab", SLAB, packets=2000, seed=seed).packets for seed in (71, 72))
    assert np.sum(first["scatterings"] == second["scatterings"]) < 20  # of 2000; chance gives one or two
    assert not np.any(first["shift"] == second["shift"])


def test_more_packets_continue_the_same_run(linerad):
    """Packet 7 is packet 7, however many follow."""
    few, many = (linerad.run("neufeld_slab", SLAB, packets=packets, seed=71).packets for packets in (1000, 2000))
    for name in ("scatterings", "shift", "face", "direction", "position"):
        assert np.array_equal(few[name], many[name][:1000]), name


QUANTITIES = ("median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x", "scatterings_per_packet", "mean_path",
              "f_esc")


def test_quoted_errors_are_those_of_repeated_runs(linerad):
    """The variance over N seeds, divided by the quoted one, follows chi square with N - 1 degrees of freedom. Bounds
    for 19: each is exceeded once in two thousand."""
    settings = {"medium.tau_mean": 200, "medium.tau_absorption": 0.05, "output.fields": False}
    runs = [linerad.run("neufeld_slab", settings, packets=4000, seed=seed) for seed in range(700, 720)]
    for name in QUANTITIES:
        values, errors = np.array([run[name] for run in runs]).T
        chi_square = np.sum((values - values.mean()) ** 2) / np.mean(errors**2)
        print(f"  {name}: chi square {chi_square:.1f} with 19 degrees of freedom")
        assert 4.9 < chi_square < 46.0, (name, chi_square)


def test_field_errors_are_those_of_repeated_runs(linerad):
    """The same for the mean intensity and scattering rate of every cell of 20 runs, averaged over cells."""
    settings = {"medium.tau_mean": 200, "mesh.cells": [16, 1, 1]}
    runs = [linerad.run("neufeld_slab", settings, packets=4000, seed=seed) for seed in range(720, 740)]
    for name in ("mean_intensity", "scattering_rate"):
        values = np.array([run.data(f"fields/{name}") for run in runs])
        errors = np.array([run.data(f"fields/{name}_error") for run in runs])
        chi_square = np.sum((values - values.mean(axis=0)) ** 2, axis=0) / np.mean(errors**2, axis=0)
        print(f"  {name}: mean chi square {chi_square.mean():.1f} over cells, 19 expected")
        # Neighbouring cells see the same packets, so the mean is allowed the bounds for about four independent ones: 76
        # degrees of freedom.
        assert 10.5 < chi_square.mean() < 30.8, name
