"""The likelihood is correct, light is only recomputed if the physics changes, and a fit recovers the input."""

import math
import multiprocessing
import os
import pickle
import shutil
import types
import warnings
from pathlib import Path

import astropy.units as u
import h5py
import linerad as lr
import numpy as np
import observed
import pytest
from linerad.fit import Fit, LogUniform, Normal, Observation, Uniform, maximum
from linerad.fit.resolved import changes, resolve, split

KMS = u.km / u.s
PRIORS = {
    "temperature": (8, 25) * u.K,
    "density": (-2.3, -1.2),
    "turbulence": LogUniform(0.05 * KMS, 0.4 * KMS),
    "systemic": Normal(5.2 * KMS, 0.2 * KMS),
}
TRUTH = [14, -1.7, 0.15, 5.23]


@pytest.fixture(scope="module")
def cube():
    return observed.observed_cube()


@pytest.fixture(scope="module")
def observation(cube):
    return noisy(cube, seed=11)


def noisy(cube, seed, signal_to_noise=40):
    """The cube with noise correlated as in an interferometer."""
    noise = float(cube.data.value.max()) / signal_to_noise
    made = noise * observed.beam_noise(cube.shape, cube.pixel[0], cube.beam, seed)
    return Observation(cube.data.value + made, noise, header=cube.header)


@pytest.fixture
def fit(observation):
    return Fit(observed.sphere, observation, PRIORS)


# ---- the likelihood ----


def test_the_likelihood_of_the_truth_by_hand(cube, observation):
    fit = Fit(observed.sphere, observation, PRIORS)
    model = fit.model_cube(TRUTH).data.value
    noise = float(cube.data.value.max()) / 40
    chi_squared = (((observation.data - model) / noise) ** 2).sum()
    n = observation.data.size
    pixels = math.pi * 40 * 32 / (4 * math.log(2)) / math.degrees(3600 * 0.01 / 140) ** 2
    assert fit.chi_squared(TRUTH) == pytest.approx(chi_squared, rel=1e-12)
    expected = -0.5 * (chi_squared + n * math.log(2 * math.pi * noise**2)) / pixels
    assert fit.log_likelihood(TRUTH) == pytest.approx(expected, rel=1e-12)
    # chi-squared per pixel is 1 within its error: n / pixels values are independent
    assert chi_squared / n == pytest.approx(1, abs=3.5 * math.sqrt(2 * pixels / n))
    normal = -0.5 * (0.03 / 0.2) ** 2 - math.log(0.2 * math.sqrt(2 * math.pi))
    prior = -math.log(17) - math.log(1.1) - math.log(0.15 * math.log(8)) + normal
    assert fit.log_prior(TRUTH) == pytest.approx(prior, rel=1e-12)
    assert fit.log_probability(TRUTH) == pytest.approx(expected + prior, rel=1e-12)


def test_masked_values_do_not_count(cube, observation):
    mask = np.zeros(cube.shape, dtype=bool)
    mask[3:5, 2:7] = True
    masked = Observation(observation.data, observation.noise, header=cube.header, mask=mask)
    fit = Fit(observed.sphere, masked, PRIORS)
    residual = (observation.data - fit.model_cube(TRUTH).data.value)[3:5, 2:7] / observation.noise[0, 0, 0]
    assert fit.chi_squared(TRUTH) == pytest.approx((residual**2).sum(), rel=1e-12)


def test_outside_the_prior_no_model_is_made(fit):
    for bad in ([30, -1.7, 0.15, 5.2], [14, -1.7, -0.15, 5.2], [math.nan, -1.7, 0.15, 5.2]):
        assert fit.log_probability(bad) == -math.inf
    assert fit.last is None and fit.counts["passes"] == 0


def test_priors_and_their_quantiles():
    for prior in (Uniform(2, 6), LogUniform(0.1, 10), Normal(3, 0.5)):
        x = np.array([prior.ppf(q) for q in np.linspace(0.001, 0.999, 4001)])
        density = np.exp([prior.logpdf(v) for v in x])
        assert np.trapezoid(density, x) == pytest.approx(0.998, abs=2e-4)
    fit_start = Fit(observed.sphere, noisy(observed.observed_cube(), 1), PRIORS).start
    assert all(8 < row[0] < 25 and 0.05 < row[2] < 0.4 for row in fit_start(50, seed=1))
    near = fit_start(400, TRUTH, np.diag([1, 1e-4, 1e-4, 1e-2]), seed=2)
    assert near.std(axis=0) == pytest.approx([1, 0.01, 0.01, 0.1], rel=0.15)


