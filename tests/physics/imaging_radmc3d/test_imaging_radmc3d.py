"""Thermal gas on rays: cell by cell against RADMC-3D and a plain column solution, inside cells against smooth fields.

Gas in local thermodynamic equilibrium (`thermal` source, `destruction: 1`, no packets). With `subcell: false` and
`samples: 1` the image is that of uniform cells at the centre of each channel, which other programs also compute:

- RADMC-3D 2.0 (Dullemond et al. 2012), CO 1-0 in a clumpy box of 64^3 cells, from the folder of reference data; within
  1e-3 of the peak everywhere and 1e-4 in the mean. It takes the mass of the molecule to be 28.0 proton masses.
- columns of random gas, added up here in double precision.

With `subcell: true` the velocity and the source function are linear inside cells. Then the image of smooth gas, given
on n cells along the ray, converges to that of the gas itself with an error that falls as 1/n^2; the exact image is a
fine integration here. Opacity and b are constant in a cell, which gives an error of the same order.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK, PROTON_MASS, cube, hjerting, kms, length, planck

MODEL = Path(__file__).with_name("model.yaml")
CO_NU0 = 115.2712018e9  # Hz; co10 of the program

# The Voigt profile is good to 2e-5, intensities are summed in single precision.
ROUNDING = 1e-4


def columns(opacity, b, a, source, speed, lengths, velocities):
    """I_nu of uniform cells along the last axis, the observer at its end; `speed` toward the observer."""
    image = np.zeros((len(velocities), *opacity.shape[:-1]))
    for channel, velocity in zip(image, velocities):
        depth = opacity * lengths * hjerting(a, (-velocity - speed) / b)
        for k in range(opacity.shape[-1]):
            channel[...] = channel * np.exp(-depth[..., k]) - source[..., k] * np.expm1(-depth[..., k])
    return image


def gas_file(b, opacity, temperature, velocity, **more):
    return {"gas.h5": {"b": (b, "cm/s"), "opacity": (opacity, "1/cm"), "temperature": (temperature, "K"),
                       "velocity": (velocity, "cm/s"), **more}}


# ---- RADMC-3D ----------------------------------------------------------------------------------------------------


def reference_folder():
    folder = os.environ.get("LINERAD_REFERENCE")
    if not folder or not (Path(folder) / "radmc3d").is_dir():
        pytest.skip("LINERAD_REFERENCE names no folder with radmc3d/")
    return Path(folder)


def co_from_lamda(path):
    """Level energies in erg, statistical weights, and A and frequency of the lowest transition."""
    lines = path.read_text().splitlines()
    n = int(lines[5])
    levels = np.array([[float(word) for word in line.split()[1:3]] for line in lines[7:7 + n]])
    transition = lines[7 + n + 3].split()
    return levels[:, 0] * PLANCK * LIGHT_SPEED, levels[:, 1], float(transition[3]), float(transition[4]) * 1e9


def clumpy_images(linerad):
    """Ours and RADMC-3D's, [channel, y, x], and the velocities of the channels in cm/s."""
    folder = reference_folder()
    gas = np.load(folder / "radmc3d" / "clumpy_64_model.npz")
    expected = np.load(folder / "radmc3d" / "clumpy_64_image.npz")
    energy, weight, einstein_a, nu0 = co_from_lamda(folder / "lamda" / "co_yang2010.dat")
    temperature = gas["T"]
    partition = sum(g * np.exp(-e / (BOLTZMANN * temperature)) for e, g in zip(energy, weight))
    lower = gas["nco"] * weight[0] / partition
    b = np.sqrt(2 * BOLTZMANN * temperature / (28.0 * PROTON_MASS) + gas["vturb"] ** 2)
    opacity = (lower * weight[1] / weight[0] * einstein_a * LIGHT_SPEED**3 / (8 * np.pi**1.5 * nu0**3 * b)
               * -np.expm1(-PLANCK * nu0 / (BOLTZMANN * temperature)))
    velocity = LIGHT_SPEED * (nu0 - expected["nu_Hz"]) / nu0
    step = abs(velocity[1] - velocity[0])
    size = gas["xi"][-1] - gas["xi"][0]
    settings = {
        "mesh": {"cells": [64, 64, 64], "size": [length(size)] * 3},
        "line": {"frequency": f"{nu0:.12g} Hz", "einstein_a": f"{einstein_a:.9g} 1/s", "degeneracies": [1, 3],
                 "mass": "28 u"},
        "channels": {"number": 32, "samples": 1,
                     "range": [kms(velocity.min() - step / 2), kms(velocity.max() + step / 2)]},
        "cameras": [{"name": "top", "direction": "+z", "field": length(size), "pixels": 128, "rays": 1}]}
    run = linerad.run(MODEL, settings, packets=0, fields=gas_file(b, opacity, temperature, gas["v"].astype(float)))
    image = cube(run, "top").intensity
    return image, expected["I_cgs"][np.argsort(velocity)].astype(float), np.sort(velocity)


