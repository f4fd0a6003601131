"""Clumpy gas in motion: the answer must not depend on the motion or orientation of the frame, or on the use of
symmetry.

The expectations are symmetries, so no reference is needed. Runs that should be equal in the mean have different seeds
and are compared within 3.5 combined standard errors; runs that should follow the same packets share a seed.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, Measured, assert_agrees, weighted_mean
from reference import SLAB

MODEL = Path(__file__).with_name("model.yaml")
CELL = 0.1  # pc
CELLS = (8, 10, 12)
B = 10.0  # km/s, the reference b of the model

SCALARS = {"opacity": "1/pc", "temperature": "K", "damping": None, "absorption": "1/pc", "destruction": None,
           "emissivity": None}


class Gas:
    """Fields on a mesh of cubic cells and the rule of each face, in the order x-, x+, y-, ..."""

    def __init__(self, scalars, velocity, faces):
        self.scalars = scalars
        self.velocity = velocity  # (3, n_x, n_y, n_z), km/s
        self.faces = faces

    def run(self, linerad, packets, seed, luminosity=1, precision=None, **settings):
        names = ("x-", "x+", "y-", "y+", "z-", "z+")
        shape = self.velocity.shape[1:]
        settings = {
            "mesh": "{cells: %s, size: [%s], faces: {%s}}" % (
                list(shape), ", ".join(f"{n * CELL:.10g} pc" for n in shape),
                ", ".join(f"{name}: {rule}" for name, rule in zip(names, self.faces))),
            "sources.0.luminosity": f"{luminosity} photon/s",
        } | settings
        datasets = {name: (self.scalars[name], units) for name, units in SCALARS.items()}
        datasets["velocity"] = (self.velocity, "km/s")
        return linerad.run(MODEL, settings, packets=packets, seed=seed, precision=precision,
                           fields={"gas.h5": datasets})


def clumpy(faces, seed=7, absorbing=True):
    """Densities over a factor of thirty, b over a factor of two, damping over ten, bulk motion of a few b. Depth across
    the mesh about 80, some thirty scatterings per packet."""
    rng = np.random.default_rng(seed)
    scalars = {
        "opacity": 60 * np.exp(rng.normal(size=CELLS) * 0.8),
        "temperature": 6e3 * 4 ** rng.random(CELLS),
        "damping": 0.01 * 10 ** rng.random(CELLS),
        "absorption": 0.3 * rng.random(CELLS) * absorbing,
        "destruction": 2e-3 * rng.random(CELLS) * absorbing,
        "emissivity": rng.random(CELLS),
    }
    return Gas(scalars, 12 * rng.normal(size=(3, *CELLS)), faces)


def boosted(gas, velocity):
    return Gas(gas.scalars, gas.velocity + np.reshape(velocity, (3, 1, 1, 1)), gas.faces)


def turned(gas, axis):
    """By 90 degrees about an axis: for z, new x = -y, new y = x."""
    i, j = (axis + 1) % 3, (axis + 2) % 3

    def turn(values):
        return np.rot90(values, axes=(i, j))

    velocity = [turn(component) for component in gas.velocity]
    velocity[i], velocity[j] = -velocity[j], velocity[i]
    return Gas({name: turn(values) for name, values in gas.scalars.items()}, np.array(velocity),
               [gas.faces[face] for face in turned_faces(axis)])


def turned_faces(axis):
    """For each face after the rotation, the face it was."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    faces = list(range(6))
    faces[2 * i], faces[2 * i + 1] = 2 * j + 1, 2 * j
    faces[2 * j], faces[2 * j + 1] = 2 * i, 2 * i + 1
    return faces


def unfolded(gas, axis, faces):
    """Twice the mesh: the mirror image about the lower face of an axis, then the gas itself."""

    def join(values, sign=1):
        return np.concatenate([sign * np.flip(values, axis), values], axis)

    velocity = np.array([join(gas.velocity[k], -1 if k == axis else 1) for k in range(3)])
    return Gas({name: join(values) for name, values in gas.scalars.items()}, velocity, faces)


