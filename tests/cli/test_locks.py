"""The lock of an output ends with the run that held it, also if a child of that run is still there."""

import fcntl
import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import h5py
import numpy as np
from conftest import error_line

COMPRESSED = zlib.compress(bytes(2**21))
HOLD = """\
import fcntl, sys, time
file = open("out.h5.lock", "w")
fcntl.flock(file, fcntl.LOCK_EX)
print(sys.argv[1], file=file, flush=True)
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


def hold(folder, owner, seconds):
    """Somebody who holds the lock, with the name of another process in it."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(owner), str(seconds)], cwd=folder.path, stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    return holder


def dead_process():
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_lock_that_ends_soon_after_its_process_is_waited_for(folder):
    with hold(folder, dead_process(), 0.5):
        done = folder.run("run", "model.yaml", "--quiet", "-o", "out.h5")
    assert done.returncode == 0, done.stderr
    assert not (folder.path / "out.h5.lock").exists()


def test_that_of_a_living_process_is_not(folder):
    with hold(folder, os.getpid(), 60) as holder:
        line = error_line(folder.run("run", "model.yaml", "--quiet", "-o", "out.h5"))
        holder.kill()
    assert f"another run (process {os.getpid()}) is writing" in line


def child_of(process):
    """The first child, once it is there."""
    for _ in range(20000):
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process.pid:
                return int(stat.parent.name)
        assert process.poll() is None
    raise AssertionError("no child")


def test_the_child_that_looks_through_files_does_not_hold_the_lock(folder):
    """It reads a statepoint for a second or more while its parent is killed."""
    numbers = np.zeros(2**18)
    with h5py.File(folder.path / "out.h5.state", "w") as file:
        file.attrs["format"] = "linerad statepoint"
        for i in range(1000):
            zeros = file.create_dataset(f"zeros {i}", numbers.shape, numbers.dtype, chunks=numbers.shape, compression=9)
            zeros.id.write_direct_chunk((0,), COMPRESSED)
    process = subprocess.Popen([folder.program, "run", "model.yaml", "--quiet", "-o", "out.h5", "--resume"], cwd=folder.path)
    child = child_of(process)
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open(folder.path / "out.h5.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.kill(child, signal.SIGKILL)  # it was still there
