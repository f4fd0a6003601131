"""A star excites the levels of the gas around it: its direct light in a cell is J = W B(T) e^-tau, W = (1 - sqrt(1 - (R
/ r)^2)) / 2, with r^-2 averaged over the cell.

Thin gas has the populations given by the rate equations in that light, solved with dense matrices. If the light is
absorbed on the way, the absorber is gas whose collisions keep the upper level empty (h nu = 30 k T, and A is 1e-5 of
the collision rate): it absorbs without re-emitting, and closed forms of its depth give the light behind it.
"""

from pathlib import Path

import numpy as np
import pytest

from equilibrium import fractions, shell_means, shell_volumes, solve
from harness import assert_close
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK, cube, length
from molecules import Molecule, rotor

CUBE = Path(__file__).with_name("cube.yaml")
SHELLS = Path(__file__).with_name("shells.yaml")
RADIUS, STAR, BACKGROUND, GAS = 1e16, 2000.0, 2.725, 20.0
EDGES = np.linspace(1e17, 1e18, 21)
CELLS, WIDTH = (9, 7, 5), 1e17
B = KM


def modes(molecule, line, temperature):
    """Photons per mode of a black body."""
    return 1 / np.expm1(PLANCK * molecule.frequency(line) / (BOLTZMANN * temperature))


def dilution(inverse_square):
    return 0.5 * (1 - np.sqrt(1 - RADIUS**2 * inverse_square))


def cell_middles():
    """[9, 7, 5, 3] cm, from the centre of the mesh."""
    axes = [(np.arange(n) - 0.5 * (n - 1)) * WIDTH for n in CELLS]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def cell_means(star):
    """Mean of 1 / r^2 over each cell that does not contain the star, with 12 points along each of its axes."""
    node, weight = np.polynomial.legendre.leggauss(12)
    offset = np.stack(np.meshgrid(*3 * [0.5 * WIDTH * node], indexing="ij"), axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", *3 * [0.5 * weight]).ravel()
    means = np.empty(CELLS)
    for i in np.ndindex(CELLS):
        square = np.sum((cell_middles()[i] + offset - star) ** 2, axis=1)
        means[i] = weights @ (1 / square)
    return means


def own_cell_mean(n=2000):
    """The same for a star at the centre of a cube: six times INT dx dy (a / 2) / (x^2 + y^2 + a^2 / 4) over a face."""
    y = (np.arange(n) + 0.5) / (2 * n)
    s = np.sqrt(y**2 + 0.25)
    return 6 * 0.5 * np.sum(4 * np.arctan(0.5 / s) / s) / (2 * n) / WIDTH**2


def rate_solution(molecule, partner, light):
    """Fractions from collisions and the mean intensity of each line, in photons per mode."""
    n = len(molecule.energy)
    rates = np.zeros((n, n))
    for upper, lower, k in molecule.rates:
        gap = (molecule.energy[upper] - molecule.energy[lower]) * PLANCK * LIGHT_SPEED / BOLTZMANN / GAS
        rates[upper, lower] += partner * k
        rates[lower, upper] += partner * k * molecule.weight[upper] / molecule.weight[lower] * np.exp(-gap)
    for (upper, lower, a), f in zip(molecule.lines, light):
        rates[upper, lower] += a * (1 + f)
        rates[lower, upper] += a * f * molecule.weight[upper] / molecule.weight[lower]
    matrix = rates.T - np.diag(rates.sum(axis=1))
    matrix[-1] = 1
    return np.linalg.solve(matrix, np.eye(n)[-1])


def gas(density, partner, velocity):
    return {"gas.h5": {"density": (density, "cm-3"), "partner": (partner, "cm-3"), "velocity": (velocity / KM, "km/s")}}


def largest_difference(found, expected):
    """Relative, for levels with fractions above a millionth."""
    return np.max(np.abs(found / expected - 1)[expected > 1e-6])


# ---- Thin gas -------------------------------------------------------------------------------------------------------


def check_thin(name, molecule, found, inverse_square):
    share = dilution(inverse_square)
    light = [modes(molecule, i, STAR) * share + modes(molecule, i, BACKGROUND) for i in range(len(molecule.lines))]
    expected = np.array([rate_solution(molecule, 1e3, f) for f in np.stack(light, axis=-1)])
    dark = rate_solution(molecule, 1e3, [modes(molecule, i, BACKGROUND) for i in range(len(molecule.lines))])
    moved = largest_difference(expected, np.broadcast_to(dark, expected.shape))
    error = largest_difference(found, expected)
    print(f"  {name}: levels change by up to {moved:.2g}; largest difference {error:.1e}")
    assert moved > 0.1, "the star does not matter here"
    assert error < 1e-5


def test_thin_shells(linerad, tmp_path):
    molecule = rotor(5)
    shells = np.ones(20)
    run = solve(linerad, SHELLS, {"line.molecule": molecule.write(tmp_path)}, threads=1,
                fields=gas(1e-13 * shells, 1e3 * shells, np.linspace(1, 8, 20) * KM))
    check_thin("shells", molecule, fractions(run), shell_means(EDGES, lambda r: 1 / r**2))


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.3, -1.1, 1.5)])
def test_thin_cells(linerad, tmp_path, place):
    """At the centre of a cell, in a corner between cells, and on a face elsewhere."""
    molecule = rotor(5)
    star = np.array(place) * WIDTH
    velocity = np.moveaxis(cell_middles(), -1, 0) / WIDTH * 2 * KM
    run = solve(linerad, CUBE, {"line.molecule": molecule.write(tmp_path),
                                "sources.1.star.position": [length(x) for x in star]},
                fields=gas(np.full(CELLS, 1e-13), np.full(CELLS, 1e3), velocity))
    means = cell_means(star)
    found = fractions(run)
    around = np.max(np.abs(cell_middles() - star), axis=-1) > 0.6 * WIDTH
    check_thin(f"cells beyond the star at {place}", molecule, found[around], means[around])
    if place == (0.0, 0.0, 0.0):
        check_thin("the cell around the star", molecule, found[4:5, 3, 2], np.array([own_cell_mean()]))
    if place == (0.5, 0.5, 0.5):  # eight cells make a cube twice as wide
        check_thin("the cells around the star", molecule, found[4:6, 3:5, 2:4].reshape(-1, 5),
                   np.full(8, own_cell_mean() / 4))