def mean_path(run):
    return run["mean_path"] * (run.attribute("half_size_x") / PARSEC_CM)


def share_of_face(run, face):
    """Per emitted photon, with the error of weighted packets."""
    weight = run.packets["weight"] * run.summary["packets"] * (run.packets["face"] == face)
    emitted = np.concatenate([weight, np.zeros(int(run.summary["packets"]) - len(weight))])
    return weighted_mean(emitted / run.summary["emitted"])


def compare_summaries(first, second):
    for name in ("f_esc", "scatterings_per_packet", "median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x"):
        if first[name].error > 0:
            assert_agrees(name, first[name], second[name])
    assert_agrees("path", mean_path(first), mean_path(second))


def compare_fields(name, first, second):
    """Two fields with errors, cell by cell. Cells are correlated, since packets visit many of them, so the mean square
    pull is allowed 30 %; single cells, with errors from 64 batches, five standard errors."""
    pull = (first[0] - second[0]) / np.hypot(first[1], second[1])
    rms = np.sqrt(np.mean(pull**2))
    print(f"  {name}: {pull.size} cells, rms pull {rms:.3f}, worst {np.abs(pull).max():.2f}")
    assert 0.7 < rms < 1.3
    assert np.abs(pull).max() < 5


def fields(run, name):
    return run.data(f"fields/{name}"), run.data(f"fields/{name}_error")


FIELDS = ("mean_intensity", "scattering_rate")


@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_boost_changes_nothing_but_the_frame(linerad, precision):
    """All gas moves faster by V. Each packet does the same as before, and its shift in the mesh frame is larger by
    V.n."""
    gas = clumpy(["open", "open", "periodic", "periodic", "open", "open"])
    velocity = np.array((45.0, -70.0, 30.0))
    rest = gas.run(linerad, 1e4, 111, precision=precision)
    moving = boosted(gas, velocity).run(linerad, 1e4, 111, precision=precision)

    _, i, j = np.intersect1d(rest.packets["id"], moving.packets["id"], return_indices=True)
    before = {name: column[i] for name, column in rest.packets.items()}
    after = {name: column[j] for name, column in moving.packets.items()}
    shift = after["x"] - after["direction"] @ velocity / B - before["x"]
    same = (before["scatterings"] == after["scatterings"]) & (before["face"] == after["face"]) & (np.abs(shift) < 1e-3)
    # Rounding errors grow from flight to flight, since positions in thin gas are less precise than in dense gas, until
    # one of them changes a decision: after about fifty scatterings in single precision and two hundred in double.
    young = before["scatterings"] < {"mixed": 30, "double": 100}[precision]
    print(f"  {np.mean(same[young]):.4f} of young packets the same, {np.mean(same):.4f} of all; median difference of "
          f"their shifts {np.median(np.abs(shift[same])):.1e}")
    assert np.mean(young) > 0.5
    assert np.mean(same[young]) > 0.998
    assert np.mean(same) > 0.9
    assert np.median(np.abs(shift[same])) < {"mixed": 2e-6, "double": 1e-14}[precision]  # of x of order ten


