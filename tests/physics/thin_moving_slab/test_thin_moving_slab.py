"""Beams through moving gas: closed forms that fix every sign convention.

Gas of velocity v sees a photon of frequency x along n at x - v.n/b: gas that moves with +v along +x absorbs a +x beam
at x = +v/b, blueward. With eps = 1 a packet that crossed a length s has the weight

    exp(-alpha0 s H(a, x - v.n/b))

packet by packet, without noise. With eps = 0 the share that was never scattered is the same in the mean, and light of
a flat band that was scattered once leaves with the profile H(a, x - v.n/b) of its own new direction n, whatever that
is: the redistribution function is symmetric.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import voigt_profile, wofz

from harness import PARSEC_CM, assert_agrees, assert_distributed, weighted_mean

MODEL = Path(__file__).with_name("model.yaml")
B = 10.0  # km/s
DAMPING = 0.05
OPACITY = 4.0  # 1/pc

BEAMS = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 2, -3), (-2, 1, 0.5)]
VELOCITIES = [(0, 0, 0), (20, 0, 0), (7, -25, 12)]  # km/s

# Voigt to 1e-4 relative is what the program promises; single precision adds 1e-6 of x and of the lengths.
WEIGHT_TOLERANCE = {"mixed": 2e-4, "double": 1e-4}


def hjerting(a, x):
    return wofz(x + 1j * a).real


def settings(beam, velocity, **more):
    return {"sources.0.point.direction": list(beam),
            "medium.velocity": "[%g km/s, %g km/s, %g km/s]" % tuple(velocity)} | more


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("velocity", VELOCITIES)
@pytest.mark.parametrize("beam", BEAMS)
def test_beam_is_absorbed_in_the_frame_of_the_gas(linerad, beam, velocity, precision):
    n = np.array(beam) / np.linalg.norm(beam)
    along = np.dot(velocity, n) / B
    band = {"sources.0.spectrum": "{band: {from: %g, to: %g}}" % (along - 6, along + 6)}
    run = linerad.run(MODEL, settings(beam, velocity, **band), packets=1000, precision=precision)
    packets = run.packets
    assert len(packets["id"]) == 1000 and np.all(packets["scatterings"] == 0)
    assert np.allclose(packets["direction"], n, atol=1e-6)
    length = 0.5 / np.max(np.abs(n))  # from the centre to the face, pc
    assert np.allclose(packets["path"], length * PARSEC_CM, rtol=1e-6)
    depth = OPACITY * length * hjerting(DAMPING, packets["x"] - along)
    error = packets["weight"] * 1000 / np.exp(-depth) - 1
    print(f"  v.n/b = {along:+.2f}: worst weight off by {np.max(np.abs(error)):.1e} of depth up to {depth.max():.2f}")
    assert depth.max() > 1.5  # the line is in the band
    assert np.all(np.abs(error) < WEIGHT_TOLERANCE[precision] * depth.max())


def test_absorption_of_a_receding_gas_lies_redward(linerad):
    """In words: gas moving away from the source, with the beam, has its line at higher frequencies in the mesh frame."""
    for velocity, centre in ((20, 2), (-20, -2)):
        packets = linerad.run(MODEL, settings((1, 0, 0), (velocity, 0, 0)), packets=1000).packets
        deepest = packets["x"][np.argmin(packets["weight"])]
        assert abs(deepest - centre) < 0.1, (velocity, deepest)


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_unscattered_share_is_the_transmission(linerad, velocity):
    """Without destruction: per packet the chance to cross is known, so the number that crossed is, to sqrt(sum p q)."""
    packets = linerad.run(MODEL, settings((1, 2, -3), velocity, **{"medium.destruction": 0}), packets=5e4, seed=3).packets
    n = np.array((1, 2, -3)) / np.sqrt(14)
    straight = packets["scatterings"] == 0
    # The band is flat in the mesh frame.
    x = (np.arange(100000) + 0.5) / 100000 * 12 - 6
    chance = np.exp(-OPACITY * 0.5 * np.sqrt(14) / 3 * hjerting(DAMPING, x - np.dot(velocity, n) / B))
    assert_agrees(f"unscattered, v = {velocity}", weighted_mean(straight), np.mean(chance))


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_light_scattered_once_has_the_profile_of_the_gas(linerad, velocity):
    """Thin gas (depth 0.025 at line centre), a band wide enough that its ends do not matter at a = 1e-3."""
    n_in = np.array((1, 2, -3)) / np.sqrt(14)
    along = np.dot(velocity, n_in) / B
    thin = {"medium.destruction": 0, "medium.damping": 1e-3, "medium.opacity": "0.05 1/pc", "output.fields": False,
            "sources.0.spectrum": "{band: {from: %g, to: %g}}" % (along - 4, along + 4)}
    packets = linerad.run(MODEL, settings((1, 2, -3), velocity, **thin), packets=4e5, seed=4).packets
    once = packets["scatterings"] == 1
    assert 1500 < np.sum(once) < 6000
    x_gas = packets["x"][once] - packets["direction"][once] @ np.array(velocity) / B
    grid = np.linspace(-30, 30, 60001)
    cumulative = np.cumsum(voigt_profile(grid, np.sqrt(0.5), 1e-3))
    # A second scattering removes up to 2.5 % more at line centre than in the wings: at most 0.006 of the distribution.
    assert_distributed(f"scattered once, v = {velocity}", x_gas, lambda x: np.interp(x, grid, cumulative / cumulative[-1]),
                       allowance=0.006)
