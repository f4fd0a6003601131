"""Images of light that is not scattered: closed forms of the transfer equation, of sources, and of cameras.

Nothing here is random (no packets). Tolerances are those of the Voigt profile, 2e-5 times the depth, and of single
precision, unless a test says otherwise.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, assert_agrees, weighted_mean
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK, cube, hjerting, length, planck

MODEL = Path(__file__).with_name("model.yaml")
NU0 = 115.2712018e9  # Hz; co10 of the program
A, B = 0.01, KM
ROUNDING = 5e-5
HC = PLANCK * LIGHT_SPEED


def image_of(linerad, settings, camera="top", fields=None, precision=None):
    return cube(linerad.run(MODEL, settings, packets=0, fields=fields, precision=precision), camera)


def profile(velocities, speed=0.0):
    """H of gas that moves toward the observer."""
    return hjerting(A, (-velocities - speed) / B)


def mean_over_channels(edges, function, points=400):
    """Averages of a function of velocity over channels."""
    fractions = (np.arange(points) + 0.5) / points
    return np.array([np.mean(function(low + (high - low) * fractions)) for low, high in zip(edges[:-1], edges[1:])])


def assert_same(name, value, expected, tolerance=ROUNDING):
    """Everywhere, relative to the largest expected value."""
    error = np.max(np.abs(value - expected)) / np.max(np.abs(expected))
    print(f"  {name}: largest difference {error:.1e} of the peak, {tolerance:.0e} allowed")
    assert error <= tolerance, name


def temperature_of(source):
    """The temperature whose B_nu at the line is `source`."""
    return PLANCK * NU0 / BOLTZMANN / np.log1p(2 * PLANCK * NU0**3 / LIGHT_SPEED**2 / source)


# ---- The transfer equation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("opacity", [1e-9, 1e-6, 1e-3, 0.3, 40])
def test_uniform_slab(linerad, opacity, precision):
    """I = B (1 - exp(-tau H)), from thin to thick, and the optical depth itself."""
    run = linerad.run(MODEL, {"medium.opacity": f"{opacity} 1/pc", "image.optical_depth": True}, packets=0,
                      precision=precision)
    image = cube(run, "top")
    depth = 2 * opacity * profile(image.velocity)[:, None, None]
    assert_same(f"opacity {opacity}", image.intensity, np.broadcast_to(-np.expm1(-depth), image.intensity.shape)
                * planck(NU0, 20))
    assert_same("optical depth", run.data("images/top/optical_depth"), np.broadcast_to(depth, image.intensity.shape))


@pytest.mark.parametrize("mu", [1.0, 0.6])
@pytest.mark.parametrize("cell_depth", [0.5, 4.0])
def test_grey_atmosphere_shows_depth_mu(linerad, cell_depth, mu):
    """Eddington and Barbier: S = tau + 2/3 has the brightness mu + 2/3, here 5/3 and 1.27, even if the outermost cell
    is thick: with `subcell` S is linear in a cell, and the result exact. At line centre; the sheet is wide and
    periodic, so that rays cross none of its sides."""
    n = 16
    middle = (np.arange(n)[::-1] + 0.5) * cell_depth  # below the upper surface
    unit = planck(NU0, 10)
    temperature = temperature_of(unit * (middle + 2 / 3)).reshape(1, 1, n)
    settings = {"mesh": {"cells": [1, 1, n], "size": ["100 pc", "100 pc", "1 pc"],
                         "faces": {"x": "periodic", "y": "periodic"}},
                "medium": {"b": "1 km/s", "damping": 0, "opacity": f"{n * cell_depth} 1/pc", "destruction": 1},
                "sources.0.thermal.temperature": "{file: gas.h5, dataset: temperature}",
                "channels": "{number: 1, range: [-0.0001 km/s, 0.0001 km/s], samples: 1}",
                "cameras": [{"name": "top", "direction": [float(np.sqrt(1 - mu**2)), 0.0, mu], "field": "1 pc",
                             "pixels": 1, "rays": 1}]}
    fields = {"gas.h5": {"temperature": (temperature, "K")}}
    image = image_of(linerad, settings, fields=fields)
    # Below the last cell there is nothing: exp(-tau) of the deepest S is missing.
    missing = np.exp(-n * cell_depth / mu) * (n * cell_depth + 2 / 3 + mu)
    assert_same(f"cells of depth {cell_depth}, mu {mu}", image.intensity[0, 0, 0] / unit, mu + 2 / 3 - missing, 1e-4)
    flat = image_of(linerad, settings | {"image.subcell": False}, fields=fields).intensity[0, 0, 0] / unit
    print(f"  without subcell {flat:.4f} instead of {mu + 2 / 3:.4f}")
    assert (flat - mu - 2 / 3 + missing) * cell_depth > 0.01  # that is what it is for


@pytest.mark.parametrize("subcell", [True, False])
@pytest.mark.parametrize("velocity", [0.0, 1.5, -7.0])
def test_cloud_in_the_void_keeps_its_velocity(linerad, velocity, subcell):
    """A moving sheet in the middle of an empty mesh. Empty cells have no velocity, whatever the model says there."""
    settings = {"medium.opacity": {"default": "0 1/pc", "regions": [
                    {"slab": {"axis": "z", "from": "-0.25 pc", "to": "0.25 pc"}, "value": "4 1/pc"}]},
                "medium.velocity": ["0 km/s", "0 km/s", {"default": "0 km/s", "regions": [
                    {"slab": {"axis": "z", "from": "-0.25 pc", "to": "0.25 pc"}, "value": f"{velocity} km/s"}]}],
                "channels": "{number: 64, range: [-10 km/s, 10 km/s], samples: 1}", "image.subcell": subcell}
    image = image_of(linerad, settings)
    expected = -np.expm1(-2 * profile(image.velocity, velocity * KM)) * planck(NU0, 20)
    assert_same(f"v = {velocity}, subcell {subcell}", image.intensity[:, 0, 0], expected)


@pytest.mark.parametrize("width", [0.05, 0.25, 1.0, 4.0])
def test_channels_are_averages(linerad, width):
    """`samples: auto` averages a line of depth 1 over channels up to 4 b wide to 0.5 % of the peak."""
    settings = {"channels": {"number": 12, "range": [f"{-6.3 * width} km/s", f"{5.7 * width} km/s"]},
                "medium.opacity": "0.5 1/pc"}
    image = image_of(linerad, settings)
    expected = mean_over_channels(image.edges, lambda v: -np.expm1(-profile(v))) * planck(NU0, 20)
    assert_same(f"channels of {width} b", image.intensity[:, 0, 0], expected, 5e-3)


# ---- Sky ------------------------------------------------------------------------------------------------------------


def test_background_shines_through(linerad):
    """I = B(T_sky) exp(-tau) + B(T) (1 - exp(-tau)), B(T_sky) beside the mesh; minus B(T_sky) if it is subtracted."""
    settings = {"image.background": "cmb", "cameras.0.field": "4 pc", "cameras.0.pixels": 8}
    image = image_of(linerad, settings)
    dark = np.exp(-2 * profile(image.velocity))[:, None, None]
    inside = np.zeros((8, 8), bool)
    inside[2:6, 2:6] = True
    sky = planck(NU0, 2.725)
    expected = np.where(inside, sky * dark + planck(NU0, 20) * (1 - dark), sky)
    assert_same("with cmb", image.intensity, expected)
    image = image_of(linerad, settings | {"image.subtract_background": True})
    assert_same("less cmb", image.intensity, expected - sky)
    image = image_of(linerad, settings | {"image.background": "20 K"})
    assert_same("sky as hot as the gas", image.intensity, np.full_like(image.intensity, planck(NU0, 20)))


def test_external_light_is_everywhere(linerad):
    """An external source of intensity I0, photons in a band: I0 / band per velocity through empty gas and beside it."""
    settings = {"sources": [{"external": {}, "spectrum": {"band": {"from": "-3 km/s", "to": "3 km/s"}},
                             "intensity": "1e3 photon/s/cm^2/sr"}],
                "medium": {"b": "1 km/s", "damping": A, "opacity": "0 1/pc"}, "cameras.0.field": "4 pc"}
    image = image_of(linerad, settings)
    share = mean_over_channels(image.edges, lambda v: (np.abs(v) < 3 * KM).astype(float))
    expected = 1e3 / (6 * KM) * HC * share[:, None, None]
    assert_same("external", image.intensity, np.broadcast_to(expected, image.intensity.shape))
    # Gas that only absorbs dims it.
    absorbing = settings | {"medium": {"b": "1 km/s", "damping": A, "opacity": "0.7 1/pc", "destruction": 1},
                            "cameras.0.field": "2 pc"}
    image = image_of(linerad, absorbing)
    expected = 1e3 / (6 * KM) * HC * share * np.exp(-1.4 * profile(image.velocity))
    assert_same("external through gas", image.intensity,
                np.broadcast_to(expected[:, None, None], image.intensity.shape))


# ---- Sources --------------------------------------------------------------------------------------------------------

LUMINOSITY = 1e50
BAND = {"band": {"from": "-4 km/s", "to": "4 km/s"}}
SHEET = {"b": "1 km/s", "damping": A, "velocity": ["0 km/s", "0 km/s", "1.3 km/s"],
         "opacity": {"default": "0 1/pc", "regions": [{"slab": {"axis": "z", "from": "0 pc", "to": "0.5 pc"},
                                                        "value": "2 1/pc"}]}}


@pytest.mark.parametrize("scattering", [True, False])
def test_point_source_behind_a_slab(linerad, scattering):
    """L / (4 pi) per steradian in one pixel, dimmed by exp(-tau) of the channel. Scattering also removes it."""
    settings = {"sources": [{"point": {"position": ["0.3 pc", "-0.1 pc", "-0.7 pc"]}, "spectrum": BAND,
                             "luminosity": f"{LUMINOSITY} photon/s"}],
                "medium": SHEET | {"destruction": int(not scattering)},
                "channels": "{number: 32, range: [-4 km/s, 4 km/s], samples: 4}", "cameras.0.pixels": 10}
    image = image_of(linerad, settings)
    strength = LUMINOSITY / (4 * np.pi * 8 * KM) * HC
    expected = np.zeros_like(image.intensity)
    transmission = mean_over_channels(image.edges, lambda v: np.exp(-profile(v, 1.3 * KM)))
    expected[:, 4, 6] = strength / image.pixel_area * transmission
    assert_same("point source", image.intensity, expected)
    settings["sources"][0]["point"]["position"][2] = "0.7 pc"  # in front of the slab
    image = image_of(linerad, settings)
    expected[:, 4, 6] = strength / image.pixel_area
    assert_same("in front", image.intensity, expected)


def test_point_source_that_moves_with_the_gas(linerad):
    """A monochromatic source in the frame of gas that approaches the observer is seen at the velocity of the gas."""
    settings = {"sources": [{"point": {"position": ["0 pc", "0 pc", "0.25 pc"]}, "luminosity": f"{LUMINOSITY} photon/s",
                             "spectrum": {"gaussian": {"centre": 0, "sigma": 0.5}, "frame": "gas"}}],
                "medium": SHEET | {"opacity": "0 1/pc"}}
    image = image_of(linerad, settings)
    spectrum = image.spectrum
    mean = np.sum(spectrum * image.velocity) / np.sum(spectrum)
    print(f"  mean velocity {mean / KM:.4f} km/s, flux over expected {np.sum(spectrum) / (LUMINOSITY / 4 / np.pi):.6f}")
    assert abs(mean / KM + 1.3) < 1e-4
    assert abs(np.sum(spectrum) / (LUMINOSITY / (4 * np.pi)) - 1) < 1e-5


@pytest.mark.parametrize("direction", [(0, 0, 1), (0.8, 0, 0.6), (0, 0.8, -0.6), (0.36, 0.48, -0.8)])
@pytest.mark.parametrize("emission", ["isotropic", "lambertian"])
def test_plane_source_at_an_angle(linerad, direction, emission):
    """An isotropic sheet has the brightness L / (4 pi A |mu|) on both sides, a Lambertian one L / (pi A) on one
    side."""
    mu = direction[2]
    plane = {"axis": "z", "at": "0 pc", "emission": emission}
    if emission == "lambertian":
        plane["direction"] = "+z"
    settings = {"mesh.faces": {"x": "periodic", "y": "periodic"}, "medium": SHEET | {"opacity": "0 1/pc"},
                "sources": [{"plane": plane, "spectrum": BAND, "luminosity": f"{LUMINOSITY} photon/s"}],
                "cameras": [{"name": "top", "direction": list(direction), "field": "1 pc", "pixels": 4}]}
    image = image_of(linerad, settings)
    area = (2 * PARSEC_CM) ** 2
    bright = LUMINOSITY / (np.pi * area) * (1 / (4 * abs(mu)) if emission == "isotropic" else mu > 0)
    expected = np.full_like(image.intensity, bright / (8 * KM) * HC)
    if bright > 0:
        assert_same(f"{emission}, mu {mu}", image.intensity, expected)
    else:
        assert np.all(image.intensity == 0)


def test_plane_source_in_a_slab(linerad):
    """From within the gas, half its depth is in front; a sheet that ends with the mesh is not seen beyond it."""
    settings = {"medium.opacity": "1.5 1/pc", "medium.destruction": 0, "cameras.0.field": "4 pc", "cameras.0.pixels": 8,
                "sources": [{"plane": {"axis": "z", "at": "0.4 pc"}, "spectrum": BAND,
                             "luminosity": f"{LUMINOSITY} photon/s"}]}
    image = image_of(linerad, settings)
    expected = np.zeros_like(image.intensity)
    expected[:, 2:6, 2:6] = (LUMINOSITY / (4 * np.pi * (2 * PARSEC_CM) ** 2 * 8 * KM) * HC
                             * np.exp(-1.5 * 0.6 * profile(image.velocity)))[:, None, None]
    assert_same("sheet", image.intensity, expected)


@pytest.mark.parametrize("spectrum", ["local", "gas", "mesh"])
def test_volume_source(linerad, spectrum):
    """Thin gas, uniform emission of L / (4 pi V) per steradian: with the profile of the gas, or with a given Gaussian
    in the frame of the gas or of the mesh. Channels are averages over them."""
    sigma = 0.6
    text = "local" if spectrum == "local" else {"gaussian": {"centre": 0, "sigma": sigma}, "frame": spectrum}
    settings = {"medium": {"b": "1 km/s", "damping": A, "opacity": "1e-9 1/pc", "velocity": SHEET["velocity"]},
                "sources": [{"volume": {}, "spectrum": text, "luminosity": f"{LUMINOSITY} photon/s"}],
                "channels": "{number: 32, range: [-5 km/s, 3 km/s], samples: 3}"}
    image = image_of(linerad, settings)
    column = LUMINOSITY / (4 * np.pi * (2 * PARSEC_CM) ** 2) * HC

    def density(v):
        if spectrum == "local":
            return profile(v, 1.3 * KM) / (np.sqrt(np.pi) * B)
        x = (-v - (1.3 * KM if spectrum == "gas" else 0)) / KM
        return np.exp(-0.5 * (x / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma * KM)

    expected = column * mean_over_channels(image.edges, density)
    assert_same(spectrum, image.intensity, np.broadcast_to(expected[:, None, None], image.intensity.shape))


# ---- Cameras --------------------------------------------------------------------------------------------------------


def clumpy_settings(cells=(6, 6, 6), **camera):
    """Cells with different values of everything, in a box of 2 pc."""
    rng = np.random.default_rng(11)
    fields = {"gas.h5": {"opacity": (rng.uniform(0, 2, cells), "1/pc"), "temperature": (rng.uniform(5, 40, cells), "K"),
                         "velocity": (rng.normal(0, 0.5, (3, *cells)), "km/s")}}
    settings = {"mesh.cells": list(cells), "channels": "{number: 16, range: [-3 km/s, 3 km/s], samples: 1}",
                "sources.0.thermal.temperature": "{file: gas.h5, dataset: temperature}",
                "cameras": [{"name": "top", **camera}]}
    settings |= {f"medium.{name}": f"{{file: gas.h5, dataset: {name}}}" for name in ("opacity", "velocity")}
    return settings, fields


@pytest.mark.parametrize("subcell", [True, False])
def test_far_observer_in_perspective(linerad, subcell):
    """From a distance of a million sizes the lines of sight are parallel: the same image as for a direction. This also
    requires that an image does not jump if a ray moves by a millionth of a cell, past the corner of another one."""
    direction = np.array([0.36, 0.48, 0.8])
    far = 1e6 * direction
    angle = 2 * np.arctan(0.5 * 2.4e-6)
    settings, fields = clumpy_settings(direction=direction.tolist(), field="2.4 pc", pixels=24, rays=2)
    settings["image.subcell"] = subcell
    near = settings | {"cameras": [{"name": "top", "position": [f"{x} pc" for x in far], "field": f"{angle:.17g} rad",
                                    "pixels": 24, "rays": 2}]}
    parallel = image_of(linerad, settings, fields=fields, precision="double").intensity
    perspective = image_of(linerad, near, fields=fields, precision="double").intensity
    error = np.abs(parallel - perspective) / parallel.max()
    print(f"  largest difference {error.max():.1e} of the peak")
    assert error.max() < 1e-4


def test_observer_inside_sees_what_is_in_front(linerad):
    """At z = 0.3 pc looking down through a depth of 1.3 pc, slanted away from the axis; nothing from above."""
    settings = {"mesh.cells": [1, 1, 7], "mesh.size": ["20 pc", "20 pc", "2 pc"], "medium.opacity": "0.5 1/pc",
                "cameras": [{"name": "top", "position": ["0 pc", "0 pc", "0.3 pc"], "centre": ["0 pc", "0 pc", "-1 pc"],
                             "field": "60 deg", "pixels": 12, "rays": 1}]}
    image = image_of(linerad, settings)
    t = (2 * np.arange(12) + 1 - 12) / 12 * np.tan(np.radians(30))
    slant = np.sqrt(1 + t[:, None] ** 2 + t[None, :] ** 2)
    expected = -np.expm1(-0.5 * 1.3 * slant * profile(image.velocity)[:, None, None]) * planck(NU0, 20)
    assert_same("inside", image.intensity, expected)
    # The same, facing up.
    settings["cameras"][0]["centre"][2] = "1 pc"
    image = image_of(linerad, settings)
    expected = -np.expm1(-0.5 * 0.7 * slant * profile(image.velocity)[:, None, None]) * planck(NU0, 20)
    assert_same("inside, facing up", image.intensity, expected)


def test_flux_of_a_point_source_near_by(linerad):
    """The sum of intensity x solid angle of its pixel is L / (4 pi d^2) wherever it is in the image."""
    for place in ((0, 0, 0), (0.8, -0.5, 0.3)):
        settings = {"medium": SHEET | {"opacity": "0 1/pc"},
                    "sources": [{"point": {"position": [f"{x} pc" for x in place]}, "spectrum": BAND,
                                 "luminosity": f"{LUMINOSITY} photon/s"}],
                    "cameras": [{"name": "top", "position": ["0 pc", "0 pc", "2 pc"], "field": "60 deg", "pixels": 40}]}
        image = image_of(linerad, settings)
        step = 2 * np.tan(np.radians(30)) / 40
        t = (np.arange(40) + 0.5 - 20) * step
        solid_angle = step**2 / (1 + t[:, None] ** 2 + t[None, :] ** 2) ** 1.5
        flux = np.sum(image.photons * solid_angle) * image.width
        distance = np.linalg.norm(np.array(place) - [0, 0, 2]) * PARSEC_CM
        row, column = np.unravel_index(np.argmax(image.intensity[0]), (40, 40))
        ratio = flux / (LUMINOSITY / (4 * np.pi * distance**2))
        print(f"  {place}: flux over expected {ratio:.4f}, pixel {column} {row}")
        assert column == int(np.floor(place[0] / (2 - place[2]) / step + 20))
        assert row == int(np.floor(place[1] / (2 - place[2]) / step + 20))
        # The solid angle of the pixel is taken at its centre here and at the source there.
        assert abs(ratio - 1) < 0.02


@pytest.mark.parametrize("direction", [(0.8, 0, 0.6), (-0.48, 0.64, 0.6), (0.36, 0.48, -0.8)])
def test_periodic_mesh_has_no_sides(linerad, direction):
    """Uniform gas, periodic in x and y: the depth is that of a sheet, 2 pc / |mu|, in every pixel, however far from the
    centre."""
    settings = {"mesh.faces": {"x": "periodic", "y": "periodic"}, "mesh.cells": [3, 5, 4], "medium.opacity": "0.3 1/pc",
                "cameras": [{"name": "top", "direction": list(direction), "field": "13 pc", "pixels": 9}]}
    image = image_of(linerad, settings)
    expected = -np.expm1(-0.6 / abs(direction[2]) * profile(image.velocity)) * planck(NU0, 20)
    assert_same(f"toward {direction}", image.intensity, np.broadcast_to(expected[:, None, None], image.intensity.shape))


def test_periodic_mesh_repeats(linerad):
    """A box of random cells that is periodic in x, seen from above, shows the same columns at x and x + 2 pc: those of
    the box without copies, except next to its faces, where S may be less steep because of its neighbours across
    them."""
    settings, fields = clumpy_settings(direction="+z", field=["6 pc", "2 pc"], pixels=[18, 6], rays=1)
    image = image_of(linerad, settings | {"mesh.faces": {"x": "periodic"}}, fields=fields).intensity
    once = image_of(linerad, settings, fields=fields).intensity
    assert_same("copies", image, np.tile(image[:, :, 6:12], 3), 1e-6)
    assert_same("inside", image[:, :, 7:11], once[:, :, 7:11], 1e-6)
    assert np.all(once[:, :, :6] == 0) and np.all(once[:, :, 12:] == 0)


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, 0.6, 0.8), (0.36, 0.48, 0.8)])
def test_flux_does_not_depend_on_pixels(linerad, direction):
    """One small bright cell. Rays are no farther apart than cells are wide, so between n and n + 1 rays cross it along
    each side of the image; the light of the whole image may be off by that, but not more, for pixels from half the cell
    to 16 times the cell. Averaged over positions of the cell inside its pixel it is correct."""
    n, cell = 16, 2 / 16
    bright = {"default": 0, "regions": [{"box": {"min": ["0 pc"] * 3, "max": [f"{cell} pc"] * 3}, "value": 1}]}
    settings = {"mesh.cells": [n, n, n], "medium": {"b": "1 km/s", "damping": A, "opacity": "0 1/pc"},
                "sources": [{"volume": {"emissivity": bright}, "spectrum": BAND,
                             "luminosity": f"{LUMINOSITY} photon/s"}],
                "channels": "{number: 1, range: [-4 km/s, 4 km/s], samples: 1}"}
    rng = np.random.default_rng(3)
    for pixels in (2, 5, 57):
        cameras = [{"name": f"p{i}", "direction": list(direction), "pixels": pixels, "field": "4 pc",
                    "centre": [f"{x:.9f} pc" for x in rng.uniform(-0.3, 0.3, 3)]} for i in range(32)]
        run = linerad.run(MODEL, settings | {"cameras": cameras}, packets=0)
        flux = np.array([cube(run, camera["name"]).spectrum.sum() for camera in cameras]) / (LUMINOSITY / (4 * np.pi))
        spacing = 4 / pixels / run.attribute("rays", "images/p0")
        off = np.max(np.abs(flux - 1))
        allowed = (1 + spacing / cell) ** 2 - 1
        print(f"  {pixels} pixels: {spacing / cell:.2f} cells between rays, flux off by up to {off:.3f}")
        assert spacing / cell < 1.001
        assert off < allowed + 1e-4
        if off > 1e-3:
            assert_agrees(f"mean flux, {pixels} pixels", weighted_mean(flux), 1.0)


# ---- Layers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subcell, tolerance", [(False, 2e-6), (True, 3e-4)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_layers_without_an_end(linerad, axis, subcell, tolerance):
    """One ray represents all pixels of layers of a single periodic cell. The same layers cut into 2 x 2 cells are
    traced pixel by pixel, and must look the same: moving layers of different opacity seen obliquely, with a plane and a
    point source among them. Slopes inside cells are sampled in other steps where a ray is cut more often."""
    n_layer = 12
    layer = np.linspace(-1, 1, n_layer)
    opacity, speed = (1.1 + np.sin(3 * layer)) / PARSEC_CM, 1.5 * KM * layer**3
    faces = {name: "open" if i == axis else "periodic" for i, name in enumerate("xyz")}
    direction = [0.3, 0.3, 0.3]
    direction[axis] = 0.9
    images = []
    for across in (1, 2):
        cells = [across] * 3
        cells[axis] = n_layer
        shape = [1, 1, 1]
        shape[axis] = n_layer
        velocity = np.zeros((3, *cells))
        for i in range(3):
            velocity[i] = speed.reshape(shape) * (1, -2, 0.5)[i]
        run = linerad.run(MODEL, {
            "mesh": {"cells": cells, "size": ["2 pc", "2 pc", "2 pc"], "faces": faces},
            "medium.opacity": {"file": "gas.h5", "dataset": "opacity"},
            "medium.velocity": {"file": "gas.h5", "dataset": "velocity"},
            "sources": [{"thermal": {"temperature": "20 K"}},
                        {"plane": {"axis": "xyz"[axis], "at": "-0.3 pc"}, "spectrum": {"gaussian": {"sigma": 2}},
                         "luminosity": "1e45 photon/s"},
                        {"point": {"position": ["0.1 pc", "-0.2 pc", "0.3 pc"]}, "spectrum": {"gaussian": {"sigma": 2}},
                         "luminosity": "1e44 photon/s"}],
            "cameras": [{"name": "slant", "direction": direction, "field": ["3 pc", "2 pc"], "pixels": [9, 6]}],
            "image.optical_depth": True, "image.subcell": subcell}, packets=0, precision="double",
            fields={"gas.h5": {"opacity": (np.broadcast_to(opacity.reshape(shape), cells), "1/cm"),
                               "velocity": (velocity, "cm/s")}})
        images.append((cube(run, "slant").intensity, run.data("images/slant/optical_depth").astype(float)))
    (light, depth), (light_2, depth_2) = images
    assert_same(f"light across {'xyz'[axis]}", light, light_2, tolerance)
    assert_same(f"depth across {'xyz'[axis]}", depth, depth_2, tolerance)
    alike = np.max(np.abs(depth - depth[:, :1, :1]), axis=(1, 2))
    assert np.all(alike == 0) and np.max(depth) > 0.5
    bright = light[len(light) // 2]
    assert np.sum(bright > 1.01 * np.median(bright)) == 1  # the point, in its own pixel alone