# ---- Absorption on the way ------------------------------------------------------------------------------------------


def absorber(tmp_path):
    """A two-level molecule, the collision partner that keeps its upper level empty, and its file."""
    energy = 30 * GAS * BOLTZMANN / (PLANCK * LIGHT_SPEED)
    molecule = Molecule((0.0, energy), (1.0, 3.0), ((1, 0, 1e-4),), ((1, 0, 1e-10),))
    return molecule, 1e5 * 1e-4 / 1e-10, molecule.write(tmp_path)


def light_left(found, molecule, partner):
    """Photons per mode of the star in the cells, from their populations: x_u / x_l = (g A f + C_lu) / (A (1 + f) + C_ul)."""
    ratio = found[..., 1] / found[..., 0]
    down = 1e-10 * partner
    return (ratio * (1e-4 + down) - 3 * down * np.exp(-30)) / (1e-4 * (3 - ratio))


def transmitted(depth, shift):
    """Mean of e^-tau over the profile of gas that moves at `shift` (in b) relative to an absorber of depth `depth`."""
    x, step = np.linspace(-8, 8, 4001, retstep=True)
    return np.sum(np.exp(-x**2 - np.multiply.outer(depth, np.exp(-(x + shift) ** 2))), axis=-1) * step / np.sqrt(np.pi)


@pytest.mark.parametrize("shift", [0.0, 1.5])
@pytest.mark.parametrize("depth", [0.3, 30.0])
def test_shadow_on_shells(linerad, tmp_path, depth, shift):
    """Shells 0 to 7 absorb, shells 12 to 19 are thin and move at `shift` relative to them."""
    molecule, partner, path = absorber(tmp_path)
    number = np.arange(20)
    density = np.where(number < 8, depth / (molecule.cross_section(B) * (EDGES[8] - EDGES[0])),
                       np.where(number < 12, 0, 1e-9))
    run = solve(linerad, SHELLS, {"line.molecule": path, "populations.background": "0 K"}, threads=1,
                fields=gas(density, partner * np.ones(20), np.where(number < 10, 1, 1 + shift) * B))
    found = light_left(fractions(run), molecule, partner)[12:]
    star = modes(molecule, 0, STAR) * dilution(shell_means(EDGES, lambda r: 1 / r**2))[12:]
    expected = transmitted(depth, shift)
    error = np.max(np.abs(found / star / expected - 1))
    print(f"  depth {depth}, shift {shift} b: {expected:.4g} left, largest difference {error:.1e}")
    assert error < 2e-3


