"""Refined meshes on the command line: a whole run, its result file, images of it, and what is rejected."""

import h5py
import numpy as np
import pytest

REFINED = """\
mesh:
  cells: [4, 4, 4]
  size: [2 pc, 2 pc, 2 pc]
  refine: [{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0.3 pc}, levels: 2}]
line: lya
medium: {temperature: 1e4 K, tau_mean: 50, damping: 0.149}
sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
run: {packets: 1000, seed: 1}
"""

IMAGE = """\
channels: {number: 8, range: [-40 km/s, 40 km/s]}
cameras: [{name: far, direction: +x, pixels: 8}]
image: {emissivity: true, spectrum: false}
"""

PARSEC = 3.0856775814913673e18


@pytest.fixture
def refined(folder):
    folder.model.write_text(REFINED)
    return folder


@pytest.mark.parametrize("brick", [1, 2])
def test_result_has_bricks(refined, brick):
    summary = refined.run_json("-o", "out.h5", "--set", "output.packets=true", "--set", f"mesh.brick={brick}")
    assert summary["f_esc"] == pytest.approx(1)
    with h5py.File(refined.path / "out.h5") as file:
        mesh = file["mesh"]
        assert mesh.attrs["kind"] in ("amr", b"amr")
        assert np.allclose(mesh["lower"], -PARSEC) and np.allclose(mesh["upper"], PARSEC)
        assert list(mesh["brick"]) == [brick] * 3 and list(mesh["root"]) == [4 // brick] * 3
        level = mesh["level"][:]
        assert set(level) == {0, 1, 2} if brick == 1 else set(level) <= {1, 2}
        assert np.sum(0.125 ** level.astype(float)) == (4 // brick) ** 3
        assert mesh["position"].shape == (len(level), 3)
        assert np.all(mesh["position"] < (4 // brick) * 2 ** level[:, None])
        assert file["fields/mean_intensity"].shape == (len(level), brick, brick, brick)
        assert file["fields/mean_intensity"][:].min() > 0
        assert file["spectrum/face"].shape[0] == 6
        at = file["packets/position"][:] / PARSEC
        assert np.allclose(np.max(np.abs(at), axis=1), 1, atol=1e-6)
        assert np.all(np.abs(file["packets/last_scattering"][:]) <= 1.000001 * PARSEC)


def test_check_describes_the_levels(refined):
    done = refined.run("check", "model.yaml")
    assert done.returncode == 0, done.stderr
    # the 8 cells around the centre become 64, all of which come within 0.3 pc except those in their corners
    for text in ("refined, ", "cells on 3 levels in ", "level 0     56 cells (87.5 % of the volume), as on a mesh of 4 x 4 x 4",
                 "as on a mesh of 16 x 16 x 16", "cells of 0.125 to 0.5 pc, both faces open", "x           tau_c",
                 "B per cell for the tree of bricks"):
        assert text in done.stdout, done.stdout


def test_stored_light_is_imaged_again(refined):
    fits = pytest.importorskip("astropy.io.fits")
    refined.model.write_text(REFINED + IMAGE)
    refined.run_json("-o", "out.h5")
    done = refined.run("image", "out.h5", "-o", "again", "--set", "cameras.0.pixels=8", "--quiet")
    assert done.returncode == 0, done.stderr
    with h5py.File(refined.path / "out.h5") as file:
        level = file["mesh/level"][:]
        recorded = 8 * file["scene"].attrs["refined"]
        assert file["scene/cameras/far/emissivity"].shape == (len(level), 1, 1, 1, recorded)
        first = file["images/far/intensity"][:]
    again = [path for path in refined.path.iterdir() if path.name.startswith("again") and path.suffix == ".fits"]
    assert again
    cube = fits.getdata(sorted(again)[0])
    assert np.max(np.abs(cube / cube.max() - first / first.max())) < 1e-4


def test_mistakes_are_named(refined):
    for setting, text in (("mesh.refine.0.levels=16", "mesh.refine.0.levels: '16' must lie between 1 and 15"),
                          ("mesh.brick=3", "mesh.brick: 4 cells along x are not a whole number of bricks of 3"),
                          ("medium.density={file: none.h5, dataset: n}", "none.h5")):
        done = refined.run("check", "model.yaml", "--set", setting)
        assert done.returncode != 0
        assert text in done.stderr
