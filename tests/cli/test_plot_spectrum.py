"""tools/plot_spectrum.py: a picture of a result, and what it says of files that have no spectrum."""

import subprocess
import sys
from pathlib import Path

import h5py
import pytest

pytest.importorskip("matplotlib")
TOOL = Path(__file__).resolve().parents[2] / "tools" / "plot_spectrum.py"


def plot(folder, name):
    return subprocess.run([sys.executable, str(TOOL), name, "-o", "picture.png"], cwd=folder.path, capture_output=True,
                          text=True, timeout=120)


def told(done):
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_picture(folder):
    assert folder.run("run", "model.yaml").returncode == 0
    done = plot(folder, "model.h5")
    assert done.returncode == 0, done.stderr
    assert (folder.path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_result_without_packets(folder):
    folder.model.write_text(folder.model.read_text().replace("packets: 1000", "packets: 0") +
                            "channels: {number: 2, range: [-1, 1]}\ncameras: [{name: side, direction: +x, pixels: 1}]\n")
    assert folder.run("run", "model.yaml").returncode == 0
    line = told(plot(folder, "model.h5"))
    assert "model.h5" in line and "no packets were followed" in line and "side" in line


def test_other_files(folder):
    with h5py.File(folder.path / "other.h5", "w") as file:
        file["density"] = 1.0
    assert "not a result of linerad" in told(plot(folder, "other.h5"))
    assert "gone.h5" in told(plot(folder, "gone.h5"))
