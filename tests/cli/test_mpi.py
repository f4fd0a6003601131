"""Processes started by mpirun work on one run, whose result is the same to the last bit as that of a single process."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import pytest
from test_deterministic import ABSORBS, BOX, CASES, assert_identical, changed

LAUNCHERS = ("OMPI_", "PMI_", "PMIX_", "SLURM_")
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
LEVELS = f"""\
mesh: {{cells: [4, 4, 4], size: [1 pc, 1 pc, 1 pc]}}
line: {{molecule: {Path(__file__).parents[2] / "examples/data/co_demo.dat"}, transition: 1}}
medium: {{temperature: 20 K, turbulence: 0.3 km/s, abundance: 1e-4, colliders: {{H2: 300 cm^-3}}}}
populations: {{method: equilibrium, background: 2.725 K, directions: 12}}
run: {{packets: 0, seed: 3, device: cpu, deterministic: true}}
output: {{populations: true}}
channels: {{range: [-2 km/s, 2 km/s], number: 5}}
cameras: [{{name: side, theta: 60 deg, phi: 30 deg, pixels: 9, field: 2 pc}}]
image: {{report: true, optical_depth: true, background: cmb}}
"""


@pytest.fixture(scope="session")
def mpirun(program):
    path = shutil.which("mpirun")
    if not path:
        pytest.skip("mpirun is not there")
    if not (Path(program).parent / "liblinerad_mpi.so").exists():
        pytest.skip("linerad was built without MPI")
    return path


def environment(folder, **more):
    """Outside any job; the settings of Open MPI allow more processes than processors, and root."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    return kept | {
        "LINERAD_CACHE": str(folder.path / "cache"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        **more,
    }


def ranks(mpirun, folder, number, *arguments, **options):
    command = [mpirun, "-n", str(number), folder.program, "run", *map(str, arguments)]
    options = {"timeout": 120, "capture_output": True, "text": True, **options}
    return subprocess.run(command, cwd=folder.path, env=environment(folder), **options)


def alone(folder, output, *arguments):
    done = folder.run("run", "model.yaml", "--quiet", "-o", output, *arguments, env=environment(folder))
    assert done.returncode == 0, done.stderr
    return folder.path / output


def own_lines(text):
    return [line for line in text.splitlines() if line.startswith("linerad: ")]


@pytest.mark.parametrize("case, precision, number, threads", [
    ("absorption", "double", 3, 2),
    ("cameras", "mixed", 2, 1),
    ("cameras", "double", 3, 2),
    ("peel-off", "mixed", 2, 2),
    ("shells", "double", 2, 1),
    ("refined", "mixed", 2, 1),
    ("jumps", "mixed", 2, 2),
])  # fmt: skip
def test_the_number_of_ranks_does_not_matter(mpirun, folder, case, precision, number, threads):
    changes, more = CASES[case]
    folder.model.write_text(changed(BOX, changes) + more)
    one = alone(folder, "one.h5", "--threads", 1, "--precision", precision)
    done = ranks(mpirun, folder, number, "model.yaml", "-o", "all.h5", "--threads", threads, "--precision", precision)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("packets     ") == 1 and f"{number} ranks of {threads} thread" in done.stdout
    assert_identical(one, folder.path / "all.h5")


def test_levels_and_rays(mpirun, folder):
    """Without packets: level populations, images and what is reported of them."""
    folder.model.write_text(LEVELS)
    one = alone(folder, "one.h5")
    done = ranks(mpirun, folder, 3, "model.yaml", "-o", "all.h5")
    assert done.returncode == 0, done.stderr
    assert_identical(one, folder.path / "all.h5")


def test_many_passes(mpirun, folder):
    """Images that do not fit into memory at once take the packets once more for each part."""
    changes, more = CASES["cameras"]
    more = more.replace("errors: true, emissivity: true", "errors: true")
    folder.model.write_text(changed(BOX, changes) + more)
    options = ["--set", "run.memory=1e-3", "--set", "output.packets=false"]
    one = alone(folder, "one.h5", *options)
    done = ranks(mpirun, folder, 2, "model.yaml", "-o", "all.h5", *options)
    assert done.returncode == 0 and "passes over the same packets" in done.stderr, done.stderr
    assert_identical(one, folder.path / "all.h5")


