"""Two-level molecules whose populations come from passes of packets, against closed forms and against the transfer
equation solved here on the same layer with complete redistribution."""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, assert_close
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK
from molecules import Molecule

MODEL = Path(__file__).with_name("model.yaml")
RADIO = Molecule((0.0, 3.845), (1.0, 3.0), ((1, 0, 7.2e-8),), ((1, 0, 3e-11),))
TEMPERATURE, H2, BACKGROUND, B = 20.0, 300.0, 2.725, 1 * KM


def run(linerad, tmp_path, settings, packets):
    path = RADIO.write(tmp_path)
    return linerad.run(MODEL, {"line.molecule": path, "physics.redistribution": "complete"} | settings, packets=packets)


def upper_fraction(modes, density=H2):
    """For a molecule in a field with this many photons per mode."""
    a, ratio = RADIO.lines[0][2], RADIO.weight[1] / RADIO.weight[0]
    down = density * RADIO.rates[0][2]
    up = down * ratio * np.exp(-PLANCK * RADIO.frequency() / BOLTZMANN / TEMPERATURE)
    quotient = (ratio * a * modes + up) / (a * (1 + modes) + down)
    return quotient / (1 + quotient)


def modes_of(temperature):
    return 1 / np.expm1(PLANCK * RADIO.frequency() / BOLTZMANN / temperature)


def mean_intensities(depth):
    """[i, j]: mean over cell i, the profile and all directions of the light of cell j with source function 1; `depth`
    is that of each cell at line centre."""
    x, wx = np.polynomial.legendre.leggauss(48)
    mu, wmu = np.polynomial.legendre.leggauss(24)
    x, wx, mu, wmu = 4.5 * x, 4.5 * wx, (mu + 1) / 2, wmu / 2
    profile = np.exp(-x**2)
    weight = (wx * profile / np.sum(wx * profile))[:, None] * wmu[None, :]
    step = depth[:, None, None] * profile[:, None] / mu[None, :]
    through, inside = np.exp(-step), -np.expm1(-step) / step
    n = len(depth)
    result = np.zeros((n, n))
    for j in range(n):
        result[j, j] += np.sum(weight * (1 - inside[j]))
        leaving = 1 - through[j]
        for order in (range(j + 1, n), range(j - 1, -1, -1)):
            light = leaving
            for i in order:
                result[i, j] += 0.5 * np.sum(weight * light * inside[i])
                light = light * through[i]
    return result


def layer(density, n):
    """Upper fractions of a layer of n cells: populations and light in turn until they agree."""
    gap = PLANCK * RADIO.frequency() / BOLTZMANN / TEMPERATURE
    collisions = H2 * RADIO.rates[0][2] * -np.expm1(-gap)
    eps = collisions / (RADIO.lines[0][2] + collisions)
    excess = modes_of(TEMPERATURE) - modes_of(BACKGROUND)
    upper = np.full(n, RADIO.boltzmann(TEMPERATURE)[1])
    for _ in range(200):
        lower = 1 - upper
        depth = (density * RADIO.cross_section(B) * (lower - upper * RADIO.weight[0] / RADIO.weight[1])
                 * PARSEC_CM / n)
        operator = mean_intensities(depth)
        source = np.linalg.solve(np.eye(n) - (1 - eps) * operator, np.full(n, eps * excess))
        new = upper_fraction(modes_of(BACKGROUND) + operator @ source)
        if np.max(np.abs(new / upper - 1)) < 1e-7:
            return new
        upper = new
    raise AssertionError("the reference has not converged")


def test_thin_gas_sees_the_background_alone(linerad, tmp_path):
    found = run(linerad, tmp_path, {"medium.density": "1e-9 cm^-3"}, packets=2000)
    assert_close("upper fraction", np.mean(found.data("populations/fraction")[..., 1]),
                 upper_fraction(modes_of(BACKGROUND)), 1e-4)


def test_dense_gas_is_in_equilibrium(linerad, tmp_path):
    found = run(linerad, tmp_path, {"medium.colliders": {"H2": "1e9 cm^-3"}}, packets=2000)
    assert_close("upper fraction", np.mean(found.data("populations/fraction")[..., 1]),
                 RADIO.boltzmann(TEMPERATURE)[1], 1e-4)


@pytest.mark.parametrize("density", [1e-4, 1e-3])
def test_layer(linerad, tmp_path, density):
    """Stimulated emission removes three quarters of the opacity, so that opacities and light depend on each other."""
    found = run(linerad, tmp_path, {"medium.density": f"{density} cm^-3"}, packets=400000)
    upper = found.data("populations/fraction")[:, 0, 0, 1]
    expected = layer(density, 32)
    thin, equilibrium = upper_fraction(modes_of(BACKGROUND)), RADIO.boltzmann(TEMPERATURE)[1]
    print(f"  {found.summary['populations']}; x_u {upper[0]:.5f} at the face, {upper[16]:.5f} in the middle "
          f"(thin {thin:.5f}, LTE {equilibrium:.5f}); worst {np.max(np.abs(upper / expected - 1)):.2e}")
    assert found.summary["populations"]["iterations"] > 1
    assert np.max(np.abs(upper / expected - 1)) < 0.01
    assert_close("mean upper fraction", np.mean(upper), np.mean(expected), 2e-3)


def test_frozen_opacities_are_enough_for_a_short_wavelength(linerad, tmp_path):
    """h nu = 14 k T: one pass gives the populations, since neither stimulated emission nor the upper level matters.
    Passes differ only by their noise, here 1 % in a cell; if stimulated emission matters, the first pass is far off."""
    infrared = Molecule((0.0, 200.0), (2.0, 4.0), ((1, 0, 2.4e-6),), ((1, 0, 1e-9),))
    mean = {}
    for name, molecule, density in (("infrared", infrared, "100 cm^-3"), ("radio", RADIO, "1e-3 cm^-3")):
        for n in (1, 6):
            found = linerad.run(MODEL, {"line.molecule": molecule.write(tmp_path), "medium.density": density,
                                        "populations": {"method": "two-level", "iterations": n, "error": 1e-12}},
                                packets=100000)
            mean[name, n] = np.mean(found.data("populations/fraction")[:, 0, 0, 1])
    change = {name: mean[name, 1] / mean[name, 6] - 1 for name in ("infrared", "radio")}
    print(f"  change after the first pass: {change}")
    assert abs(change["infrared"]) < 2e-3 < 5e-3 < abs(change["radio"])
