"""Spherical shells: packets in a true sphere.

Against independent exact Monte Carlo (reference.SPHERE, EXPANDING_SHELL), against closed forms, and against what must hold
exactly: photons are conserved, the number of shells does not matter, and an isotropic field of a flat spectrum is not
changed by gas that only scatters, however it moves.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, Measured, assert_agrees, assert_close
from imaging import hjerting
from reference import EXPANDING_SHELL, SPHERE, SPHERE_PATH, SPHERE_SCATTERINGS, sphere_quantile

MODEL = Path(__file__).with_name("model.yaml")
NAMES = ("median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x", "scatterings_per_packet", "mean_path")
ROUNDING = {"mixed": 1e-6, "double": 1e-12}
EXTERNAL = [{"external": {}, "spectrum": {"band": {"from": -12, "to": 12}}, "luminosity": "1 photon/s"}]
UNIFORM = [{"volume": {}, "spectrum": {"monochromatic": 0}, "luminosity": "1 photon/s"}]


def volumes(run):
    return 4 / 3 * np.pi * np.diff(run.data("mesh/r_edges") ** 3)


def integral(run, name):
    return np.sum(run.data(f"fields/{name}") * volumes(run))


def spectrum(run):
    edges = run.data("spectrum/x_edges")
    return 0.5 * (edges[1:] + edges[:-1]), run.data("spectrum/total"), run.data("spectrum/total_error")


# ---- A sphere at rest -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shells, precision", [(1, "mixed"), (16, "double"),
                                               pytest.param(16, "mixed", marks=pytest.mark.long),
                                               pytest.param(1, "double", marks=pytest.mark.long)])
def test_escape_matches_exact_monte_carlo(linerad, shells, precision):
    run = linerad.run(MODEL, {"mesh.shells": shells}, packets=4e4, seed=201, precision=precision)
    for name, expected in SPHERE[1000].items():
        measured = run["scatterings_per_packet"] / 1000 if name == "scatterings_per_depth" else run[name]
        assert_agrees(f"{shells} shells, {name}", measured, expected)


def test_the_number_of_shells_changes_nothing(linerad):
    """Identical histories: crossing spheres between equal gas leaves no trace. In double precision rounding changes the
    history of only a few packets."""
    one, many = (linerad.run(MODEL, {"mesh.shells": n, "output.packets": True, "medium.tau_centre": 100}, packets=5e3,
                             seed=202, precision="double") for n in (1, 40))
    same = one.packets["scatterings"] == many.packets["scatterings"]
    print(f"  {np.mean(same):.4f} of packets the same")
    assert np.mean(same) > 0.95
    assert np.max(np.abs(one.packets["x"] - many.packets["x"])[same]) < 1e-6
    assert np.allclose(one.packets["path"][same], many.packets["path"][same], rtol=1e-9)


@pytest.mark.long
def test_escape_matches_exact_monte_carlo_of_a_thicker_sphere(linerad):
    run = linerad.run(MODEL, {"medium.tau_centre": 4000}, packets=1e5, seed=203)
    for name, expected in SPHERE[4000].items():
        measured = run["scatterings_per_packet"] / 4000 if name == "scatterings_per_depth" else run[name]
        assert_agrees(name, measured, expected)


@pytest.mark.long
def test_thick_sphere_approaches_the_closed_form(linerad):
    """Dijkstra, Haiman & Spaans (2006): corrections are of order (a tau)^(-1/3), 5 % here."""
    run = linerad.run(MODEL, {"medium.tau_centre": 5e4}, packets=2e4, seed=204)
    a_tau = 0.149 * 5e4
    limit = 1.2 * a_tau ** (-1 / 3)
    assert_close("median", run.summary["median_abs_x"], sphere_quantile(0.5, a_tau), limit)
    assert_close("scatterings", run.summary["scatterings_per_packet"] / 5e4, SPHERE_SCATTERINGS, limit)
    assert_close("path", run.summary["mean_path"] / np.cbrt(a_tau), SPHERE_PATH, limit)


def test_uniform_source_matches_a_cartesian_mesh(linerad):
    """A Cartesian sphere has a surface one cell thick: 0.7 % is allowed for 32 cells across, in addition to
    statistics."""
    shells = linerad.run(MODEL, {"sources": UNIFORM, "medium.tau_centre": 200}, packets=1e5, seed=205)
    box = {"mesh": {"cells": [32, 32, 32], "size": ["2 pc"] * 3}, "medium.tau_centre": 200,
           "medium.opacity": {"default": "0 1/pc", "regions": [
               {"sphere": {"centre": ["0 pc"] * 3, "radius": "1 pc"}, "value": "1 1/pc"}]},
           "sources": [{"volume": {"emissivity": {"default": 0, "regions": [
               {"sphere": {"centre": ["0 pc"] * 3, "radius": "1 pc"}, "value": 1}]}},
               "spectrum": {"monochromatic": 0}, "luminosity": "1 photon/s"}]}
    cartesian = linerad.run(MODEL, box, packets=5e4, seed=206)
    for name in NAMES[:4]:
        value, error = cartesian[name]
        assert_agrees(name, shells[name], Measured(value, np.hypot(error, 0.007 * value / 3.5)))


# ---- Exact identities -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [0, 0.6])
def test_paths_through_empty_shells(linerad, inner):
    """From the centre: the radius. From points spread over the volume of a ball: 3/4 of it on average."""
    empty = {"medium": {"b": "10 km/s", "damping": 0.1, "opacity": "0 1/pc"}, "mesh.inner": f"{inner} pc"}
    central = linerad.run(MODEL, empty, packets=1e3, seed=207)
    assert_close("from the centre", central.summary["mean_path"], 1, 1e-6)
    if inner == 0:
        uniform = linerad.run(MODEL, empty | {"sources": UNIFORM}, packets=2e5, seed=208)
        assert_agrees("from everywhere", uniform["mean_path"], 0.75)


FLOW = {"rest": "0 km/s", "outflow": "35 km/s", "infall": "-120 km/s"}


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("flow", FLOW)
@pytest.mark.parametrize("inner", [0, 0.4])
def test_isotropic_light_stays_isotropic(linerad, inner, flow, precision):
    """An isotropic field, flat in frequency, is in balance with gas that scatters, whatever its depth: J = I in every
    shell, and the mean path inside is 4 V / S. Scattering shifts light by at most about 6 b around the line, and the
    band extends beyond that; a few per mille of the light seen comes from its edges."""
    settings = {"sources": EXTERNAL if flow != "infall" else [EXTERNAL[0] | {
                    "spectrum": {"band": {"from": -20, "to": 20}}}],
                "mesh": {"shells": 12, "inner": f"{inner} pc", "outer": "1 pc"},
                "medium": {"b": "10 km/s", "damping": 0, "opacity": "20 1/pc", "velocity": FLOW[flow]}}
    run = linerad.run(MODEL, settings, packets=2e5, seed=209, precision=precision)
    assert_agrees("mean path", run["mean_path"], Measured(4 / 3, 4 / 3 * 1e-3))
    j, error = run.data("fields/mean_intensity"), run.data("fields/mean_intensity_error")
    expected = 1 / (np.pi * 4 * np.pi * PARSEC_CM**2)
    pull = (j / expected - 1) / np.hypot(error / expected, 1e-3)
    print(f"  J / I in the shells: {np.round(j / expected, 4)}, worst {np.abs(pull).max():.2f} sigma")
    assert np.abs(pull).max() < 4.5
    assert np.sqrt(np.mean(pull**2)) < 1.8


CASES = {"none": {}, "dust": {"medium.tau_absorption": 0.3}, "eps": {"medium.destruction": 0.01},
         "both": {"medium.tau_absorption": 0.3, "medium.destruction": 0.01},
         "analog": {"medium.tau_absorption": 0.3, "medium.destruction": 0.01, "physics.absorption": "analog"}}


@pytest.mark.parametrize("precision", ROUNDING)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("velocity", [0, 25])
def test_photons_are_conserved(linerad, velocity, case, precision):
    """As in tests/physics/conservation, in a moving sphere with a cavity."""
    settings = CASES[case] | {"medium.velocity": f"{velocity} km/s", "mesh.inner": "0.2 pc", "medium.tau_centre": 300}
    run = linerad.run(MODEL, settings, packets=1e4, seed=211, precision=precision)
    summary = run.summary
    assert_close("escaped + absorbed", summary["escaped"] + summary["absorbed"], summary["emitted"],
                 ROUNDING[precision])
    width = np.diff(run.data("spectrum/x_edges"))
    assert_close("spectrum", np.sum(run.data("spectrum/total") * width),
                 summary["escaped"] - run.attribute("outside", "spectrum"), ROUNDING[precision])
    counted = summary["scatterings_per_packet"]
    assert_agrees("INT scattering rate dV", Measured(integral(run, "scattering_rate"), np.sqrt(counted / 1e4)), counted,
                  4)
    if case == "none":
        # The path in the cavity does not belong to a cell.
        inside = 4 * np.pi * integral(run, "mean_intensity") / PARSEC_CM
        assert inside < summary["mean_path"]
    if case in ("dust", "eps", "both"):
        eps, kappa = settings.get("medium.destruction", 0), settings.get("medium.tau_absorption", 0) / 0.8 / PARSEC_CM
        absorbed = (eps / (1 - eps) * integral(run, "scattering_rate")
                    + kappa * 4 * np.pi * integral(run, "mean_intensity"))
        assert_close("absorbed", absorbed, summary["absorbed"] - run.attribute("roulette_balance"),
                     max(ROUNDING[precision], 2e-8))


def test_mean_intensity_is_the_path(linerad):
    run = linerad.run(MODEL, {"medium.velocity": "25 km/s", "medium.tau_centre": 300}, packets=1e4, seed=212)
    assert_close("INT 4 pi J dV", 4 * np.pi * integral(run, "mean_intensity") / PARSEC_CM, run.summary["mean_path"],
                 2e-6)


# ---- Motion ---------------------------------------------------------------------------------------------------------


def test_outflow_is_redshifted_and_infall_blueshifted(linerad):
    """Photons that scatter in gas flowing away from the source leave on the red side of the line, by symmetry as much
    as those in infalling gas leave on the blue side."""
    mean = {}
    for flow in (30, -30):
        run = linerad.run(MODEL, {"medium.velocity": f"{flow} km/s", "medium.tau_centre": 200, "medium.damping": 0.01,
                                  "output.packets": True}, packets=3e4, seed=213 + (flow > 0))
        x = run.packets["x"]
        mean[flow] = Measured(np.mean(x), np.std(x) / np.sqrt(len(x)))
    assert mean[30].value < -50 * mean[30].error
    assert_agrees("outflow and infall are mirror images", mean[30], -1 * mean[-30])


@pytest.mark.parametrize("velocity", [20, -45])
def test_absorption_lines_of_a_flow(linerad, velocity):
    """Gas that only absorbs, in front of a central source: exp(-tau H(a, x - v/b)) to rounding."""
    settings = {"medium": {"b": "10 km/s", "damping": 0.02, "tau_centre": 3, "destruction": 1,
                           "velocity": f"{velocity} km/s"},
                "sources": [{"point": {"position": ["0 pc"] * 3}, "spectrum": {"band": {"from": -8, "to": 8}},
                             "luminosity": "1 photon/s"}],
                "output": {"bins": 64, "range": [-8, 8], "reference_b": "10 km/s"}}
    run = linerad.run(MODEL, settings, packets=2e5, seed=215)
    x, total, error = spectrum(run)
    fine = (np.arange(20) + 0.5) / 20 - 0.5
    expected = np.mean(np.exp(-3 * hjerting(0.02, x[:, None] + 0.25 * fine - velocity / 10)), axis=1) / 16
    pull = (total - expected) / error
    print(f"  rms pull {np.sqrt(np.mean(pull**2)):.2f}, worst {np.abs(pull).max():.2f}")
    assert np.sqrt(np.mean(pull**2)) < 1.4 and np.abs(pull).max() < 4.5


@pytest.mark.parametrize("shells", [1, 10])
@pytest.mark.parametrize("velocity", [30, -60])
def test_lines_of_sight_see_the_flow_turn(linerad, shells, velocity):
    """The same with light from outside: on a line of impact parameter p the velocity is v z / r, which changes inside a
    shell. The mean over all lines, INT 2 p dp exp(-INT alpha H(x - v mu / b) dz)."""
    settings = {"mesh.shells": shells, "sources": [EXTERNAL[0] | {"spectrum": {"band": {"from": -10, "to": 10}}}],
                "medium": {"b": "10 km/s", "damping": 0.02, "tau_centre": 2, "destruction": 1,
                           "velocity": f"{velocity} km/s"},
                "output": {"bins": 40, "range": [-10, 10], "reference_b": "10 km/s"}}
    run = linerad.run(MODEL, settings, packets=4e5, seed=216)
    x, total, error = spectrum(run)
    fine = x[:, None, None] + 0.5 * ((np.arange(4) + 0.5) / 4 - 0.5)[:, None]
    node, weight = np.polynomial.legendre.leggauss(40)
    expected = np.zeros_like(x)
    for p, share in zip(0.5 * (1 + node), 0.5 * weight):
        z = np.sqrt(1 - p * p) * ((np.arange(400) + 0.5) / 200 - 1)
        profile = hjerting(0.02, fine - velocity / 10 * z / np.hypot(p, z))
        depth = 2 * 2 * np.sqrt(1 - p * p) * np.mean(profile, axis=2)
        expected += share * 2 * p * np.mean(np.exp(-depth), axis=1) / 20
    pull = (total - expected) / np.hypot(error, 5e-4 * expected)
    print(f"  rms pull {np.sqrt(np.mean(pull**2)):.2f}, worst {np.abs(pull).max():.2f}")
    assert np.sqrt(np.mean(pull**2)) < 1.4 and np.abs(pull).max() < 4.5


def expanding_shell(linerad, column, packets, seed):
    """examples/shells_lya.yaml with another column: velocities of escaping photons, in b, and those of
    EXPANDING_SHELL."""
    run = linerad.run("shells_lya", {"medium.density": f"{3.24e-22 * column} cm^-3", "output.packets": True},
                      packets=packets, seed=seed)
    velocity = -run.packets["x"]
    measured = {"scatterings_per_depth": run["scatterings_per_packet"] / (1.8945e-14 * column),
                "mean_path": run["mean_path"]}
    for name, p in zip(("lower_quartile", "median", "upper_quartile"), (0.25, 0.5, 0.75)):
        low, high = np.quantile(velocity, [p - 0.02, p + 0.02])
        error = np.sqrt(p * (1 - p) / len(velocity)) * (high - low) / 0.04
        measured[name] = Measured(np.quantile(velocity, p), error)
    return velocity, measured


def assert_as_exact(measured, column):
    for name, expected in EXPANDING_SHELL[column].items():
        assert_agrees(name, measured[name], expected)


def test_expanding_shell_takes_the_blue_half(linerad):
    velocity, measured = expanding_shell(linerad, 1e19, packets=3e3, seed=219)
    assert_as_exact(measured, 1e19)
    assert np.mean(velocity > 0) > 0.85
    assert np.mean(velocity > 6) > 3 * np.mean(velocity < -6)


@pytest.mark.long
def test_thick_expanding_shell_shows_its_far_side(linerad):
    """With a column of 1e20 cm^-2 most escaping photons were scattered back once from the far side: redshifted by twice
    the speed of the shell, 10 b = 400 km/s (Verhamme et al. 2006, A&A 460, 397). The peak is broad: it is that of the
    density smoothed by 1.5 b."""
    velocity, measured = expanding_shell(linerad, 1e20, packets=4e3, seed=220)
    assert_as_exact(measured, 1e20)
    at = np.linspace(0, 25, 251)
    density = np.sum(np.exp(-0.5 * ((at[:, None] - velocity) / 1.5) ** 2), axis=1)
    peak = at[np.argmax(density)]
    print(f"  peak at {peak:.1f} b")
    assert 8.5 < peak < 11.5


def test_moving_sphere_matches_a_cartesian_mesh(linerad):
    """An outflow v = 30 km/s r / R, with a central source. Cells of both meshes move as a whole, shells along the
    radius: both see the gradient as steps. 1.5 % is allowed in addition to statistics for 128 shells and 32 cells
    across."""
    n = 32
    middle = (np.arange(128) + 0.5) / 128
    shells = linerad.run(MODEL, {"mesh.shells": 128, "medium.velocity": {"file": "gas.h5", "dataset": "v"}, "medium.tau_centre": 300,
                                 "medium.damping": 0.01}, packets=1e5, seed=217,
                         fields={"gas.h5": {"v": (30 * middle, "km/s")}})
    axis = (np.arange(n) + 0.5) / n * 2 - 1
    velocity = 30 * np.stack(np.meshgrid(axis, axis, axis, indexing="ij"))
    box = {"mesh": {"cells": [n] * 3, "size": ["2 pc"] * 3}, "medium.tau_centre": 300, "medium.damping": 0.01,
           "medium.opacity": {"default": "0 1/pc", "regions": [
               {"sphere": {"centre": ["0 pc"] * 3, "radius": "1 pc"}, "value": "1 1/pc"}]},
           "medium.velocity": {"file": "gas.h5", "dataset": "v"}}
    cartesian = linerad.run(MODEL, box, packets=1e5, seed=218, fields={"gas.h5": {"v": (velocity, "km/s")}})
    for name in NAMES[:4]:
        value, error = cartesian[name]
        assert_agrees(name, shells[name], Measured(value, np.hypot(error, 0.015 * value / 3.5)))