class Job:
    """A run of two ranks under way; their process ids are in the files rank_0 and rank_1."""

    def __init__(self, mpirun, folder, *arguments):
        words = " ".join(map(str, arguments))
        script = f"echo $$ > rank_{RANK}; exec {folder.program} run model.yaml -o out.h5 {words}"
        self.folder = folder
        self.process = subprocess.Popen(
            [mpirun, "-n", "2", "sh", "-c", script],
            cwd=folder.path, env=environment(folder), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def wait_for(self, name):
        path = self.folder.path / name
        for _ in range(600):
            if path.exists() and path.stat().st_size > 0:
                return path
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)
        raise AssertionError(f"no {name}")

    def send(self, rank, number):
        os.kill(int(self.wait_for(f"rank_{rank}").read_text()), number)
        return self.process.communicate(timeout=60)


LONG = ["--packets", "3000", "--set", "medium.tau_mean=2e5", "--threads", "1"]


def test_a_rank_that_is_killed_ends_the_job_and_leaves_a_statepoint(mpirun, folder):
    folder.model.write_text(changed(BOX, [ABSORBS]))
    whole = alone(folder, "whole.h5", *LONG)
    job = Job(mpirun, folder, *LONG, "--set", "run.checkpoint=0.001")
    job.wait_for("out.h5.state")
    text = job.send(1, signal.SIGKILL)
    assert job.process.returncode != 0 and "".join(text), text
    assert not (folder.path / "out.h5").exists()
    done = ranks(mpirun, folder, 2, "model.yaml", "-o", "out.h5", "--resume", *LONG)
    assert done.returncode == 0 and "continuing from a statepoint" in done.stderr, done.stderr
    assert_identical(whole, folder.path / "out.h5")
    assert not (folder.path / "out.h5.state").exists()
    done = ranks(mpirun, folder, 2, "model.yaml", "-o", "out.h5", "--resume", *LONG)
    assert done.returncode == 0 and "nothing to do" in done.stderr, done.stderr


def test_a_signal_to_one_rank_stops_all(mpirun, folder):
    """One process then finishes what two have begun."""
    folder.model.write_text(changed(BOX, [ABSORBS]))
    whole = alone(folder, "whole.h5", *LONG)
    job = Job(mpirun, folder, *LONG, "--set", "run.checkpoint=0.001")
    job.wait_for("out.h5.state")
    _, text = job.send(1, signal.SIGTERM)
    assert job.process.returncode == 130 and "repeat the command with --resume" in text, text
    with h5py.File(folder.path / "out.h5") as file:
        assert 0 < file["summary"].attrs["packets"] < 3000 and "partial" in file.attrs
    assert_identical(whole, alone(folder, "out.h5", "--resume", *LONG))


def test_an_error_of_all_ranks_is_said_once(mpirun, folder):
    for arguments, expected in [(["missing.yaml"], "missing.yaml"), (["model.yaml", "--no-such"], "no-such"),
                                (["model.yaml", "-o", "no/folder/out.h5"], "no/folder")]:  # fmt: skip
        done = ranks(mpirun, folder, 2, *arguments)
        assert done.returncode == 2 and done.stdout == ""
        errors = [line for line in own_lines(done.stderr) if "error" in line]
        assert len(errors) == 1 and expected in errors[0], done.stderr