# ---- when light is made again ----

CHANGES = [
    ("systemic", 5.31 * KMS, "image.velocity"),
    ("distance", 150 * u.pc, "image.distance"),
    ("theta", 40 * u.deg, "cameras.0.theta"),
    ("roll", 30 * u.deg, "cameras.0.roll"),
    ("ra", 83.805 * u.deg, "image.position.ra"),
    ("background", 5 * u.K, "image.background"),
    ("temperature", 15 * u.K, "medium.temperature"),
    ("density", -1.6, "medium.density"),
    ("turbulence", 0.2 * KMS, "medium.turbulence"),
    ("spin", 0.5 * KMS, "medium.velocity"),
    ("cells", 7.0, "mesh.cells"),
]


def box(systemic, distance, theta, roll, ra, background, temperature, density, turbulence, spin, cells):
    """A rotating box of gas in LTE, seen at an angle."""
    n = int(cells)
    x = (np.arange(n) + 0.5) / n - 0.5
    x, y, z = np.meshgrid(x, x, x, indexing="ij")
    return lr.Model(
        mesh=lr.Mesh.uniform((n, n, n), [0.14, 0.14, 0.14] * u.pc),
        line=lr.Molecule("co", transition="2-1"),
        medium=lr.Medium(
            temperature=temperature,
            density=10.0**density * np.exp(-3 * (x**2 + y**2 + 4 * z**2)) / u.cm**3,
            turbulence=turbulence,
            velocity=[-spin * y, spin * x, 0 * KMS],
        ),
        channels=lr.Channels(8, [-1, 1] * KMS),
        cameras=[lr.Camera("front", theta=theta, roll=roll, pixels=8)],
        image=lr.Image(
            distance=distance, velocity=systemic, background=background, position={"ra": ra, "dec": -5.4 * u.deg}
        ),
        run=lr.Run(threads=1),
    )


BOX = {
    "systemic": 5.23 * KMS, "distance": 140 * u.pc, "theta": 60 * u.deg, "roll": 0 * u.deg, "ra": 83.8 * u.deg,
    "background": 2.7 * u.K, "temperature": 14 * u.K, "density": -1.7, "turbulence": 0.15 * KMS, "spin": 0.3 * KMS,
    "cells": 6.0,
}  # fmt: skip


def box_fit(observation):
    others = {name: value for name, value in BOX.items() if name not in ("roll", "cells")}
    priors = {name: Uniform(value - 0.1 * abs(value), value + 0.1 * abs(value)) for name, value in others.items()}
    return Fit(box, observation, priors | {"roll": (-40, 40) * u.deg, "cells": (6.0, 7.8)})


@pytest.mark.parametrize("name, value, path", CHANGES)
def test_only_physics_takes_a_new_pass(observation, name, value, path):
    fit = box_fit(observation)
    fit.model_cube(BOX)
    assert fit.last == "new pass: the first one"
    changed = fit.model_cube({**BOX, name: value})
    same_light = path.split(".")[0] in ("image", "cameras")
    if same_light:
        assert changed.how == f"same light: only {path} changed"
    else:
        assert changed.how.startswith("new pass: ") and path in changed.how
    assert dict(fit.counts) == {"passes": 1 + (not same_light), "images": int(same_light), "repeats": 0}
    fresh = box_fit(observation).model_cube({**BOX, name: value})
    np.testing.assert_array_equal(changed.data.value, fresh.data.value)  # bit for bit
    assert not np.array_equal(changed.data.value, fit.model_cube(BOX).data.value)
    assert fit.last.startswith("same light")  # that of the previous pass


def test_it_says_beforehand_what_a_parameter_takes(observation):
    found = box_fit(observation).needs()
    expected = {name: "same light" if path[0] in "ic" else "new pass" for name, _, path in CHANGES}
    assert found == expected


def test_the_same_parameters_are_not_traced_again(fit):
    first = fit.log_likelihood(TRUTH)
    assert fit.log_likelihood(TRUTH) == first
    assert fit.last == "same light: nothing changed" and fit.counts["repeats"] == 1


