"""Images of spherical shells: light created by the gas, against closed forms and against the transfer equation solved
here along lines of sight. Nothing is random.

Pixels average the intensity I(p) over their area. Tolerances are relative to the largest value; they cover the finite
widths of the shells and of the rings that represent I(p), which are finer than a pixel.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, assert_close
from imaging import KM, LIGHT_SPEED, PLANCK, cube, hjerting, planck

MODEL = Path(__file__).with_name("image.yaml")
NU0 = 115.2712018e9  # Hz; co10 of the program
THICK = {"medium.opacity": "1e4 1/pc"}


def image_of(linerad, settings, fields=None, precision=None):
    return cube(linerad.run(MODEL, settings, packets=0, fields=fields, precision=precision), "far")


def over_pixels(image, function, points=40):
    """Means over pixels of a function of p, in pc, by sampling."""
    at = (np.arange(points) + 0.5) / points

    def samples(edges):
        return (edges[:-1, None] + np.diff(edges)[:, None] * at).ravel() / PARSEC_CM

    x, y = np.meshgrid(samples(image.x_edges), samples(image.y_edges))
    n_y, n_x = image.intensity.shape[1:]
    return function(np.hypot(x, y)).reshape(n_y, points, n_x, points).mean(axis=(1, 3))


def chord(radius, p):
    return 2 * np.sqrt(np.maximum(radius**2 - p**2, 0))


def assert_same(name, value, expected, tolerance):
    error = np.max(np.abs(value - expected)) / np.max(np.abs(expected))
    print(f"  {name}: largest difference {error:.1e} of the peak, {tolerance:.0e} allowed")
    assert error <= tolerance, name


def luminosity(run):
    """Photons/s of the whole image, over all directions."""
    return 4 * np.pi * np.sum(cube(run, "far").spectrum)


# ---- Brightness -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("mesh", ["{shells: 16, outer: 1 pc}", "{shells: 1, outer: 1 pc}",
                                  "{shells: 12, inner: 0.3 pc, outer: 1 pc}"])
def test_thin_shells_show_their_chords(linerad, mesh, precision):
    """I = j (chord of the sphere - chord of the cavity), and tau is the same with alpha instead of j."""
    settings = {"mesh": mesh, "channels": "{number: 1, range: [-0.0001 km/s, 0.0001 km/s], samples: 1}",
                "image.optical_depth": True}
    run = linerad.run(MODEL, settings, packets=0, precision=precision)
    image = cube(run, "far")
    inner = 0.3 if "inner" in mesh else 0
    expected = 1e-9 * over_pixels(image, lambda p: chord(1, p) - chord(inner, p))
    assert_same("tau", run.data("images/far/optical_depth")[0], expected, 4e-3)
    assert_same("I", image.intensity[0], expected * planck(NU0, 20), 4e-3)


@pytest.mark.parametrize("inner", [0, 0.5])
def test_rough_shells_show_all_their_light(linerad, inner):
    """Shells whose S is random over several orders of magnitude, with the steepest slopes that keep it positive: thin
    ones show what they create, and thick ones are nowhere negative."""
    density = np.exp(2 * np.random.default_rng(2).standard_normal(16))
    settings = {"mesh.inner": f"{inner} pc",
                "sources": [{"volume": {"emissivity": {"file": "gas.h5", "dataset": "density"}}, "spectrum": "local",
                             "luminosity": "1e50 photon/s"}]}
    fields = {"gas.h5": {"density": (density, "g/cm3")}}
    thin = linerad.run(MODEL, settings, packets=0, precision="double", fields=fields)
    assert_close("light", luminosity(thin), 1e50, 5e-5)
    for opacity in (3, 30, 300):
        image = image_of(linerad, settings | {"medium.opacity": f"{opacity} 1/pc"}, fields)
        assert np.min(image.intensity) >= 0


def test_thick_isothermal_sphere_is_a_disc(linerad):
    """I = B inside, zero outside, and in the pixels between the fraction of their area inside the disc."""
    image = image_of(linerad, THICK | {"channels": "{number: 1, range: [-0.1 km/s, 0.1 km/s]}"})
    disc = over_pixels(image, lambda p: (p < 1).astype(float), points=400)
    assert_same("disc", image.intensity[0] / planck(NU0, 20), disc, 2e-3)
    area = np.sum(image.intensity[0], dtype=float) / planck(NU0, 20) * image.pixel_area
    assert_close("area", area, np.pi * PARSEC_CM**2, 1e-4)


def test_off_centre_and_turned_cameras_see_the_same(linerad):
    """The sphere looks the same from everywhere, and its position in the image follows the camera."""
    straight = image_of(linerad, {"cameras": [{"name": "far", "direction": "+z", "pixels": 24, "field": "3 pc"}]})
    turned = image_of(linerad, {"cameras": [{"name": "far", "direction": [1, 2, -0.5], "roll": "20 deg", "pixels": 24,
                                             "field": "3 pc"}]})
    assert np.allclose(straight.intensity, turned.intensity, rtol=1e-4, atol=1e-6 * straight.intensity.max())
    aside = image_of(linerad, {"cameras": [{"name": "far", "direction": "+z", "pixels": 24, "field": "3 pc",
                                            "centre": ["0.25 pc", "0 pc", "0 pc"]}]})
    assert np.allclose(np.roll(straight.intensity, -2, axis=2)[..., 2:-2], aside.intensity[..., 2:-2], rtol=1e-4,
                       atol=1e-6 * straight.intensity.max())


def test_background_shines_through(linerad):
    """B(T_sky) beside the sphere; a sphere as hot as the sky is invisible."""
    image = image_of(linerad, THICK | {"image.background": "20 K"})
    assert_same("as hot as the sky", image.intensity, np.full_like(image.intensity, planck(NU0, 20)), 2e-5)
    image = image_of(linerad, {"image.background": "cmb"})
    assert_same("thin", image.intensity, np.full_like(image.intensity, planck(NU0, 2.725)), 1e-4)


@pytest.mark.parametrize("inner", [0, 0.5])
def test_central_star_is_dimmed_by_the_gas_in_front(linerad, inner):
    """A point of L photons at the centre: L exp(-tau H) in one pixel, the mean over each channel."""
    settings = {"mesh.inner": f"{inner} pc", "cameras.0.pixels": 25,
                "medium": {"b": "1 km/s", "damping": 0, "tau_centre": 2, "destruction": 1},
                "sources": [{"point": {"position": ["0 pc"] * 3}, "spectrum": {"band": {"from": "-3 km/s", "to": "3 km/s"}},
                             "luminosity": "1e50 photon/s"}],
                "channels": "{number: 60, range: [-3 km/s, 3 km/s], samples: 1}"}
    image = image_of(linerad, settings)
    velocity = image.edges[:-1, None] + image.width * (np.arange(200) + 0.5) / 200
    expected = 1e50 * np.exp(-2 * hjerting(0, velocity / KM)).mean(axis=1) / (4 * np.pi * 6 * KM)
    assert_same("star", image.photons[:, 12, 12] * image.pixel_area, expected, 1e-5)
    assert np.sum(image.photons) == pytest.approx(np.sum(image.photons[:, 12, 12]))


# ---- Light is kept --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("velocity", [0, 2.5])
@pytest.mark.parametrize("pixels", [1, 2, 7, 64])
@pytest.mark.parametrize("mesh", ["{shells: 200, inner: 1e15 cm, outer: 7.8e18 cm, spacing: log}",
                                  "{shells: 5, outer: 7.8e18 cm}"])
def test_thin_gas_shows_all_its_light(linerad, mesh, pixels, velocity):
    """However large the pixels, the light of shells over four decades in radius, most of it from the inner ones, is L /
    (4 pi d^2) in total."""
    n = 200 if "200" in mesh else 5
    edges = np.geomspace(1e15, 7.8e18, n + 1) if n == 200 else np.linspace(0, 7.8e18, n + 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    settings = {"mesh": mesh, "medium.velocity": f"{velocity} km/s", "cameras.0.pixels": pixels,
                "medium.opacity": "1e-9 1/pc",
                "sources": [{"volume": {"emissivity": {"file": "gas.h5", "dataset": "e"}}, "spectrum": "local",
                             "luminosity": "1e40 photon/s"}],
                "channels": "{number: 100, range: [-7 km/s, 7 km/s]}"}
    run = linerad.run(MODEL, settings, packets=0, fields={"gas.h5": {"e": ((middle / 1e15) ** -2.5, None)}})
    assert_close(f"{pixels} pixels", luminosity(run), 1e40, 1e-5 if n == 200 else 1e-3)


# ---- Motion ---------------------------------------------------------------------------------------------------------


def mean_over_channels(edges, function, points=200):
    at = (np.arange(points) + 0.5) / points
    return np.array([np.mean(function(low + (high - low) * at)) for low, high in zip(edges[:-1], edges[1:])])


def smeared(density, velocities, b, reach):
    """A distribution of radio velocities, convolved with a Gaussian of Doppler parameter b."""
    u = np.linspace(-reach, reach, 40001)
    weight = density(u) * (u[1] - u[0])
    return np.array([np.sum(weight * np.exp(-((v - u) / b) ** 2)) for v in velocities]) / (np.sqrt(np.pi) * b)


@pytest.mark.parametrize("velocity", [3.0, -3.0])
@pytest.mark.parametrize("shells", [1, 8])
def test_expanding_shell_has_a_flat_top(linerad, shells, velocity):
    """Thin gas at one speed: all velocities between -v and v are equally likely, L / (2 v) per velocity, smeared by
    b."""
    b = 0.1
    settings = {"mesh": f"{{shells: {shells}, inner: 0.8 pc, outer: 1 pc}}", "medium.velocity": f"{velocity} km/s",
                "medium.b": f"{b} km/s", "channels": "{number: 160, range: [-4 km/s, 4 km/s]}"}
    run = linerad.run(MODEL, settings, packets=0)
    image = cube(run, "far")
    expected = mean_over_channels(image.edges / KM, lambda v: smeared(lambda u: (np.abs(u) < 3) / 6, v, b, 3.5), 4)
    assert_same("line", image.spectrum / image.width * 4 * np.pi, luminosity(run) * expected / KM, 2e-3)
    assert_close("all of it", luminosity(run), run.summary["emitted"], 1e-3)


def test_homologous_sphere_has_a_parabolic_line(linerad):
    """v = v1 r / R: gas of one velocity toward the observer is a slice of the sphere, (1 - v^2 / v1^2) 3 / (4 v1). The
    velocity is linear inside shells, so that 10 of them make a smooth line of b = v1 / 60."""
    b, n = 0.05, 10
    speed = 3 * (np.arange(n) + 0.5) / n
    settings = {"mesh.shells": n, "medium.velocity": {"file": "gas.h5", "dataset": "v"}, "medium.b": f"{b} km/s",
                "channels": "{number: 160, range: [-4 km/s, 4 km/s]}"}
    fields = {"gas.h5": {"v": (speed, "km/s")}}
    run = linerad.run(MODEL, settings, packets=0, fields=fields)
    image = cube(run, "far")
    slices = lambda u: np.maximum(1 - (u / 3) ** 2, 0) / 4
    expected = mean_over_channels(image.edges / KM, lambda v: smeared(slices, v, b, 3.5), 4)
    spectrum = image.spectrum / image.width * 4 * np.pi / luminosity(run) * KM
    assert_same("line", spectrum, expected, 1e-3)
    steps = image_of(linerad, settings | {"image.subcell": False}, fields=fields)
    rough = steps.spectrum / steps.width / np.sum(steps.spectrum) * KM
    print(f"  without subcell the largest difference is {np.max(np.abs(rough - expected)) / np.max(expected):.3f}")
    assert np.max(np.abs(rough - expected)) > 0.03 * np.max(expected)  # that is what it is for


def test_approaching_gas_is_blue(linerad):
    """A thick outflow shows its near side, which approaches: negative radio velocities."""
    settings = {"medium.opacity": "5 1/pc", "sources.0.thermal.temperature": {"file": "gas.h5", "dataset": "t"},
                "medium.velocity": "1.5 km/s", "channels": "{number: 80, range: [-5 km/s, 5 km/s]}"}
    hot_inside = np.linspace(40, 5, 16)
    image = image_of(linerad, settings, fields={"gas.h5": {"t": (hot_inside, "K")}})
    # Cool gas in front of hot gas absorbs at the velocities at which it approaches.
    red, blue = image.spectrum[image.velocity > 0].sum(), image.spectrum[image.velocity < 0].sum()
    assert red > 1.2 * blue
    mirrored = image_of(linerad, settings | {"medium.velocity": "-1.5 km/s"},
                        fields={"gas.h5": {"t": (hot_inside, "K")}})
    assert np.allclose(mirrored.spectrum, image.spectrum[::-1], rtol=1e-3)


# ---- The transfer equation along lines of sight ---------------------------------------------------------------------


def line_of_sight(p, shift, opacity, source, speed, b=1.0, n=4000):
    """I at impact parameters p (radius 1) and one shift (blue positive), by small flat steps."""
    half = np.sqrt(np.maximum(1 - p * p, 0))[:, None]
    z = half * ((np.arange(n) + 0.5) / n * 2 - 1)
    r = np.hypot(p[:, None], z)
    step = 2 * half / n
    tau = opacity(r) * hjerting(0, (shift - speed(r) * z / r) / b) * step
    behind = np.cumsum(tau[:, ::-1], axis=1)[:, ::-1] - tau  # between the step and the observer
    return np.sum(source(r) * -np.expm1(-tau) * np.exp(-behind), axis=1)


@pytest.mark.parametrize("dust", [0.0, 0.4])
def test_collapsing_core(linerad, dust):
    """An infalling core whose excitation decreases outward, up to 30 deep: the asymmetric line of a collapse, 64
    shells. 1.5 % of the peak covers shells of constant opacity. Also with grey absorption."""
    n = 64
    r = (np.arange(n) + 0.5) / n
    opacity = lambda q: 10 / (0.1 + q)
    speed = lambda q: -1.2 * (1 - 0.5 * q)
    temperature = lambda q: 30 - 25 * q
    fields = {"gas.h5": {"t": (temperature(r), "K"), "v": (speed(r), "km/s"), "o": (opacity(r), "1/pc")}}
    settings = {"mesh.shells": n, "medium.opacity": {"file": "gas.h5", "dataset": "o"},
                "medium.velocity": {"file": "gas.h5", "dataset": "v"}, "medium.absorption": f"{dust} 1/pc",
                "sources.0.thermal.temperature": {"file": "gas.h5", "dataset": "t"},
                "channels": "{number: 24, range: [-3.6 km/s, 3.6 km/s], samples: 1}", "cameras.0.pixels": 15}
    image = image_of(linerad, settings, fields=fields)
    grid = np.linspace(0, 1, 120)
    for channel in (4, 8, 11, 12, 15, 19):
        shift = -image.velocity[channel] / KM
        if dust:
            values = dusty_line(grid, shift, opacity, lambda q: planck(NU0, temperature(q)), speed, dust)
        else:
            values = line_of_sight(grid, shift, opacity, lambda q: planck(NU0, temperature(q)), speed)
        expected = over_pixels(image, lambda p: np.interp(p, grid, values, right=0.0), points=16)
        assert_same(f"channel {channel}", image.intensity[channel], expected, 0.015)


def dusty_line(p, shift, opacity, source, speed, dust):
    """The same with grey absorption, which emits nothing."""
    n = 4000
    half = np.sqrt(np.maximum(1 - p * p, 0))[:, None]
    z = half * ((np.arange(n) + 0.5) / n * 2 - 1)
    r = np.hypot(p[:, None], z)
    line = opacity(r) * hjerting(0, shift - speed(r) * z / r) * 2 * half / n
    tau = line + dust * 2 * half / n
    behind = np.cumsum(tau[:, ::-1], axis=1)[:, ::-1] - tau
    return np.sum(source(r) * line / np.maximum(tau, 1e-300) * -np.expm1(-tau) * np.exp(-behind), axis=1)
