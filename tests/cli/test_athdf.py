"""Athena++ snapshots on the command line: runs that use every cell, and the same values as read by yt."""

import h5py
import numpy as np
import pytest

import athdf_file
from conftest import error_line

PC = 3.0856775814913673e18
U = 1.66053906660e-24

MODEL = """\
snapshot:
  file: cloud.athdf
  units: {length: 2 pc, density: 1e-20 g/cm^3, velocity: 0.5 km/s}
  mean_molecular_weight: 2.33
line: {molecule: co}
medium: {abundance: 1e-4}
channels: {number: 8, range: [-3 km/s, 3 km/s]}
cameras: [{direction: +x, pixels: 4}]
image: {emissivity: true}
run: {precision: double, device: cpu}
"""

FUNCTIONS = {
    "rho": lambda x, y, z: 1 + x + 2 * y + 4 * z,
    "press": lambda x, y, z: 0.5 + x * y + z,
    "vel1": lambda x, y, z: x - y,
    "vel2": lambda x, y, z: y * z,
    "vel3": lambda x, y, z: 1 - z + 0 * x,
}
ROOT, BLOCK, UPPER = (2, 2, 3), (4, 2, 2), (2.0, 1.0, 1.5)


def gas_of(folder):
    folder.model.write_text(MODEL)
    done = folder.run("run", "model.yaml", "-o", "out.h5", "--quiet")
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / "out.h5") as file:
        gas = {key: values[:] for key, values in file["scene/gas"].items()}  # fields that are not constant
        edges = [file[f"mesh/{axis}_edges"][:] for axis in "xyz"] if "x_edges" in file["mesh"] else None
    return gas, edges


def kelvin(gas):
    return gas["b"] ** 2 * 27.9949146 * U / (2 * 1.380649e-16)


@pytest.mark.parametrize("kind", [">f4", "<f4", ">f8", "<f8"])
def test_every_cell_of_a_uniform_mesh(folder, kind):
    athdf_file.write(folder.path / "cloud.athdf", FUNCTIONS, ROOT, BLOCK, UPPER, kind=kind)
    gas, edges = gas_of(folder)
    n = [r * b for r, b in zip(ROOT, BLOCK)]
    assert gas["b"].shape == tuple(n)
    centres = []
    for d in range(3):
        assert np.allclose(edges[d], np.arange(n[d] + 1) / n[d] * UPPER[d] * 2 * PC, rtol=1e-12)
        centres.append((np.arange(n[d]) + 0.5) / n[d] * UPPER[d])
    x, y, z = np.meshgrid(*centres, indexing="ij")
    tolerance = 1e-12 if kind.endswith("8") else 1e-6
    for axis, name in zip("xyz", ("vel1", "vel2", "vel3")):
        expected = 0.5e5 * FUNCTIONS[name](x, y, z)
        assert np.allclose(gas[f"velocity_{axis}"], expected, rtol=tolerance, atol=0.5e5 * tolerance)
    temperature = 2.33 * U * FUNCTIONS["press"](x, y, z) * 0.25e10 / (1.380649e-16 * FUNCTIONS["rho"](x, y, z))
    assert np.allclose(kelvin(gas), temperature, rtol=tolerance)


def test_a_plane_is_a_mesh_of_one_layer(folder):
    """Two-dimensional runs have one cell along z."""
    athdf_file.write(folder.path / "cloud.athdf", FUNCTIONS, (2, 3, 1), (4, 2, 1), (2.0, 1.0, 0.1), kind=">f8")
    gas, edges = gas_of(folder)
    assert gas["b"].shape == (8, 6, 1) and np.allclose(edges[2], [0, 0.2 * PC])
    x, y = np.meshgrid((np.arange(8) + 0.5) / 4, (np.arange(6) + 0.5) / 6, indexing="ij")
    assert np.allclose(gas["velocity_x"][:, :, 0], 0.5e5 * (x - y), rtol=1e-12, atol=1e-6)


