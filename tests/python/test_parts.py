"""Every part writes what the library understands, and the library understands what was meant."""

import re
from pathlib import Path

import astropy.units as u
import linerad as lr
import numpy as np
import pytest
from small import cloud, field, slab

DATA = Path(__file__).resolve().parents[2] / "examples" / "data" / "hco+_demo.dat"
BOX = lr.Mesh.uniform((4, 4, 4), [1, 1, 1] * u.pc)
SHAPE = (4, 4, 4)


@pytest.mark.parametrize(
    "source, said",
    [
        (lr.Point(position=[0, 0, 0.1] * u.pc, luminosity=2 * u.Lsun), "point"),
        (lr.Point(position=[0, 0, 0] * u.pc, emission="beam", direction=[1, 0, 1], luminosity=1 / u.s), "point"),
        (lr.Plane(axis="z", at=0.1 * u.pc, flux=1 * u.ph / u.s / u.cm**2), "plane"),
        (lr.Volume(emissivity=field(SHAPE), luminosity=1 * u.erg / u.s), "volume"),
        (lr.Volume(luminosity=1 * u.erg / u.s, frame="gas"), "volume"),
        (lr.External(intensity=1e-3 * u.ph / u.s / u.cm**2 / u.sr,
                     spectrum=lr.Band(-500 * u.km / u.s, 500 * u.km / u.s)), "isotropic field through the open faces"),
    ],
)  # fmt: skip
def test_sources(source, said):
    report = slab(mesh=BOX, sources=source, output=None).check()
    assert said in report


@pytest.mark.parametrize(
    "spectrum",
    [
        "local",
        lr.Monochromatic(20 * u.km / u.s),
        lr.Gaussian(centre=0 * u.km / u.s, fwhm=20 * u.km / u.s),
        lr.Gaussian(sigma=0.7),
        lr.Band(-10, 10),
        lr.Band(-3 * u.km / u.s, 3 * u.km / u.s),
        lr.Table(shift=[-1, 0, 1] * u.km / u.s, density=[0, 1, 0]),
        {"gaussian": {"sigma": 1}},
    ],
)
def test_spectra(spectrum):
    point = lr.Point(position=[0, 0, 0] * u.pc, luminosity=1 / u.s, spectrum=spectrum)
    assert slab(mesh=BOX, sources=[point], output=None).run(50).summary.packets == 50


def test_strengths():
    """A luminosity in energy, and the same in photons."""
    energy = 1e42 * u.erg / u.s
    rates = []
    photon = (121.567 * u.nm).to(u.erg, u.spectral())
    for strength in (energy, (energy / photon).to(1 / u.s), energy.to(u.Lsun)):
        point = lr.Point(position=[0, 0, 0] * u.pc, luminosity=strength)
        rates.append(slab(mesh=BOX, sources=point, output=None).run(10).summary.emitted.value)
    np.testing.assert_allclose(rates, rates[0], rtol=2e-3)  # the wavelength has six digits, the sun four


@pytest.mark.parametrize(
    "line",
    [
        "co10",
        lr.Line(frequency=115.2712018 * u.GHz, einstein_a=7.203e-8 / u.s, degeneracies=[1, 3], mass=28 * u.u),
        lr.Molecule("co", "1-0", levels=8),
        lr.Rotor(b=57.635968 * u.GHz, d=183.5 * u.kHz, dipole=0.11011e-18 * u.cm**2.5 * u.g**0.5 / u.s, mass=28 * u.u,
                 highest_j=10, transition="1-0"),
    ],
    ids=["name", "line", "molecule", "rotor"],
)  # fmt: skip
def test_lines(line):
    sources = None if isinstance(line, (lr.Molecule, lr.Rotor)) else lr.Thermal()
    medium = lr.Medium(temperature=20 * u.K, density=1e-2 / u.cm**3, destruction=None if sources is None else 1)
    assert "115.27" in cloud(line=line, medium=medium, sources=sources).check()


@pytest.mark.parametrize("lines", [{"transition": "1-0", "reference": 1}, {"transition": [1, 3, "01_02-00_01"], "reference": 1},
                                   {"transition": "all", "range": [88.6, 88.7] * u.GHz, "reference": "01_01-00_01"}])