def test_the_last_passes_are_kept(observation):
    fit = Fit(observed.sphere, observation, PRIORS, keep=2)
    hot = [16, *TRUTH[1:]]
    for theta, passes in ((TRUTH, 1), (hot, 2), (TRUTH, 2), (hot, 2), ([18, *TRUTH[1:]], 3), (hot, 3), (TRUTH, 4)):
        fit.log_likelihood(theta)
        assert fit.counts["passes"] == passes


def test_an_array_that_changes_in_place_takes_a_new_pass(observation):
    density = np.full(8, 0.02)

    def build(scale):
        density[:] = 0.02 * scale
        return lr.Model(
            mesh=lr.Mesh.shells(number=8, outer=0.07 * u.pc),
            line=lr.Molecule("co", transition="2-1"),
            medium=lr.Medium(temperature=14 * u.K, density=density / u.cm**3, turbulence=0.15 * KMS),
            channels=lr.Channels(8, [-1, 1] * KMS),
            cameras=[lr.Camera("front", "+z")],
            image=lr.Image(distance=140 * u.pc, velocity=5.23 * KMS),
            run=lr.Run(threads=1),
        )

    fit = Fit(build, observation, {"scale": (0.1, 10)})
    first = fit.log_likelihood([1.0])
    assert fit.log_likelihood([2.0]) != first and fit.last == "new pass: medium.density changed"


def write_gas(density, name="gas.h5"):
    with h5py.File(name, "w") as file:
        file["n"] = np.full(8, density)
        file["n"].attrs["units"] = "cm-3"


GAS_FROM_FILE = """\
mesh: {shells: 8, outer: 0.07 pc}
line: {molecule: co, transition: 2-1}
medium: {density: {file: gas.h5, dataset: n}, temperature: 14 K, turbulence: 0.15 km/s}
channels: {number: 8, range: [-1 km/s, 1 km/s]}
cameras: [{name: front, direction: +z}]
image: {distance: 140 pc, velocity: 5.23 km/s}
run: {threads: 1}
"""


def from_file(density):
    write_gas(density)
    return lr.Model(
        mesh=lr.Mesh.shells(number=8, outer=0.07 * u.pc),
        line=lr.Molecule("co", transition="2-1"),
        medium=lr.Medium(temperature=14 * u.K, density={"file": "gas.h5", "dataset": "n"}, turbulence=0.15 * KMS),
        channels=lr.Channels(8, [-1, 1] * KMS),
        cameras=[lr.Camera("front", "+z")],
        image=lr.Image(distance=140 * u.pc, velocity=5.23 * KMS),
        run=lr.Run(threads=1),
    )


def test_a_file_that_is_written_again_takes_a_new_pass(observation):
    """Its name stays the same; only the contents count."""
    fit = Fit(from_file, observation, {"density": (1e-3, 1)})
    first = fit.log_likelihood([0.02])
    second = fit.log_likelihood([0.03])
    assert fit.last == "new pass: medium.density.file changed" and second != first
    assert Fit(from_file, observation, {"density": (1e-3, 1)}).log_likelihood([0.03]) == second
    assert fit.log_likelihood([0.03]) == second and fit.last == "same light: nothing changed"


def test_a_model_is_read_again_when_its_files_have_changed(observation):
    Path("folder").mkdir()
    Path("folder/gas.yaml").write_text(GAS_FROM_FILE)
    write_gas(0.02, "folder/gas.h5")
    fit = Fit(lr.Model.load("folder/gas.yaml"), observation, {"image.velocity": (4.5, 6) * KMS})
    values = [fit.log_likelihood([5.2])]
    write_gas(0.03, "folder/gas.h5")
    values.append(fit.log_likelihood([5.2]))
    assert fit.last == "new pass: medium.density.file changed"
    Path("folder/gas.yaml").write_text(GAS_FROM_FILE.replace("14 K", "19 K"))
    values.append(fit.log_likelihood([5.2]))
    assert fit.last == "new pass: medium.temperature changed"
    assert len(set(values)) == 3
    fresh = Fit(lr.Model.load("folder/gas.yaml"), observation, {"image.velocity": (4.5, 6) * KMS})
    assert fresh.log_likelihood([5.2]) == values[-1]