def test_clumpy_box_agrees_with_radmc3d(linerad):
    image, wanted, _ = clumpy_images(linerad)
    error = np.abs(image - wanted) / wanted.max()
    print(f"  RADMC-3D: largest difference {error.max():.1e} of the peak, mean {error.mean():.1e}")
    assert error.max() < 1e-3
    assert error.mean() < 1e-4


# ---- Random columns -----------------------------------------------------------------------------------------------


def random_gas(rng, cells, size):
    """Cells with different values of everything; depths of 0.01 to 30 along a column, speeds of several b."""
    return {"b": rng.uniform(0.2, 1.0, cells) * KM, "opacity": 10 ** rng.uniform(-2.5, 1, cells) / size * cells[2] / 8,
            "temperature": rng.uniform(5, 60, cells), "velocity": rng.normal(0, 1, (3, *cells)) * KM}


# From the observer's side: which mesh axis is the line of sight, which are right and up in the image, and their signs.
VIEWS = {"+z": (2, 1, (0, 1), (1, 1)), "-z": (2, -1, (0, 1), (-1, 1)), "+x": (0, 1, (1, 2), (1, 1)),
         "-x": (0, -1, (1, 2), (-1, 1)), "+y": (1, 1, (0, 2), (-1, 1)), "-y": (1, -1, (0, 2), (1, 1))}


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("a", [0, 0.03, 0.5])
def test_random_columns_from_all_sides(linerad, a, precision):
    cells = (6, 5, 7)
    width = PARSEC_CM / 4
    gas = random_gas(np.random.default_rng(5), cells, width * cells[2])
    velocities = (np.arange(48) + 0.5) / 48 * 8 * KM - 4 * KM
    sides = {name: [cells[axis] for axis in view[2]] for name, view in VIEWS.items()}
    cameras = [{"name": "side%d" % i, "direction": name, "rays": 1, "pixels": sides[name],
                "field": [length(n * width) for n in sides[name]]} for i, name in enumerate(VIEWS)]
    settings = {"mesh": {"cells": list(cells), "size": [length(n * width) for n in cells]}, "medium.damping": a,
                "channels": "{number: 48, range: [-4 km/s, 4 km/s], samples: 1}", "cameras": cameras}
    run = linerad.run(MODEL, settings, packets=0, precision=precision, fields=gas_file(**gas))
    for i, (name, (axis, sign, plane, flip)) in enumerate(VIEWS.items()):
        def seen(field):
            """The field as [y, x, along the ray]."""
            turned = np.moveaxis(field, (plane[1], plane[0], axis), (0, 1, 2))
            return turned[::flip[1], ::flip[0], ::sign]

        expected = columns(seen(gas["opacity"]), seen(gas["b"]), a, planck(CO_NU0, seen(gas["temperature"])),
                           sign * seen(gas["velocity"][axis]), width, velocities)
        error = np.abs(cube(run, f"side{i}").intensity - expected).max() / expected.max()
        print(f"  a = {a}, from {name}: largest difference {error:.1e} of the peak")
        assert error < ROUNDING


