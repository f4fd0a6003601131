"""GPUs that fail, and stops and statepoints of runs on a GPU. A module that is the CPU in disguise takes the place of a
GPU that fails; the other tests need a real one, and are skipped without."""

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Folder, error_line
from test_deterministic import BOX, CASES, assert_identical, changed, run
from test_resume import ABSORBING, assert_same, prepare, states
from test_run import Terminal

sys.path.append(str(Path(__file__).resolve().parents[1] / "parity"))
from gpu import NO_GPU, has_gpu  # noqa: E402


@pytest.fixture
def disguised(program, tmp_path):
    """A folder whose program finds a GPU."""
    build, place = Path(program).parent, tmp_path / "bin"
    module = build / "tests" / "fake_gpu" / "liblinerad_cuda.so"
    if not module.exists():
        pytest.skip(f"{module} was not built")
    place.mkdir()
    for file in [Path(program), *build.glob("liblinerad.so*"), module]:
        shutil.copy2(file, place, follow_symlinks=False)
    work = tmp_path / "work"
    work.mkdir()
    return Folder(str(place / "linerad"), work)


@pytest.fixture
def gpu_folder(folder):
    if not has_gpu(folder.program):
        pytest.skip(NO_GPU)
    return folder


OFTEN = ["--precision", "double", "--set", "run.checkpoint=0.001"]  # many statepoints in a second


def failing_at(call):
    return os.environ | {"LINERAD_FAKE_FAULT": str(call)}


def test_a_gpu_that_fails_is_named_with_the_last_statepoint(disguised):
    """The run then goes on, here on the CPU, and ends as one in which nothing failed."""
    prepare(disguised, cameras=False)
    given = ["run", "model.yaml", "--packets", "1500", "--threads", "2", *OFTEN]
    assert disguised.run(*given, "--device", "cpu", "-o", "whole.h5").returncode == 0
    line = error_line(disguised.run(*given, "--device", "cuda", "-o", "out.h5", env=failing_at(3)))
    assert "cuda:0 failed in a test, with 'uncorrectable ECC error encountered'; the statepoint out.h5.state" in line
    assert "--resume goes on from it" in line
    assert not (disguised.path / "out.h5").exists()
    assert states(disguised) == ["out.h5.state", "out.h5.state.old"]
    done = disguised.run(*given, "--device", "cpu", "-o", "out.h5", "--resume")
    assert done.returncode == 0 and "continuing from a statepoint" in done.stderr, done.stderr
    assert_same(disguised.path / "whole.h5", disguised.path / "out.h5")
    assert states(disguised) == []


def test_a_gpu_that_fails_before_the_first_statepoint_promises_nothing(disguised):
    done = disguised.run("run", "model.yaml", "--device", "cuda", "-o", "out.h5", env=failing_at(1))
    line = error_line(done)
    assert line.endswith("uncorrectable ECC error encountered'") and states(disguised) == []


def test_a_statepoint_of_another_run_is_not_offered(disguised):
    """One that is there, but of which this run, without --resume, knows nothing."""
    (disguised.path / "out.h5.state").write_bytes(b"of another run")
    line = error_line(disguised.run("run", "model.yaml", "--device", "cuda", "-o", "out.h5", env=failing_at(1)))
    assert "statepoint" not in line


# ---- on a real GPU

WEAKER = ("absorption: 0.3 1/pc, destruction: 1e-3", "absorption: 3e-4 1/pc, destruction: 1e-6")  # for long histories


def seconds_of(path):
    with h5py.File(path) as file:
        return file["summary"].attrs["seconds_transport"]


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("case", [name for name in CASES if name not in ("peel-off", "thin")])
def test_packets_in_flight_are_put_back_and_taken_up(gpu_folder, case, precision):
    """A run in many segments ends, to the last bit, as one that was not interrupted."""
    changes, more = CASES[case]
    text = changed(BOX, changes).replace(*WEAKER).replace("tau_mean: 200,", "tau_mean: 3e4,")
    gpu_folder.model.write_text(text + more)
    given = ["--device", "cuda", "--precision", precision, "--keep-state"]
    if case != "jumps":
        given += ["--set", "physics.acceleration=none"]
    packets = 20000
    while seconds_of(run(gpu_folder, "whole.h5", *given, "--packets", packets)) < 0.3:
        packets *= 4
    run(gpu_folder, "out.h5", *given, "--packets", packets, "--set", "run.checkpoint=0.001")
    assert_identical(gpu_folder.path / "whole.h5", gpu_folder.path / "out.h5", skip=("checkpoint",))


@pytest.mark.parametrize("cameras", [False, True])
def test_a_cpu_goes_on_with_packets_of_a_gpu(gpu_folder, cameras):
    """And back again; every packet ends once."""
    prepare(gpu_folder, cameras, ABSORBING)
    given = ["run", "model.yaml", "--packets", "40000", "--precision", "double", "-o", "out.h5", "--resume", "--json",
             "--set", "physics.acceleration=none", "--set", "medium.tau_mean=3e5"]  # fmt: skip
    for device, limit, status in [("cuda", "2s", 130), ("cpu", "2s", 130), ("cuda", "10h", 0)]:
        done = gpu_folder.run(*given, "--device", device, "--time-limit", limit, timeout=600)
        assert done.returncode == status, done.stderr
    assert "continuing from a statepoint" in done.stderr
    summary = json.loads(done.stdout)
    assert summary["packets"] == 40000 and summary["packets_left"] == 0
    assert summary["escaped"] + summary["absorbed"] == pytest.approx(summary["emitted"], rel=1e-6)
    with h5py.File(gpu_folder.path / "out.h5") as file:
        assert np.unique(file["packets/id"]).size == file["packets/id"].size


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_takes_about_a_second(gpu_folder, number):
    """Packets that would take minutes are kept in a statepoint, and left out of the result."""
    terminal = Terminal(gpu_folder, "--set", "physics.acceleration=none", "--set", "medium.tau_mean=1e7", "--packets",
                        "1e6", "--device", "cuda", "-o", "out.h5", "--json")  # fmt: skip
    terminal.read_until(["scatterings so far"])
    time.sleep(2)
    start = time.monotonic()
    terminal.stop(number)
    assert time.monotonic() - start < 10
    assert terminal.process.returncode == 130
    assert states(gpu_folder) == ["out.h5.state"]
    with h5py.File(gpu_folder.path / "out.h5.state") as file:
        flight = file["state/flight"][()]
    assert flight.shape[0] > 1000 and np.isfinite(flight).all()