@pytest.mark.parametrize(
    "sections, path",
    [
        ({"snapshot": "gas.h5"}, "snapshot"),
        ({"snapshot": {"file": "gas.h5"}}, "snapshot.file"),
        ({"line": lr.Molecule("gas.h5", transition="1-0")}, "line.molecule"),
        ({"populations": {"method": "given", "file": "gas.h5", "dataset": "x"}}, "populations.file"),
        ({"mesh": {"shells": {"edges": {"file": "gas.h5", "dataset": "r"}}}}, "mesh.shells.edges.file"),
        ({"medium": {"density": [{"file": "gas.h5", "dataset": "n"}]}}, "medium.density.0.file"),
    ],
)
def test_any_file_that_a_model_names_counts(in_folder, sections, path):
    """In the folder of the model, and even if file times do not reveal the change."""

    def light():
        model = lr.Model(**sections, folder=in_folder / "there")
        return split(resolve(model, ()), model, False)[0]

    Path("there").mkdir()
    file = Path("there/gas.h5")
    file.write_bytes(b"one")
    before = light()
    assert light() == before
    file.write_bytes(b"two")
    assert changes(before, light()) == [path]
    os.utime(file, (1e9, 1e9))
    before = light()
    shutil.copy(file, "there/new.h5")
    Path("there/new.h5").write_bytes(b"six")
    os.utime("there/new.h5", (1e9, 1e9))
    os.replace("there/new.h5", file)
    assert changes(before, light()) == [path]


def test_a_model_of_parameters_keeps_the_settings_it_was_loaded_with(observation):
    write_gas(0.02)
    Path("gas.yaml").write_text(GAS_FROM_FILE)
    base = lr.Model.load("gas.yaml", {"medium.temperature": "23 K"})
    fit = Fit(base, observation, {"image.velocity": (4.5, 6) * KMS}, settings={"run.seed": 5})
    found = fit.model([5.5])
    tree = resolve(found, ())
    kept = tree["medium"]["temperature"], tree["image"]["velocity"], tree["run"]["seed"]
    assert kept == ("23 K", "5.5 km s-1", "5")
    again = Fit(lambda scale: found, observation, {"scale": (0, 1)}).model_cube([0]).data.value
    np.testing.assert_array_equal(again, fit.model_cube([5.5]).data.value)


def test_a_model_with_settings_as_parameters(observation, fit):
    """From parts, and from a file: the same numbers as from the function."""
    parameters = {"medium.temperature": (8, 25) * u.K, "image.velocity": (4.5, 6) * KMS}
    base = observed.sphere()
    found = Fit(base, observation, parameters)
    assert found.log_likelihood([15, 5.3]) == fit.log_likelihood([15, -1.7, 0.15, 5.3])
    assert found.needs() == {"medium.temperature": "new pass", "image.velocity": "same light"}
    assert "15.0 K" in found.model([15, 5.3]).run(settings=observed.GRID).text("model_resolved")
    flat = {"density": "1e-2 cm^-3", "temperature": "14 K", "turbulence": "0.15 km/s"}
    with open("sphere.yaml", "w") as file:
        file.write(
            "mesh: {shells: 8, outer: 0.07 pc}\nline: {molecule: co, transition: 2-1}\n"
            f"medium: {{{', '.join(f'{key}: {value}' for key, value in flat.items())}}}\n"
            "channels: {number: 8, range: [-1 km/s, 1 km/s]}\ncameras: [{name: front, direction: +z}]\n"
            "image: {distance: 140 pc, velocity: 5 km/s}\nrun: {threads: 1}\n"
        )
    filed = Fit(lr.Model.load("sphere.yaml"), observation, parameters)
    value = filed.log_likelihood([14, 5.3])
    assert filed.log_likelihood([14, 5.2]) != value and filed.last == "same light: only image.velocity changed"
    filed.log_likelihood([15, 5.2])
    assert filed.last == "new pass: medium.temperature changed"


def test_a_copy_for_another_process_makes_its_own_light(fit):
    value = fit.log_likelihood(TRUTH)
    copy = pickle.loads(pickle.dumps(fit))
    assert copy.log_likelihood(TRUTH) == value and copy.last == "new pass: the first one"


