"""Levels by escape probability in every cell, against the level equations solved here by a dense matrix and damped
substitution, instead of the program's method."""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, assert_close
from imaging import KM, LIGHT_SPEED
from molecules import rotor

MODEL = Path(__file__).with_name("model.yaml")
MOLECULE = rotor(12)
TEMPERATURE, H2 = 40.0, 1e3


def expansion(tau):
    """(1 - exp(-tau)) / tau, for isotropic expansion."""
    return -np.expm1(-tau) / tau if abs(tau) > 1e-8 else 1.0


def sphere(tau):
    """Mean escape probability from a uniform sphere of diameter tau."""
    if abs(tau) < 1e-2:
        return 1 - 0.375 * tau + 0.1 * tau**2
    return 1.5 / tau * (1 - 2 / tau**2 + (2 / tau + 2 / tau**2) * np.exp(-tau))


def depths(x, column_per_speed, molecule=MOLECULE):
    """tau = A c^3 / (8 pi nu^3) (g_u / g_l x_l - x_u) N / dv of every line."""
    return [a * (LIGHT_SPEED / molecule.frequency(i)) ** 3 / (8 * np.pi) * column_per_speed
            * (molecule.weight[u] / molecule.weight[l] * x[l] - x[u]) for i, (u, l, a) in enumerate(molecule.lines)]


def expected(column_per_speed, beta, background):
    x = MOLECULE.boltzmann(TEMPERATURE)
    for _ in range(2000):
        new = MOLECULE.equilibrium(TEMPERATURE, H2, [beta(tau) for tau in depths(x, column_per_speed)], background)
        if np.max(np.abs(new - x) / new) < 1e-12:
            break
        x = 0.5 * (x + new)
    return x


def fractions(linerad, tmp_path, settings, fields=None):
    settings = {"line.molecule": MOLECULE.write(tmp_path), "run.batches": 2} | settings
    return linerad.run(MODEL, settings, packets=0, fields=fields).data("populations/fraction")


def check(name, x, wanted, tolerance=1e-6):
    strong = wanted > 1e-9
    error = np.max(np.abs(x[..., strong] / wanted[strong] - 1))
    print(f"  {name}: largest difference {error:.1e} of {tolerance:.0e} allowed")
    assert error < tolerance, name


@pytest.mark.parametrize("background", [0.0, 2.725, 30.0])
@pytest.mark.parametrize("density", [1e-12, 1e-4, 1e-2, 1.0])
def test_expanding_gas(linerad, tmp_path, density, background):
    """v = H r has the same gradient H in all directions, also at the faces of the mesh: thin to thick."""
    speed = 20 * KM / PARSEC_CM
    x = ((np.arange(6) + 0.5) / 6 - 0.5) * PARSEC_CM
    velocity = speed * np.array(np.meshgrid(x, x, x, indexing="ij"))
    found = fractions(linerad, tmp_path,
                      {"medium.density": f"{density} cm^-3", "populations.background": f"{background} K",
                       "medium.velocity": {"file": "v.h5", "dataset": "v"}},
                      fields={"v.h5": {"v": (velocity, "cm/s")}})
    check(f"n = {density}, background {background} K", found, expected(density / speed, expansion, background))


@pytest.mark.parametrize("density", [1e-4, 1e-2])
def test_sphere_of_given_size(linerad, tmp_path, density):
    """The column through a sphere over the equivalent width sqrt(pi) b."""
    found = fractions(linerad, tmp_path, {"medium.density": f"{density} cm^-3", "populations": {
        "method": "escape-probability", "length": "0.3 pc", "error": 1e-8}})
    column = density * 0.3 * PARSEC_CM / (np.sqrt(np.pi) * 0.2 * KM)
    check(f"n = {density}", found, expected(column, sphere, 2.725))


def test_gas_at_rest(linerad, tmp_path):
    """Without motion the gradient is b over the shortest open side: here y is periodic, x and z are longer."""
    found = fractions(linerad, tmp_path, {"mesh": {"cells": [3, 2, 2], "size": ["4 pc", "1 pc", "2 pc"], "faces": {
        "x": "open", "y": "periodic", "z": "open"}}})
    check("at rest", found, expected(1e-3 * 2 * PARSEC_CM / (0.2 * KM), expansion, 2.725))


