"""Absurd numbers are refused where they are read, with what would be sensible, and no NaN counts as a result."""

import pytest

from conftest import error_line
from test_bad_populations import MODEL as LEVELS, RATES, TOY, text_of
from test_radex import MOLECULE, PARCEL

RUN = ("run", "model.yaml", "-o", "out.h5")


@pytest.mark.parametrize("weight", ["1e-320", "1e300"])
def test_weight_of_a_level(folder, weight):
    (folder.path / "odd.dat").write_text(MOLECULE.replace("2 4.0 3.0 1", f"2 4.0 {weight} 1"))
    line = error_line(folder.run("radex", "odd.dat", *PARCEL))
    assert "odd.dat:9: weight" in line and "expected 0.001 to 1e+09" in line
    (folder.path / "toy.dat").write_text((TOY + RATES).replace("2 3.845 3 1", f"2 3.845 {weight} 1"))
    folder.model.write_text(text_of(LEVELS | {"populations": "lvg", "run": "{packets: 0}",
                                              "cameras": "[{name: front, direction: +z}]"}))  # fmt: skip
    assert "toy.dat:9: weight" in error_line(folder.run(*RUN))


@pytest.mark.parametrize(
    "name, value, limit",
    [
        ("temperature", "1e300", "to 1e+15"),
        ("density", "H2=1e300", "to 1e+45"),
        ("column", "1e300", "to 1e+60"),
        ("width", "1e-300", "0.001 to"),
        ("width", "1e8", "to 2.99792e+10"),
        ("background", "1e300", "to 1e+15"),
    ],
)
def test_absurd_parcels(folder, name, value, limit):
    (folder.path / "made_up.dat").write_text(MOLECULE)
    options = dict(zip(PARCEL[::2], PARCEL[1::2])) | {f"--{name}": value}
    line = error_line(folder.run("radex", "made_up.dat", *[word for item in options.items() for word in item]))
    assert name in line and limit in line


@pytest.mark.parametrize(
    "setting, key, limit",
    [
        ("sources.0.luminosity=1e-300 photon/s", "luminosity", "1e-60 to 1e+80"),
        ("sources.0.luminosity=1e300 photon/s", "luminosity", "1e-60 to 1e+80"),
        ("sources.0.luminosity=1e90 erg/s", "luminosity", "1e-60 to 1e+80"),
        ("sources.0.luminosity=1e300 erg/s", "luminosity", "too large"),
        ("mesh.size=[1e-300 pc, 1e-300 pc, 1e-300 pc]", "mesh", "at least 1e-12 cm"),
        ("mesh.size=[2 pc, 1 pc, 1e200 pc]", "mesh", "at most 1e+35 cm"),
        ("mesh.origin=[1e200 pc, 0 pc, 0 pc]", "mesh", ""),
        ("medium.temperature=1e300 K", "medium.temperature", "at most 1e15 K"),
        ("medium.temperature=1e-300 K", "medium.temperature", "below the limit of 0.001"),
        ("medium={b: 1e-300 km/s, density: 1 cm^-3}", "medium.b", ""),
        ("medium={temperature: 1e4 K, density: 1e300 cm^-3}", "medium.density", "at most 1e45 cm^-3"),
        ("line={frequency: 1e-80 Hz, einstein_a: 1 1/s, degeneracies: [1, 1], mass: 1 u}", "line.frequency", "1 to 3e19 Hz"),
        ("line={frequency: 1e9 Hz, einstein_a: 1e80 1/s, degeneracies: [1, 1], mass: 1 u}", "line.einstein_a", "1e25"),
        ("line={frequency: 1e9 Hz, einstein_a: 1 1/s, degeneracies: [1, 1], mass: 1e-80 u}", "line.mass", "1e6 u"),
    ],
)
def test_absurd_numbers(fails, setting, key, limit):
    line = fails(*RUN, "--set", setting)
    assert key in line and limit in line


@pytest.mark.parametrize("luminosity", ["1e-60 photon/s", "1e80 photon/s"])
@pytest.mark.parametrize("size", ["1e-10 cm", "1e34 cm"])
def test_numbers_at_the_limits_give_finite_results(folder, luminosity, size):
    done = folder.run(*RUN, "--set", f"sources.0.luminosity={luminosity}", "--set", f"mesh.size=[{size}, {size}, {size}]",
                      "--set", "output.fields=true", "--set", "output.packets=true")  # fmt: skip
    assert done.returncode == 0, done.stderr