def test_a_fit_of_a_model_goes_to_other_processes(observation):
    """From parts and from a file, both after the library has loaded them."""
    write_gas(0.02)
    Path("gas.yaml").write_text(GAS_FROM_FILE)
    for base in (observed.sphere(), lr.Model.load("gas.yaml")):
        fit = Fit(base, observation, {"image.velocity": (4.5, 6) * KMS})
        values = [fit.log_likelihood([velocity]) for velocity in (5.1, 5.3)]
        assert base._loaded is not None
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.map(fit.log_likelihood, [[5.1], [5.3]]) == values


# ---- packets ----


def resonant(luminosity=1.0, systemic=5.2 * KMS, distance=1 * u.kpc, depth=2.0):
    """A cube of gas that scatters the light of a central source."""
    return lr.Model(
        mesh=lr.Mesh.uniform((5, 5, 5), [2, 2, 2] * u.pc),
        line="lya",
        medium=lr.Medium(temperature=1e4 * u.K, tau_centre=depth),
        sources=lr.Point(
            position=[0, 0, 0] * u.pc, spectrum=lr.Gaussian(sigma=15 * KMS), luminosity=luminosity * 1e48 * u.ph / u.s
        ),
        channels=lr.Channels(10, [-60, 60] * KMS),
        cameras=[lr.Camera("front", "+z", pixels=8)],
        image=lr.Image(distance=distance, velocity=systemic),
        run=lr.Run(threads=1, packets=4000, seed=3),
    )


RESONANT = {
    "luminosity": (0.1, 10),
    "systemic": (-20, 30) * KMS,
    "distance": (0.8, 1.2) * u.kpc,
    "depth": (0.5, 5),
}


@pytest.fixture(scope="module")
def scattered():
    """Observed in channels of 12 km/s, about b."""
    settings = {"cameras.0.pixels": [8, 8], "cameras.0.field": ["2.4 pc", "2.4 pc"], "image.unit": "Jy/beam"}
    cube = resonant().run(200000, seed=77, settings={**settings, "image.beam": "150 arcsec"}).cube()
    return Observation(cube, 0.05 * cube.data.value.max())


def test_packets_are_followed_again_only_when_the_physics_changes(scattered):
    fit = Fit(resonant, scattered, RESONANT)
    start = [1.0, 5.2, 1.0, 2.0]
    fit.model_cube(start)
    assert fit.last.startswith("new pass: the first one") and fit.counts["passes"] == 2
    for theta, path in (([1.0, 11.7, 1.0, 2.0], "image.velocity"), ([1.0, 11.7, 1.1, 2.0], "image.distance")):
        found = fit.model_cube(theta)
        assert found.how == f"same light: only {path} changed"
        fresh = Fit(resonant, scattered, RESONANT).model_cube(theta)
        np.testing.assert_allclose(found.data.value, fresh.data.value, rtol=1e-6, atol=1e-6 * fresh.data.value.max())
    assert dict(fit.counts) == {"passes": 2, "images": 1, "repeats": 1}
    fit.model_cube([1.0, 11.7, 1.1, 2.5])
    assert fit.last == "new pass: medium.tau_centre changed"
    assert fit.needs() == {
        "luminosity": "new pass", "systemic": "same light", "distance": "same light", "depth": "new pass"
    }  # fmt: skip


def test_a_systemic_velocity_between_channels_is_as_good_as_a_run_there(scattered):
    """Fine channels added up, against packets recorded in the observed channels of the shifted object. Seeds and
    packets are the same, so the difference is due to interpolation: below 1 % of the peak."""
    fit = Fit(resonant, scattered, RESONANT)
    found = fit.model_cube([1.0, 9.1, 1.0, 2.0]).data.value
    fixed = Fit(lambda depth: resonant(systemic=9.1 * KMS, depth=depth), scattered, {"depth": (0.5, 5)})
    expected = fixed.model_cube([2.0])
    assert expected.how == "new pass: the first one" and fixed.counts["passes"] == 1
    np.testing.assert_allclose(found, expected.data.value, atol=0.015 * found.max())


