"""Beams that would never leave the mesh are refused, all others followed to the end."""

import h5py
import numpy as np
import pytest

from conftest import error_line

MODEL = """\
mesh: {cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc], faces: {FACES, z: open}}
line: lya
medium: {temperature: 1e4 K, density: {file: gas.h5, dataset: /density}}
sources: [{SOURCE, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
run: {packets: 100, seed: 1, device: cpu}
"""
ADVICE = "tilt it, make a face in its way open (mesh.faces), or put gas in its way"


@pytest.fixture
def run(folder):
    def run(source, faces="periodic", gas=None):
        density = np.zeros((4, 4, 4))
        if gas:
            density[gas] = 1e-3
        with h5py.File(folder.path / "gas.h5", "w") as file:
            file["density"] = density
            file["density"].attrs["units"] = "cm^-3"
        folder.model.write_text(MODEL.replace("FACES", faces if ":" in faces else f"x: {faces}, y: {faces}").replace("SOURCE", source))
        return folder.run("run", "model.yaml", "--quiet")

    return run


def point(direction, position="[0.3 pc, 0.3 pc, 0.3 pc]"):  # in cell [2, 2, 2]
    return f"point: {{position: {position}, emission: beam, direction: {direction}}}"


def plane(axis, direction):
    return f"plane: {{axis: {axis}, at: 0.3 pc, emission: beam, direction: {direction}}}"


@pytest.mark.parametrize("faces", ["periodic", "reflecting"])
@pytest.mark.parametrize(
    "source", [point("+x"), point("[1, -2, 0]"), point("[1, 0, 1e-7]"), plane("x", "-x"), plane("z", "+y")]
)
def test_nothing_in_the_way(run, source, faces):
    line = error_line(run(source, faces))
    assert "model.yaml:4:" in line and "sources.0" in line and "direction" in line and ADVICE in line


@pytest.mark.parametrize("gas", [(2, 2, 1), (2, 1, 2)])
def test_gas_beside_the_beam(run, gas):
    assert ADVICE in error_line(run(point("+x"), gas=gas))


def test_gas_before_part_of_a_plane(run):
    assert ADVICE in error_line(run(plane("z", "+x"), gas=(0, 1, 2)))


@pytest.mark.parametrize(
    "source, faces, gas",
    [
        (point("+x"), "open", None),
        (point("+z"), "periodic", None),
        (point("[1, 0, 0.01]"), "periodic", None),
        (point("+x"), "x-: reflecting, x+: open, y: periodic", None),
        (point("-x"), "x-: reflecting, x+: open, y: periodic", None),
        (point("+x"), "periodic", (0, 2, 2)),
        (point("[1, -2, 0]"), "periodic", (0, 1, 2)),
        (plane("z", "+x"), "periodic", (0, slice(None), 2)),
        (plane("x", "+x"), "periodic", (0,)),
    ],
)
def test_beams_that_leave(run, source, faces, gas):
    done = run(source, faces, gas)
    assert done.returncode == 0, done.stderr


def test_list_of_packets(folder, run):
    with h5py.File(folder.path / "list.h5", "w") as file:
        file["position"] = np.full((2, 3), 0.3)
        file["position"].attrs["units"] = "pc"
        file["direction"] = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
        file["velocity"] = np.zeros(2)
        file["velocity"].attrs["units"] = "km/s"
        file["weight"] = np.ones(2)
        file["weight"].attrs["units"] = "photon/s"
    run(point("+z"))
    settings = ("--set", "sources=[{packets: {file: list.h5}}]")
    line = error_line(folder.run("run", "model.yaml", *settings))
    assert "packet 1 " in line and ADVICE in line
    assert folder.run("run", "model.yaml", *settings, "--set", "mesh.faces.y=open").returncode == 0


@pytest.mark.parametrize("y, leaves", [("0.3", True), ("-0.3", False)])
def test_refined_mesh(folder, y, leaves):
    """A row of refined and unrefined cells; the gas fills the half y > 0."""
    folder.model.write_text(f"""\
mesh:
  cells: [4, 4, 4]
  size: [2 pc, 2 pc, 2 pc]
  faces: {{x: periodic, y: open, z: open}}
  refine: [{{box: {{min: [0 pc, -1 pc, -1 pc], max: [1 pc, 1 pc, 1 pc]}}, levels: 1}}]
line: lya
medium:
  temperature: 1e4 K
  density: {{default: 0 cm^-3, regions: [{{slab: {{axis: y, from: 0 pc, to: 1 pc}}, value: 1e-3 cm^-3}}]}}
sources:
  - point: {{position: [0 pc, {y} pc, 0.1 pc], emission: beam, direction: +x}}
    spectrum: {{monochromatic: 0}}
    luminosity: 1 photon/s
run: {{packets: 100, seed: 1, device: cpu}}
""")
    done = folder.run("run", "model.yaml", "--quiet")
    if leaves:
        assert done.returncode == 0, done.stderr
    else:
        assert ADVICE in error_line(done)