@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_shadow_on_cells(linerad, tmp_path, shift):
    """Layers 5 and 6 along x absorb, and layer 8 is thin and moves so that its velocity along each ray is `shift`."""
    molecule, partner, path = absorber(tmp_path)
    depth = 1.0
    density = np.zeros(CELLS)
    density[5:7] = depth / (molecule.cross_section(B) * 2 * WIDTH)
    density[8] = 1e-9
    middle = cell_middles()
    distance = np.sqrt(np.sum(middle**2, axis=-1))
    velocity = np.zeros((3,) + CELLS)
    velocity[:, 8] = np.moveaxis(middle[8] / distance[8, ..., None], -1, 0) * shift * B
    run = solve(linerad, CUBE, {"line.molecule": path, "populations.background": "0 K"},
                fields=gas(density, np.full(CELLS, partner), velocity))
    found = light_left(fractions(run), molecule, partner)[8]
    star = modes(molecule, 0, STAR) * dilution(cell_means(np.zeros(3)))[8]
    expected = transmitted(depth * distance[8] / middle[8, ..., 0], shift)
    error = np.max(np.abs(found / star / expected - 1))
    print(f"  shift {shift} b: {expected.min():.4g} to {expected.max():.4g} left, largest difference {error:.1e}")
    assert error < 2e-3


def test_photons_are_conserved(linerad, tmp_path):
    """What thick shells absorb is what the star loses: SUM alpha V J sqrt(pi) b over shells is pi R^2 B INT (1 -
    e^-tau) dv, since the star covers R^2 / (4 r^2) of all directions."""
    molecule, partner, path = absorber(tmp_path)
    density = np.linspace(1, 2, 20)
    velocity = np.linspace(0, 3, 20) * B
    density *= 60 / (molecule.cross_section(B) * np.sum(density * np.diff(EDGES)))
    run = solve(linerad, SHELLS, {"line.molecule": path, "populations.background": "0 K"}, threads=1,
                fields=gas(density, partner * np.ones(20), velocity))
    found = light_left(fractions(run), molecule, partner)
    absorbed = np.sum(found * density * molecule.cross_section(B) * np.sqrt(np.pi) * B * shell_volumes(EDGES))
    r = np.linspace(EDGES[0], EDGES[-1], 20001)
    middle = 0.5 * (EDGES[1:] + EDGES[:-1])
    r = 0.5 * (r[1:] + r[:-1])
    along = np.interp(r, middle, velocity) / B
    here = density[np.minimum(((r - EDGES[0]) / (EDGES[1] - EDGES[0])).astype(int), 19)]
    x, step = np.linspace(-6, 9, 1501, retstep=True)
    depth = np.array([np.sum(here * np.exp(-(f - along) ** 2)) for f in x]) * (r[1] - r[0]) * molecule.cross_section(B)
    lost = np.pi * RADIUS**2 * modes(molecule, 0, STAR) * np.sum(-np.expm1(-depth)) * step * B
    assert_close("photons absorbed / lost", absorbed / lost, 1, 2e-3)


def image_settings(path, channels, reach, pixels):
    return {"line.molecule": path, "populations.background": "0 K",
            "channels": {"number": channels, "range": [f"-{reach} km/s", f"{reach} km/s"], "samples": 4},
            "cameras": [{"name": "top", "direction": "+z", "pixels": pixels}]}


def continuum(molecule, width):
    """Of the star, photon/(s sr) in a channel."""
    nu = molecule.frequency()
    return np.pi * RADIUS**2 * 2 * nu**3 / LIGHT_SPEED**3 * modes(molecule, 0, STAR) * width


