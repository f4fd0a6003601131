"""Images of refined meshes, against the same gas on a uniform mesh of the smallest cells. Rays see no difference:
without slopes inside cells images are the same to rounding. Scattered light is stored per cell, and peel-off does not
depend on cells at all."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf

from bricks import bricks
from harness import PARSEC_CM, Measured, assert_agrees, assert_close
from imaging import KM, LIGHT_SPEED, PLANCK, cube, planck

MODEL = Path(__file__).with_name("model.yaml")
CENTRE = ["0 pc"] * 3
REGIONS = [{"sphere": {"centre": ["0.2 pc", "0.1 pc", "0 pc"], "radius": "0.3 pc"}, "levels": 2},
           {"slab": {"axis": "x", "from": "-0.9 pc", "to": "-0.6 pc"}, "levels": 1}]
MESH = {"cells": [8, 8, 8], "size": ["2 pc"] * 3}
LOOK = {"channels": {"number": 16, "range": ["-4 km/s", "4 km/s"]},
        "cameras": [{"name": "far", "direction": [1, 2, 3], "pixels": 32, "rays": 2},
                    {"name": "top", "direction": "+z", "pixels": 16, "rays": 2},
                    {"name": "near", "position": ["3 pc", "0.4 pc", "0.2 pc"], "pixels": 24, "rays": 2}]}


def thermal_gas(mesh, seed=5):
    """Fields with a different value in every cell."""
    random = np.random.default_rng(seed)
    x, y, z = np.moveaxis(mesh.centres(), -1, 0) / PARSEC_CM
    r2 = x**2 + y**2 + z**2
    return {"b": (1 + 0.3 * random.random(mesh.shape), "km/s"),
            "opacity": (4 * np.exp(-3 * r2) * (1 + random.random(mesh.shape)), "1/pc"),
            "temperature": (10 + 20 * random.random(mesh.shape), "K"),
            "velocity": (np.stack([-y, x, 0.5 * z]), "km/s")}


def settings(mesh, subcell):
    field = {name: {"file": "gas.h5", "dataset": name} for name in ("b", "opacity", "temperature", "velocity")}
    return LOOK | {"mesh": mesh, "line": "co10", "image": {"subcell": subcell, "spectrum": False, "optical_depth": True},
                   "medium": {"b": field["b"], "opacity": field["opacity"], "velocity": field["velocity"],
                              "destruction": 1},
                   "sources": [{"thermal": {"temperature": field["temperature"]}}]}


@pytest.fixture(scope="module", params=[1, 2])
def mesh(linerad, request):
    """Bricks in the order of the program."""
    refined = MESH | {"refine": REGIONS, "brick": request.param}
    return refined, bricks(linerad.run(MODEL, {"mesh": refined}, packets=10, seed=1).path)


def test_images_without_packets(linerad, mesh):
    refined, cells = mesh
    gas = thermal_gas(cells)
    spread = {name: (np.stack([cells.spread(part) for part in values]) if name == "velocity" else cells.spread(values),
                     units) for name, (values, units) in gas.items()}
    fine_mesh = {"cells": [int(n) for n in cells.finest], "size": ["2 pc"] * 3}
    amr = linerad.run(MODEL, settings(refined, False), packets=0, precision="double", fields={"gas.h5": gas})
    fine = linerad.run(MODEL, settings(fine_mesh, False), packets=0, precision="double", fields={"gas.h5": spread})
    for camera in ("far", "top", "near"):
        images = [cube(run, camera).intensity for run in (amr, fine)]
        depths = [run.data(f"images/{camera}/optical_depth") for run in (amr, fine)]
        assert images[1].max() > 0
        print(f"  {camera}: largest difference {np.abs(images[0] - images[1]).max() / images[1].max():.2e}")
        assert np.allclose(images[0], images[1], rtol=1e-5, atol=1e-6 * images[1].max())
        assert np.allclose(depths[0], depths[1], rtol=1e-5, atol=1e-6 * depths[1].max())


def test_slopes_inside_cells(linerad, mesh):
    """With slopes from cell to cell a linear velocity is continuous on both meshes: images of smooth gas are closer to
    each other than without."""
    refined, cells = mesh
    gas = {"medium": {"b": "0.5 km/s", "opacity": "1 1/pc", "destruction": 1,
                      "velocity": {"file": "gas.h5", "dataset": "velocity"}},
           "sources": [{"thermal": {"temperature": "20 K"}}], "line": "co10", "mesh": refined}
    far = {"channels": LOOK["channels"], "cameras": LOOK["cameras"][:1]}
    x, y, z = np.moveaxis(cells.centres(), -1, 0) / PARSEC_CM
    at = (np.arange(128) + 0.5) / 128 * 2 - 1
    u, v, w = np.meshgrid(at, at, at, indexing="ij")
    exact_mesh = {"mesh": {"cells": [128] * 3, "size": ["2 pc"] * 3}}
    exact = linerad.run(MODEL, gas | far | exact_mesh | {"image": {"subcell": True, "spectrum": False}}, packets=0,
                        fields={"gas.h5": {"velocity": (np.stack([u - v, u + v, 2 * w]), "km/s")}})
    expected = cube(exact, "far").intensity
    errors = {}
    for subcell in (False, True):
        run = linerad.run(MODEL, gas | far | {"image": {"subcell": subcell, "spectrum": False}}, packets=0,
                          fields={"gas.h5": {"velocity": (np.stack([x - y, x + y, 2 * z]), "km/s")}})
        errors[subcell] = np.sqrt(np.mean((cube(run, "far").intensity - expected) ** 2)) / expected.max()
    print(f"  rms error of the image: {errors[False]:.4f} without slopes, {errors[True]:.4f} with")
    assert errors[True] < 0.4 * errors[False]
    assert errors[True] < 0.01


@pytest.mark.parametrize("brick", [1, 2])
def test_uniform_expansion_across_levels(linerad, brick):
    """v = H r in uniform gas, with cells of four sizes anywhere: the velocity toward the observer changes only along
    the ray, and the depth between its ends z in the cube is

        tau(v) = alpha b sqrt(pi) / (2 H) [erf((v + H z) / b)].

    The largest error is that of steps of b/4 in velocity, 1e-3 of the source function as on a uniform mesh. With slopes
    that ignore the sideways offsets of neighbours of other sizes it is 5e-2."""
    random = np.random.default_rng(3)
    spheres = [{"sphere": {"centre": [f"{x:.4f} pc" for x in random.uniform(-1, 1, 3)], "radius": "0.1 pc"},
                "levels": int(random.integers(1, 4))} for _ in range(40)]
    mesh = MESH | {"refine": spheres, "brick": brick}
    cells = bricks(linerad.run(MODEL, {"mesh": mesh}, packets=10, seed=1).path)
    assert np.all(np.bincount(cells.level) > 0) and cells.level.max() == 3
    hubble, b, alpha = 2.0, 0.3, 3.0  # km/s/pc, km/s, 1/pc
    speed = hubble * np.moveaxis(cells.centres(), -1, 0) / PARSEC_CM
    run = linerad.run(MODEL, {
        "mesh": mesh, "line": "co10", "image": {"spectrum": False}, "sources": [{"thermal": {"temperature": "20 K"}}],
        "medium": {"b": f"{b} km/s", "damping": 0, "opacity": f"{alpha} 1/pc", "destruction": 1,
                   "velocity": {"file": "gas.h5", "dataset": "velocity"}},
        "channels": {"number": 25, "range": ["-3 km/s", "3 km/s"], "samples": 1},
        "cameras": [{"name": "far", "direction": [1, 2, 3], "pixels": 48, "rays": 1, "field": "3 pc"}]},
        packets=0, fields={"gas.h5": {"velocity": (speed, "km/s")}})
    image = cube(run, "far")
    x, y = (0.5 * (edges[1:] + edges[:-1]) / PARSEC_CM for edges in (image.x_edges, image.y_edges))
    right, up = (run.attribute(name, "images/far") for name in ("right", "up"))
    middle = x[None, :, None] * right + y[:, None, None] * up
    n = np.array([1, 2, 3]) / np.sqrt(14)
    first = np.max((-1 - middle) / n, axis=-1)
    last = np.maximum(np.min((1 - middle) / n, axis=-1), first)
    v = image.velocity[:, None, None] / KM
    depth = alpha * b * np.sqrt(np.pi) / (2 * hubble) * (erf((v + hubble * last) / b) - erf((v + hubble * first) / b))
    error = np.abs(image.intensity / planck(115.2712018e9, 20) + np.expm1(-depth))
    print(f"  errors in units of S: {error.max():.1e} at most, {np.sqrt(np.mean(error**2)):.1e} root mean square")
    assert error.max() < 2e-3
    assert np.sqrt(np.mean(error**2)) < 4e-4


LUMINOSITY = 1e48
SCATTERED = {"channels": {"number": 16, "range": ["-80 km/s", "80 km/s"]}, "medium.tau_centre": 3,
             "sources.0.luminosity": f"{LUMINOSITY} photon/s",
             "cameras": [{"name": "far", "direction": [1, 2, 3], "pixels": 16, "field": "2.2 pc"}]}


def flux(run):
    """Photons of the image per steradian, relative to those emitted, and their error."""
    image = cube(run, "far")
    scale = image.pixel_area * image.width / (PLANCK * LIGHT_SPEED * LUMINOSITY)
    return Measured(image.intensity.sum() * scale, np.sqrt((image.error**2).sum()) * scale)


def test_peel_off(linerad):
    """Pixel by pixel and channel by channel, and all together, within noise."""
    look = SCATTERED | {"image": {"method": "peel-off", "errors": True, "spectrum": False},
                        "channels": {"number": 8, "range": ["-40 km/s", "40 km/s"]},
                        "cameras": [{"name": "far", "direction": [1, 2, 3], "pixels": 9, "field": "2.2 pc"}]}
    fine_mesh = {"cells": [32] * 3, "size": ["2 pc"] * 3}
    amr = linerad.run(MODEL, look | {"mesh.brick": 2}, packets=2e5, seed=311)
    fine = linerad.run(MODEL, look | {"mesh": fine_mesh}, packets=2e5, seed=312)
    images = [cube(run, "far") for run in (amr, fine)]
    variance = images[0].error ** 2 + images[1].error ** 2
    used = (variance > 0) & ((images[0].intensity + images[1].intensity) ** 2 > 50 * variance)
    chi2 = np.sum((images[0].intensity - images[1].intensity)[used] ** 2 / variance[used])
    print(f"  chi square {chi2:.0f} of {used.sum()} pixels and channels")
    assert used.sum() > 150
    assert 0.85 < chi2 / used.sum() < 1.35  # errors come from 8 groups
    assert_agrees("flux", flux(amr), flux(fine))


@pytest.mark.parametrize("brick", [1, 2])
def test_two_step(linerad, brick):
    """Scattered light by cells. All light of the sphere is in the image, and pixels agree with those of the uniform
    mesh, apart from blurring by larger cells: some are up to 0.9 deep, and such deep cells come out a little too
    bright."""
    look = SCATTERED | {"image": {"errors": True, "spectrum": False, "emissivity": True}}
    fine_mesh = {"cells": [32] * 3, "size": ["2 pc"] * 3}
    near = {"sphere": {"centre": CENTRE, "radius": "0.3 pc"}, "levels": 2}  # the source, where light falls off steeply
    amr = linerad.run(MODEL, look | {"mesh.brick": brick, "mesh.refine.1": near}, packets=1e5, seed=313)
    fine = linerad.run(MODEL, look | {"mesh": fine_mesh}, packets=1e5, seed=314)
    assert_close("flux", flux(amr).value, flux(fine).value, 0.015)
    assert_close("L / (4 pi)", flux(amr).value, 1 / (4 * np.pi), 0.02)
    maps = [cube(run, "far").intensity.sum(axis=0) for run in (amr, fine)]
    middle = maps[1] > 0.05 * np.median(maps[1][maps[1] > 0])
    difference = np.sqrt(np.mean((maps[0] - maps[1])[middle] ** 2)) / np.mean(maps[1][middle])
    print(f"  pixels differ by {difference:.3f} of their mean (rms of {middle.sum()})")
    assert difference < 0.1
    assert amr.data("scene/cameras/far/emissivity").shape[:4] == bricks(amr.path).shape
