"""Help, dispatch and options: what a user sees first."""

import subprocess

import pytest

from conftest import error_line


def test_version_is_one_line(folder):
    done = folder.run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("linerad ") and done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize("command", [[], ["run"], ["image"], ["check"], ["keys"], ["molecule"], ["info"]])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_teaches(folder, command, option):
    done = folder.run(*command, option)
    assert done.returncode == 0
    assert done.stderr == ""
    for section in ("Usage: ", "Options", "Examples", "Exit codes"):
        assert section in done.stdout
    examples = done.stdout.split("Examples\n")[1].split("\n\n")[0]
    assert examples.count("linerad ") >= 2
    assert all(len(line) <= 120 for line in done.stdout.splitlines())


@pytest.mark.parametrize("command", [[], ["run"], ["check"]])
def test_help_states_the_conventions(folder, command):
    text = folder.run(*command, "--help").stdout
    assert "Doppler units" in text and "blue" in text.replace("\n", " ")


def test_run_help_has_every_option(folder):
    text = folder.run("run", "--help").stdout
    for option in "-o --packets --seed --threads --device --precision --set --json --quiet".split():
        assert option in text


def test_help_wins_over_what_follows(folder):
    assert folder.run("run", "--help", "--nonsense").returncode == 0


@pytest.mark.parametrize("word, meant", [("rnu", "run"), ("imgae", "image"), ("chekc", "check"), ("inf", "info"), ("--hepl", "--help")])
def test_unknown_command_names_the_nearest(folder, word, meant):
    line = error_line(folder.run(word))
    assert f"'{word}'" in line and f"'{meant}'" in line


def test_unknown_command_without_a_neighbour(folder):
    assert "linerad --help" in error_line(folder.run("photosynthesis"))


def test_no_command(folder):
    assert "linerad --help" in error_line(folder.run())


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["run", "model.yaml", "--pakets", "3"], ["'--pakets'", "'--packets'"]),
        (["run", "model.yaml", "--pakets=3"], ["--pakets", "'--packets'"]),
        (["run", "model.yaml", "--packet", "3"], ["'--packet'", "'--packets'"]),
        (["run", "model.yaml", "--packet=3"], ["'--packet'", "'--packets'"]),
        (["run", "model.yaml", "--thread", "3"], ["'--thread'", "'--threads'"]),
        (["run", "model.yaml", "--thread=3"], ["--thread=3", "'--threads'"]),
        (["run", "model.yaml", "--thread"], ["'--thread'", "'--threads'"]),
        (["run", "model.yaml", "--js"], ["'--js'"]),
        (["run", "model.yaml", "-x"], ["'-x'"]),
        (["run", "model.yaml", "--quiet=yes"], ["'--quiet'", "no value"]),
        (["run", "model.yaml", "-o"], ["'-o'", "value"]),
        (["run", "model.yaml", "--seed"], ["'--seed'", "value"]),
        (["run"], ["no model"]),
        (["check"], ["no model"]),
        (["run", "model.yaml", "other.yaml"], ["'other.yaml'"]),
        (["info", "model.yaml"], ["'model.yaml'"]),
        (["run", "model.yaml", "--packets", "many"], ["--packets", "many"]),
        (["run", "model.yaml", "--packets", "1.5"], ["--packets", "1.5"]),
        (["run", "model.yaml", "--packets", "1e300"], ["--packets", "1e300"]),
        (["run", "model.yaml", "--packets", "nan"], ["--packets", "nan"]),
        (["run", "model.yaml", "--seed", "0.5"], ["--seed", "0.5"]),
        (["run", "model.yaml", "--threads", "two"], ["--threads", "two"]),
        (["run", "model.yaml", "--device", "cdua"], ["--device", "cdua", "'cuda'"]),
        (["run", "model.yaml", "--device", "gpu"], ["--device", "gpu", "'cuda'"]),
        (["run", "model.yaml", "--device", "cuda:x"], ["--device", "cuda:x"]),
        (["run", "model.yaml", "--precision", "single"], ["--precision", "single", "mixed", "double"]),
        (["check", "model.yaml", "--packets", "1.5"], ["--packets", "1.5"]),
        (["check", "model.yaml", "--device", "gpu"], ["--device", "gpu", "'cuda'"]),
        (["check", "model.yaml", "--output", "x.h5"], ["unknown option '--output'"]),
        (["run", "model.yaml", "--set", "tau"], ["--set", "tau"]),
        (["run", "model.yaml", "--set", "=3"], ["--set"]),
    ],
)
def test_bad_options_are_one_line(fails, arguments, words):
    line = fails(*arguments)
    for word in words:
        assert word in line


def test_a_message_stays_one_line(folder):
    assert "two lines" in error_line(folder.run("run", "two\nlines.yaml"))


def test_info_names_the_version(folder):
    done = folder.run("info")
    assert done.returncode == 0
    assert folder.run("--version").stdout.split()[1] in done.stdout
    assert "cpu" in done.stdout.lower()


def test_check_reports_and_writes_nothing(folder):
    before = folder.contents()
    done = folder.run("check", "model.yaml")
    assert done.returncode == 0
    assert "tau" in done.stdout.lower() or "depth" in done.stdout.lower()
    assert folder.contents() == before


def test_check_takes_settings(folder):
    plain = folder.run("check", "model.yaml").stdout
    changed = folder.run("check", "model.yaml", "--set", "medium.tau_mean=12345")
    assert changed.returncode == 0
    assert changed.stdout != plain


@pytest.mark.parametrize(
    "option, value, key",
    [
        ("--packets", "1e4", "run.packets"),
        ("--seed", "7", "run.seed"),
        ("--threads", "1", "run.threads"),
        ("--device", "cpu", "run.device"),
        ("--precision", "double", "run.precision"),
    ],
)
def test_check_takes_the_options_of_run(folder, option, value, key):
    """Each is the setting it is short for, and takes precedence over --set."""
    assert option in folder.run("check", "--help").stdout
    done = folder.run("check", "model.yaml", "--set", f"{key}=-5", option, value)
    assert done.returncode == 0, done.stderr


def test_check_tells_the_time_of_the_packets_it_is_asked_for(folder):
    told = folder.run("check", "model.yaml", "--packets", "2e4", "--threads", "1").stdout
    assert "for 20000 packets" in told and "1 thread" in told


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["info"], ["check", "model.yaml"]])
def test_a_full_stdout_is_an_error(folder, arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([folder.program, *arguments], cwd=folder.path, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"standard output" in done.stderr
