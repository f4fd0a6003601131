"""The model file is opened and read once, whatever a command does: it may be a pipe, which can be read only once."""

import os
import threading

import h5py
import pytest

from conftest import MODEL, error_line
from test_lines import BOTH


@pytest.fixture
def pipe(folder):
    """A model in a pipe; a second reader would block for ever."""

    def make(text):
        path = folder.path / "pipe.yaml"
        os.mkfifo(path)
        threading.Thread(target=path.write_text, args=(text,), daemon=True).start()
        return path.name

    return make


@pytest.mark.parametrize("text, names", [(MODEL, ["pipe.h5"]), (BOTH, ["pipe_co.h5", "pipe_lya.h5"])])
def test_run_reads_a_pipe(folder, pipe, text, names):
    done = folder.run("run", pipe(text), "--device", "cpu", timeout=60)
    assert done.returncode == 0, done.stderr
    for name in names:
        with h5py.File(folder.path / name) as file:
            assert text in file["provenance/model"].asstr()[()]


def test_check_reads_a_pipe(folder, pipe):
    done = folder.run("check", pipe(BOTH), timeout=60)
    assert done.returncode == 0, done.stderr
    assert "== line co ==" in done.stdout and "== line lya ==" in done.stdout


def test_errors_of_a_pipe_name_the_line(folder, pipe):
    done = folder.run("run", pipe(BOTH.replace("tau_mean: 20", "tau_mean: -20")), timeout=60)
    assert "line 'lya': pipe.yaml:11:" in error_line(done)


@pytest.mark.parametrize("command", ["run", "check"])
def test_standard_input(folder, command):
    done = folder.run(command, "/dev/stdin", input=BOTH, timeout=60)
    assert done.returncode == 0, done.stderr
    if command == "run":
        assert {"stdin_co.h5", "stdin_lya.h5"} <= set(folder.contents())
