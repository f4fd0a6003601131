"""Runs that end when a number is known well enough (run.until)."""

import json

import pytest
from conftest import error_line


def run(folder, quantity, error, *arguments):
    until = f"run.until={{quantity: {quantity}, error: {error}}}"
    done = folder.run("run", "model.yaml", "--json", "--device", "cpu", "--set", until, *arguments)
    assert done.returncode == 0, done.stderr
    assert "stopped after" not in done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("quantity", ["median_abs_x", "mean_path"])
def test_a_run_ends_when_the_error_is_small_enough(folder, quantity):
    """Not much later either: the error falls as one over the root of the packets, and is looked at every tenth."""
    summary = run(folder, quantity, "1 %", "--packets", "1e8")
    relative = summary[f"{quantity}_error"] / summary[quantity]
    assert relative < 0.0105 and summary["packets"] < summary["packets_requested"] == 100000000
    assert summary["partial"] == "" and summary["packets_left"] == 0
    assert summary["until"].startswith(f"{quantity} to ")


def test_the_value_agrees_with_that_of_a_run_with_a_fixed_number_of_packets(folder):
    """All packets that have begun are finished, so that long histories are not missing."""
    aimed = run(folder, "scatterings_per_packet", "3 %", "--packets", "1e8", "--set", "medium.tau_mean=1e4")
    fixed = folder.run_json("--packets", 3000, "--seed", 7, "--device", "cpu", "--set", "medium.tau_mean=1e4")
    for name in ["scatterings_per_packet", "mean_path", "median_abs_x"]:
        error = (aimed[f"{name}_error"] ** 2 + fixed[f"{name}_error"] ** 2) ** 0.5
        assert abs(aimed[name] - fixed[name]) < 3.5 * error


def test_packets_are_a_limit(folder):
    summary = run(folder, "f_esc", "1e-6", "--packets", 2000, "--set", "medium.absorption=1 1/pc")
    assert summary["packets"] == 2000 and summary["partial"] == ""
    assert summary["until"].startswith("f_esc to ")


def test_a_smaller_error_is_not_taken_as_reached(folder):
    def resume(error):
        until = f"run.until={{quantity: mean_path, error: {error}}}"
        given = ["--packets", "1e8", "-o", "out.h5", "--resume", "--device", "cpu", "--set", until]
        done = folder.run("run", "model.yaml", *given)
        assert done.returncode == 0, done.stderr
        return done.stderr

    resume("3 %")
    assert "nothing to do" in resume("3 %")
    assert "nothing to do" not in resume("2 %")


def test_an_error_that_is_not_known_is_not_a_number(folder):
    summary = run(folder, "absorbed", "1 %", "--packets", 2000)  # nothing is
    assert summary["packets"] == 2000 and summary["until"] == "absorbed is 0 or not known"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--share", "1/2"], "remove run.until"),
        (["--set", "output.sums=true"], "remove run.until"),
        (["--set", "run.scheduling=static"], "packets must come from a queue"),
    ],
)
def test_runs_that_follow_all_packets_cannot_have_an_aim(folder, given, message):
    until = "run.until={quantity: f_esc, error: 1 %}"
    assert message in error_line(folder.run("run", "model.yaml", "--set", until, *given))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{quantity: f_esc}", "'error' is missing"),
        ("{quantity: median, error: 1 %}", "'median' is not one of"),
        ("{quantity: f_esc, error: 200 %}", "not a relative error"),
        ("{quantity: f_esc, error: fine}", "not a relative error"),
    ],
)
def test_aims_that_make_no_sense_are_refused(folder, value, message):
    assert message in error_line(folder.run("run", "model.yaml", "--set", f"run.until={value}"))