def test_the_error_of_packets_is_added_to_the_noise(scattered):
    fit = Fit(resonant, scattered, RESONANT)
    theta = [1.0, 5.2, 1.0, 2.0]
    cube = fit.model_cube(theta)
    error, noise = cube.error.value, scattered.noise
    assert 0 < error.max() < 0.2 * cube.data.value.max()
    variance = noise**2 + error**2
    terms = (scattered.data - cube.data.value) ** 2 / variance + np.log(2 * np.pi * variance)
    assert fit.log_likelihood(theta) == pytest.approx(-0.5 * terms.sum() / scattered.correlated, rel=1e-12)
    # a place keeps its relative error when the distance changes
    near = fit.model_cube([1.0, 5.2, 1.001, 2.0])
    bright = cube.data.value > 0.3 * cube.data.value.max()
    ratio = ((near.error / near.data)[bright] / (cube.error / cube.data)[bright]).value
    assert np.median(ratio) == pytest.approx(1, abs=0.05)


def test_light_of_sources_is_in_channels_without_packets_too(scattered):
    """Unscattered: light from the point toward the camera, dimmed by the gas."""
    fit = Fit(resonant, scattered, RESONANT, settings={"run.packets": 0})
    fit.model_cube([1.0, 5.2, 1.0, 2.0])
    found = fit.model_cube([1.0, 8.7, 1.05, 2.0])
    assert found.how == "same light: only image.distance, image.velocity changed" and found.error is None
    fresh = Fit(resonant, scattered, RESONANT, settings={"run.packets": 0}).model_cube([1.0, 8.7, 1.05, 2.0])
    np.testing.assert_allclose(found.data.value, fresh.data.value, rtol=1e-6)


def test_the_direction_matters_where_light_is_scattered(scattered):
    def build(theta):
        model = resonant()
        model.structure["cameras"] = [{"name": "front", "theta": f"{theta} deg", "pixels": 8}]
        return model

    fit = Fit(build, scattered, {"theta": (10, 80)})
    fit.log_likelihood([30])
    fit.log_likelihood([40])
    assert fit.last == "new pass: cameras.0.theta changed" and fit.counts["passes"] == 2


# ---- bad arguments ----


@pytest.mark.parametrize(
    "change, words",
    [
        ({"model": 3}, "a function"),
        ({"observation": 3}, "Observation"),
        ({"parameters": {}}, "none to fit"),
        ({"parameters": {"density": 3}}, "density: a prior must be"),
        ({"parameters": {"density": (3, 1)}}, "not below"),
        ({"keep": 0}, "keep"),
        ({"margin": -1}, "margin"),
    ],
)
def test_bad_arguments_are_named(observation, change, words):
    arguments = {"model": observed.sphere, "observation": observation, "parameters": PRIORS, **change}
    with pytest.raises(lr.InputError, match=words):
        Fit(**arguments)


def near(density):
    """A camera that is not distant."""
    model = observed.sphere(density=density)
    model.structure["cameras"] = [{"name": "near", "position": ["0 pc", "0 pc", "1 pc"], "field": "20 deg"}]
    return model


def test_bad_models_and_parameters_are_named(observation, fit):
    def refused(words, build, **options):
        with pytest.raises(lr.InputError, match=words):
            Fit(build, observation, {"density": (-3, -1)}, **options).log_likelihood([-2])

    refused("not a linerad.Model", lambda density: None)
    refused("no camera", lambda density: lr.Model(mesh=lr.Mesh.uniform((1, 1, 1), [1, 1, 1] * u.pc)))
    refused("there is no camera 'side'", observed.sphere, camera="side")
    refused("image.distance", lambda density: observed.sphere(distance=None))
    refused(r"cameras\[0\].position: 'near' is near the object.*direction", near)
    with pytest.raises(lr.InputError, match="4 numbers"):
        fit.log_likelihood([1, 2])
    with pytest.raises(lr.InputError, match="density"):
        fit.log_likelihood({"temperature": 14 * u.K})
    with pytest.raises(lr.InputError, match="theta"):
        fit.log_likelihood([14 * u.km, -1.7, 0.15, 5.2])
    with pytest.raises(lr.UnitsError, match="one unit"):
        Uniform(1 * u.K, 2 * u.km)
    with pytest.raises(lr.InputError, match="above zero"):
        LogUniform(0, 1)


