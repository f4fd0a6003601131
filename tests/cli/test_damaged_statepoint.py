"""A statepoint whose numbers make no sense, although its checksums are right, is refused: packets in flight are followed
without further questions about the cell that they are in. A sound one of any mesh is not."""

import shutil
import subprocess
import time

import h5py
import numpy as np
import pytest
from conftest import error_line
from test_deterministic import BOX, REFINED, SHELLS, changed

OPTIONS = ["run", "model.yaml", "--quiet", "-o", "out.h5", "--threads", "1", "--set", "run.checkpoint=0.001", "--packets", "300"]
MESHES = {"box": [], "shells": SHELLS, "refined": [REFINED]}
CELLS = slice(3, 6)  # of the numbers of a packet: i, j, k


def leaves_packets(folder):
    """Kills a run at its first statepoint; whether that has packets in flight, and some that have ended or not begun."""
    for name in ("out.h5.state", "out.h5.state.old"):
        (folder.path / name).unlink(missing_ok=True)
    process = subprocess.Popen([folder.program, *OPTIONS], cwd=folder.path)
    while not (folder.path / "out.h5.state").exists() and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    if not (folder.path / "out.h5.state").exists():
        return False
    with h5py.File(folder.path / "out.h5.state") as file:
        return all(name in file["state"] and len(file["state"][name]) for name in ("todo", "flight", "records"))


@pytest.fixture
def killed(folder):
    """Makes a run of a mesh, and leaves its statepoint."""

    def make(mesh):
        folder.model.write_text(changed(BOX, [*MESHES[mesh], ("tau_mean: 200", "tau_mean: 2e4")]))
        assert any(leaves_packets(folder) for _ in range(30))
        (folder.path / "out.h5.state.old").unlink(missing_ok=True)
        shutil.copy(folder.path / "out.h5.state", folder.path / "sound")
        return folder

    return make


def resume(folder, name, change):
    """With one array changed, in place or to what `change` returns; `name` None: none."""
    shutil.copy(folder.path / "sound", folder.path / "out.h5.state")
    with h5py.File(folder.path / "out.h5.state", "r+") as file:
        if name:
            values = file["state"][name][()]
            new = change(values)
            del file["state"][name]
            file["state"][name] = values if new is None else new
    return folder.run(*OPTIONS, "--resume", timeout=60)


def put(place, value):
    def change(values):
        values[..., place] = value

    return change


def only(row, column, value):
    def change(values):
        values[row, column] = value

    return change


CHANGES = {
    "a cell outside": ("flight", put(CELLS, 1e6)),
    "a negative cell": ("flight", put(CELLS, -1)),
    "another cell": ("flight", only(0, 9, 3)),
    "not a number": ("flight", only(-1, 0, np.nan)),
    "noise": ("flight", lambda values: np.random.default_rng(1).normal(size=values.shape)),
    "twice": ("flight", lambda values: np.concatenate([values, values])),
    "half a packet": ("flight", lambda values: values[:, :24]),
    "begun and not": ("todo", only(0, 0, 0)),
    "packets of others": ("todo", only(-1, 1, 1 << 40)),
    "backwards": ("todo", lambda values: values[:, ::-1]),
    "a record from outside": ("records", only(0, 7, 50)),
    "a record of nothing": ("records", only(0, 17, np.nan)),
    "a packet that is recorded": ("records", lambda values: np.concatenate([values, values[:1]])),
    "more records": ("records", lambda values: np.concatenate([values] * 1000)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_packets_that_cannot_be(killed, what):
    done = resume(killed("box"), *CHANGES[what])
    assert done.returncode == 2 and "the statepoint is damaged" in error_line(done), done.stderr


@pytest.mark.parametrize("mesh", ["shells", "refined"])
def test_other_meshes(killed, mesh):
    folder = killed(mesh)
    assert resume(folder, "flight", put(CELLS, 1e6)).returncode == 2
    done = resume(folder, None, None)
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / "out.h5") as file:
        assert file["summary"].attrs["packets"] == 300
