"""Level populations in equilibrium where they are known exactly: in dense gas, in gas without collisions, in thin gas
and inside opaque dust. The expected values are exact, so tolerances are those of the iteration and of single
precision."""

from pathlib import Path

import numpy as np
import pytest

from equilibrium import fractions, reference, solve
from molecules import Molecule, rotor

MODEL = Path(__file__).with_name("model.yaml")
CO = rotor(12)
RADIO = Molecule((0.0, 3.845), (1.0, 3.0), ((1, 0, 7.2e-8),), ((1, 0, 3e-11),))
INFRARED = Molecule((0.0, 200.0), (2.0, 4.0), ((1, 0, 2.4e-6),), ((1, 0, 1e-9),))
MATTERS = 1e-6  # fractions below are not compared


def found(linerad, tmp_path, molecule, settings, fields=None):
    path = molecule.write(tmp_path)
    run = solve(linerad, MODEL, {"line.molecule": path} | settings, fields=fields)
    x = fractions(run)
    x = x.reshape(-1, x.shape[-1])
    assert np.all(np.isfinite(x)) and np.all(x >= 0)
    np.testing.assert_allclose(x.sum(axis=1), 1, rtol=1e-6)
    return run, x


def assert_populations(x, expected, tolerance):
    matters = expected > MATTERS
    worst = np.max(np.abs(x[:, matters] / expected[matters] - 1))
    print(f"  worst relative difference {worst:.2e} of {tolerance:.0e} allowed")
    assert worst < tolerance


@pytest.mark.parametrize("molecule", [CO, RADIO, INFRARED], ids=["rotor", "radio", "infrared"])
def test_dense_gas_is_in_lte(linerad, tmp_path, molecule):
    """Collisions far above the critical density give the temperature of the gas, however thick it is."""
    for density in ("1e-6 cm^-3", "1 cm^-3"):
        _, x = found(linerad, tmp_path, molecule, {"medium.density": density, "medium.colliders": {"H2": "1e12 cm^-3"}})
        assert_populations(x, molecule.boltzmann(20.0), 1e-3)


@pytest.mark.parametrize("background", [2.725, 15.0])
@pytest.mark.parametrize("density", [1e-9, 1e-4])
@pytest.mark.parametrize("moving", [False, True])
def test_without_collisions(linerad, tmp_path, density, background, moving):
    """With nothing but a surrounding black body, levels have its temperature, whatever the optical depth and the motion
    of the gas."""
    settings = {"medium.density": f"{density} cm^-3", "medium.colliders": {"H2": "0 cm^-3"},
                "populations.background": f"{background} K"}
    fields = None
    if moving:
        velocity = np.random.default_rng(3).uniform(-2, 2, (3, 4, 4, 4))
        settings["medium.velocity"] = {"file": "v.h5", "dataset": "v"}
        fields = {"v.h5": {"v": (velocity, "km/s")}}
    _, x = found(linerad, tmp_path, CO, settings, fields)
    assert_populations(x, CO.boltzmann(background), 1e-4)


@pytest.mark.parametrize("molecule", [CO, RADIO, INFRARED], ids=["rotor", "radio", "infrared"])
@pytest.mark.parametrize("density", [30.0, 1e4])
def test_thin_gas(linerad, tmp_path, molecule, density):
    """The light of the gas itself is negligible: collisions and background, by dense matrices."""
    _, x = found(linerad, tmp_path, molecule, {"medium.colliders": {"H2": f"{density} cm^-3"}})
    assert_populations(x, molecule.equilibrium(20.0, density, [1.0] * len(molecule.lines), 2.725), 1e-4)


@pytest.mark.parametrize("molecule", [CO, RADIO], ids=["rotor", "radio"])
def test_inside_opaque_dust(linerad, tmp_path, molecule):
    """Dust of 35 K, opaque across half a cell: black-body radiation of that temperature, not the background."""
    dust = {"medium.absorption": "400 1/pc", "medium.dust_temperature": "35 K"}
    _, x = found(linerad, tmp_path, molecule, dust)
    x = x.reshape(4, 4, 4, -1)[1:-1, 1:-1, 1:-1].reshape(8, -1)
    assert_populations(x, molecule.equilibrium(20.0, 1e3, [1.0] * len(molecule.lines), 35.0), 1e-4)


def test_cold_dust_shields(linerad, tmp_path):
    """Dust that does not emit blocks the background: inside it only collisions and spontaneous emission are left."""
    _, x = found(linerad, tmp_path, CO, {"medium.absorption": "400 1/pc", "populations.background": "10 K"})
    x = x.reshape(4, 4, 4, -1)[1:-1, 1:-1, 1:-1].reshape(8, -1)
    assert_populations(x, CO.equilibrium(20.0, 1e3, [1.0] * len(CO.lines), 0.0), 1e-4)


