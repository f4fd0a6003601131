"""One scattering, seen from outside: frequency and direction of photons scattered once in a thin moving cell.

All expectations are closed forms. In the frame of the gas (x_gas = x - v.n/b), with g the cosine of the scattering
angle,

    x_out = x_in + (u + r) (g - 1) + u_perp sqrt(1 - g^2)
    u_perp ~ N(0, 1/2),   p(u) ~ exp(-u^2) / (a^2 + (x_in - u)^2)

(Hummer 1962, MNRAS 125, 21); r = h nu0 / (m c b) with recoil (Field 1959, ApJ 129, 551), otherwise 0. Directions are
isotropic or, with the dipole phase function, follow (1 - E1) + (3/4) E1 (1 + g^2) (Hamilton 1947, ApJ 106, 457).

A photon is seen as scattered once only if it then escapes, with a probability that depends on its direction. That
probability is known, exp(-depth to the face), so photons are thinned in inverse proportion to it, and what remains is
unbiased.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, wofz

from harness import PARSEC_CM, assert_distributed

MODEL = Path(__file__).with_name("model.yaml")
B = 0.1  # km/s
VELOCITY = np.array((0.07, -0.25, 0.12)) / B
BEAM = np.array((1, 2, -3)) / np.sqrt(14)


class Once:
    """Photons scattered once: x_gas before and after, cosine and azimuth of the scattering angle."""

    def __init__(self, linerad, x_in, opacity=0.04, damping=1e-8, beam=BEAM, packets=3e5, precision=None, **settings):
        beam = np.array(beam)
        settings = {"medium.opacity": f"{opacity:.9g} 1/pc", "medium.damping": damping,
                    "sources.0.point.direction": beam.tolist(),
                    "sources.0.spectrum": "{monochromatic: %.9g}" % (x_in + VELOCITY @ beam)} | settings
        escaped = linerad.run(MODEL, settings, packets=packets, seed=5, precision=precision).packets
        chosen = escaped["scatterings"] == 1
        chosen[chosen] = thin_out({name: column[chosen] for name, column in escaped.items()}, opacity, damping)
        n = escaped["direction"][chosen]
        self.id = escaped["id"][chosen]
        self.x_out = escaped["x"][chosen] - n @ VELOCITY
        self.g = np.clip(n @ beam, -1, 1)
        across = np.cross(beam, (0.6, 0.0, 0.8))
        across /= np.linalg.norm(across)
        self.turn = np.arctan2(n @ np.cross(beam, across), n @ across) / (2 * np.pi) % 1


def thin_out(packets, opacity, damping):
    """Which to keep so that all have the same probability of being seen."""
    length = np.linalg.norm(packets["position"] - packets["last_scattering"], axis=1) / PARSEC_CM
    x_gas = packets["x"] - packets["direction"] @ VELOCITY
    chance = np.exp(-opacity * length * hjerting(damping, x_gas))
    return np.random.default_rng(1).random(len(chance)) < chance.min() / chance


def hjerting(a, x):
    return wofz(x + 1j * a).real


def uniform(x):
    return np.clip(x, 0, 1)


@pytest.mark.parametrize("x_in", [0.0, 1.0, -1.5])
def test_frequency_after_a_resonant_scattering_is_gaussian(linerad, x_in):
    """a -> 0: the atom matches the photon, u = x_in, and x_out ~ N(g x_in, (1 - g^2)/2)."""
    once = Once(linerad, x_in, opacity=0.04 * np.exp(x_in**2))
    assert len(once.g) > 3000
    normal = (once.x_out - once.g * x_in) / np.sqrt((1 - once.g**2) / 2)
    assert_distributed(f"x_in = {x_in}", normal, ndtr)


# Opacities: a depth of 0.02 where photons start and end up. From x = 3 some reach the core; the cell is thin there.
@pytest.mark.parametrize(
    "x_in, damping, opacity", [(1.0, 0.15, 0.1), (-3.0, 0.15, 0.8), (8.0, 0.05, 90), (50.0, 0.15, 1200)]
)
def test_frequency_after_scattering_follows_the_redistribution_function(linerad, x_in, damping, opacity):
    """The cumulative distribution of x_out at each photon's own angle, by quadrature over u, must be uniform."""
    once = Once(linerad, x_in, opacity, damping, packets=6e5 if x_in == -3 else 3e5)
    assert len(once.g) > 1500
    u, weight = velocity_quadrature(x_in, damping)
    width = np.sqrt((1 - once.g**2) / 2)
    cumulative = np.zeros_like(once.g)
    for part in np.array_split(np.arange(len(once.g)), 50):
        centre = x_in + u[None, :] * (once.g[part, None] - 1)
        cumulative[part] = ndtr((once.x_out[part, None] - centre) / width[part, None]) @ weight
    assert_distributed(f"x_in = {x_in}, a = {damping}", cumulative, uniform)