def test_boost_is_seen_in_the_spectrum(linerad):
    """The same on average, with a different seed: the spectrum in the frame of the gas, packet by packet."""
    gas = clumpy(["open"] * 6)
    velocity = np.array((45.0, -70.0, 30.0))
    rest = gas.run(linerad, 3e4, 112)
    moving = boosted(gas, velocity).run(linerad, 3e4, 113)
    for name in ("f_esc", "scatterings_per_packet"):
        assert_agrees(name, rest[name], moving[name])
    assert_agrees("path", mean_path(rest), mean_path(moving))
    x = moving.packets["x"] - moving.packets["direction"] @ velocity / B
    for limit in (-4, -2, -1, 0, 1, 2, 4):
        assert_agrees(f"share of x < {limit} in the frame of the gas",
                      weighted_mean(x < limit, moving.packets["weight"]),
                      weighted_mean(rest.packets["x"] < limit, rest.packets["weight"]))
    # In the frame of the mesh the line is much wider: V/b = 9.
    assert np.median(np.abs(moving.packets["x"])) > 1.5 * np.median(np.abs(x))
    for name in FIELDS:
        compare_fields(name, fields(rest, name), fields(moving, name))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turning_the_model_turns_the_result(linerad, axis):
    gas = clumpy(["open", "open", "reflecting", "open", "reflecting", "open"])
    upright = gas.run(linerad, 5e4, 114)
    turned_run = turned(gas, axis).run(linerad, 5e4, 115 + axis)
    compare_summaries(upright, turned_run)
    for face, was in enumerate(turned_faces(axis)):
        if gas.faces[was] == "open":
            assert_agrees(f"through face {was}", share_of_face(turned_run, face), share_of_face(upright, was))
    for name in FIELDS:
        back = [np.rot90(values, -1, axes=((axis + 1) % 3, (axis + 2) % 3)) for values in fields(turned_run, name)]
        compare_fields(name, fields(upright, name), back)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_reflecting_face_stands_for_the_mirror_image(linerad, axis):
    """Half the gas with a mirror, or all of it with open ends."""
    rules = ["open", "open", "periodic", "periodic", "open", "open"]
    if axis == 1:
        rules = ["open", "open", "open", "open", "periodic", "periodic"]
    mirrored = list(rules)
    mirrored[2 * axis] = "reflecting"
    half = clumpy(mirrored)
    with_mirror = half.run(linerad, 5e4, 121)
    whole = unfolded(half, axis, rules).run(linerad, 5e4, 122 + axis, luminosity=2)
    compare_summaries(with_mirror, whole)
    both = [share_of_face(whole, face) for face in (2 * axis, 2 * axis + 1)]
    assert_agrees("through both ends", Measured(both[0].value + both[1].value, np.hypot(both[0].error, both[1].error)),
                  share_of_face(with_mirror, 2 * axis + 1))
    for name in FIELDS:
        values, errors = (np.split(field, 2, axis) for field in fields(whole, name))
        averaged = 0.5 * (np.flip(values[0], axis) + values[1])
        error = 0.5 * np.hypot(np.flip(errors[0], axis), errors[1])
        compare_fields(name, fields(with_mirror, name), (averaged, error))


def test_periodic_images_agree_with_mirrors(linerad):
    """A medium that repeats with its mirror image, cut at two mirror planes: reflecting faces, or periodic ones around
    the doubled mesh."""
    half = clumpy(["open", "open", "reflecting", "reflecting", "open", "open"])
    with_mirrors = half.run(linerad, 5e4, 131)
    periodic = unfolded(half, 1, ["open", "open", "periodic", "periodic", "open", "open"])
    whole = periodic.run(linerad, 5e4, 132, luminosity=2)
    compare_summaries(with_mirrors, whole)
    for face in (0, 1, 4, 5):
        assert_agrees(f"through face {face}", share_of_face(whole, face), share_of_face(with_mirrors, face))
    for name in FIELDS:
        values, errors = (np.split(field, 2, 1) for field in fields(whole, name))
        averaged = 0.5 * (np.flip(values[0], 1) + values[1])
        compare_fields(name, fields(with_mirrors, name), (averaged, 0.5 * np.hypot(np.flip(errors[0], 1), errors[1])))


def test_sides_of_a_uniform_slab_may_be_periodic_or_reflecting(linerad):
    """Against exact Monte Carlo, which has no sides at all."""
    settings = {"medium.tau_mean": 500, "mesh.faces": "{x: open, y: reflecting, z: reflecting}"}
    run = linerad.run("neufeld_slab", settings, packets=5e4, seed=133)
    assert_agrees("median", run["median_abs_x"], SLAB[500]["median_abs_x"])
    assert_agrees("path", run["mean_path"], SLAB[500]["mean_path"])
    assert_agrees("scatterings", run["scatterings_per_packet"] * (np.sqrt(np.pi) / 500),
                  SLAB[500]["scatterings_per_depth"])


