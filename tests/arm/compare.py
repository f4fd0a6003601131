#!/usr/bin/env python3
"""Runs small models with two builds of linerad, the second for another processor under its emulator, and compares.

    compare.py build/linerad qemu-aarch64 -L ROOT build-arm/linerad

In double precision and gas in which photons scatter few times, nearly all histories agree to rounding: their number of
scatterings is the same, and spectra differ by the photons that rounding has sent another way. In deeper gas histories
separate, and the results agree within their errors."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = """\
mesh: {cells: [8, 2, 2], size: [2 pc, 1 pc, 1 pc], faces: {x: open, y: periodic, z: periodic}}
line: lya
medium: {temperature: 1e4 K, tau_mean: %s, damping: 0.0149, velocity: [5 km/s, 0 km/s, 0 km/s], absorption: 0.1 1/pc}
sources: [{plane: {axis: x, at: 0 pc, emission: isotropic}, spectrum: {gaussian: {fwhm: 10 km/s}}, luminosity: 1 photon/s}]
channels: {range: [-80 km/s, 80 km/s], number: 4}
cameras: [{name: side, theta: 60 deg, phi: 30 deg, pixels: 4, field: 3 pc}]
physics: {acceleration: none}
run: {packets: %d, seed: 1, device: cpu}
"""
MOST_SIGMA = 4


def run(command, model, precision):
    command = [*command, "run", model.name, "--json=line", "--quiet", "--precision", precision, "--threads", "1"]
    done = subprocess.run(command, cwd=model.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed: {done.stderr}")
    return json.loads(done.stdout)


def differences(one, other, limit):
    """Quantities with errors, and how many of their errors they differ by; limit: the most they may."""
    bad, compared = [], 0
    for name, value in one.items():
        error = f"{name}_error"
        if not isinstance(value, float) or not one.get(error) or not other.get(error):
            continue
        compared += 1
        off = abs(value - other[name]) / (one[error] ** 2 + other[error] ** 2) ** 0.5
        print(f"    {name:24} {value:.8g} {other[name]:.8g}  {off:.2g} errors")
        if not off <= limit:
            bad.append(name)
    return bad if compared >= 5 else ["too few quantities"]


def main():
    here, there = [str(Path(sys.argv[1]).resolve())], sys.argv[2:]
    there[-1] = str(Path(there[-1]).resolve())
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.yaml"
        for depth, packets, precision, limit in [("0.5", 20000, "double", 0.05), ("300", 1500, "mixed", MOST_SIGMA)]:
            print(f"  tau_mean {depth}, {packets} packets, {precision}")
            model.write_text(MODEL % (depth, packets))
            bad = differences(run(here, model, precision), run(there, model, precision), limit)
            failed += [f"{name} at tau_mean {depth}" for name in bad]
    if failed:
        sys.exit("the builds disagree: " + ", ".join(failed))


main()