def test_lines_that_overlap(lines):
    line = lr.Molecule(DATA.with_name("hcn_hfs.dat"), **lines)
    medium = lr.Medium(temperature=20 * u.K, density=1e-4 / u.cm**3)
    report = cloud(line=line, medium=medium, sources=None).check()
    assert "3 seen together" in report and "01_01-00_01, 88.630415 GHz, at +0 km/s" in report


def test_stars_and_gas():
    star = lr.Star(position=[0, 0, 0] * u.pc, radius=1 * u.R_sun, temperature=5000 * u.K)
    report = lr.Model(
        mesh=lr.Mesh.shells(number=6, outer=0.1 * u.pc),
        line=lr.Molecule(DATA, "1-0"),
        medium=lr.Medium(temperature=15 * u.K, abundance=1e-9, colliders={"H2": 1e5 / u.cm**3}),
        sources=[lr.Gas(), star],
        populations=lr.Populations("equilibrium", background=2.725 * u.K, iterations=5),
    ).check()
    assert "star" in report


def test_populations_by_escape():
    length = np.linspace(0.1, 0.2, 6) * u.pc
    result = lr.Model(
        mesh=lr.Mesh.shells(number=6, outer=0.1 * u.pc),
        line=lr.Molecule(DATA, "1-0"),
        medium=lr.Medium(temperature=15 * u.K, abundance=1e-9, colliders={"H2": 1e5 / u.cm**3}),
        populations=lr.Populations("escape-probability", length=length),
    ).run()
    assert result.populations.fraction.shape[0] == 6 and result.summary.populations == "escape-probability"


def test_near_cameras_and_regions():
    medium = lr.Medium(
        temperature=20 * u.K,
        turbulence=0.2 * u.km / u.s,
        density={
            "default": 0 / u.cm**3,
            "regions": [{"sphere": {"centre": [0 * u.pc] * 3, "radius": 0.05 * u.pc}, "value": 1e-2 / u.cm**3}],
        },
    )
    camera = lr.Camera("near", position=[0, 0, 1] * u.pc, field=20 * u.deg, pixels=6)
    cube = cloud(medium=medium, cameras=camera, image=lr.Image(unit="Jy/sr")).run().cube()
    assert cube.pixel.unit == u.rad and cube.header["CTYPE1"] == "RA---TAN"
    # the field of view on a plane: 6 pixels of tangents
    assert 6 * cube.pixel[0].value == pytest.approx(2 * np.tan(np.radians(10)), rel=1e-9)
    side = lr.Camera("side", phi=30 * u.deg, theta=90 * u.deg, field=[0.2, 0.1] * u.pc, pixels=[8, 4])
    assert cloud(cameras=side).run().cube("side").shape == (12, 4, 8)


def test_yaml_is_a_model_file(command):
    Path("again.yaml").write_text(cloud().yaml)
    command("check", "again.yaml")
    one, other = lr.Model.load("again.yaml").run(), cloud().run()
    np.testing.assert_array_equal(one.cube().data.value, other.cube().data.value)


def test_every_part_has_a_documented_key():
    """The names of the dataclasses are those of the reference; an unknown key would be an error of the library."""
    reference = (Path(__file__).resolve().parents[2] / "docs" / "model_reference.md").read_text()
    for part in (lr.Medium, lr.Image, lr.Output, lr.Run, lr.Physics, lr.Channels, lr.Camera, lr.Populations, lr.Line):
        for entry in part.__dataclass_fields__.values():
            key = entry.metadata["key"] or entry.name
            assert f"`{key}`" in reference, (part.__name__, key)


@pytest.mark.parametrize("section, part", [("run", lr.Run), ("output", lr.Output), ("physics", lr.Physics),
                                           ("image", lr.Image), ("channels", lr.Channels), ("line.molecule", lr.Molecule)])
def test_every_key_has_an_argument(command, section, part):
    """Except for statepoints, which only the command writes, and the rotor, which has a class of its own."""
    table = command("keys", section, "--markdown")
    keys = set(re.findall(r"^\| `(\w+)` \|", table, re.M)) - {"checkpoint", "rotor"}
    assert len(keys) > 1
    assert keys - {entry.metadata["key"] or entry.name for entry in part.__dataclass_fields__.values()} == set()