def test_half_a_slab_with_a_mirror_is_a_slab(linerad):
    """Midplane at the lower face: the source sends half its photons into the mirror."""
    settings = {"medium.tau_mean": 250, "mesh.size": "[1 pc, 1 pc, 1 pc]", "mesh.origin": "[0 pc, 0 pc, 0 pc]",
                "mesh.faces": "{x-: reflecting, x+: open, y: periodic, z: periodic}"}
    run = linerad.run("neufeld_slab", settings, packets=5e4, seed=134)
    assert_agrees("median", run["median_abs_x"], SLAB[500]["median_abs_x"])
    assert_agrees("path", run["mean_path"] * 0.5, SLAB[500]["mean_path"])
    assert_agrees("scatterings", run["scatterings_per_packet"] * (np.sqrt(np.pi) / 500),
                  SLAB[500]["scatterings_per_depth"])


def test_unequal_cells_do_not_matter(linerad):
    """The uniform slab again, on a mesh whose cells differ in width by a factor of a hundred."""
    edges = np.concatenate([[-1], -np.geomspace(0.8, 0.002, 12), [0.05, 0.06, 0.4, 1]])
    settings = {"medium.tau_mean": 500, "mesh": "{edges: {x: [%s], y: [0 pc, 0.1 pc, 1 pc], z: [0 pc, 1 pc]}, faces: "
                "{x: open, y: periodic, z: periodic}}" % ", ".join(f"{edge:.6g} pc" for edge in edges)}
    run = linerad.run("neufeld_slab", settings, packets=5e4, seed=135)
    assert_agrees("median", run["median_abs_x"], SLAB[500]["median_abs_x"])
    assert_agrees("path", run["mean_path"], SLAB[500]["mean_path"])
    assert_agrees("scatterings", run["scatterings_per_packet"] * (np.sqrt(np.pi) / 500),
                  SLAB[500]["scatterings_per_depth"])


def test_tables_follow_a_damping_that_varies(linerad):
    """table-global against exact in the same gas: 1 % in the median, 2 % in scatterings, as promised for the mode."""
    gas = clumpy(["open", "open", "periodic", "periodic", "open", "open"], absorbing=False)
    exact, tables = (gas.run(linerad, 5e4, seed, **{"physics.redistribution": mode})
                     for mode, seed in (("exact", 136), ("table-global", 137)))
    for name, tolerance in (("median_abs_x", 0.01), ("scatterings_per_packet", 0.02)):
        ratio = tables[name].value / exact[name].value
        print(f"  {name}: {ratio:.4f} of exact")
        assert abs(ratio - 1) < tolerance


@pytest.mark.long
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turning_the_model_turns_the_result_in_detail(linerad, axis):
    gas = clumpy(["open", "open", "reflecting", "open", "reflecting", "open"])
    upright, turned_run = gas.run(linerad, 5e5, 144), turned(gas, axis).run(linerad, 5e5, 145 + axis)
    compare_summaries(upright, turned_run)
    for name in FIELDS:
        back = [np.rot90(values, -1, axes=((axis + 1) % 3, (axis + 2) % 3)) for values in fields(turned_run, name)]
        compare_fields(name, fields(upright, name), back)


@pytest.mark.long
def test_mirrors_and_images_agree_in_detail(linerad):
    half = clumpy(["open", "open", "reflecting", "reflecting", "open", "open"])
    whole = unfolded(half, 1, ["open", "open", "periodic", "periodic", "open", "open"])
    compare_summaries(half.run(linerad, 5e5, 151), whole.run(linerad, 5e5, 152, luminosity=2))


@pytest.mark.long
def test_mixed_and_double_precision_agree_in_detail(linerad):
    gas = clumpy(["open", "open", "periodic", "periodic", "reflecting", "open"])
    mixed, double = (gas.run(linerad, 5e5, seed, precision=precision)
                     for precision, seed in (("mixed", 153), ("double", 154)))
    compare_summaries(mixed, double)
    for name in FIELDS:
        compare_fields(name, fields(mixed, name), fields(double, name))