def test_refined_planes_are_refused(folder):
    athdf_file.write(folder.path / "cloud.athdf", FUNCTIONS, (2, 3, 1), (4, 2, 1), (2.0, 1.0, 0.1))
    with h5py.File(folder.path / "cloud.athdf", "r+") as file:
        file["Levels"][5] = 1
        for axis, name in enumerate(("x1f", "x2f")):
            place, n = file["LogicalLocations"][5][axis], (4, 2)[axis]
            file[name][5] = (np.arange(n + 1) + place * n) / ((8, 6)[axis] * 2) * (2.0, 1.0)[axis]
    folder.model.write_text(MODEL)
    assert "refined meshes in fewer than three dimensions" in error_line(folder.run("check", "model.yaml"))


def test_refined_meshes_are_described(folder):
    athdf_file.write(folder.path / "cloud.athdf", FUNCTIONS, ROOT, BLOCK, UPPER, refine={(0, 1, 2), (1, 1, 2)})
    folder.model.write_text(MODEL)
    done = folder.run("check", "model.yaml")
    assert done.returncode == 0, done.stderr
    assert "Athena++ at time 0.5, 26 blocks of 4 x 2 x 2 cells" in done.stdout
    # The functions that determine the mass are linear, so refinement does not change it: mean rho at the centre.
    mass = 1e-20 * FUNCTIONS["rho"](1.0, 0.5, 0.75) * np.prod(UPPER) * (2 * PC) ** 3 / 1.988409871e33
    assert f"gas         {mass:.6g} Msun" in done.stdout


def test_files_without_units_say_what_to_write(folder):
    athdf_file.write(folder.path / "cloud.athdf", FUNCTIONS, ROOT, BLOCK, UPPER)
    folder.model.write_text("snapshot: cloud.athdf\nline: {molecule: co}\n")
    assert "an Athena++ file has no units; give" in error_line(folder.run("check", "model.yaml"))


def test_holes_are_named(folder):
    athdf_file.write(folder.path / "cloud.athdf", FUNCTIONS, ROOT, BLOCK, UPPER)
    with h5py.File(folder.path / "cloud.athdf", "r+") as file:
        file["LogicalLocations"][3] = file["LogicalLocations"][2]
        for name in ("x1f", "x2f", "x3f"):
            file[name][3] = file[name][2]
    folder.model.write_text(MODEL)
    assert "blocks 2 and 3 are both at (0, 1, 0) of level 0" in error_line(folder.run("check", "model.yaml"))


def test_yt_reads_the_same(folder):
    """yt and linerad are compared at the same points: the centres of all cells of a refined mesh."""
    yt = pytest.importorskip("yt", reason="yt is not installed")
    yt.set_log_level("error")
    path = folder.path / "cloud.athdf"
    athdf_file.write(path, FUNCTIONS, ROOT, BLOCK, UPPER, refine={(0, 1, 2)})
    dataset = yt.load(str(path))  # its data hold only a weak reference
    data = dataset.all_data()
    gas, _ = gas_of(folder)
    with h5py.File(folder.path / "out.h5") as file:
        level, position = file["mesh/level"][:], file["mesh/position"][:]
    found = {}
    for b, (depth, place) in enumerate(zip(level, position)):
        for i, j, k in np.ndindex(*BLOCK):
            at = np.array([place[d] * BLOCK[d] + (i, j, k)[d] + 0.5 for d in range(3)])
            width = np.array(UPPER) / (np.array(ROOT) * BLOCK * 2**depth)
            found[tuple(np.round(at * width, 6))] = (b, i, j, k)
    x = np.column_stack([data[("index", axis)].d for axis in "xyz"])
    assert len(x) == len(found)
    cells = np.array([found[tuple(np.round(row, 6))] for row in x])
    pick = tuple(cells.T)
    rho, press = data[("athena_pp", "rho")].d, data[("athena_pp", "press")].d
    for axis, name in zip("xyz", ("vel1", "vel2", "vel3")):
        assert np.allclose(gas[f"velocity_{axis}"][pick], 0.5e5 * data[("athena_pp", name)].d, rtol=1e-6, atol=0.05)
    assert np.allclose(kelvin(gas)[pick], 2.33 * U * 0.25e10 / 1.380649e-16 * press / rho, rtol=1e-6)