@pytest.mark.parametrize("kind, mean", [("along", 1 / 3), ("shear", 2 / (3 * np.pi))])
def test_mean_over_directions(linerad, tmp_path, kind, mean):
    """<|n . grad v . n|> is 1/3 for a stretch along one axis and 2 / (3 pi) for shear: the populations of a cell are
    those of an expansion with that gradient, within the error of the directions, 1 %."""
    gradient = 200 * KM / PARSEC_CM
    x = ((np.arange(6) + 0.5) / 6 - 0.5) * PARSEC_CM
    velocity = np.zeros((3, 6, 6, 6))
    velocity[0] = gradient * (x[:, None, None] if kind == "along" else x[None, :, None])
    found = fractions(linerad, tmp_path, {"medium.density": "1e-2 cm^-3",
                                          "medium.velocity": {"file": "v.h5", "dataset": "v"}},
                      fields={"v.h5": {"v": (velocity, "cm/s")}})
    low, high = (expected(1e-2 / (mean * gradient * f), expansion, 2.725)[1] for f in (0.99, 1.01))
    assert low != high and (np.all((found[..., 1] - low) * (found[..., 1] - high) < 0))


def test_dense_gas_is_in_equilibrium(linerad, tmp_path):
    found = fractions(linerad, tmp_path, {"medium.colliders": {"H2": "1e12 cm^-3"}})
    check("dense", found, MOLECULE.boltzmann(TEMPERATURE), 1e-4)


def test_image_uses_the_populations_found(linerad, tmp_path):
    """Thin gas far from LTE: n x_u A V photons, with the x_u of the result."""
    settings = {"line.molecule": MOLECULE.write(tmp_path), "medium.density": "1e-14 cm^-3", "run.batches": 2,
                "cameras": [{"name": "top", "direction": "+z", "pixels": 6}],
                "channels": {"number": 1, "range": ["-2 km/s", "2 km/s"], "samples": 64}}
    run = linerad.run(MODEL, settings, packets=0)
    upper = run.data("populations/fraction")[0, 0, 0, 1]
    assert abs(upper / MOLECULE.boltzmann(TEMPERATURE)[1] - 1) > 0.1
    light = run.data("images/top/intensity").astype(float) * 4 * KM * (PARSEC_CM / 6) ** 2
    photons = light.sum() / (6.62607015e-27 * LIGHT_SPEED)
    assert_close("photons", photons, 1e-14 * upper * MOLECULE.lines[0][2] * PARSEC_CM**3 / (4 * np.pi), 1e-5)


def test_hydrogen_is_split_at_the_temperature_of_each_cell(linerad, tmp_path):
    """A file with rates k for p-H2 and 3 k for o-H2, and a density of H2 as a whole: with o/p = min(3, 9 exp(-170.6 K /
    T)) each cell has k (1 + 2 o / (o + p)), whatever its neighbours. Thin gas, so that nothing else matters."""
    text = MOLECULE.text()
    start = text.index("!PARTNERS")
    table = text[start:].splitlines()[2:]
    rows = table[table.index("!RATE UPPER LOWER") + 1:]
    three_times = [" ".join(row.split()[:3] + [f"{3 * float(k):.12g}" for k in row.split()[3:]]) for row in rows]
    kinds = [["!PARTNER", f"{code} toy", *table[2:-len(rows)], *part]
             for code, part in ((2, rows), (3, three_times))]
    path = tmp_path / "kinds.dat"
    path.write_text(text[:start] + "\n".join(["!PARTNERS", "2", *kinds[0], *kinds[1]]) + "\n")

    temperature = np.full((6, 6, 6), 300.0)
    temperature[0], temperature[1, 2], temperature[4, 4, 4] = 8.0, 40.0, 77.0
    found = linerad.run(MODEL, {"line.molecule": path, "run.batches": 2, "medium.density": "1e-12 cm^-3",
                                "medium.temperature": {"file": "t.h5", "dataset": "t"}}, packets=0,
                        fields={"t.h5": {"t": (temperature, "K")}}).data("populations/fraction")
    for kelvin in (8.0, 40.0, 77.0, 300.0):
        ratio = min(3.0, 9 * np.exp(-170.6 / kelvin))
        density = H2 * (1 + 2 * ratio / (1 + ratio))
        wanted = MOLECULE.equilibrium(kelvin, density, np.ones(len(MOLECULE.lines)), 2.725)
        check(f"{kelvin} K, o/p {ratio:.3g}", found[temperature == kelvin], wanted)
