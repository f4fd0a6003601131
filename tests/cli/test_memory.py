"""Freed memory is not used: with MALLOC_PERTURB_ the C library overwrites it, and valgrind watches it."""

import os
import shutil
import subprocess
from pathlib import Path

import h5py
import pytest

from test_radex import MOLECULE, PARCEL

MODEL = """\
mesh: {cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc]}
line: lya
medium: {temperature: 1e4 K, tau_centre: 3}
sources: [{volume: {}, spectrum: {local: {}}, luminosity: 1e48 photon/s}]
run: {packets: 200, seed: 3, device: cpu, threads: 1}
cameras: [{name: front, direction: +z, pixels: 4}]
channels: {number: 8, range: [-60 km/s, 60 km/s]}
image: {emissivity: true}
output: {packets: true, fields: true}
"""


@pytest.mark.parametrize("byte", ["1", "165"])
def test_overwritten_memory(folder, byte):
    folder.model.write_text(MODEL)
    (folder.path / "made_up.dat").write_text(MOLECULE)
    for command in (
        ["run", "model.yaml"],
        ["check", "model.yaml"],
        ["image", "model.h5", "--pixels", "8"],
        ["molecule", "made_up.dat"],
        ["radex", "made_up.dat", *PARCEL],
        ["cloud", "--cells", "8", "-o", "cloud"],
    ):
        done = folder.run(*command, env={**os.environ, "MALLOC_PERTURB_": byte})
        assert done.returncode == 0, (command, done.returncode, done.stderr)
    with h5py.File(folder.path / "model.h5") as file:
        assert file.attrs["format"] == "linerad result"
    assert (folder.path / "model_image_front.fits").exists()
    assert not list(folder.path.glob("*part*"))


def valgrind(folder, *command):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    watch = ["valgrind", "-q", "--error-exitcode=99", "--undef-value-errors=no"]  # the disk sees padding of structures
    done = subprocess.run([*watch, *map(str, command)], cwd=folder.path, capture_output=True, text=True, timeout=300)
    if "Illegal opcode" in done.stderr:
        pytest.skip("valgrind does not know the instructions of this processor")
    assert done.returncode == 0, done.stderr


def test_a_watched_run(folder, program):
    folder.model.write_text(MODEL)
    valgrind(folder, program, "run", "model.yaml", "--quiet", "--set", "run.packets=20")


def test_watched_result_files(folder, program):
    """Without the kernels, which may be compiled for a processor that valgrind cannot imitate."""
    test = Path(program).parent / "tests" / "test_result_mesh"
    if not test.exists():
        pytest.skip("the unit tests were not built")
    valgrind(folder, test)