# ---- Smooth gas -----------------------------------------------------------------------------------------------------

SIZE = 2 * PARSEC_CM
A_SMOOTH = 1e-3


def smooth_gas(x, y, z, edge=0.0):
    """Waves in every quantity; coordinates in half-sizes. Along z the speed changes by up to 6 b in a cell of 16, the
    depth is a few. The gas thins out toward the ends of the z axis, to a fraction `edge` of its value at the centre."""
    phase = 0.7 * np.sin(np.pi * x) + 0.4 * np.cos(np.pi * y)
    still = np.zeros(np.broadcast(x, y, z).shape)
    return {"b": 0.1 * KM * (1 + 0.2 * np.sin(3 * z + phase)),
            "opacity": 40 / SIZE * (1 + 0.7 * np.sin(4 * z - phase) * np.cos(x + y)) * (1 - (1 - edge) * z**2) ** 2,
            "temperature": 20 + 8 * np.sin(5 * z + 2 * phase),
            "velocity": np.stack([still, still, 2 * KM * np.sin(2.5 * z + phase) + 0.2 * KM * np.cos(5 * z - x)])}


def middles(n):
    return (2 * np.arange(n) + 1) / n - 1


CHANNELS = (np.arange(60) + 0.5) / 60 * 5 * KM - 2.5 * KM


def compare_smooth(linerad, n, subcell, edge, truth):
    """The rms error of an image from n cells along the rays, over the peak."""
    n_side = truth.shape[1]
    gas = smooth_gas(*np.meshgrid(middles(n_side), middles(n_side), middles(n), indexing="ij"), edge=edge)
    settings = {"mesh": {"cells": [n_side, n_side, n], "size": [length(SIZE)] * 3}, "medium.damping": A_SMOOTH,
                "channels": "{number: 60, range: [-2.5 km/s, 2.5 km/s], samples: 1}", "image.subcell": subcell,
                "cameras": [{"name": "top", "direction": "+z", "field": length(SIZE), "pixels": n_side, "rays": 1}]}
    image = cube(linerad.run(MODEL, settings, packets=0, fields=gas_file(**gas)), "top").intensity
    difference = (image - truth) / truth.max()
    rms = np.sqrt(np.mean(difference**2))
    print(f"  {n} cells, subcell {subcell}: rms error {rms:.2e}, largest {np.abs(difference).max():.2e} of the peak")
    return rms


@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_smooth_gas_converges_with_the_square_of_the_cells(linerad, edge):
    """Rays run through the centres of the columns, where the gas is sampled: only cells along them matter. With edge =
    1 the gas is cut off by the mesh, and its velocity in the outermost half cells has no neighbour to determine it."""
    n_side, fine = 8, 4000
    gas = smooth_gas(*np.meshgrid(middles(n_side), middles(n_side), middles(fine), indexing="ij"), edge=edge)
    truth = columns(gas["opacity"], gas["b"], A_SMOOTH, planck(CO_NU0, gas["temperature"]), gas["velocity"][2],
                    SIZE / fine, CHANNELS).transpose(0, 2, 1)
    error = {(subcell, n): compare_smooth(linerad, n, subcell, edge, truth)
             for subcell in (True, False) for n in (16, 32, 64)}
    assert error[True, 16] / error[True, 32] > 2.9
    assert error[True, 32] / error[True, 64] > 2.9
    for n in (16, 32):
        assert error[True, n] < 0.35 * error[False, n]


def swirling_gas(x, y, z):
    """A roughly spherical cloud whose velocity varies in all directions."""
    phase = 0.7 * np.sin(np.pi * x) + 0.4 * np.cos(np.pi * y)
    inside = np.prod([np.clip(1 - u**2, 0, 1) ** 2 for u in (x, y, z)], axis=0)
    return {"b": 0.2 * KM * (1 + 0.2 * np.sin(3 * z + phase)),
            "opacity": 40 / SIZE * (1 + 0.7 * np.sin(4 * z - phase) * np.cos(x + y)) * inside,
            "temperature": 20 + 8 * np.sin(4 * z + 2 * phase),
            "velocity": 1.5 * KM * np.stack([np.sin(2.5 * y + z), np.cos(2 * x - z), np.sin(2.5 * z + phase)])}


