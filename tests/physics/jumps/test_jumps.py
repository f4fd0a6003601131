"""Jumps through deep gas (physics.acceleration), against exact references and against runs that follow everything.

The records that jumps are drawn from come from a number of trials. Their noise is shared by all packets: about
1.5 / sqrt(trials) in scatterings, half of that in path, a fifth in frequency (docs/deep_gas.md). The quick tests make
small tables, and allow for it; the long ones make large tables.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import N_SIGMA, Measured, assert_agrees, weighted_mean
from reference import DUSTY_DAMPING, DUSTY_DEPTH, DUSTY_ESCAPE, SLAB, SPHERE

HERE = Path(__file__).parent
SHELLS = HERE.parent / "shells" / "model.yaml"
AMR = HERE.parent / "amr" / "model.yaml"
TRIALS = 8192


def jumps(trials=TRIALS, **settings):
    return {"physics.acceleration": "jumps", "physics.trials": trials, **settings}


def with_tables(measured, name, trials):
    """Adds the error of the tables."""
    part = {"scatterings_per_depth": 1.5, "scatterings_per_packet": 1.5, "mean_path": 0.7, "f_esc": 0.3}.get(name, 0.3)
    return Measured(measured.value, np.hypot(measured.error, part / np.sqrt(trials) * measured.value))


def compare(run, expected, depth, trials):
    assert run.summary["scatterings_skipped"] > 0.5 * run.summary["scatterings_per_packet"] * run.summary["packets"]
    for name, value in expected.items():
        found = run["scatterings_per_packet"] / depth if name == "scatterings_per_depth" else run[name]
        assert_agrees(name, with_tables(found, name, trials), value)


def slab(linerad, tau_mean, packets, trials, **settings):
    given = jumps(trials, **{"medium.tau_mean": tau_mean, "output.fields": False, **settings})
    return linerad.run("neufeld_slab", given, packets=packets, seed=81)


# ---- references -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slab_in_layers(linerad):
    """Balls that span cells."""
    return slab(linerad, 2000, 4e4, TRIALS, **{"output.packets": True})


def test_slab_in_layers(slab_in_layers):
    compare(slab_in_layers, SLAB[2000], 2000 / np.sqrt(np.pi), TRIALS)


@pytest.mark.parametrize("settings", ({"mesh.cells": [1, 1, 1]}, {"mesh.cells": [8, 1, 1], "output.fields": True}))
def test_slab(linerad, settings):
    """One cell, and balls that stay in their cells."""
    run = slab(linerad, 2000, 4e4, TRIALS, **settings)
    compare(run, SLAB[2000], 2000 / np.sqrt(np.pi), TRIALS)


@pytest.mark.parametrize("shells", (1, 16))
def test_sphere_of_shells(linerad, shells):
    run = linerad.run(SHELLS, jumps(**{"mesh.shells": shells, "output.fields": False}), packets=4e4, seed=82)
    compare(run, SPHERE[1000], 1000, TRIALS)


def dusty_slab(linerad, x):
    depth = x / np.cbrt(DUSTY_DAMPING * DUSTY_DEPTH)
    given = {"medium.tau_absorption": depth, "mesh.cells": [1, 1, 1], "output.fields": False, "output.packets": True}
    return linerad.run("dusty_slab", jumps(**given), packets=4e4, seed=83)


def assert_escapes(f_esc, x):
    allowed = 0.7 / np.sqrt(TRIALS) * np.log(1 / DUSTY_ESCAPE[x].value)  # that of the path
    assert_agrees("f_esc", Measured(f_esc.value, np.hypot(f_esc.error, allowed * f_esc.value)), DUSTY_ESCAPE[x])


def test_absorption(linerad):
    """Little of it, and from the paths of the same packets more."""
    low, high = 0.24075, 1.20623
    run = dusty_slab(linerad, low)
    assert_escapes(run["f_esc"], low)
    more = (high - low) / np.cbrt(DUSTY_DAMPING * DUSTY_DEPTH)
    path = run.packets["path"] / run.attribute("half_size_x")
    each = np.zeros(run.summary["packets"])  # those absorbed remain 0
    each[run.packets["id"]] = len(each) * run.packets["weight"] * np.exp(-more * path)
    assert_escapes(weighted_mean(each), high)


def test_strong_absorption(linerad):
    assert_escapes(dusty_slab(linerad, 5.143)["f_esc"], 5.143)


def test_destruction(linerad, slab_in_layers):
    """An atom that loses the photon with probability eps: f_esc is the mean of (1 - eps)^N."""
    eps = 2e-4
    expected = weighted_mean((1 - eps) ** slab_in_layers.packets["scatterings"])
    run = slab(linerad, 2000, 4e4, TRIALS, **{"medium.destruction": eps})
    assert_agrees("f_esc", run["f_esc"], expected)


@pytest.mark.long
@pytest.mark.parametrize("tau_mean", (2000, 8000, 32000))
def test_slab_in_detail(linerad, tau_mean):
    trials = 65536
    compare(slab(linerad, tau_mean, 1e6, trials), SLAB[tau_mean], tau_mean / np.sqrt(np.pi), trials)


# ---- the same model, all scatterings followed -----------------------------------------------------------------------


def assert_equal_spectra(one, other, name):
    """Chi-square of two spectra with errors, where both have light."""
    value = [run.data(f"spectrum/{name}") for run in (one, other)]
    error = [run.data(f"spectrum/{name}_error") for run in (one, other)]
    lit = (value[0] > 3 * error[0]) & (value[1] > 3 * error[1])
    chi = (value[0] - value[1])[lit] / np.hypot(*error)[lit]
    bound = 1 + 4 * np.sqrt(2 / len(chi)) + 0.15
    print(f"  {name}: chi-square {np.mean(chi**2):.3f} of {len(chi)} bins, {bound:.3f} allowed")
    assert len(chi) > 30 and np.mean(chi**2) < bound


def assert_equal_fields(one, other):
    for name in ("mean_intensity", "scattering_rate"):
        value = [run.data(f"fields/{name}") for run in (one, other)]
        error = [run.data(f"fields/{name}_error") for run in (one, other)]
        lit = (value[0] > 5 * error[0]) & (value[1] > 5 * error[1])
        allowed = 0.01 * value[1]  # of the tables
        chi = ((value[0] - value[1]) / np.sqrt(error[0] ** 2 + error[1] ** 2 + allowed**2))[lit]
        print(f"  {name}: chi-square {np.mean(chi**2):.3f} of {len(chi)} cells, mean {np.mean(chi):+.3f}")
        assert len(chi) > 30 and np.mean(chi**2) < 1.15 + 4 * np.sqrt(2 / len(chi))


def assert_equal_places(one, other):
    """Where packets were last scattered: distance from the centre of the mesh, two-sample Kolmogorov-Smirnov."""
    radius = [np.sort(np.sqrt(np.sum(run.packets["last_scattering"] ** 2, axis=1))) for run in (one, other)]
    both = np.sort(np.concatenate(radius))
    rank = [np.searchsorted(r, both, side="right") / len(r) for r in radius]
    distance = np.max(np.abs(rank[0] - rank[1]))
    limit = 2.04 * np.sqrt(1 / len(radius[0]) + 1 / len(radius[1])) + 0.005
    print(f"  last places: distance {distance:.4f}, {limit:.4f} allowed")
    assert distance < limit


def clumps(n, deepest, absorption=1e-5):
    """Opacity over decades, temperature over a factor of 4, velocities of some Doppler widths. Dampings lie between two
    powers of two, which are those of the tables."""
    random = np.random.default_rng(15)
    shape = (n, n, n)
    width = 2 / n
    opacity = np.exp(random.uniform(np.log(1), np.log(deepest), shape)) / width
    temperature = np.exp(random.uniform(np.log(5e3), np.log(2e4), shape))
    return {"gas.h5": {"opacity": (opacity, "1/pc"), "temperature": (temperature, "K"),
                       "damping": (2**-6.5 * np.sqrt(1e4 / temperature), ""),
                       "velocity": (random.normal(0, 15, (3, *shape)), "km/s"),
                       "absorption": (opacity * absorption, "1/pc")}}


def compare_clumps(linerad, gas, settings, packets, trials):
    model = HERE / "clumps.yaml"
    jumped = linerad.run(model, settings | jumps(trials), packets=packets, seed=85, fields=gas)
    followed = linerad.run(model, settings | {"physics.acceleration": "none"}, packets=packets, seed=86, fields=gas)
    print(f"  {jumped.summary['scatterings']:.3g} of {followed.summary['scatterings']:.3g} scatterings followed")
    assert jumped.summary["scatterings_skipped"] > 0.3 * followed.summary["scatterings"]
    assert_equal_spectra(jumped, followed, "total")
    assert_equal_spectra(jumped, followed, "face")
    assert_equal_spectra(jumped, followed, "direction")
    assert_equal_fields(jumped, followed)
    assert_equal_places(jumped, followed)
    for name in ("f_esc", "mean_path", "scatterings_per_packet"):
        assert_agrees(name, with_tables(jumped[name], name, trials), followed[name])


def test_moving_clumps(linerad):
    compare_clumps(linerad, clumps(6, 3000), {}, 6e4, TRIALS)


def test_refined_sphere(linerad):
    settings = {"medium.tau_centre": 2000, "output.packets": True}
    jumped = linerad.run(AMR, settings | jumps(), packets=2e4, seed=87)
    followed = linerad.run(AMR, settings | {"physics.acceleration": "none"}, packets=2e4, seed=88)
    assert jumped.summary["scatterings_skipped"] > 0
    assert_equal_spectra(jumped, followed, "total")
    assert_equal_places(jumped, followed)
    for name in ("median_abs_x", "mean_path", "scatterings_per_packet"):
        assert_agrees(name, with_tables(jumped[name], name, TRIALS), followed[name])


def test_refined_mesh_of_one_gas(linerad):
    """Balls span cells of all sizes: as few scatterings are followed as in a single cell."""
    refined = {"mesh.refine": "[{shell: {centre: [0 pc, 0 pc, 0 pc], inner: 0.45 pc, outer: 0.55 pc}, levels: 2}]"}
    given = {"medium.opacity": "2000 1/pc", "output.fields": False}
    one = linerad.run(HERE / "box.yaml", given | jumps(), packets=1e4, seed=91)
    many = linerad.run(HERE / "box.yaml", given | refined | jumps(**{"mesh.cells": [8, 8, 8]}), packets=1e4, seed=92)
    followed = linerad.run(HERE / "box.yaml", given | {"physics.acceleration": "none"}, packets=1e4, seed=93)
    part = [1 - run.summary["scatterings_skipped"] / (run.summary["scatterings_per_packet"] * run.summary["packets"])
            for run in (one, many)]
    print(f"  followed: {100 * part[0]:.2f} % in one cell, {100 * part[1]:.2f} % in a refined mesh")
    assert part[1] < 1.3 * part[0]
    assert_equal_spectra(many, followed, "total")
    for name in ("median_abs_x", "mean_path", "scatterings_per_packet"):
        assert_agrees(name, with_tables(many[name], name, TRIALS), followed[name])


def test_fields_of_cells_along_which_nothing_changes(linerad):
    """A periodic column of one gas with a source in a thin cell of it. Jumps that span cells, as they may without fields,
    make that cell too bright."""
    given = {"mesh": "{edges: {x: [-1 pc, 1 pc], y: [-1 pc, -0.03 pc, 0.03 pc, 1 pc], z: [-1 pc, 1 pc]}, "
                     "faces: {x: open, y: periodic, z: periodic}}",
             "medium.opacity": "600 1/pc", "output.fields": True}
    jumped = linerad.run(HERE / "box.yaml", given | jumps(), packets=4e4, seed=94)
    followed = linerad.run(HERE / "box.yaml", given | {"physics.acceleration": "none"}, packets=4e4, seed=95)
    assert jumped.summary["scatterings_skipped"] > 0
    for name in ("mean_intensity", "scattering_rate"):
        one, other = (run.data(f"fields/{name}").ravel() for run in (jumped, followed))
        error = np.hypot(*(run.data(f"fields/{name}_error").ravel() for run in (jumped, followed)))
        print(f"  {name}: " + " ".join(f"{ratio:.4f}" for ratio in one / other))
        assert np.all(abs(one - other) < N_SIGMA * error + 0.01 * other)  # of the tables


# ---- histories ------------------------------------------------------------------------------------------------------


def test_histories_depend_on_the_seed_only(linerad):
    runs = [linerad.run("neufeld_slab", jumps(**{"output.packets": True, "output.fields": False}), packets=3000, seed=89,
                        threads=threads, precision="double") for threads in (1, 2)]
    for name in ("x", "path", "scatterings"):
        assert np.array_equal(runs[0].packets[name], runs[1].packets[name])


def test_auto_follows_everything_in_small_runs(linerad):
    run = linerad.run("neufeld_slab", {"physics.acceleration": "auto"}, packets=1000, seed=90)
    assert run.summary["scatterings_skipped"] == 0
