"""The examples of `make demo`, on coarse meshes: what they show, against numbers that follow from the gas itself."""

import runpy
import sys
from pathlib import Path

import astropy.constants as const
import astropy.units as u
import h5py
import linerad as lr
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def make_gas(monkeypatch, name, cells):
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--cells", str(cells), "-o", "gas.h5"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    with h5py.File("gas.h5") as file:
        return {key: values[:].astype(float) for key, values in file["fields"].items()}


def rayleigh_jeans(temperature, frequency):
    quantum = (const.h * frequency / const.k_B).to_value(u.K)
    return quantum / np.expm1(quantum / temperature)


@pytest.mark.parametrize(
    "name, frequency, einstein_a",
    [("co", 115.2712018, 7.203e-8), ("13co", 110.2013543, 6.294e-8), ("c18o", 109.7821734, 6.266e-8)],
)
def test_line_data_are_those_of_the_molecules(name, frequency, einstein_a):
    """Frequencies (GHz) of CDMS, and Einstein coefficients (1/s) of LAMDA, as accurate as a constant dipole moment."""
    line = lr.molecule(EXAMPLES / "data" / f"{name}_demo.dat")
    assert line.frequency[line.line("1-0")].to_value(u.GHz) == pytest.approx(frequency, rel=3e-8)
    assert line.einstein_a[line.line("1-0")].to_value(1 / u.s) == pytest.approx(einstein_a, rel=0.01)


@pytest.fixture
def core(monkeypatch):
    """(gas, run), where run(line, settings) gives the result of a line with its populations, of the whole mesh."""
    gas = make_gas(monkeypatch, "core", 12)
    whole = {"snapshot": "gas.h5", "output.populations": True, "image.beam": "none", "cameras.0.field": "0.6 pc",
             "cameras.0.pixels": 24}

    def run(line, **settings):
        return lr.Model.load(EXAMPLES / "core.yaml", whole | settings).run(line=line)

    return gas, run


def test_lines_of_the_core_are_kelvins_bright_and_no_brighter_than_the_gas(core):
    gas, run = core
    peaks = {}
    for line in ("co", "13co", "c18o"):
        result = run(line)
        cube = result.cube()
        assert result.populations.converged and cube.shape == (40, 24, 24)
        nu = cube.rest_frequency
        limit = rayleigh_jeans(gas["temperature"].max(), nu) - rayleigh_jeans(2.725, nu)
        peaks[line] = cube.data.max().to_value(u.K)
        assert peaks[line] < limit
        cold = result.populations.excitation_temperature.value
        assert cold.min() < 0.5 * gas["temperature"].min()  # far from LTE in thin gas
    print("  ", peaks)
    assert peaks["co"] > 5 and peaks["co"] > peaks["13co"] > peaks["c18o"] > 0.3


def test_thin_gas_of_the_core_is_as_bright_as_its_levels_say(core):
    """With a hundredth of the C18O, INT T dv = SUM (J(Tex) - J(Tbg)) c^3 A / (8 pi nu^3) (g_u / g_l n_l - n_u) dz."""
    gas, run = core
    result = run("c18o", **{"lines.2.medium.abundance": 1.8e-9})
    cube, levels = result.cube(), result.populations
    nu, a_ul = cube.rest_frequency, lr.molecule(EXAMPLES / "data" / "c18o_demo.dat").einstein_a[0]
    density = 1.8e-9 * gas["n_H2"] / u.cm**3
    lower, upper = levels.fraction[..., 0] * density, levels.fraction[..., 1] * density
    depth = const.c**3 * a_ul / (8 * np.pi * nu**3) * (3 * lower - upper) * (0.05 * u.pc)
    excess = rayleigh_jeans(levels.excitation_temperature.value, nu) - rayleigh_jeans(2.725, nu)
    expected = (excess * u.K * depth).sum(axis=2).mean().to_value(u.K * u.km / u.s)
    found = cube.moment(0).mean().to_value(u.K * u.km / u.s)
    assert found == pytest.approx(expected, rel=0.03)


def test_the_halo_is_red_and_wider_than_the_galaxy(monkeypatch):
    gas = make_gas(monkeypatch, "halo", 20)
    settings = {"snapshot": "gas.h5", "cameras.0.pixels": 32, "cameras.1.pixels": 32, "channels.number": 30,
                "image.beam": "none"}
    result = lr.Model.load(EXAMPLES / "halo.yaml", settings).run(packets=1000)
    assert result.summary.f_esc.value == pytest.approx(1, abs=1e-6)  # no dust
    spectrum = result.spectrum
    red = spectrum.flux[spectrum.velocity > 0].sum() / spectrum.flux.sum()
    assert red > 0.9  # half of it was emitted there

    x = np.arange(20) - 9.5
    emitted = gas["light"].sum(axis=2)
    far = np.hypot(x[:, None], x) > 3
    photons = 1e42 * u.erg / u.s / (const.h * result.cube().rest_frequency)
    photons = (photons / (4 * np.pi * (100 * u.Mpc) ** 2)).cgs.value  # per second and cm^2, if the same all round
    y = np.arange(32) - 15.5
    for camera in ("face-on", "edge-on"):
        cube = result.cube(camera)
        width = (cube.channel_width / const.c * cube.rest_frequency).to_value(u.Hz)
        image = cube.data.value.sum(axis=0) * abs(width)
        assert image.sum() * cube.pixel[0].to_value(u.rad) ** 2 == pytest.approx(photons, rel=0.25)
        halo = image[np.hypot(y[:, None], y) * 20 / 32 > 3].sum() / image.sum()
        assert halo > 1.5 * emitted[far].sum() / emitted.sum()
