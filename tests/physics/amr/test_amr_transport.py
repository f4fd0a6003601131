"""Packets on refined meshes. A sphere whose surface is refined is the same gas, to the last digit, as on a uniform mesh
of the smallest cells: inside and outside, cells are all full or all empty, whatever their size. So everything must be
the same: in double precision history by history, otherwise within statistical errors, without an allowance for the
mesh."""

from pathlib import Path

import numpy as np
import pytest

from bricks import bricks
from harness import PARSEC_CM, Measured, assert_agrees, assert_close

MODEL = Path(__file__).with_name("model.yaml")
FINE = {"cells": [32, 32, 32], "size": ["2 pc"] * 3}
CENTRE = ["0 pc"] * 3
SURFACE = {"shell": {"centre": CENTRE, "inner": "0.75 pc", "outer": "0.85 pc"}, "levels": 2}
NAMES = ("f_esc", "mean_path", "scatterings_per_packet", "median_abs_x", "lower_quartile_abs_x")
MONO = {"spectrum": {"monochromatic": 0}, "luminosity": "1 photon/s"}


def refined(brick):
    return {"cells": [8, 8, 8], "size": ["2 pc"] * 3, "refine": [SURFACE], "brick": brick}


def compare(linerad, settings, packets, seed, names=NAMES, brick=2):
    """A refined mesh and the uniform one, with different random numbers."""
    amr = linerad.run(MODEL, {"mesh": refined(brick)} | settings, packets=packets, seed=seed)
    fine = linerad.run(MODEL, {"mesh": FINE} | settings, packets=packets, seed=seed + 1000)
    for name in names:
        assert_agrees(name, amr[name], fine[name])
    return amr, fine


def assert_same_spectrum(name, amr, fine, group=20):
    """Chi square of the difference, in bins that are wide enough for Gaussian errors."""
    assert np.allclose(amr.data("spectrum/x_edges"), fine.data("spectrum/x_edges"), rtol=1e-12, atol=1e-12)
    value = [run.data("spectrum/total").reshape(-1, group).sum(axis=1) for run in (amr, fine)]
    variance = sum((run.data("spectrum/total_error").reshape(-1, group) ** 2).sum(axis=1) for run in (amr, fine))
    used = (value[0] + value[1]) ** 2 > 100 * variance
    chi2 = np.sum((value[0] - value[1])[used] ** 2 / variance[used])
    n = used.sum()
    print(f"  {name}: chi square {chi2:.1f} of {n} bins")
    assert n >= 10
    assert abs(chi2 - n) < 4.5 * np.sqrt(2 * n)


# ---- The same gas ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("brick", [1, 2, 4])
def test_gas_is_the_same_as_on_the_uniform_mesh(linerad, brick):
    """What the other tests rely on: opacities of both meshes, cell by cell, and the number of cells that the levels
    need."""
    camera = {"channels": {"number": 1, "range": ["-50 km/s", "50 km/s"]}, "image": {"emissivity": True},
              "cameras": [{"name": "far", "direction": "+x", "pixels": 4}]}
    amr = linerad.run(MODEL, {"mesh": refined(brick)} | camera, packets=100, seed=1, precision="double")
    fine = linerad.run(MODEL, {"mesh": FINE} | camera, packets=100, seed=1, precision="double")
    mesh = bricks(amr.path)
    assert tuple(mesh.finest) == (32, 32, 32)
    assert set(mesh.level) == {1: {0, 1, 2}, 2: {0, 1, 2}, 4: {1, 2}}[brick]
    opacity = mesh.spread(amr.data("scene/gas/alpha0"))
    assert np.allclose(opacity, fine.data("scene/gas/alpha0"), rtol=1e-12)
    assert opacity.max() > 0 and opacity.min() == 0
    assert_close("volume", amr.cell_volumes.sum(), 8 * PARSEC_CM**3, 1e-12)


@pytest.mark.parametrize("brick", [1, 2, 4])
def test_histories_are_the_same(linerad, brick):
    """Crossing faces between equal gas leaves no trace. Rounding changes the history of a few packets."""
    settings = {"output.packets": True}
    amr = linerad.run(MODEL, {"mesh": refined(brick)} | settings, packets=4e3, seed=301, precision="double")
    fine = linerad.run(MODEL, {"mesh": FINE} | settings, packets=4e3, seed=301, precision="double")
    same = amr.packets["scatterings"] == fine.packets["scatterings"]
    print(f"  {np.mean(same):.4f} of packets the same")
    assert np.mean(same) > 0.95
    assert np.max(np.abs(amr.packets["x"] - fine.packets["x"])[same]) < 1e-6
    assert np.allclose(amr.packets["path"][same], fine.packets["path"][same], rtol=1e-8)
    assert np.allclose(amr.packets["position"][same], fine.packets["position"][same], atol=1e-7 * PARSEC_CM)
    assert np.allclose(amr.packets["last_scattering"][same], fine.packets["last_scattering"][same],
                       atol=1e-6 * PARSEC_CM)
    assert np.array_equal(amr.packets["face"][same], fine.packets["face"][same])


@pytest.mark.parametrize("brick", [1, 4])
def test_spectra_are_the_same(linerad, brick):
    amr, fine = compare(linerad, {}, 1e5, 302, names=NAMES[1:], brick=brick)
    assert_same_spectrum("total", amr, fine)