def test_an_error_of_one_rank_is_that_of_the_job(mpirun, folder):
    """The second rank has a model of its own: first a broken one, then another."""
    (folder.path / "model_0.yaml").write_text(BOX)
    for text, expected in [(BOX + "nonsense: 1\n", "rank 1 of 2"), (BOX.replace("seed: 3", "seed: 4"), "different models")]:
        (folder.path / "model_1.yaml").write_text(text)
        script = f"exec {folder.program} run model_{RANK}.yaml -o out.h5"
        done = subprocess.run([mpirun, "-n", "2", "sh", "-c", script], cwd=folder.path, env=environment(folder),
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        errors = [line for line in own_lines(done.stderr) if "error" in line]
        assert done.returncode == 2 and len(errors) == 1 and expected in errors[0], done.stderr
        assert not (folder.path / "out.h5").exists()


@pytest.mark.parametrize("variables, launcher", [
    ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}, "mpirun"),
    ({"PMI_SIZE": "2", "PMI_RANK": "0"}, "mpirun"),
    ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}, "srun"),
])  # fmt: skip
def test_several_processes_without_mpi_are_refused(folder, variables, launcher):
    """Rather than as many runs of the same model, each overwriting the result of the others."""
    place = folder.path / "elsewhere"
    place.mkdir()
    shutil.copy(folder.program, place)
    for library in Path(folder.program).parent.glob("liblinerad.so*"):
        shutil.copy(library, place)
    folder.program = str(place / "linerad")
    done = folder.run("run", "model.yaml", "-o", "out.h5", env=environment(folder, **variables))
    assert done.returncode == 2 and f"{launcher} started 2 processes" in done.stderr
    assert "liblinerad_mpi.so is not installed" in done.stderr and not (folder.path / "out.h5").exists()
    done = folder.run("run", "model.yaml", "-o", "out.h5", "--mpi", "off", env=environment(folder, **variables))
    assert done.returncode == 0 and (folder.path / "out.h5").exists()


CELLS = 128
LARGE = f"""\
mesh: {{cells: [{CELLS}, {CELLS}, {CELLS}], size: [2 pc, 2 pc, 2 pc]}}
line: lya
medium:
  temperature: {{formula: '1e4 K * (1 + r / 1 pc)'}}
  density: {{formula: '1e-4 cm^-3 * exp(-(r / 0.5 pc)^2)'}}
  velocity: {{formula: ['10 km/s * x / 1 pc', '10 km/s * y / 1 pc', '10 km/s * z / 1 pc']}}
sources: [{{point: {{position: [0.1 pc, 0 pc, 0 pc]}}, spectrum: {{monochromatic: 0}}, luminosity: 1 photon/s}}]
run: {{packets: 2000, seed: 3, device: cpu, threads: 1}}
output: {{fields: false}}
"""
FIELDS = 6 * 8 * CELLS**3  # opacity, Doppler parameter, damping and velocity


def most_private_memory(*pids):
    """The most bytes, for a second, of each process that no other one has."""
    most = [0 for _ in pids]
    for _ in range(40):
        for i, pid in enumerate(pids):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            own = sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
            most[i] = max(most[i], 1024 * own)
        time.sleep(0.025)
    return most


def test_ranks_of_a_machine_share_the_gas(mpirun, folder):
    """The result is the same, and a rank needs less memory than a process that is alone by what the gas takes."""
    folder.model.write_text(LARGE)
    one = alone(folder, "one.h5")
    done = ranks(mpirun, folder, 2, "model.yaml", "-o", "all.h5")
    assert done.returncode == 0, done.stderr
    assert_identical(one, folder.path / "all.h5")
    options = ["--set", "run.checkpoint=0.001", "--packets", "1e8"]
    process = subprocess.Popen([folder.program, "run", "model.yaml", "-o", "own.h5", *options], cwd=folder.path,
                               env=environment(folder), stderr=subprocess.DEVNULL)  # fmt: skip
    while not (folder.path / "own.h5.state").exists() and process.poll() is None:
        time.sleep(0.05)
    (own,) = most_private_memory(process.pid)
    process.kill()
    process.wait()
    job = Job(mpirun, folder, *options)
    job.wait_for("out.h5.state")
    shared = most_private_memory(*(int((folder.path / f"rank_{r}").read_text()) for r in range(2)))
    job.send(0, signal.SIGKILL)
    assert own > FIELDS and max(shared) < own - 0.7 * FIELDS, (own, shared, FIELDS)
