"""Whole commands, run as by a user. LINERAD_BIN names the program."""

import json
import os
import subprocess
from pathlib import Path

import h5py
import pytest

MODEL = """\
mesh: {cells: [16, 2, 2], size: [2 pc, 1 pc, 1 pc], faces: {x: open, y: periodic, z: periodic}}
line: lya
medium: {temperature: 1e4 K, tau_mean: 200, damping: 0.149}
sources: [{plane: {axis: x, at: 0 pc, emission: isotropic}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
run: {packets: 1000, seed: 1}
"""


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("LINERAD_BIN")
    if not path:
        pytest.skip("LINERAD_BIN is not set")
    return str(Path(path).resolve())


class Folder:
    """A working directory that contains a model."""

    def __init__(self, program, path):
        self.program = program
        self.path = path
        self.model = path / "model.yaml"
        self.model.write_text(MODEL)

    def run(self, *arguments, **options):
        options = {"timeout": 120, "capture_output": True, "text": True, **options}
        command = [self.program, *map(str, arguments)]
        return subprocess.run(command, cwd=self.path, **options)

    def run_json(self, *arguments, **options):
        done = self.run("run", "model.yaml", "--json", "--quiet", *arguments, **options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def change_model(self, old, new):
        assert old in MODEL
        self.model.write_text(MODEL.replace(old, new))

    def earlier_result(self, name="out.h5"):
        with h5py.File(self.path / name, "w") as file:
            file.attrs["format"] = "linerad result"
            file.attrs["note"] = "an earlier result"
        return self.path / name

    def contents(self):
        return {str(p.relative_to(self.path)): p.read_bytes() for p in self.path.rglob("*") if p.is_file()}


@pytest.fixture
def folder(program, tmp_path):
    return Folder(program, tmp_path)


def error_line(done):
    """The one error line of a command that failed as expected."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    notes = ("linerad: warning: ", "linerad: running on the CPU", "linerad: emissivity: ")
    lines = [line for line in done.stderr.splitlines() if not line.startswith(notes)]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("linerad: error: ")
    return lines[0]


@pytest.fixture
def fails(folder):
    """Runs a command that must fail and leave an earlier result untouched; returns its error line."""

    def run(*arguments, **options):
        folder.earlier_result()
        before = folder.contents()
        line = error_line(folder.run(*arguments, **options))
        assert folder.contents() == before
        return line

    return run
