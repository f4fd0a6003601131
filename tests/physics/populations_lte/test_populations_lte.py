"""Molecules in LTE: the source function is the Planck function, opacities include stimulated emission, and thin gas
emits n_u A_ul h nu per volume. Nothing here is random."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from harness import PARSEC_CM, assert_close
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK, cube, planck
from molecules import Molecule, rotor

MODEL = Path(__file__).with_name("model.yaml")
CO = rotor(20)
WIDE = Molecule((0.0, 30.0), (2.0, 4.0), ((1, 0, 2.4e-6),), mass=12.0)  # h nu / k = 43 K


@pytest.fixture
def toy(linerad, tmp_path):
    def run(molecule, settings=None, **options):
        path = molecule.write(tmp_path)
        settings = {"line.molecule": path, "line.transition": 1, "run.precision": "double"} | (settings or {})
        return linerad.run(MODEL, settings, packets=0, precision="double", **options)

    return run


@pytest.mark.parametrize("temperature", [5.0, 20.0, 300.0])
@pytest.mark.parametrize("molecule", [CO, WIDE], ids=["radio", "infrared"])
def test_thick_gas_shows_the_planck_function(toy, molecule, temperature):
    """The line is deep at its centre: I = B(T)."""
    run = toy(molecule, {"medium.temperature": f"{temperature} K", "medium.density": "1e4 cm^-3",
                         "channels": {"number": 1, "range": ["-0.1 km/s", "0.1 km/s"]}})
    image = cube(run, "top")
    assert np.min(run.data("images/top/optical_depth")) > 30
    for extreme in (image.intensity.min(), image.intensity.max()):
        assert_close(f"I / B at {temperature} K", extreme, planck(molecule.frequency(), temperature), 1e-5)


def test_source_function_of_every_depth(toy):
    """I = B (1 - exp(-tau)) with the optical depth given by the run itself, from thin to thick: S = B in every
    channel."""
    for density in ("1e-6 cm^-3", "1e-4 cm^-3", "1e-2 cm^-3"):
        run = toy(CO, {"medium.density": density, "channels.samples": 1})
        depth = run.data("images/top/optical_depth").astype(float)
        expected = -planck(CO.frequency(), 20.0) * np.expm1(-depth)
        worst = np.max(np.abs(cube(run, "top").intensity - expected)) / np.max(expected)
        assert worst < 1e-5, f"{density}: {worst}"


@pytest.mark.parametrize("stimulated", [True, False])
@pytest.mark.parametrize("temperature", [3.0, 20.0, 150.0])
def test_optical_depth(toy, temperature, stimulated):
    """tau = n x_l sigma0 L (1 - exp(-h nu / k T)) H, with and without the bracket; x over all levels of the file."""
    run = toy(CO, {"medium.temperature": f"{temperature} K", "populations": {"stimulated": stimulated},
                   "channels": {"number": 1, "range": ["-1e-3 km/s", "1e-3 km/s"]}})
    lower = CO.boltzmann(temperature)[0]
    bracket = -np.expm1(-PLANCK * CO.frequency() / BOLTZMANN / temperature) if stimulated else 1.0
    expected = 1e-4 * lower * CO.cross_section(KM) * PARSEC_CM * bracket
    assert_close(f"tau at {temperature} K", np.mean(run.data("images/top/optical_depth")), expected, 2e-5)


@pytest.mark.parametrize("molecule, line, temperature, factor", [("oh18cm", "1665", 47.0, 588.6), ("co", "1-0", 50.0, 9.55)])
def test_stimulated_emission_of_radio_lines(linerad, molecule, line, temperature, factor):
    """1 / (1 - exp(-h nu / k T)): about six hundred for OH at 18 cm and 47 K, nine for CO 1-0 at 50 K."""
    number = {"1665": 2}.get(line, line)
    depth = []
    for stimulated in (False, True):
        run = linerad.run(MODEL, {"line.molecule": molecule, "line.transition": number, "medium.density": "1e-6 cm^-3",
                                  "medium.temperature": f"{temperature} K", "populations": {"stimulated": stimulated},
                                  "channels": {"number": 1, "range": ["-1e-3 km/s", "1e-3 km/s"]}},
                          packets=0, precision="double")
        depth.append(np.mean(run.data("images/top/optical_depth"), dtype=float))
    assert_close(f"{molecule} {line} at {temperature} K", depth[0] / depth[1], factor, 1e-3)


def test_rotor_with_the_constants_of_co(linerad):
    """Constants in the model give the same as the built-in molecule made from the same ones, and the result stores
    them: running the text in it again gives the same image."""
    constants = {"b": "57635.96802 MHz", "d": "0.18350489 MHz", "h": "1.7168e-7 MHz", "dipole": "0.11011 debye",
                 "mass": "27.9949146 u", "highest_j": 40}
    images = []
    for settings in ({"line.molecule": "co"}, {"line": {"rotor": constants, "transition": "2-1"}}):
        settings = {"line.transition": "2-1", "medium.temperature": "35 K"} | settings
        run = linerad.run(MODEL, settings, packets=0, precision="double")
        images.append(cube(run, "top").intensity)
    assert np.max(images[0]) > 0
    assert np.max(np.abs(images[1] - images[0])) < 1e-6 * np.max(images[0])
    text = run.path.parent / "again.yaml"
    with h5py.File(run.path) as file:
        text.write_bytes(file["provenance/model_resolved"][()])
    again = linerad.run(text, {}, packets=0, precision="double")
    assert np.array_equal(cube(again, "top").intensity, images[1])


def test_thin_gas_shows_its_upper_level(toy):
    """Photons per steradian: n x_u A V / (4 pi), that is, at a distance d, a flux of n_u A h nu V / (4 pi d^2)."""
    run = toy(CO, {"medium.density": "1e-12 cm^-3", "channels": {"number": 64, "range": ["-8 km/s", "8 km/s"]}})
    emitted = 1e-12 * CO.boltzmann(20.0)[1] * CO.lines[0][2] * PARSEC_CM**3
    assert_close("photons per steradian", cube(run, "top").spectrum.sum(), emitted / (4 * np.pi), 1e-5)
    assert_close("emitted", run.summary["emitted"], emitted, 1e-12)


def test_given_fractions_and_densities(toy, linerad):
    """Populations from a file, as fractions or as densities: the same image as LTE if they are LTE populations."""
    x = np.broadcast_to(CO.boltzmann(20.0), (4, 4, 4, 20)).copy()
    lte = toy(CO, {"medium.density": "1e-4 cm^-3"})
    for values, units, density in ((x, "1", "1e-4 cm^-3"), (x * 1e2, "m^-3", None)):
        settings = {"populations": {"method": "given", "file": "x.h5", "dataset": "x"}}
        if density:
            settings["medium.density"] = density
        else:
            settings["medium"] = {"b": "1 km/s"}
        run = toy(CO, settings, fields={"x.h5": {"x": (values, units)}})
        # the ratio of two levels follows from their energies here, from the frequency in LTE: 12 digits of either
        assert_close(f"light of {units}", cube(run, "top").spectrum.sum(), cube(lte, "top").spectrum.sum(), 1e-6)


def test_dust_shines(toy):
    """Grey absorption at a given temperature adds B(T_dust) (1 - exp(-tau)) off the line."""
    run = toy(CO, {"medium.absorption": "0.5 1/pc", "medium.dust_temperature": "30 K", "medium.density": "1e-9 cm^-3",
                   "channels": {"number": 2, "range": ["20 km/s", "24 km/s"]}})
    expected = -planck(CO.frequency(), 30.0) * np.expm1(-0.5)
    assert_close("dust", np.mean(cube(run, "top").intensity), expected, 1e-5)


def test_result_keeps_the_levels(toy):
    run = toy(CO, {"output.populations": True})
    with h5py.File(run.path) as file:
        group = file["populations"]
        assert group.attrs["method"] == "lte" and group.attrs["transition"] == "1-0"
        assert group["fraction"].shape == (4, 4, 4, 20)
        assert list(group.attrs["level_labels"][:3]) == ["0", "1", "2"]
        np.testing.assert_allclose(group["fraction"][1, 2, 3], CO.boltzmann(20.0), rtol=1e-9)
        np.testing.assert_allclose(group["excitation_temperature"][()], 20.0, rtol=1e-12)
        np.testing.assert_allclose(group["level_weight"][()], CO.weight)
    assert run.summary["populations"]["method"] == "lte"


def test_inverted_gas_has_no_opacity(toy):
    """More molecules in the upper level: no amplification, but their emission is included."""
    x = np.zeros((4, 4, 4, 20))
    x[..., 0], x[..., 1] = 0.1, 0.9
    run = toy(CO, {"populations": {"method": "given", "file": "x.h5", "dataset": "x"}, "medium.density": "1e-4 cm^-3",
                   "channels": {"number": 64, "range": ["-8 km/s", "8 km/s"]}},
              fields={"x.h5": {"x": (x, "1")}})
    assert np.max(run.data("images/top/optical_depth")) == 0
    assert run.attribute("inverted_cells", "populations") == 64
    assert_close("inversion", run.attribute("inversion", "populations"), 3.0, 1e-12)
    emitted = 1e-4 * 0.9 * CO.lines[0][2] * PARSEC_CM**3
    assert_close("photons", cube(run, "top").spectrum.sum(), emitted / (4 * np.pi), 1e-5)
