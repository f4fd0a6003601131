"""Whether there is a GPU to compare with; the exit status that CTest takes for a skipped test."""

import subprocess

SKIPPED = 77
NO_GPU = "skipped: linerad finds no GPU on this machine"


def has_gpu(program):
    text = subprocess.run([program, "info"], capture_output=True, text=True, check=True).stdout
    return any(line.startswith("cuda:") for line in text.splitlines())