SOURCES = {
    "beam": {"point": {"position": ["-0.9 pc", "0.13 pc", "0.02 pc"], "emission": "beam", "direction": [3, 1, 0]}},
    "plane": {"plane": {"axis": "y", "at": "-0.31 pc"}},
    "lambertian": {"plane": {"axis": "z", "at": "0.5 pc", "emission": "lambertian", "direction": "-z"}},
    "volume": {"volume": {}},
    "ball": {"volume": {"emissivity": {"default": 0, "regions": [
        {"sphere": {"centre": CENTRE, "radius": "0.8 pc"}, "value": 1}]}}},
    "external": {"external": {}},
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_shines_as_on_the_uniform_mesh(linerad, source):
    dusty = {"sources": [SOURCES[source] | MONO], "medium.tau_centre": 5, "medium.tau_absorption": 0.5}
    amr, fine = compare(linerad, dusty, 4e4, 303)
    for face in range(6):
        share = [Measured(run.data("spectrum/face")[face].sum(),
                          np.sqrt((run.data("spectrum/face_error")[face] ** 2).sum())) for run in (amr, fine)]
        if share[1].error > 0 and share[0].error > 0:
            assert_agrees(f"face {face}", *share)


def test_faces_repeat_and_reflect(linerad):
    """Periodic and reflecting faces with cells of different size on both sides."""
    mesh = {"cells": [8, 8, 8], "size": ["2 pc"] * 3, "faces": {"x": "open", "y": "periodic", "z": "reflecting"}}
    corner = {"box": {"min": ["-1 pc", "-1 pc", "0.2 pc"], "max": ["0 pc", "-0.6 pc", "1 pc"]}, "levels": 2}
    gas = {"medium": {"b": "12.85 km/s", "damping": 0.149, "tau_centre": 20},
           "sources": [{"point": {"position": ["-0.6 pc", "-0.9 pc", "0.9 pc"]}} | MONO], "output.packets": True}
    amr, fine = (linerad.run(MODEL, gas | {"mesh": mesh | extra}, packets=3e3, seed=304, precision="double")
                 for extra in ({"refine": [corner], "brick": 2}, {}))
    same = amr.packets["scatterings"] == fine.packets["scatterings"]
    print(f"  {np.mean(same):.4f} of packets the same")
    assert np.mean(same) > 0.95
    assert np.allclose(amr.packets["path"][same], fine.packets["path"][same], rtol=1e-8)
    assert np.allclose(amr.packets["position"][same], fine.packets["position"][same], atol=1e-7 * PARSEC_CM)


# ---- Exact identities -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_photons_are_conserved(linerad, precision):
    """Emitted = escaped + absorbed and absorbed = 4 pi SUM kappa J V to rounding (the latter to 2e-8 in double
    precision, see tests/physics/conservation); SUM rate V = scatterings in the mean, with a variance of at most their
    number."""
    gas = {"medium.tau_absorption": 1, "sources": [SOURCES["ball"] | MONO], "medium.tau_centre": 20}
    run = linerad.run(MODEL, {"mesh": refined(2)} | gas, packets=2e4, seed=305, precision=precision)
    rounding = 1e-6 if precision == "mixed" else 1e-12
    assert_close("balance", run["escaped"].value + run["absorbed"].value, 1, rounding)
    volume = run.cell_volumes
    counted = run["scatterings_per_packet"].value
    scatterings = Measured(np.sum(run.data("fields/scattering_rate") * volume), np.sqrt(counted / 2e4))
    assert_agrees("scatterings", scatterings, counted)
    kappa = 1 / PARSEC_CM
    absorbed = 4 * np.pi * kappa * np.sum(run.data("fields/mean_intensity") * volume)
    balance = run.attribute("roulette_balance")
    assert_close("absorbed", absorbed, run["absorbed"].value - balance, max(rounding, 2e-8))


@pytest.mark.parametrize("brick", [1, 2])
def test_isotropic_light_stays_isotropic(linerad, brick):
    """An isotropic field, flat in frequency, is in balance with gas that scatters: J = I in every cell, and the mean path
    inside is 4 V / S = 4/3 of the half-size."""
    band = [{"external": {}, "spectrum": {"band": {"from": -12, "to": 12}}, "luminosity": "1 photon/s"}]
    run = linerad.run(MODEL, {"mesh": refined(brick), "sources": band, "medium.tau_centre": 5}, packets=2e5, seed=306)
    assert_agrees("mean path", run["mean_path"], 4 / 3)
    intensity = 1 / (np.pi * 24 * PARSEC_CM**2)
    value, error = run.data("fields/mean_intensity") / intensity, run.data("fields/mean_intensity_error") / intensity
    volume = run.cell_volumes
    for level in range(3):
        cells = bricks(run.path).level == level
        if cells.any():
            weight = volume[cells] / volume[cells].sum()
            mean = Measured(np.sum(weight * value[cells]), 3 * np.sqrt(np.sum((weight * error[cells]) ** 2)))
            assert_close(f"J / I on level {level}", mean.value, 1, max(0.005, mean.error))
    pull = (value - 1) / error
    print(f"  J / I of {value.size} cells: rms of deviations {np.sqrt(np.mean(pull**2)):.3f} standard errors")
    assert 0.9 < np.sqrt(np.mean(pull**2)) < 1.15
