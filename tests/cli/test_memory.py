"""Freed memory is not used: with MALLOC_PERTURB_ the C library overwrites it, and valgrind watches it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
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


@pytest.mark.parametrize(
    "settings",
    [
        ["run.packets=2e4"],
        ["run.packets=2e4", "cameras.1={name: side, direction: +x, pixels: 8}"],
        ["run.packets=2e4", "output.fields=true", "channels.number=2"],
        ["run.packets=0", "mesh.cells=[96, 96, 96]", "medium.destruction=1", "sources=[thermal: {}]"],
    ],
    ids=["image", "two images", "fields", "no packets"],
)
def test_stated_memory(folder, settings):
    """`linerad check` tells the largest memory of a run, within 20 %."""
    model = MODEL.replace("[4, 4, 4]", "[64, 64, 64]").replace("pixels: 4", "pixels: 8")
    folder.model.write_text(model.replace("emissivity: true", "emissivity: false").partition("output:")[0])
    options = [word for setting in settings for word in ("--set", setting)]
    with h5py.File(folder.path / "gas.h5", "w") as file:
        cells = (96,) * 3 if "run.packets=0" in settings else (64,) * 3
        file["gas"] = 1e4 * (1 + 0.1 * np.random.default_rng(1).random(cells))
        file["gas"].attrs["units"] = "K"
    options += ["--set", "medium.temperature={file: gas.h5, dataset: /gas}"]
    told = folder.run("check", "model.yaml", *options)
    assert told.returncode == 0, told.stderr
    number, unit = re.search(r"in all +about (\S+) (MiB|GiB)", told.stdout).groups()
    stated = float(number) * (1024 if unit == "GiB" else 1)
    with open(os.devnull, "w") as nothing:
        command = [folder.program, "run", "model.yaml", "--quiet", *options]
        process = subprocess.Popen(command, cwd=folder.path, stdout=nothing, stderr=nothing)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    assert stated == pytest.approx(usage.ru_maxrss / 1024, rel=0.2)


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
