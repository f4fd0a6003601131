#!/usr/bin/env python3
"""Runs on several GPUs against runs on one: the same numbers to the last bit.

    LINERAD_BIN=build/linerad tests/parity/devices.py [DEVICES ...]       needs a GPU, numpy and h5py

DEVICES are names as of --device; default: cuda:0,0, one GPU that is opened twice, and cuda:all if there are several.
Packets, fields, statepoints and light that is summed in double must agree in every bit; a stopped run is resumed with
the other number of devices. Images are traced by the GPUs, which add the light of a ray in any order: they must agree to
1e-5 of the brightest pixel. Prints a table; exit status 1 if there is a difference.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

from gpu import NO_GPU, SKIPPED, has_gpu

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LINERAD_BIN", str(ROOT / "build" / "linerad"))
OF_THE_RUN = ("seconds", "per_second", "date", "run_id", "threads", "device", "model", "command")
IMAGES = ("image", "depth", "column", "report", "check", "moment")
LIMIT = 1e-5
CAMERAS = ["channels={range: [-80 km/s, 80 km/s], number: 16}",
           "cameras=[{name: side, theta: 60 deg, phi: 30 deg, pixels: 33}, {name: front, direction: +x, pixels: 20}]",
           "run.deterministic=true", "image.errors=true"]
# name: model, packets, settings
CASES = {
    "box": ("box.yaml", "3e6", []),
    "box with cameras": ("box.yaml", "3e6", CAMERAS),
    "few packets": ("box.yaml", "1000", ["output.packets=true"]),
    "rays alone": ("box.yaml", "0", CAMERAS[:2]),
}


def run(model, packets, settings, device, output, *more):
    command = [PROGRAM, "run", str(ROOT / "examples" / model), "--packets", packets, "--device", device, "--quiet",
               "-o", str(output), *more]
    for setting in settings:
        command += ["--set", setting]
    return command


def finish(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def contents(path):
    found = {}

    def add(name, node):
        for key, value in node.attrs.items():
            found[f"{name}@{key}"] = np.asarray(value)
        if isinstance(node, h5py.Dataset):
            found[name] = np.asarray(node[()])

    with h5py.File(path) as file:
        add("", file)
        file.visititems(add)
    return {name: value for name, value in found.items() if not any(word in name for word in OF_THE_RUN)}


def differences(one, other):
    """Names of what differs: in any bit, or of images by more than LIMIT."""
    one, other = contents(one), contents(other)
    wrong = sorted(one.keys() ^ other.keys())
    for name in one.keys() & other.keys():
        a, b = one[name], other[name]
        if a.dtype.kind == "f" and any(word in name for word in IMAGES):
            scale = np.nanmax(np.abs(a)) if a.size and np.isfinite(a).any() else 0
            same = a.shape == b.shape and np.allclose(a, b, rtol=LIMIT, atol=LIMIT * scale, equal_nan=True)
        else:
            same = a.dtype.hasobject and a.tolist() == b.tolist() or a.tobytes() == b.tobytes()
        if not same:
            wrong.append(name)
    return wrong


def stopped_and_resumed(case, devices, folder):
    """Stopped on the first of these devices after a second, and finished on the second."""
    model, packets, settings = case
    first, second = devices
    process = subprocess.Popen(run(model, packets, settings, first, folder / "other.h5"), stderr=subprocess.DEVNULL)
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
    finish(run(model, packets, settings, second, folder / "other.h5", "--resume"))


def main():
    if not has_gpu(PROGRAM):
        print(NO_GPU)
        return SKIPPED
    info = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, check=True).stdout
    several = sum(line.startswith("cuda:") for line in info.splitlines()) > 1
    lists = sys.argv[1:] or (["cuda:0,0", "cuda:all"] if several else ["cuda:0,0"])
    failed = False
    print("| case | devices | differences |\n|---|---|---|")

    def compare(name, devices, one, other):
        wrong = differences(one, other)
        print(f"| {name} | {devices} | {', '.join(wrong) or 'none'} |", flush=True)
        return bool(wrong)

    for name, case in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            finish(run(*case, "cuda:0", folder / "one.h5"))
            for devices in lists:
                finish(run(*case, devices, folder / "other.h5"))
                failed |= compare(name, devices, folder / "one.h5", folder / "other.h5")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        case = ("box.yaml", "1e8", [])
        finish(run(*case, "cuda:0", folder / "one.h5"))
        for devices in ((lists[0], "cuda:0"), ("cuda:0", lists[0])):
            stopped_and_resumed(case, devices, folder)
            failed |= compare("stopped and resumed", " then ".join(devices), folder / "one.h5", folder / "other.h5")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