def test_thin_dust_in_a_layer(linerad, tmp_path):
    """At the midplane of a layer of dust of depth tau across, J = B(T) (1 - E2(tau / 2)), since a ray of slope mu has
    tau / (2 mu) behind it and comes from both sides."""
    from scipy.special import expn

    depth = 0.3
    _, x = found(linerad, tmp_path, RADIO,
                 {"mesh": {"cells": [1, 1, 1], "size": ["1 pc", "1 pc", "1 pc"],
                           "faces": {"x": "open", "y": "periodic", "z": "periodic"}},
                  "medium.absorption": f"{depth} 1/pc", "medium.dust_temperature": "60 K",
                  "populations.background": "0 K", "populations.directions": 64, "populations.error": 1e-6})
    modes = (1 - expn(2, depth / 2)) / np.expm1(RADIO.frequency() * 4.799243e-11 / 60.0)
    # a black body with the same number of photons per mode
    temperature = RADIO.frequency() * 4.799243e-11 / np.log1p(1 / modes)
    assert_populations(x, RADIO.equilibrium(20.0, 1e3, [1.0], temperature), 2e-4)


def inverting():
    """Four levels: the lowest two are connected by a weak line, and molecules excited by collisions to higher levels
    decay to the upper of them. Without much quenching the weak line amplifies."""
    return Molecule((0.0, 0.5, 30.0, 60.0), (1.0, 1.0, 1.0, 1.0),
                    ((1, 0, 1e-9), (2, 1, 1e-4), (3, 2, 1e-3)),
                    ((1, 0, 1e-13), (2, 0, 1e-11), (3, 0, 1e-11), (2, 1, 1e-14), (3, 1, 1e-14), (3, 2, 1e-12)))


@pytest.mark.parametrize("density", [1e-8, 1e-4, 1e-1])
def test_inversion_is_held(linerad, tmp_path, density):
    """Populations stay positive and normalised with lines that amplify; the run reports such lines."""
    run, x = found(linerad, tmp_path, inverting(),
                   {"medium.density": f"{density} cm^-3", "medium.temperature": "100 K",
                    "medium.colliders": {"H2": "1e4 cm^-3"}, "populations.error": 1e-3})
    print(f"  g_l x_u / (g_u x_l) = {run.attribute('inversion', 'populations')}, "
          f"{run.attribute('inverted_cells', 'populations')} cells inverted")
    if density < 1e-6:
        expected = inverting().equilibrium(100.0, 1e4, [1.0] * 3, 2.725)
        assert expected[1] > expected[0]
        assert_populations(x, expected, 1e-3)
        assert run.attribute("inverted_cells", "populations") == 64


def test_inversion_of_a_real_molecule(linerad):
    """SiO and OH with the rates of their files in warm thin gas."""
    for name in ("sio.dat", "oh@hfs.dat"):
        run = solve(linerad, MODEL, {"line.molecule": reference("lamda", name), "medium.density": "1e-3 cm^-3",
                                     "medium.temperature": "100 K", "medium.colliders": {"H2": "1e5 cm^-3"},
                                     "populations": {"method": "equilibrium", "error": 1e-2, "directions": 16}})
        x = fractions(run)
        assert np.all(np.isfinite(x)) and np.all(x >= 0)
        np.testing.assert_allclose(x.sum(axis=-1), 1, rtol=1e-6)
        print(f"  {name}: {run.attribute('inverted_cells', 'populations')} cells inverted, "
              f"{run.attribute('inversion', 'populations')}")


@pytest.mark.parametrize("density", [1e-4, 1e-2])
def test_inversion_along_many_cells(linerad, tmp_path, density):
    """Each cell may amplify a little; two hundred in a row would by a power of e beyond any floating-point range."""
    run, x = found(linerad, tmp_path, inverting(),
                   {"mesh": {"cells": [200, 1, 1], "size": ["200 pc", "1 pc", "1 pc"],
                             "faces": {"x": "open", "y": "periodic", "z": "periodic"}},
                    "medium.density": f"{density} cm^-3", "medium.temperature": "100 K",
                    "medium.colliders": {"H2": "1e4 cm^-3"}, "populations.error": 1e-2, "populations.iterations": 400})
    ratio = x[:, 1] / x[:, 0]
    print(f"  x_u / x_l from {ratio.min():.3g} to {ratio.max():.3g}; {run.summary['populations']}")
    assert np.all(np.isfinite(ratio)) and ratio.max() < 25