@pytest.mark.parametrize(
    "model, parameters, message",
    [
        (lambda temperature: None, {"temprature": (8, 25) * u.K}, "without an argument 'temprature'; did you mean 'temperature'?"),
        (lambda a, b: None, {"a": (1, 2)}, "the function of the model needs 'b'"),
        (lambda: None, {"a": (1, 2)}, "without an argument 'a'; it has none"),
        (observed.sphere(), {"medium.temprature": (8, 25) * u.K}, "unknown key; did you mean 'temperature'"),
        (observed.sphere(), {"medium.temperature": (8, 25)}, "medium.temperature: '16.5' has no unit"),
    ],
)
def test_unknown_parameters_are_found_at_once(observation, model, parameters, message):
    with pytest.raises(lr.InputError, match=message.replace("?", r"\?")):
        Fit(model, observation, parameters)


def test_unknown_names_of_values_are_found(fit):
    values = dict(zip(fit.names, TRUTH))
    assert math.isfinite(fit.log_prior(values))
    with pytest.raises(lr.InputError, match="there is no parameter 'temp'; there are temperature, density"):
        fit.log_prior({**values, "temp": 3})


# ---- recovery ----


def test_errors_are_those_of_many_observations(cube):
    """Fits of 200 observations with independent noise, in the linear range of the model about the true values: with J =
    dm/dp, dp = (J'J)^-1 J'(d - m), and errors^2 = s^2 n_c (J'J)^-1. The scatter of the results about the true values is
    no larger than the errors, since n_c is correct for residuals wider than the beam and conservative for narrower
    ones."""
    noise, step = float(cube.data.value.max()) / 40, np.array([0.2, 0.02, 0.005, 0.01])
    clean = Observation(cube, noise)
    fit = Fit(observed.sphere, clean, PRIORS)
    slopes = []
    for i, h in enumerate(step):
        up, down = np.array(TRUTH, dtype=float), np.array(TRUTH, dtype=float)
        up[i] += h
        down[i] -= h
        slopes.append((fit.model_cube(up).data - fit.model_cube(down).data).value.ravel() / (2 * h))
    slopes = np.array(slopes).T
    inverse = np.linalg.inv(slopes.T @ slopes)
    error = np.sqrt(noise**2 * clean.correlated * np.diag(inverse))
    bias = inverse @ slopes.T @ (clean.data - fit.model_cube(TRUTH).data.value).ravel()
    assert np.abs(bias).max() < 0.2 * error.max() and (np.abs(bias) < 0.2 * error).all()
    pulls = []
    for seed in range(200):
        sky = noise * observed.beam_noise(cube.shape, cube.pixel[0], cube.beam, 1000 + seed)
        pulls.append(inverse @ slopes.T @ sky.ravel() / error)
    spread = np.std(pulls, axis=0)
    assert (spread < 1 + 3.5 / math.sqrt(2 * 200)).all() and (spread > 0.5).all(), spread
    assert np.abs(np.mean(pulls, axis=0)).max() < 3.5 / math.sqrt(200)


@pytest.mark.parametrize("seed", [21, 22])
def test_a_chain_finds_what_was_put_in(cube, seed):
    """Injected parameters are within 3 standard deviations of the posterior, whose width is that of the errors."""
    emcee = pytest.importorskip("emcee")
    fit = Fit(observed.sphere, noisy(cube, seed), PRIORS)
    best, covariance = fit.maximum([17, -1.5, 0.2, 5.1])
    error = np.sqrt(np.diag(covariance))
    assert (np.abs(best - TRUTH) < 3 * error).all()
    np.random.seed(seed)
    sampler = emcee.EnsembleSampler(10, 4, fit.log_probability)
    sampler.run_mcmc(fit.start(10, best, covariance, seed=seed), 70)
    chain = sampler.get_chain(discard=10, flat=True)
    pulls = (chain.mean(axis=0) - TRUTH) / chain.std(axis=0)
    assert 0.05 < np.abs(pulls).max() < 3, pulls
    assert chain.std(axis=0) == pytest.approx(error, rel=0.5)
    # far narrower than the prior, so it was the data that constrained it
    before = np.array([17 / math.sqrt(12), 1.1 / math.sqrt(12), 0.1, 0.2])
    assert (chain.std(axis=0) < 0.1 * before).all()
    assert fit.counts["passes"] > 300