def velocity_quadrature(x, a):
    """Nodes u and weights for INT exp(-u^2) / (a^2 + (x-u)^2) ... du: the trapezoidal rule in u and, through the
    resonance, in the angle t of u = x + a tan(t)."""
    near = min(1.0, 200 * a)  # half-width of the resonance region
    t = np.linspace(-np.arctan(near / a), np.arctan(near / a), 801)
    nodes, weights = [x + a * np.tan(t)], [trapezia(t) / a * np.exp(-(x + a * np.tan(t)) ** 2)]
    for low, high in ((-8, x - near), (x + near, 8)):
        if high > low:
            u = np.linspace(low, high, 801)
            nodes.append(u)
            weights.append(trapezia(u) * np.exp(-u * u) / (a * a + (x - u) ** 2))
    nodes, weights = np.concatenate(nodes), np.concatenate(weights)
    # Their sum is pi H(a, x) / a.
    assert abs(np.sum(weights) * a / np.pi / hjerting(a, x) - 1) < 1e-4
    return nodes, weights / np.sum(weights)


def trapezia(x):
    weight = np.full(len(x), x[1] - x[0])
    weight[[0, -1]] *= 0.5
    return weight


def dipole_cumulative(e1):
    return lambda g: (1 - e1) * (g + 1) / 2 + e1 * (g**3 + 3 * g + 4) / 8


BEAMS = [BEAM, (0, 0, -1), (1, 0, 0)]


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("phase, e1", [("isotropic", 0), ("dipole", 1)])
def test_directions_follow_the_phase_function(linerad, beam, phase, e1):
    once = Once(linerad, 0.0, beam=beam, **{"physics.phase": phase})
    assert len(once.g) > 5000
    assert_distributed(f"cosine, {phase}", once.g, dipole_cumulative(e1))
    assert_distributed(f"azimuth, {phase}", once.turn, uniform)


# Hamilton (1947): resonance lines between single levels of angular momentum (g - 1) / 2.
@pytest.mark.parametrize("degeneracies, e1", [([1, 3], 1), ([2, 4], 0.5), ([2, 2], 0)])
def test_dipole_share_in_the_core_follows_from_the_levels(linerad, degeneracies, e1):
    once = Once(linerad, 0.0, **{"physics.phase": "dipole", "line.degeneracies": degeneracies})
    assert_distributed(f"cosine, g = {degeneracies}", once.g, dipole_cumulative(e1))


def test_wing_scattering_is_a_dipole_whatever_the_levels(linerad):
    """Stenflo (1980, A&A 84, 68): far from resonance the levels interfere to give a classical dipole."""
    once = Once(linerad, 10.0, opacity=47, damping=0.15, **{"physics.phase": "dipole", "line.dipole_core": 0})
    assert len(once.g) > 4000
    assert_distributed("cosine, wing", once.g, dipole_cumulative(1))


@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_recoil_takes_its_share_of_every_scattering(linerad, precision):
    """The same packets with and without recoil differ by r (g - 1) exactly. r = h nu0 / (m c b) = 0.0326 here: 325.7
    cm/s for a hydrogen atom and a Lyman alpha photon, over b = 0.1 km/s."""
    recoil = 6.62607015e-27 * 2466067.55e9 / (1.00783 * 1.66053907e-24 * 2.99792458e10) / (B * 1e5)
    without, with_recoil = (Once(linerad, 0.5, packets=1e5, precision=precision, **{"physics.recoil": on})
                            for on in (False, True))
    both, i, j = np.intersect1d(without.id, with_recoil.id, return_indices=True)
    assert len(both) > 1000
    difference = with_recoil.x_out[j] - without.x_out[i]
    tolerance = {"mixed": 3e-6, "double": 1e-9}[precision]  # rounding of x of order ten, twice
    expected = recoil * (without.g[i] - 1)
    print(f"  mean {difference.mean():.5f}, r = {recoil:.5f}, worst {np.abs(difference - expected).max():.1e}")
    assert np.allclose(difference, expected, rtol=1e-4, atol=tolerance)
