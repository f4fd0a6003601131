"""Beams through moving gas: closed forms that fix every sign convention.

Gas of velocity v sees a photon of frequency x along n at x - v.n/b: gas that moves with +v along +x absorbs a +x beam
at x = +v/b, blueward. With eps = 1 a packet that crossed a length s has the weight

    exp(-alpha0 s H(a, x - v.n/b))

packet by packet, without noise. With eps = 0 the fraction that was never scattered is the same on average, and light
from a flat band that was scattered once leaves with the profile H(a, x - v.n/b) of its new direction n, whatever that
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

# The program promises a relative accuracy of 1e-4 for the Voigt function; single precision adds 1e-6 of x and of the
# lengths.
WEIGHT_TOLERANCE = {"mixed": 2e-4, "double": 1e-4}


def hjerting(a, x):
    return wofz(x + 1j * a).real


def settings(beam, velocity, **more):
    return {"sources.0.point.direction": list(beam),
            "medium.velocity": "[%g km/s, %g km/s, %g km/s]" % tuple(velocity)} | more


def beam_error(linerad, beam, velocity, precision):
    """Largest relative error of a weight, and the largest depth of the beam."""
    n = np.array(beam) / np.linalg.norm(beam)
    along = np.dot(velocity, n) / B
    band = {"sources.0.spectrum": "{band: {from: %g, to: %g}}" % (along - 6, along + 6)}
    run = linerad.run(MODEL, settings(beam, velocity, **band), packets=1000, precision=precision)
    packets = run.packets
    assert len(packets["id"]) == 1000 and np.all(packets["scatterings"] == 0)
    assert np.allclose(packets["direction"], n, atol=1e-6)
    assert np.all(np.abs(packets["x"] - along) < 6.001)  # the frequency of the source, unchanged
    length = 0.5 / np.max(np.abs(n))  # from the centre to the face, pc
    assert np.allclose(packets["path"], length * PARSEC_CM, rtol=1e-6)
    depth = OPACITY * length * hjerting(DAMPING, packets["x"] - along)
    error = packets["weight"] * 1000 / np.exp(-depth) - 1
    print(f"  v.n/b = {along:+.2f}: worst weight off by {np.max(np.abs(error)):.1e} of depth up to {depth.max():.2f}")
    assert depth.max() > 1.5  # the line is in the band
    return np.max(np.abs(error)), depth.max()


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("velocity", VELOCITIES)
@pytest.mark.parametrize("beam", BEAMS)
def test_beam_is_absorbed_in_the_frame_of_the_gas(linerad, beam, velocity, precision):
    error, depth = beam_error(linerad, beam, velocity, precision)
    assert error < WEIGHT_TOLERANCE[precision] * depth


def layered_gas(rng, cells):
    """Every cell has a different opacity, b, damping and velocity (up to a few b)."""
    return {"opacity": (5 * rng.random(cells), "1/pc"), "b": (5 + 15 * rng.random(cells), "km/s"),
            "damping": (0.2 * rng.random(cells) ** 2, None), "velocity": (25 * rng.normal(size=(3, *cells)), "km/s")}


def depth_along(gas, cells, start, n, length, x, faces):
    """Depth along a straight ray of mesh-frame frequency x (in units of B) by plain geometry. Beyond periodic faces the
    mesh is repeated, beyond mirrors as its image: cells in reverse order, velocity across the mirror reversed."""
    width = 1 / np.array(cells)
    crossings = [np.arange(-60, 60) * width[k] - 0.5 for k in range(3)]
    stops = np.concatenate([(crossings[k] - start[k]) / n[k] for k in range(3) if n[k] != 0])
    stops = np.concatenate([[0], np.sort(stops[(stops > 0) & (stops < length)]), [length]])
    depth = 0
    for near, far in zip(stops[:-1], stops[1:]):
        middle = start + 0.5 * (near + far) * n
        index, sign = [], np.ones(3)
        for k in range(3):
            image, within = divmod(int(np.floor((middle[k] + 0.5) / width[k])), cells[k])
            if faces[k] == "reflecting" and image % 2:
                within, sign[k] = cells[k] - 1 - within, -1
            index.append(within)
        index = tuple(index)
        b = gas["b"][0][index]
        x_gas = (x * B - np.dot(gas["velocity"][0][(slice(None), *index)] * sign, n)) / b
        depth += gas["opacity"][0][index] * (far - near) * hjerting(gas["damping"][0][index], x_gas)
    return depth


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("faces", [("open", "open", "open"), ("open", "periodic", "reflecting"),
                                   ("open", "reflecting", "periodic")])
@pytest.mark.parametrize("beam", [(1, 0, 0), (1, 2, -3), (-0.5, 1, 1.5)])
def test_beam_changes_frame_from_cell_to_cell(linerad, beam, faces, precision):
    """The same through cells that differ in everything: the frequency in the gas changes at every face."""
    cells = (5, 4, 3)
    n = np.array(beam) / np.linalg.norm(beam)
    gas = layered_gas(np.random.default_rng(8), cells)
    fields = {name: f"{{file: gas.h5, dataset: {name}}}" for name in gas}
    settings = {f"medium.{name}": value for name, value in fields.items()} | {
        "mesh.faces": "{x: %s, y: %s, z: %s}" % faces, "sources.0.point.direction": list(beam),
        "sources.0.point.position": "[0.03 pc, 0.11 pc, -0.07 pc]", "output.reference_b": "10 km/s"}
    run = linerad.run(MODEL, settings, packets=300, precision=precision, fields={"gas.h5": gas})
    start = np.array((0.03, 0.11, -0.07))
    length = np.min(np.where(n == 0, np.inf, (np.copysign(0.5, n) - start) / np.where(n == 0, 1, n))
                    [[face == "open" for face in faces]])
    assert np.allclose(run.packets["path"], length * PARSEC_CM, rtol=1e-5)
    depth = np.array([depth_along(gas, cells, start, n, length, x, faces) for x in run.packets["x"]])
    error = run.packets["weight"] * 300 / np.exp(-depth) - 1
    print(f"  {beam} {faces}: worst weight off by {np.max(np.abs(error)):.1e} of depth up to {depth.max():.2f}")
    assert 0.5 < depth.max() < 6  # in sight, and above the weights of Russian roulette
    # x is rounded at the speeds in units of the smallest b, about ten: 1e-6 of it, times the slope of the depth.
    assert np.all(np.abs(error) < WEIGHT_TOLERANCE[precision] * max(depth.max(), 1))


def test_free_paths_have_no_end(linerad):
    """Of four million photons a fraction exp(-12), 25 of them, cross a depth of 12; none would if free paths were cut
    short, as by a random number that never comes close to zero. Counts outside 9 to 44 occur once in two thousand."""
    settings = {"medium.opacity": f"{12 / 0.5 / hjerting(DAMPING, 0):.9g} 1/pc", "physics.absorption": "analog",
                "sources.0.spectrum": "{monochromatic: 0}", "output": "{packets: false, fields: false}"}
    crossed = linerad.run(MODEL, settings, packets=4e6, seed=2).summary["f_esc"] * 4e6
    print(f"  {crossed:.0f} crossed")
    assert 9 <= round(crossed) <= 44


def test_gas_that_moves_with_the_beam_absorbs_its_blue_side(linerad):
    """In words: gas that recedes from the source sees it redshifted, so it absorbs light that left bluer."""
    for velocity, centre in ((20, 2), (-20, -2)):
        packets = linerad.run(MODEL, settings((1, 0, 0), (velocity, 0, 0)), packets=1000).packets
        deepest = packets["x"][np.argmin(packets["weight"])]
        assert abs(deepest - centre) < 0.1, (velocity, deepest)


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_unscattered_share_is_the_transmission(linerad, velocity):
    """Without destruction: the probability of crossing is known for every frequency of the band."""
    scattering = settings((1, 2, -3), velocity, **{"medium.destruction": 0})
    packets = linerad.run(MODEL, scattering, packets=5e4, seed=3).packets
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
    below = np.cumsum(voigt_profile(grid, np.sqrt(0.5), 1e-3))
    # A second scattering removes up to 2.5 % more at line centre than in the wings: at most 0.006 of the distribution.
    assert_distributed(f"scattered once, v = {velocity}", x_gas, lambda x: np.interp(x, grid, below / below[-1]),
                       allowance=0.006)
