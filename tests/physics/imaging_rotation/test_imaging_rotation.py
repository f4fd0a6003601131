"""Model and camera rotated together give the same image: by 90 degrees about each axis, and the camera about its own.

A rotation by 90 degrees maps cells onto cells, so that arrays are rotated exactly; the image of unscattered light must
then agree to rounding, and that of scattered light within its noise. Angles: up is +z as seen on the sky, or +y for a
view along z; `roll` rotates up toward the left; theta is measured from the z axis and phi from x about it.
"""

from pathlib import Path

import numpy as np
import pytest

from imaging import cube

MODEL = Path(__file__).with_name("model.yaml")
N = 8
TOWARD = np.array([0.36, 0.48, 0.8])

# Rays cross cells at positions that differ by 1e-7 of their size; the light of a pixel changes by as much, times the
# number of cells.
ROUNDING = 2e-5


def random_gas():
    rng = np.random.default_rng(17)
    return {"opacity": rng.uniform(0, 3, (N, N, N)), "emissivity": rng.uniform(0, 1, (N, N, N)) ** 3,
            "velocity": rng.normal(0, 8, (3, N, N, N))}


def turn_matrix(axis):
    """A right-handed rotation by 90 degrees about an axis: the next axis goes to the one after it."""
    second, third = (axis + 1) % 3, (axis + 2) % 3
    turn = np.zeros((3, 3))
    turn[axis, axis] = 1
    turn[third, second] = 1
    turn[second, third] = -1
    return turn


