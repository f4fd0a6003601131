"""Level populations on refined meshes, against the same gas on a uniform mesh of the smallest cells."""

from pathlib import Path

import numpy as np
import pytest

from bricks import bricks
from equilibrium import fractions, solve
from harness import PARSEC_CM
from molecules import Molecule, rotor

MODEL = Path(__file__).with_name("model.yaml")
RADIO = Molecule((0.0, 3.845), (1.0, 3.0), ((1, 0, 7.2e-8),), ((1, 0, 3e-11),))
CENTRE = ["0 pc"] * 3
REGION = {"sphere": {"centre": ["0.3 pc", "0 pc", "0 pc"], "radius": "0.4 pc"}, "levels": 2}
REFINED = {"cells": [8, 8, 8], "size": ["2 pc"] * 3, "refine": [REGION], "brick": 2}


def gas(path, method, **more):
    return {"line": {"molecule": str(path)}, "sources": [{"gas": {}}],
            "medium": {"temperature": "30 K", "b": "1 km/s", "density": "1e-3 cm^-3",
                       "colliders": {"H2": "1e3 cm^-3"}} | more,
            "populations": method}


def order_of(linerad, refined):
    return bricks(linerad.run(MODEL, {"mesh": refined}, packets=10, seed=1).path)


def test_lte(linerad, tmp_path):
    """Populations of cells do not depend on the mesh: against Boltzmann's law."""
    molecule = rotor(5)
    cells = order_of(linerad, REFINED)
    temperature = 10 + 50 * np.random.default_rng(1).random(cells.shape)
    run = linerad.run(MODEL, gas(molecule.write(tmp_path), "lte", temperature={"file": "t.h5", "dataset": "t"}) |
                      {"mesh": REFINED, "output.populations": True}, packets=0,
                      fields={"t.h5": {"t": (temperature, "K")}})
    expected = np.array([molecule.boltzmann(t) for t in temperature.ravel()]).reshape(*cells.shape, 5)
    assert np.allclose(fractions(run), expected, rtol=1e-6)


def test_lvg_of_a_linear_flow(linerad, tmp_path):
    """The same velocity gradient everywhere, also where cells of different size meet: populations are the same
    everywhere, and equal those of the uniform mesh."""
    path = rotor(6).write(tmp_path)
    cells = order_of(linerad, REFINED)
    x, y, z = np.moveaxis(cells.centres(), -1, 0) / PARSEC_CM
    at = (np.arange(8) + 0.5) / 4 - 1
    u, v, w = np.meshgrid(at, at, at, indexing="ij")
    velocity = {"velocity": {"file": "v.h5", "dataset": "v"}}
    lvg = {"method": "lvg", "error": 1e-8}
    amr = solve(linerad, MODEL, gas(path, lvg, **velocity) | {"mesh": REFINED},
                fields={"v.h5": {"v": (np.stack([3 * x + y, 2 * y - z, 4 * z]), "km/s")}})
    uniform = solve(linerad, MODEL, gas(path, lvg, **velocity) | {"mesh": {"cells": [8] * 3, "size": ["2 pc"] * 3}},
                    fields={"v.h5": {"v": (np.stack([3 * u + v, 2 * v - w, 4 * w]), "km/s")}})
    expected = fractions(uniform)[4, 4, 4]
    assert np.allclose(fractions(uniform), expected, rtol=1e-6)
    assert np.allclose(fractions(amr), expected, rtol=1e-6)


def density_of(depth):
    x = RADIO.boltzmann(30.0)
    return depth / (2 * PARSEC_CM * RADIO.cross_section(1e5) * (x[0] - x[1] / 3))


@pytest.mark.parametrize("levels", [1, 2])
def test_equilibrium(linerad, tmp_path, levels):
    """A cube 5 deep across, refined in its middle, where populations hardly change: cells of all sizes agree with those
    of a uniform mesh, within the noise of the rays and the averaging of larger cells. One level is solved with a grid
    of rays, two with rays through random cells."""
    path = RADIO.write(tmp_path)
    cube = {"box": {"min": ["-0.24 pc"] * 3, "max": ["0.24 pc"] * 3}, "levels": levels}
    refined = {"cells": [8, 8, 8], "size": ["2 pc"] * 3, "refine": [cube], "brick": 2}
    settings = gas(path, {"method": "equilibrium", "error": 2e-3, "noise": 5e-3}, density=f"{density_of(5):.6g} cm^-3")
    amr = solve(linerad, MODEL, settings | {"mesh": refined})
    uniform = solve(linerad, MODEL, settings | {"mesh": {"cells": [16] * 3, "size": ["2 pc"] * 3}})
    cells = bricks(amr.path)
    whole = fractions(uniform)[..., 1]
    mine = fractions(amr)[..., 1]
    n = cells.finest[0] // 16
    coarse = cells.spread(mine)
    coarse = coarse.reshape(16, n, 16, n, 16, n).mean(axis=(1, 3, 5))
    means = whole.reshape(8, 2, 8, 2, 8, 2).mean(axis=(1, 3, 5)).repeat(2, 0).repeat(2, 1).repeat(2, 2)
    fine = np.zeros((16, 16, 16), bool)
    fine[6:10, 6:10, 6:10] = True
    expected = np.where(fine, whole, means)
    difference = coarse / expected - 1
    print(f"  upper fraction {whole.min():.4f} to {whole.max():.4f}; difference: mean {difference.mean():+.4f}, rms "
          f"{np.sqrt(np.mean(difference**2)):.4f}, in the refined part {np.sqrt(np.mean(difference[fine]**2)):.4f}")
    assert np.sqrt(np.mean(difference**2)) < 0.015
    assert np.sqrt(np.mean(difference[fine] ** 2)) < 0.015


def test_thin_gas_sees_the_background(linerad, tmp_path):
    """With negligible collisions, levels of thin gas take on the temperature of the background, in cells of any
    size."""
    path = RADIO.write(tmp_path)
    settings = gas(path, {"method": "equilibrium", "background": "15 K"}, density="1e-12 cm^-3",
                   colliders={"H2": "1e-6 cm^-3"})
    run = solve(linerad, MODEL, settings | {"mesh": REFINED})
    assert np.allclose(run.data("populations/excitation_temperature"), 15, rtol=2e-3)
