"""Progress is shown where somebody sees it, and nowhere else."""

import fcntl
import io
import os
import pty
import struct
import sys
import termios
import types

import pytest
from linerad import _progress
from small import slab


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Time that passes by hand."""
    now = [100.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    return now


def test_terminals_show_a_line_that_goes_away(clock, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    line = _progress.default()
    line("packets", 0, 1000, 0)
    assert screen.getvalue() == ""  # short runs show nothing
    clock[0] += 10
    line("packets", 250, 1000, 10)
    assert screen.getvalue() == "\r25.0 %  250 of 1,000 packets, 0:10, about 0:30 left\033[K"
    clock[0] += 0.1
    line("packets", 252, 1000, 10.1)  # not too often
    line.finish()
    assert screen.getvalue().endswith("left\033[K\r\033[K")


def test_a_line_stays_in_a_narrow_terminal(clock):
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 24, 20, 0, 0))
    with os.fdopen(follower, "w") as screen:
        line = _progress.Line(_progress._Terminal(screen))
        line("packets", 0, 1000, 0)
        clock[0] += 10
        line("packets", 250, 1000, 10)
        assert os.read(leader, 1000) == b"\r25.0 %  250 of 1,00\033[K"  # the last column stays free
    os.close(leader)


def test_nothing_is_promised_when_long_histories_remain(clock):
    screen = Terminal()
    line = _progress.Line(_progress._Terminal(screen))
    line("packets", 0, 1000, 0)
    for step in range(20):
        clock[0] += 1
        line("packets", min(100 * step, 990), 1000, step)
    assert screen.getvalue().endswith("\r99.0 %  990 of 1,000 packets, 0:20\033[K")


def test_a_new_stage_begins_anew(clock):
    screen = Terminal()
    line = _progress.Line(_progress._Terminal(screen))
    line("packets", 0, 1000, 0)
    clock[0] += 50
    line("rows", 0, 64, 0)
    clock[0] += 4
    line("rows", 16, 64, 4)
    assert screen.getvalue() == "\r25.0 %  16 of 64 rows, 0:04, about 0:12 left\033[K"
    line("iterations", 0, 0, 0)
    clock[0] += 4000
    line("iterations", 7, 0, 4000)
    assert screen.getvalue().endswith("\r7 iterations, 1:06:40\033[K")


def test_files_and_pipes_show_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert _progress.default() is None
    monkeypatch.setattr(sys, "stderr", None)
    assert _progress.default() is None


def test_notebooks_show_a_line_in_the_cell(clock, monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data["text/plain"])

    def display(data, raw, display_id):
        shown.append(data["text/plain"])
        return Handle()

    python = types.ModuleType("IPython")
    python.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    python.display = types.ModuleType("IPython.display")
    python.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", python)
    monkeypatch.setitem(sys.modules, "IPython.display", python.display)
    line = _progress.default()
    line("packets", 0, 10, 0)
    for _ in range(2):
        clock[0] += 2
        line("packets", 5, 10, 2)
    line.finish()
    assert shown[0] == "50.0 %  5 of 10 packets, 0:02, about 0:02 left" and shown[-1] == "" and len(shown) == 3


def test_a_run_shows_its_progress_unless_told_not_to(monkeypatch):
    calls = []

    class Line:
        def __call__(self, *now):
            calls.append(now)

        def finish(self):
            calls.append("finish")

    monkeypatch.setattr(_progress, "default", Line)
    slab(output=None).run(1000, progress=False)
    assert calls == []
    slab(output=None).run(1000)
    assert calls[-1] == "finish" and calls[-2][1:3] == (1000, 1000)
