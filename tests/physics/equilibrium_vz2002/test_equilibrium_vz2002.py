"""The test problems of van Zadelhoff et al. (2002, A&A 395, 373): two levels in a power law, thin (1a) and thick (1b),
and HCO+ in an inside-out collapse (2a). Expected populations come from an independent solution with tangent rays; its
own error is 0.5 % (1a) to 1 %.

Cells are few and the radiation is smooth, so the main error is due to the size of the shells: the quick tests allow for
that of their coarse mesh, the long ones for that of the references.
"""

from pathlib import Path

import numpy as np
import pytest

from equilibrium import fractions, reference, shell_means, shell_middles, solve

MODEL = Path(__file__).with_name("model.yaml")


def power_law(linerad, n, abundance, error=1e-4):
    """n(H2) = 2e7 cm^-3 (r / 1e15 cm)^-2 in n shells; upper fractions at their mid-radii."""
    edges = np.geomspace(1e15, 7.8e18, n + 1)
    density = shell_means(edges, lambda r: 2e7 * (r / 1e15) ** -2)
    run = solve(linerad, MODEL, {"mesh.shells": n, "medium.abundance": abundance, "populations.error": error,
                                 "line.molecule": reference("vz2002", "molecule_2level_test.lamda.dat")},
                fields={"gas.h5": {"n": (density, "cm^-3")}})
    return shell_middles(edges), fractions(run)[:, 1]


def differences(radius, found, expected_radius, expected):
    """Relative, at the radii of the reference."""
    return np.exp(np.interp(np.log(expected_radius), np.log(radius), np.log(found))) / expected - 1


def compare(name, radius, found, expected_radius, expected, tolerance):
    difference = differences(radius, found, expected_radius, expected)
    worst = np.argmax(np.abs(difference))
    print(f"  {name}: worst {difference[worst]:+.4f} at {expected_radius[worst]:.2e} cm, "
          f"rms {np.sqrt(np.mean(difference**2)):.4f}, {tolerance} allowed")
    assert np.max(np.abs(difference)) < tolerance


@pytest.mark.parametrize("n, tolerance", [(80, 0.02), pytest.param(250, 0.005, marks=pytest.mark.long)])
def test_two_levels_thin(linerad, n, tolerance):
    """1a: depth 60 from outside to centre, populations from LTE at the centre to the background outside."""
    expected = np.loadtxt(reference("vz2002", "reference_problem1.txt"))
    radius, upper = power_law(linerad, n, 1e-8)
    compare(f"1a, {n} shells", radius, upper, expected[:, 0], expected[:, 1], tolerance)


@pytest.mark.long
def test_two_levels_thick(linerad):
    """1b: a hundred times as many molecules, depth 6000."""
    expected = np.loadtxt(reference("vz2002", "reference_problem1.txt"))
    radius, upper = power_law(linerad, 400, 1e-6, error=1e-3)
    compare("1b, 400 shells", radius, upper, expected[:, 0], expected[:, 4], 0.02)


def collapse_table():
    """Radius, n(H2), temperature, velocity, b; from the centre outward."""
    rows = [line.split() for line in reference("vz2002", "vanZadelhoff_2a.in").read_text().splitlines()]
    table = np.array([row for row in rows if len(row) == 6 and row[0][0].isdigit()], dtype=float)
    radius, density, _, temperature, velocity, b = table[np.argsort(table[:, 0])].T
    return radius, density, temperature, velocity, b


def collapse(linerad, n):
    """2a, HCO+ with 21 levels in infalling gas: radius and fractions of n shells, and the table of the reference."""
    lines = reference("vz2002", "reference_problem2a.txt").read_text().splitlines()
    expected = np.array([line.split("|")[0].split() for line in lines if line and line[0] != "#"], dtype=float)
    radius, density, temperature, velocity, b = collapse_table()
    edges = np.geomspace(radius[0], radius[-1], n + 1)
    middle = shell_middles(edges)
    at = lambda values: np.interp(np.log(middle), np.log(radius), values)
    mean_density = shell_means(edges, lambda r: np.exp(np.interp(np.log(r), np.log(radius), np.log(density))))
    field = lambda name: {"file": "gas.h5", "dataset": name}
    run = solve(linerad, MODEL,
                {"mesh": {"shells": n, "inner": f"{edges[0]:.17g} cm", "outer": f"{edges[-1]:.17g} cm", "spacing": "log"},
                 "line.molecule": reference("vz2002", "hco+.lamda.dat"),
                 "medium": {"temperature": field("T"), "b": field("b"), "velocity": field("v"),
                            "colliders": {"H2": field("n")}, "abundance": 1e-9},
                 "populations.error": 1e-3},
                fields={"gas.h5": {"n": (mean_density, "cm^-3"), "T": (at(temperature), "K"),
                                   "v": (at(velocity), "km/s"), "b": (at(b), "km/s")}})
    return middle, fractions(run), expected


@pytest.mark.parametrize("n, tolerance", [(20, 0.03), pytest.param(60, 0.02, marks=pytest.mark.long)])
def test_collapse(linerad, n, tolerance):
    middle, x, expected = collapse(linerad, n)
    for level in range(5):
        compare(f"2a, {n} shells, J = {level}", middle, x[:, level], expected[:, 0], expected[:, 1 + level], tolerance)