# ---- Images ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [CUBE, SHELLS])
def test_star_in_images(linerad, tmp_path, model):
    """The whole image contains pi R^2 B of the star in every channel, minus the absorption by the gas in front of
    it."""
    molecule, partner, path = absorber(tmp_path)
    shape = CELLS if model == CUBE else 20
    way = 2.5 * WIDTH if model == CUBE else EDGES[-1] - EDGES[0]
    depth = 2.0
    run = solve(linerad, model, image_settings(path, 16, 4, 16),
                fields=gas(np.full(shape, depth / (molecule.cross_section(B) * way)), np.full(shape, partner),
                           np.zeros((3,) + shape if model == CUBE else shape)))
    image = cube(run, "top")
    flat = continuum(molecule, image.width)
    fine = image.edges[:-1, None] + image.width * (np.arange(200) + 0.5) / 200
    expected = flat * np.mean(np.exp(-depth * np.exp(-(fine / B) ** 2)), axis=1)
    error = np.max(np.abs(image.spectrum / expected - 1))
    print(f"  {model.stem}: down to {np.min(expected) / flat:.3g} of the continuum, largest difference {error:.1e}")
    assert error < 2e-3


@pytest.mark.parametrize("speed", [0.0, 6.0])
def test_scattered_light_makes_up_for_absorption(linerad, tmp_path, speed):
    """Without collisions a photon absorbed from the light of the star is re-emitted elsewhere: over all velocities and
    the whole image, shells add as much as they remove, whether they are at rest or form a wind. Errors are those of the
    step from shell to shell, in the populations and in the image."""
    molecule, _, path = absorber(tmp_path)
    shells = np.ones(80)
    depth = 10.0
    run = solve(linerad, SHELLS, image_settings(path, 60, 9, 64) | {"mesh.shells": 80}, threads=1,
                fields=gas(depth / (molecule.cross_section(B) * (EDGES[-1] - EDGES[0])) * shells, 1e-6 * shells,
                           speed * B * shells))
    image = cube(run, "top")
    change = image.spectrum / continuum(molecule, image.width) - 1
    x = np.linspace(-9, 9, 4001)
    taken = np.sum(-np.expm1(-depth * np.exp(-(x**2)))) * (x[1] - x[0]) * B / image.width
    left = np.sum(change) / taken
    print(f"  speed {speed} b: {taken:.3g} channels taken from the star, {left:+.2%} of it too much comes back")
    assert taken > 10
    assert abs(left) < 0.005


# ---- Inversions -----------------------------------------------------------------------------------------------------


def test_light_through_inverted_gas(linerad, tmp_path):
    """A row of cells pumped so hard that they would amplify the light of the star by e^100. It is limited to 1e9
    photons per mode, which the far cells see within W = R^2 / (4 r^2) of all directions: after the first iteration has
    inverted the line, the second one finds populations in that light, where x_1 / x_0 - 1 is inversely proportional to
    it. The light of the gas itself, amplified along rays, adds up to three times as much here; without a limit it would
    be 1e20 times."""
    molecule = Molecule((0.0, 0.5, 20.0), (1.0, 1.0, 1.0), ((1, 0, 1e-8), (2, 1, 1e-2)), ((2, 0, 1e-10), (1, 0, 1e-14)))
    n, partner, radius = 60, 1e4, 4e16
    shape = (n, 1, 1)
    run = solve(linerad, CUBE,
                {"line.molecule": molecule.write(tmp_path), "line.transition": 1,
                 "mesh": {"cells": list(shape), "size": [f"{n * WIDTH:.17g} cm", "1e17 cm", "1e17 cm"]},
                 "sources.1.star.position": [length((0.5 - n / 2) * WIDTH), "0 cm", "0 cm"],
                 "sources.1.star.radius": f"{radius:.17g} cm",
                 "populations.inversion_limit": 2, "populations.iterations": 2},
                fields=gas(np.full(shape, 10 / (molecule.cross_section(B) * WIDTH)), np.full(shape, partner),
                           np.zeros((3,) + shape)))
    far = slice(40, 60)
    x = fractions(run)[far, 0, 0]
    one = rate_solution(molecule, partner, [1e4, 0])
    light = 1e4 * (one[1] / one[0] - 1) / np.maximum(x[:, 1] / x[:, 0] - 1, 1e-12)
    held = light / (1e9 * (radius / (np.arange(n)[far] * WIDTH)) ** 2 / 4)
    print(f"  all light over the limit of that of the star: {held.min():.3f} to {held.max():.3f}")
    assert np.all(held > 0.9) and np.all(held < 4)
