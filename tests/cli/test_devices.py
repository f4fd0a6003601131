"""Several GPUs of one process work on one run, whose result is the same to the last bit as that of a single one. The
GPUs of these tests are the CPU (pretended_gpu.c); tests/parity/devices.py repeats the first test on a real one."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import pytest
from conftest import error_line
from test_deterministic import ABSORBS, BOX, CASES, assert_identical, changed
from test_mpi import environment

LONG = ["--packets", "3000", "--set", "medium.tau_mean=2e5"]


@pytest.fixture
def several(folder, tmp_path_factory):
    """A folder for runs of a copy of the program with two pretended GPUs."""
    module = os.environ.get("LINERAD_PRETENDED_GPU")
    if not module:
        pytest.skip("LINERAD_PRETENDED_GPU is not set")
    place = tmp_path_factory.mktemp("program")
    shutil.copy(folder.program, place)
    for library in Path(folder.program).parent.glob("liblinerad*.so*"):
        shutil.copy(library, place)
    shutil.copy(module, place / "liblinerad_cuda.so")
    folder.program = str(place / "linerad")
    return folder


def run(folder, output, *arguments, **variables):
    done = folder.run("run", "model.yaml", "-o", output, *arguments, env=environment(folder, **variables))
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("case, precision, devices", [
    ("absorption", "double", "cuda:0,0"),
    ("cameras", "mixed", "cuda:1,0"),
    ("cameras", "double", "cuda:all"),
    ("shells", "mixed", "cuda:all"),
    ("refined", "double", "cuda:0,2"),
])  # fmt: skip
def test_the_number_of_devices_does_not_matter(several, case, precision, devices):
    changes, more = CASES[case]
    several.model.write_text(changed(BOX, changes) + more)
    numbers = "0,1,2" if devices == "cuda:all" else devices.removeprefix("cuda:")
    options = ["--precision", precision, "--threads", "2"]
    run(several, "one.h5", "--device", "cuda:0", *options)
    done = run(several, "all.h5", "--device", devices, *options, PRETENDED_GPUS="3")
    assert f"cuda:{numbers} pretended GPU" in done.stdout
    assert_identical(several.path / "one.h5", several.path / "all.h5")


def test_images_without_packets(several):
    """Each device traces some rows, with fewer rows than devices in the second image."""
    changes, more = CASES["cameras"]
    images = more.replace("image: {errors: true, emissivity: true}", "").replace("pixels: 4", "pixels: [4, 1]")
    several.model.write_text(changed(BOX, [*changes, ("deterministic: true", "deterministic: false")]) + images)
    options = ["--packets", "0", "--precision", "double"]
    run(several, "one.h5", "--device", "cuda:1", *options)
    run(several, "all.h5", "--device", "cuda:all", *options, PRETENDED_GPUS="3")
    assert_identical(several.path / "one.h5", several.path / "all.h5")


def start(folder, *arguments, **variables):
    command = [folder.program, "run", "model.yaml", "-o", "out.h5", "--set", "run.checkpoint=0.001", *LONG, *arguments]
    process = subprocess.Popen(command, cwd=folder.path, env=environment(folder, **variables), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    for _ in range(600):
        if (folder.path / "out.h5.state").exists() or process.poll() is not None:
            return process
        time.sleep(0.05)
    raise AssertionError("no statepoint")


def test_a_stop_and_a_kill_with_other_devices_each_time(several):
    several.model.write_text(changed(BOX, [ABSORBS]))
    run(several, "whole.h5", "--device", "cuda", *LONG)
    process = start(several, "--device", "cuda:all")
    process.send_signal(signal.SIGTERM)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130 and "repeat the command with --resume" in text, text
    with h5py.File(several.path / "out.h5") as file:
        assert 0 < file["summary"].attrs["packets"] < 3000 and "partial" in file.attrs
    process = start(several, "--device", "cuda:0,0,1", "--resume")
    process.kill()
    process.communicate()
    done = run(several, "out.h5", "--device", "cuda:all", "--resume", *LONG)
    assert "continuing from a statepoint" in done.stderr
    assert_identical(several.path / "whole.h5", several.path / "out.h5")


def test_a_device_that_fails_ends_the_run_and_leaves_the_statepoint(several):
    several.model.write_text(changed(BOX, [ABSORBS]))
    run(several, "whole.h5", "--device", "cuda", *LONG)
    process = start(several, "--device", "cuda:all")
    process.kill()
    process.communicate()
    done = several.run("run", "model.yaml", "-o", "out.h5", "--device", "cuda:all", "--resume", *LONG,
                       env=environment(several, PRETENDED_FAILURE="1,0.1"))  # fmt: skip
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert done.returncode == 2 and len(errors) == 1, done.stderr
    assert errors[0].startswith("linerad: error: cuda:1 failed: it only pretends; the statepoint out.h5.state is there")
    assert not (several.path / "out.h5").exists()
    run(several, "out.h5", "--device", "cuda:0", "--resume", *LONG)
    assert_identical(several.path / "whole.h5", several.path / "out.h5")


def test_a_device_that_is_not_there(several):
    for name in ("cuda:0,2", "cuda:2"):
        done = several.run("run", "model.yaml", "--device", name, env=environment(several))
        assert f"'{name}' does not exist: there are 2" in error_line(done)


def test_ranks_with_several_devices_each(several):
    mpirun = shutil.which("mpirun")
    if not mpirun or not (Path(several.program).parent / "liblinerad_mpi.so").exists():
        pytest.skip("mpirun or the module for MPI is not there")
    changes, more = CASES["cameras"]
    several.model.write_text(changed(BOX, changes) + more)
    run(several, "one.h5", "--device", "cuda")
    command = [mpirun, "-n", "2", several.program, "run", "model.yaml", "-o", "all.h5", "--device", "cuda:all"]
    done = subprocess.run(command, cwd=several.path, env=environment(several, PRETENDED_GPUS="4"), capture_output=True,
                          text=True, timeout=120)  # fmt: skip
    assert done.returncode == 0 and "2 ranks, cuda:0,2 pretended GPU" in done.stdout, done.stderr
    assert_identical(several.path / "one.h5", several.path / "all.h5")