def turned(gas, turn):
    """The gas after a rotation: what was at r is at turn r."""
    index = np.stack(np.meshgrid(*[2 * np.arange(N) + 1 - N] * 3, indexing="ij"))
    old = np.tensordot(turn.T, index, 1)  # where the gas of each new cell was
    place = tuple(((old + N - 1) // 2).round().astype(int))
    velocity = np.stack([gas["velocity"][k][place] for k in range(3)])
    return {"opacity": gas["opacity"][place], "emissivity": gas["emissivity"][place],
            "velocity": np.tensordot(turn, velocity, 1)}


def up_and_right(toward):
    """As defined in the model reference."""
    pole = np.array([0, 1, 0]) if np.hypot(*toward[:2]) < 1e-9 else np.array([0, 0, 1])
    up = pole - toward * np.dot(pole, toward)
    up = up / np.linalg.norm(up)
    return up, np.cross(up, toward)


def roll_between(toward, up):
    """The roll that gives a camera this `up`."""
    up0, right0 = up_and_right(toward)
    return np.degrees(np.arctan2(-np.dot(up, right0), np.dot(up, up0)))


def view(linerad, gas, camera, packets=0, seed=1, **more):
    camera = {"name": "view", "field": "2.6 pc", "pixels": 13, "rays": 2} | camera
    fields = {"gas.h5": {"opacity": (gas["opacity"], "1/pc"), "emissivity": (gas["emissivity"], None),
                         "velocity": (gas["velocity"], "km/s")}}
    settings = {"cameras": [camera]} | more
    if packets:
        settings["image.errors"] = True
    return cube(linerad.run(MODEL, settings, packets=packets, seed=seed, fields=fields), "view")


def camera_of(toward, up=None):
    camera = {"direction": [float(x) for x in toward]}
    return camera if up is None else camera | {"roll": f"{roll_between(toward, up):.15g} deg"}


@pytest.mark.parametrize("subcell", [True, False])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turned_model_looks_the_same(linerad, axis, subcell):
    gas = random_gas()
    turn = turn_matrix(axis)
    before = view(linerad, gas, camera_of(TOWARD), **{"image.subcell": subcell}).intensity
    up = turn @ up_and_right(TOWARD)[0]
    after = view(linerad, turned(gas, turn), camera_of(turn @ TOWARD, up), **{"image.subcell": subcell}).intensity
    other = view(linerad, gas, camera_of(turn @ TOWARD, up), **{"image.subcell": subcell}).intensity
    error = np.abs(after - before).max() / before.max()
    print(f"  about {'xyz'[axis]}: largest difference {error:.1e} of the peak; without turning the gas "
          f"{np.abs(other - before).max() / before.max():.2f}")
    assert np.abs(other - before).max() > 0.1 * before.max()
    assert error < ROUNDING


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turned_model_scatters_the_same(linerad, axis):
    gas = random_gas()
    turn = turn_matrix(axis)
    plain = {"image.subcell": False}
    camera = camera_of(turn @ TOWARD, turn @ up_and_right(TOWARD)[0])
    before = view(linerad, gas, camera_of(TOWARD), packets=2e5, seed=31, **plain)
    after = view(linerad, turned(gas, turn), camera, packets=2e5, seed=32, **plain)
    used = (before.error > 0) & (after.error > 0) & (before.intensity > 0.02 * before.intensity.max())
    deviation = (before.intensity - after.intensity)[used] / np.hypot(before.error, after.error)[used]
    flux = before.spectrum.sum() / after.spectrum.sum() - 1
    chi2 = np.mean(deviation**2)
    print(f"  about {'xyz'[axis]}: chi^2 / n {chi2:.3f} (7/6 expected from 8 groups), flux {flux:+.4f}")
    assert 0.9 < chi2 < 1.45
    assert abs(flux) < 0.005


def test_roll_turns_up_to_the_left(linerad):
    """By 90 degrees: what was at the top is at the left."""
    gas = random_gas()
    straight = view(linerad, gas, {"direction": TOWARD.tolist()}).intensity
    for turns in (1, 2, 3):
        rolled = view(linerad, gas, {"direction": TOWARD.tolist(), "roll": f"{90 * turns} deg"}).intensity
        # The camera's up rotates to the left, so the object rotates clockwise in the image: [channel, y, x], y upward.
        expected = np.rot90(straight, turns, axes=(1, 2))
        error = np.abs(rolled - expected).max() / straight.max()
        print(f"  roll {90 * turns}: largest difference {error:.1e} of the peak")
        assert error < ROUNDING


@pytest.mark.parametrize("theta, phi", [(0, 0), (180, 0), (90, 0), (90, 90), (90, 270),
                                        (36.869897645844021, 53.130102354155979), (120, 200)])
def test_angles_and_vector_agree(linerad, theta, phi):
    gas = random_gas()
    t, p = np.radians(theta), np.radians(phi)
    toward = np.round([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], 15)
    by_angle = view(linerad, gas, {"theta": f"{theta:.17g} deg", "phi": f"{phi:.17g} deg"}).intensity
    by_vector = view(linerad, gas, {"direction": (7.5 * toward).tolist()}).intensity
    error = np.abs(by_angle - by_vector).max() / by_angle.max()
    print(f"  theta {theta:.1f}, phi {phi:.1f}: largest difference {error:.1e} of the peak")
    assert error < ROUNDING


def test_image_axes(linerad):
    """One bright cell in a corner: from +z, x is to the right and y up; from +x, y to the right and z up."""
    gas = {"opacity": np.full((N, N, N), 1e-6), "emissivity": np.zeros((N, N, N)), "velocity": np.zeros((3, N, N, N))}
    gas["emissivity"][6, 1, 4] = 1
    expected = {"+z": (6, 1), "-z": (1, 1), "+x": (1, 4), "-x": (6, 4), "+y": (1, 4), "-y": (6, 4)}
    for direction, (column, row) in expected.items():
        camera = {"direction": direction, "field": "2 pc", "pixels": N, "rays": 1}
        image = view(linerad, gas, camera).intensity.sum(axis=0)
        assert np.unravel_index(np.argmax(image), image.shape) == (row, column), direction
        assert np.count_nonzero(image > 1e-6 * image.max()) == 1