# ---- where cells are ----


def test_centres_of_equal_cells():
    x, y, z = lr.Mesh.uniform((4, 2, 1), [2, 1, 1] * u.pc, origin=[0, 0, 1] * u.pc).centres
    assert x.unit == u.pc and x.shape == (4, 2, 1)
    np.testing.assert_allclose(x[:, 0, 0].value, [0.25, 0.75, 1.25, 1.75], rtol=1e-13)
    np.testing.assert_allclose(y[0, :, 0].value, [0.25, 0.75], rtol=1e-13)
    np.testing.assert_allclose(z.value, 1.5, rtol=1e-13)


def test_centres_between_edges():
    mesh = lr.Mesh.edges([0, 1, 3] * u.au, [0, 1] * u.au, [-1, 1, 2] * u.au)
    x, y, z = mesh.centres
    np.testing.assert_allclose(x[:, 0, 0].value, [0.5, 2], rtol=1e-13)
    np.testing.assert_allclose(z[0, 0].value, [0, 1.5], atol=1e-13)


@pytest.mark.parametrize(
    "mesh", [lr.Mesh.shells([1, 2, 4] * u.pc), lr.Mesh.shells(number=2, inner=1 * u.pc, outer=4 * u.pc, spacing="log")]
)
def test_centres_of_shells(mesh):
    assert mesh.centres.unit == u.pc
    np.testing.assert_allclose(mesh.centres.value, [1.5, 3], rtol=1e-13)


def test_centres_of_a_refined_mesh():
    """In one octant the cells are half as large; together they have the volume and the centre of mass of the box."""
    body = {"box": {"min": ["0 pc"] * 3, "max": ["1 pc"] * 3}}
    mesh = lr.Mesh.refined((2, 2, 2), [2, 2, 2] * u.pc, [{**body, "levels": 1}], faces="reflecting")
    centres = mesh.centres.value.reshape(3, -1)
    assert centres.shape == (3, 15)
    fine = (centres > 0).all(axis=0)
    np.testing.assert_allclose(np.unique(centres[:, fine]), [0.25, 0.75], rtol=1e-13)
    assert fine.sum() == 8 and set(np.unique(np.round(centres[:, ~fine], 12))) == {-0.5, 0.5}
    volume = np.where(fine, 1 / 8, 1)
    np.testing.assert_allclose(centres @ volume, 0, atol=1e-12)


def test_centres_of_bricks():
    mesh = lr.Mesh.bricks([0], [[0, 0, 0]], (2, 2, 2), [2, 2, 2] * u.km, brick=2)
    assert mesh.centres.shape == (3, 1, 2, 2, 2)
    np.testing.assert_allclose(mesh.centres[0, 0, :, 0, 0].to_value(u.m), [-500, 500], rtol=1e-12)


def test_a_formula_is_the_field_at_the_centres():
    x, y, z = BOX.centres
    r = np.sqrt(x**2 + y**2 + z**2)
    arrays = lr.Medium(b=10 * u.km / u.s, opacity=(3 / u.pc * (1 + r / u.pc)).to(1 / u.cm), velocity=[
        2 * u.km / u.s * (x / u.pc).to_value(""), 0 * u.km / u.s, 0 * u.km / u.s])  # fmt: skip
    formulas = lr.Medium(b=10 * u.km / u.s, opacity={"formula": "3/pc * (1 + r / 1 pc)"}, velocity={
        "formula": ["2 km/s * x / 1 pc", "0 km/s", "0 km/s"]})  # fmt: skip
    point = lr.Point(position=[0, 0, 0] * u.pc, luminosity=1 / u.s)
    one, other = (slab(mesh=BOX, medium=gas, sources=point, output=None).run(500) for gas in (arrays, formulas))
    np.testing.assert_array_equal(one.spectrum.flux.value, other.spectrum.flux.value)


def test_a_formula_is_checked():
    with pytest.raises(lr.InputError, match="medium.opacity.formula: the formula gives a value in cm; expected an opac"):
        slab(mesh=BOX, medium=lr.Medium(b=1 * u.km / u.s, opacity={"formula": "2 * r"})).check()
