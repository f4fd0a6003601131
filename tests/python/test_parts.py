"""Every part writes what the library understands, and the library understands what was meant."""

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
