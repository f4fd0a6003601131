"""Line data and parcels of gas: the numbers of the command, over arrays of any shape."""

from pathlib import Path

import astropy.units as u
import linerad as lr
import numpy as np
import pytest

DATA = Path(__file__).resolve().parents[2] / "examples" / "data" / "co_demo.dat"


def test_molecule():
    co = lr.molecule("co")
    assert co.label[:2] == ["1-0", "2-1"] and co.line("2-1") == 1
    # the catalogue value of J = 1-0, and E_u = h nu / k of a line to the ground level
    assert co.frequency[0].to_value(u.GHz) == pytest.approx(115.2712018, rel=1e-8)
    assert co.upper_energy[0].to_value(u.K) == pytest.approx(5.5321, rel=1e-4)
    assert co.level_weight[0] == 1 and co.level_weight[1] == 3 and co.level_energy[0] == 0 * u.K
    assert co.mass.to_value(u.u) == pytest.approx(28, rel=2e-2)
    assert "1-0" in co.report(30 * u.K).replace(" ", "")
    assert {"co", "lya"} <= set(lr.molecules())
    with pytest.raises(KeyError, match="no line '9-1'"):
        co.line("9-1")
    with pytest.raises(lr.Error, match="gone.dat"):
        lr.molecule("gone.dat")


def test_equals_the_command(command):
    found = lr.radex(DATA, 30 * u.K, 1e4 / u.cm**3, 1e15 / u.cm**2, 1 * u.km / u.s)
    told = command("radex", DATA, "--temperature", "30", "--density", "H2=1e4", "--column", "1e15", "--width", "1")
    rows = [line.split()[-8:] for line in told.splitlines() if line.strip() and not line.startswith("#")]
    columns = (
        found.excitation_temperature,
        found.optical_depth,
        found.radiation_temperature,
        found.population[found.molecule.upper],
        found.population[found.molecule.lower],
        found.flux,
        found.energy_flux,
    )
    assert len(rows) == len(found.optical_depth)
    for line, row in enumerate(rows):
        for word, column in zip(row[-7:], columns):
            assert float(word) == pytest.approx(u.Quantity(column[line]).value, rel=1e-3)  # four digits are printed


def test_broadcasting():
    temperature, density = np.array([10, 20, 40])[:, None] * u.K, np.geomspace(1e3, 1e6, 4) / u.cm**3
    grid = lr.radex(DATA, temperature, density, 1e14 / u.cm**2, 1 * u.km / u.s)
    n_line = len(grid.molecule.label)
    assert grid.flux.shape == (3, 4, n_line) and grid.converged.shape == (3, 4)
    assert grid.population.shape == (3, 4, len(grid.molecule.level_label))
    np.testing.assert_allclose(grid.population.sum(axis=-1), 1, rtol=1e-12)
    one = lr.radex(grid.molecule, 20 * u.K, density[2], 1e14 / u.cm**2, 1 * u.km / u.s)
    np.testing.assert_array_equal(one.flux.value, grid.flux[1, 2].value)


def test_limits():
    """Dense thin gas is in LTE: T_ex = T, and x_u / x_l = g_u / g_l exp(-h nu / k T)."""
    found = lr.radex(DATA, 25 * u.K, 1e12 / u.cm**3, 1e8 / u.cm**2, 1 * u.km / u.s)
    assert found.excitation_temperature[0].value == pytest.approx(25, rel=1e-3)
    data = found.molecule
    ratio = 3 * np.exp(-data.upper_energy[0].value / 25)
    assert found.population[1] / found.population[0] == pytest.approx(ratio, rel=1e-3)
    # negligible collisions: the background dominates
    empty = lr.radex(DATA, 25 * u.K, 1e-6 / u.cm**3, 1e8 / u.cm**2, 1 * u.km / u.s, background=5 * u.K)
    assert empty.excitation_temperature[0].value == pytest.approx(5, rel=1e-3)


def test_arguments():
    good = {"temperature": 10 * u.K, "density": 1e4 / u.cm**3, "column": 1e14 / u.cm**2, "width": 1 * u.km / u.s}
    for name, wrong in (("temperature", 10 * u.km), ("column", 1 / u.cm**3), ("width", 1 * u.km), ("density", 1 * u.K)):
        with pytest.raises(lr.UnitsError, match=name):
            lr.radex(DATA, **{**good, name: wrong})
    with pytest.raises(lr.InputError, match="no collider 'H3'"):
        lr.radex(DATA, **{**good, "density": {"H3": 1 / u.cm**3}})
    with pytest.raises(lr.InputError, match="geometry: 'cube'"):
        lr.radex(DATA, **good, geometry="cube")
    with pytest.raises(lr.InputError, match="do not broadcast"):
        lr.radex(DATA, **{**good, "temperature": [1, 2] * u.K, "column": [1, 2, 3] / u.cm**2})
    with pytest.raises(lr.InputError):
        lr.radex(DATA, **{**good, "temperature": -1 * u.K})