def test_what_the_model_does_not_depend_on_is_named(observation):
    fit = Fit(lambda density, colour: observed.sphere(density=density), observation,
              {"density": (-2.3, -1.2), "colour": (0, 1)})  # fmt: skip
    with pytest.raises(lr.InputError, match="colour: the model does not depend on it"):
        fit.maximum([-1.6, 0.5])
    with pytest.raises(lr.InputError, match="prior"):
        fit.maximum([-1.6, 2])


# ---- the maximum ----


class Line:
    """What maximum.find needs from a fit: a Gaussian line of known depth, width and position, p = (height,
    position)."""

    names = ["height", "place"]
    prior_widths = np.array([1.0, 1.0])

    def __init__(self, high=20.0):
        self.x, self.high, self.evaluated = np.linspace(-10, 10, 81), high, 0
        mask = np.ones(81, dtype=bool)
        self.observation = types.SimpleNamespace(
            mask=mask, noise=np.full(81, 0.02), correlated=1.0, data=self.shape([1.0, 1.0])
        )

    def shape(self, theta):
        return theta[0] * np.exp(-0.5 * (self.x - theta[1]) ** 2)

    def _numbers(self, theta):
        return np.array(theta, dtype=float)

    def log_prior(self, theta):
        return 0.0 if 0 < theta[0] < 5 and abs(theta[1]) < self.high else -math.inf

    def _evaluate(self, theta):
        self.evaluated += 1
        return self.shape(theta), None

    def maximum(self, guess, step=0.02, tolerance=0.05, iterations=30):
        return maximum.find(self, guess, step, tolerance, iterations)


def test_the_maximum_is_found_without_a_warning():
    """Errors of height and position of a Gaussian of width 1 in pixels of 1/4: SUM g^2 = 4 sqrt(pi), SUM (dg/dp)^2 half
    of that."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best, covariance = Line().maximum([2.0, 2.2])
    error = 0.02 / np.sqrt(4 * math.sqrt(math.pi) * np.array([1, 0.5]))
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), error, rtol=2e-3)
    assert (np.abs(best - 1) < 0.05 * error).all()


@pytest.mark.parametrize(
    "line, guess, options, words",
    [
        (Line(), [1.0, 8.5], {}, "constrain place less than the prior"),  # where the line is not
        (Line(), [2.0, 2.2], {"iterations": 1}, "not found in 1 iteration;"),
        (Line(), [2.0, 2.2], {"iterations": 2}, "not found in 2 iterations;"),
        (Line(high=0.5), [1.0, 0.2], {}, "outside the prior"),
    ],
)
def test_what_is_not_the_maximum_is_told(line, guess, options, words):
    with pytest.warns(lr.LineradWarning, match=words) as told:
        best, _ = line.maximum(guess, **options)
    assert len(told) == 1
    assert abs(best[1] - 1) > 0.01 or abs(best[0] - 1) > 0.01
    assert math.isfinite(line.log_prior(best)) and line.evaluated < 250


@pytest.mark.parametrize(
    "options, words",
    [
        ({"iterations": 0}, "iterations: expected a whole number, 1 or more, found 0"),
        ({"iterations": 2.5}, "iterations"),
        ({"step": 0}, "step: expected a number above zero"),
        ({"step": 30}, "step: the prior of height allows no step of 30"),
        ({"tolerance": math.nan}, "tolerance"),
        ({"tolerance": "small"}, "tolerance"),
    ],
)
def test_bad_arguments_of_the_maximum_are_named(options, words):
    with pytest.raises(lr.InputError, match=words):
        Line().maximum([1, 1], **options)


def test_a_fit_tells_that_it_is_not_at_the_maximum(fit):
    """After too few steps, and from a guess whose line misses the observed one: steps lead out of the prior."""
    with pytest.warns(lr.LineradWarning, match="not found in 1 iteration") as told:
        fit.maximum([20, -1.5, 0.2, 5.1], iterations=1)
    assert told[0].filename == __file__
    with pytest.warns(lr.LineradWarning, match="standard deviations away, outside the prior") as told:
        best, _ = fit.maximum([17, -1.5, 0.2, 3.5])
    assert abs(best[3] - TRUTH[3]) > 1
    assert told[0].filename == __file__
