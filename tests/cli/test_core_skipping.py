"""Core skipping: what a run and `check` say of it, and which models refuse it."""

import h5py
import pytest

from conftest import error_line

SKIP = ("--set", "physics.acceleration=skip")
GIVEN = (*SKIP, "--set", "physics.x_crit=2.5")
DUST = ("--set", "medium.tau_absorption=0.1")


def test_the_summary_says_so(folder):
    assert "core skipping           up to |x| = 2.5:" in folder.run("run", "model.yaml", *GIVEN).stdout
    assert "core skipping" not in folder.run("run", "model.yaml").stdout
    assert folder.run_json(*GIVEN, "-o", "skip.h5")["x_crit"] == 2.5
    assert folder.run_json()["x_crit"] == 0
    with h5py.File(folder.path / "skip.h5") as file:
        assert file["summary"].attrs["x_crit"] == 2.5


def test_fewer_scatterings(folder):
    skipped, followed = folder.run_json(*GIVEN), folder.run_json()
    assert skipped["scatterings"] < 0.3 * followed["scatterings"]
    assert skipped["scatterings_skipped"] == 0  # by jumps


def test_check_says_so(folder):
    assert "core skipping where |x| < 2.5:" in folder.run("check", "model.yaml", *GIVEN).stdout
    one_cell = ("--set", "mesh.cells=[1, 1, 1]")  # a tau = 0.149 * 200 / sqrt(pi) = 16.81
    assert "(a tau)^(1/3) of each cell, at most 0.5124:" in folder.run("check", "model.yaml", *SKIP, *one_cell).stdout
    assert "core skipping" not in folder.run("check", "model.yaml").stdout


@pytest.mark.parametrize("command", ("run", "check"))
@pytest.mark.parametrize("loss", (DUST, ("--set", "medium.destruction=1e-4")))
def test_absorption_is_a_warning(folder, command, loss):
    warned = folder.run(command, "model.yaml", *SKIP, *loss)
    assert warned.returncode == 0 and warned.stderr.count("paths that are too short") == 1
    for quiet in (SKIP, DUST):
        assert "too short" not in folder.run(command, "model.yaml", *quiet).stderr


def test_the_spectrum_is_wide_enough(folder):
    done = folder.run("run", "model.yaml", *SKIP, "--set", "physics.x_crit=300")
    assert done.returncode == 0 and "outside the spectrum" not in done.stderr
    summary = folder.run_json(*SKIP, "--set", "physics.x_crit=300")
    assert 140 < summary["median_abs_x"] < 200  # one scattering gives x_crit times a uniform number


@pytest.mark.parametrize("x_crit", ("-1", "0", "1001", "much", "3 km/s", "[1, 2]"))
def test_bad_x_crit(folder, x_crit):
    done = folder.run("run", "model.yaml", *SKIP, "--set", f"physics.x_crit={x_crit}")
    assert done.returncode == 2 and "physics.x_crit" in error_line(done)


@pytest.mark.parametrize("acceleration", ("none", "auto", "jumps"))
def test_x_crit_needs_skip(folder, acceleration):
    folder.change_model("run:", f"physics: {{acceleration: {acceleration}, x_crit: 3}}\nrun:")
    done = folder.run("run", "model.yaml")
    assert done.returncode == 2
    line = error_line(done)
    assert "model.yaml:5:" in line and "x_crit" in line and "'acceleration: skip'" in line


@pytest.mark.parametrize("mode", ("table-global", "table-constant", "approximate-voigt", "complete"))
def test_only_with_exact_redistribution(folder, mode):
    done = folder.run("run", "model.yaml", *SKIP, "--set", f"physics.redistribution={mode}")
    assert done.returncode == 2 and "'redistribution: exact'" in error_line(done)