def test_smooth_gas_from_an_oblique_side(linerad):
    """Rays that cross cells through all their faces, and near their corners; a cube of cells, and the exact image along
    the same rays."""
    n_ray, fine, reach = 12, 1200, 1.8
    toward = np.array([0.48, 0.6, 0.64])
    up = np.array([0, 0, 1]) - toward[2] * toward
    up /= np.linalg.norm(up)
    offsets, s = middles(n_ray), reach * middles(fine)
    points = (offsets[None, :, None, None] * np.cross(up, toward) + offsets[:, None, None, None] * up
              + s[:, None] * toward)
    gas = swirling_gas(*np.moveaxis(points, 3, 0))
    truth = columns(gas["opacity"], gas["b"], A_SMOOTH, planck(CO_NU0, gas["temperature"]),
                    np.tensordot(toward, gas["velocity"], 1), reach * SIZE / fine, CHANNELS)
    error = {}
    for n in (16, 32, 64):
        fields = gas_file(**swirling_gas(*np.meshgrid(middles(n), middles(n), middles(n), indexing="ij")))
        for subcell in (True, False):
            settings = {"mesh": {"cells": [n] * 3, "size": [length(SIZE)] * 3}, "medium.damping": A_SMOOTH,
                        "channels": "{number: 60, range: [-2.5 km/s, 2.5 km/s], samples: 1}", "image.subcell": subcell,
                        "cameras": [{"name": "top", "direction": toward.tolist(), "field": length(SIZE),
                                     "pixels": n_ray, "rays": 1}]}
            image = cube(linerad.run(MODEL, settings, packets=0, fields=fields), "top").intensity
            error[subcell, n] = np.sqrt(np.mean((image - truth) ** 2)) / truth.max()
            print(f"  {n}^3 cells, subcell {subcell}: rms error {error[subcell, n]:.2e} of the peak")
    assert error[True, 16] / error[True, 32] > 2.9
    assert error[True, 32] / error[True, 64] > 2.9
    for n in (16, 32, 64):
        assert error[True, n] < 0.6 * error[False, n]


@pytest.mark.long
def test_64_cells_against_256(linerad):
    """The same field sampled at 64^3 and at 256^3, the same rays: with steps inside cells the coarse image is close to
    the fine one, and the fine images with and without steps agree."""
    toward = [0.48, 0.6, 0.64]
    images = {}
    for n in (64, 256):
        fields = gas_file(**swirling_gas(*np.meshgrid(middles(n), middles(n), middles(n), indexing="ij")))
        for subcell in (True, False):
            settings = {"mesh": {"cells": [n] * 3, "size": [length(SIZE)] * 3}, "medium.damping": A_SMOOTH,
                        "channels": "{number: 60, range: [-2.5 km/s, 2.5 km/s], samples: 1}", "image.subcell": subcell,
                        "cameras": [{"name": "top", "direction": toward, "field": length(SIZE), "pixels": 48, "rays": 1}]}
            images[subcell, n] = cube(linerad.run(MODEL, settings, packets=0, fields=fields), "top").intensity
    peak = images[True, 256].max()

    def rms(p, q):
        return np.sqrt(np.mean((images[p] - images[q]) ** 2)) / peak

    stepped, plain = rms((True, 64), (True, 256)), rms((False, 64), (True, 256))
    fine = rms((False, 256), (True, 256))
    print(f"  64^3 against 256^3: rms {stepped:.1e} of the peak with steps, {plain:.1e} without; 256^3 with against "
          f"without {fine:.1e}")
    assert stepped < 5e-4 and stepped < 0.4 * plain and fine < 0.2 * plain
