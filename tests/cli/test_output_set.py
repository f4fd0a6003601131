"""The files of a run are one result: all there or all absent, with one id, and written by one run at a time."""

import fcntl
import os
import signal
import subprocess
import time

import h5py
import pytest
from astropy.io import fits
from conftest import error_line
from test_run import Terminal

IMAGES = """\
channels: {number: 4, range: [-60 km/s, 60 km/s]}
cameras:
  - {name: front, direction: [1, 1, 0], pixels: 8}
  - {name: side, direction: +x, pixels: 8}
image: {distance: 100 pc, moments: true, spectrum: true}
"""
FILES = ["out.h5", "out_front.fits", "out_front_mom0.fits", "out_side.fits", "out_side_mom2.fits"]


@pytest.fixture
def imaging(folder):
    folder.model.write_text(folder.model.read_text() + IMAGES)
    return folder


def run_id(path):
    if path.suffix == ".h5":
        with h5py.File(path) as file:
            return file.attrs["run_id"]
    if path.suffix == ".txt":
        return path.read_text().split("; run ")[1].split()[0].strip(",")
    return fits.getheader(path)["RUNID"]


def ids(folder):
    return {run_id(path) for path in folder.path.glob("out*")}


def test_all_files_carry_the_id_of_their_run(imaging):
    imaging.run_json("-o", "out.h5")
    first = ids(imaging)
    imaging.run_json("-o", "out.h5")
    second = ids(imaging)
    assert len(first) == len(second) == 1 and first != second
    assert len(first.pop()) == 32
    assert all((imaging.path / name).exists() for name in FILES)
    assert not list(imaging.path.glob("*.part*")) and not list(imaging.path.glob("*.lock"))


def writes_cubes(folder):
    try:
        return any(folder.path.glob("out.h5.part-*/*.fits"))
    except FileNotFoundError:  # a folder that has just gone
        return False


def test_a_run_killed_while_it_writes_leaves_the_earlier_set(imaging):
    """The moment of the kill varies, so that it hits the writing of files as well. Between the renames at the end, for
    some 0.1 ms, files can still be mixed; their ids then tell."""
    quick = ["run", "model.yaml", "--quiet", "--packets", "100", "--device", "cpu", "-o", "out.h5"]
    assert imaging.run(*quick).returncode == 0
    killed = mixed = 0
    for i in range(40):
        process = subprocess.Popen([imaging.program, *quick], cwd=imaging.path)
        until = time.monotonic() + 10
        while process.poll() is None and not writes_cubes(imaging) and time.monotonic() < until:
            pass
        time.sleep(0.001 * (i % 10))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        found = {run_id(path) for path in imaging.path.glob("out*") if path.is_file() and path.suffix != ".lock"}
        mixed += len(found) > 1
    assert killed > 5 and mixed <= 2, (killed, mixed)
    assert imaging.run(*quick).returncode == 0
    assert not list(imaging.path.glob("*.part*")) and not list(imaging.path.glob("*.lock"))


def test_two_runs_cannot_write_to_one_name(imaging):
    slow = Terminal(imaging, "--packets", "1e9", "--device", "cpu", "-o", "out.h5")
    slow.read_packets()
    line = error_line(imaging.run("run", "model.yaml", "--quiet", "-o", "out.h5"))
    slow.stop(signal.SIGKILL)
    assert f"out.h5: another run (process {slow.process.pid}) is writing to this name" in line
    assert imaging.run("run", "model.yaml", "--quiet", "-o", "out.h5").returncode == 0  # its lock ended with it
    assert len(ids(imaging)) == 1


def test_left_over_folders_are_removed_unless_their_process_lives(folder):
    dead, alive, other = (folder.path / name for name in ("out.h5.part-aaaaaa", "out.h5.part-bbbbbb", "out.h5.part-ab"))
    for path in (dead, alive, other):
        path.mkdir()
        (path / "out.h5").write_text("half")
    held = os.open(alive, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    folder.run_json("-o", "out.h5")
    os.close(held)
    assert not dead.exists() and alive.exists() and other.exists()


def test_a_dangling_link_names_the_new_file(imaging):
    (imaging.path / "place").mkdir()
    (imaging.path / "out.h5").symlink_to("place/new.h5")
    imaging.run_json("-o", "out.h5")
    assert (imaging.path / "out.h5").is_symlink() and (imaging.path / "place" / "new.h5").is_file()
    assert len(ids(imaging)) == 1
    (imaging.path / "lost.h5").symlink_to("nowhere/new.h5")
    assert "nowhere" in error_line(imaging.run("run", "model.yaml", "--quiet", "-o", "lost.h5"))


def test_partial_cubes_say_so(imaging):
    terminal = Terminal(imaging, "--packets", "1e9", "--device", "cpu", "-o", "out.h5")
    terminal.read_packets()
    terminal.stop(signal.SIGTERM)
    assert terminal.process.returncode == 130
    with h5py.File(imaging.path / "out.h5") as file:
        partial = file.attrs["partial"]
    assert partial.endswith(" of 1000000000 packets")
    assert fits.getheader(imaging.path / "out_front.fits")["PARTIAL"] == partial
    assert partial in (imaging.path / "out_front_spectrum.txt").read_text()
