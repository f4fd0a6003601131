"""Images of thin gas contain the light that it creates, however the source function changes inside cells and from cell
to cell, and on any mesh.

No packets and no scattering: light is created in proportion to the density, the opacity is the same everywhere, and so
S follows the density. Directions are the 48 pixel centres of HEALPix with N_side = 2. A cell emits q V toward each of
them as long as its S is linear with its mean at the centre, so that the sum of all images is the luminosity. The
remaining error is that of rays, which are a third of a cell apart: the number that cross a cell is an integer. In views
perpendicular to an axis the edges of the cube fall between rays.

Dust so faint that it absorbs 1e-12 must change nothing, though gas with dust is traced at all frequencies and not only
near its line.
"""

from pathlib import Path

import numpy as np
import pytest

from bricks import bricks
from harness import PARSEC_CM, assert_close
from imaging import cube, healpix_centres

MODEL = Path(__file__).with_name("model.yaml")
LUMINOSITY = 1e50
DIRECTIONS = healpix_centres(2)
FAINT_DUST = {"medium.absorption": "1e-12 1/pc"}


def uniform_mesh(linerad):
    c = (np.arange(12) + 0.5) / 6 - 1
    return {}, np.stack(np.meshgrid(c, c, c, indexing="ij"))


def refined_mesh(linerad):
    """Cells of three sizes next to each other."""
    random = np.random.default_rng(7)
    spheres = [{"sphere": {"centre": [f"{x:.3f} pc" for x in random.uniform(-1, 1, 3)], "radius": "0.2 pc"},
                "levels": int(level)} for level in random.integers(1, 3, 8)]
    mesh = {"mesh": {"cells": [6, 6, 6], "size": ["2 pc"] * 3, "brick": 1, "refine": spheres}}
    run = linerad.run(MODEL, mesh | {"medium.velocity": ["0 km/s"] * 3, "sources.0.volume": {}}, packets=0)
    return mesh, np.moveaxis(bricks(run.path).centres(), -1, 0) / PARSEC_CM


MESHES = {"uniform": uniform_mesh, "refined": refined_mesh}


def light_from_all_sides(linerad, kind, gas, motion, settings, directions=DIRECTIONS):
    """L(n) 4 pi from each direction, over the luminosity."""
    mesh, (x, y, z) = MESHES[kind](linerad)
    random = np.random.default_rng(11)
    density = np.exp(random.standard_normal(x.shape)) if gas == "rough" else np.exp(-3 * (x**2 + (y - 0.4 * z) ** 2))
    velocity = np.stack([x - y, x + z, 2 * z + np.sin(3 * x)]) * (motion == "moving")
    cameras = [{"name": f"n{i}", "direction": [float(c) for c in n], "pixels": 24, "field": "4 pc", "rays": 3}
               for i, n in enumerate(directions)]
    run = linerad.run(MODEL, mesh | {"cameras": cameras} | settings, packets=0,
                      fields={"gas.h5": {"velocity": (velocity, "km/s"), "density": (density, "g/cm3")}})
    return np.array([4 * np.pi * cube(run, f"n{i}").spectrum.sum() for i in range(len(directions))]) / LUMINOSITY


def assert_same_sides(light, dusty):
    """From each side."""
    difference = np.max(np.abs(dusty / light - 1))
    print(f"  single sides {light.min():.4f} to {light.max():.4f}, with dust off by {difference:.1e} at most")
    assert difference < 1e-3


@pytest.mark.parametrize("motion", ["static", "moving"])
@pytest.mark.parametrize("gas", ["smooth", "rough"])
@pytest.mark.parametrize("kind", ["uniform", "refined"])
def test_images_hold_the_created_light(linerad, kind, gas, motion):
    light = light_from_all_sides(linerad, kind, gas, motion, {})
    dusty = light_from_all_sides(linerad, kind, gas, motion, FAINT_DUST)
    assert_close("images over created light", light.mean(), 1, 0.003)
    assert_close("the same with dust", dusty.mean(), 1, 0.003)
    assert_same_sides(light, dusty)


@pytest.mark.parametrize("opacity", [0.3, 3])
@pytest.mark.parametrize("gas", ["smooth", "rough"])
@pytest.mark.parametrize("kind", ["uniform", "refined"])
def test_faint_dust_changes_nothing(linerad, kind, gas, opacity):
    """If cells are not thin, slopes change what is seen: the images must be the same with and without dust."""
    settings = {"medium.opacity": f"{opacity} 1/pc"}
    sides = DIRECTIONS[::6]
    light = light_from_all_sides(linerad, kind, gas, "moving", settings, sides)
    assert_same_sides(light, light_from_all_sides(linerad, kind, gas, "moving", settings | FAINT_DUST, sides))
