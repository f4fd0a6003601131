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

OPTIONS = ["run", "model.yaml", "--quiet", "-o", "out.h5", "--threads", "1", "--set", "run.checkpoint=0.001", "--packets"]
MESHES = {"box": [], "shells": SHELLS, "refined": [REFINED]}
PACKETS = {"box": "30000", "shells": "300", "refined": "300"}  # few where the run is carried to its end
CELLS = slice(3, 6)  # of the numbers of a packet: i, j, k


def leaves(folder, mesh, name):
    """Kills a run at its first statepoint; whether that has this array."""
    for path in ("out.h5.state", "out.h5.state.old"):
        (folder.path / path).unlink(missing_ok=True)
    process = subprocess.Popen([folder.program, *OPTIONS, PACKETS[mesh]], cwd=folder.path)
    while not (folder.path / "out.h5.state").exists() and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    if not (folder.path / "out.h5.state").exists():
        return False
    with h5py.File(folder.path / "out.h5.state") as file:
        return name in file["state"] and len(file["state"][name]) > 0


@pytest.fixture
def killed(folder):
    """Makes a run of a mesh, and leaves its statepoint, with packets in flight ("flight"), not begun ("todo") or ended
    ("records"): the run is repeated until it happens to have some."""

    def make(mesh, name="flight"):
        folder.model.write_text(changed(BOX, [*MESHES[mesh], ("tau_mean: 200", "tau_mean: 2e4")]))
        assert any(leaves(folder, mesh, name) for _ in range(50))
        (folder.path / "out.h5.state.old").unlink(missing_ok=True)
        shutil.copy(folder.path / "out.h5.state", folder.path / "sound")
        return folder

    return make


def resume(folder, mesh, name, change):
    """With one array changed, in place or to what `change` returns; `name` None: none."""
    shutil.copy(folder.path / "sound", folder.path / "out.h5.state")
    with h5py.File(folder.path / "out.h5.state", "r+") as file:
        if name:
            values = file["state"][name][()]
            new = change(values)
            del file["state"][name]
            file["state"][name] = values if new is None else new
    return folder.run(*OPTIONS, PACKETS[mesh], "--resume", timeout=60)


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
    name, change = CHANGES[what]
    done = resume(killed("box", name), "box", name, change)
    assert done.returncode == 2 and "the statepoint is damaged" in error_line(done), done.stderr


@pytest.mark.parametrize("mesh", ["shells", "refined"])
def test_other_meshes(killed, mesh):
    folder = killed(mesh)
    assert resume(folder, mesh, "flight", put(CELLS, 1e6)).returncode == 2
    done = resume(folder, mesh, None, None)
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / "out.h5") as file:
        assert file["summary"].attrs["packets"] == 300
