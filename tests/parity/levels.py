#!/usr/bin/env python3
"""Level populations in equilibrium on the CPU and on a GPU, in single and double precision, as a table in Markdown.

    LINERAD_BIN=build/linerad tests/parity/levels.py            needs a GPU and numpy

Rays and equations are the same everywhere, and so is the iteration: after the same number of steps populations agree to
rounding. They are compared through an image of the line, which shows every cell. Exit status 1 if the numbers of
iterations in double precision differ, or pixels by more than LIMIT of the brightest one: 1e-5 in double precision,
where both cut the wings of lines at a depth of about 1e-6, and 1e-4 in single precision, where rounding may change
which iteration is the last. Layers are solved on the CPU whatever the device: their columns only show that images
agree.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from gpu import NO_GPU, SKIPPED, has_gpu
from plain_fits import read_fits

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LINERAD_BIN", str(ROOT / "build" / "linerad"))
VARIANTS = [("cpu", "double"), ("cuda", "double"), ("cpu", "mixed"), ("cuda", "mixed")]
LIMIT = {"double": 1e-5, "mixed": 1e-4}

ITERATION = ["populations.directions=24", "populations.error=1e-4"]
SPHERE = "{default: 0 cm^-3, regions: [{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0.8 pc}, value: 2e3 cm^-3}]}"
DUST = ["medium.absorption=0.2 1/pc", "medium.dust_temperature=40 K"]
STILL = ["medium.velocity=[0 km/s, 0 km/s, 0 km/s]", "medium.temperature=20 K"]
STAR = ["sources=[{gas: {}}, {star: {position: [0.13 pc, -0.21 pc, 0.05 pc], radius: 0.02 pc, temperature: 3000 K}}]"]
STARS = [STAR[0][:-1] + ", {star: {position: [-0.8 pc, 0.5 pc, 0.31 pc], radius: 0.04 pc, temperature: 1000 K}}]"]
LAYERS = ["mesh.cells=[1, 1, 40]", "mesh.faces={x: periodic, y: periodic, z: open}",
          "medium.colliders.H2={default: 300 cm^-3, regions: [{slab: {axis: z, from: -0.4 pc, to: 0.3 pc},"
          " value: 3e3 cm^-3}]}",
          "medium.temperature={default: 30 K, regions: [{slab: {axis: z, from: -0.2 pc, to: 0.2 pc}, value: 10 K}]}"]

# lines that overlap: like HCN, with a file that solve() writes
ROTOR = ("--name HCN --b 44315.97545 --d 0.0872168 --dipole 2.985 --mass 27 --levels 4 --rate 1e-11 --spin 1 "
         "--quadrupole -4.70783 --spin-rotation 0.01013").split()
HYPERFINE = ["line={molecule: HYPERFINE.dat, transition: 1-0}", "medium.abundance=1e-7",
             "channels.range=[-10 km/s, 10 km/s]"]

REFINED = ["mesh={cells: [6, 6, 6], size: [2 pc, 2 pc, 2 pc], refine: [{sphere: {centre: [0.2 pc, 0 pc, 0 pc],"
           " radius: 0.5 pc}, levels: 1}, {sphere: {centre: [0.2 pc, 0 pc, 0 pc], radius: 0.2 pc}, levels: 2}]}"]

# name: settings in addition to bench/cloud_levels.yaml
CASES = {
    "sphere at rest in a box": ["mesh.cells=[12, 12, 12]", f"medium.colliders.H2={SPHERE}", *STILL],
    "moving clumps": ["mesh.cells=[12, 12, 12]"],
    "moving clumps, 3 levels": ["mesh.cells=[12, 12, 12]", "line.levels=3"],
    "moving clumps, 21 levels": ["mesh.cells=[8, 8, 8]", "line.levels=21"],
    "moving clumps, narrow lines": ["mesh.cells=[10, 10, 10]", "medium.turbulence=0.02 km/s"],
    "moving clumps with warm dust": ["mesh.cells=[12, 12, 12]", *DUST],
    "moving clumps around a star": ["mesh.cells=[12, 12, 12]", *STAR],
    "two stars, warm dust, 21 levels": ["mesh.cells=[9, 8, 7]", "line.levels=21", *STARS, *DUST],
    "refined mesh, moving clumps": REFINED,
    "refined mesh around a star": [*REFINED, *STAR],
    "hyperfine lines, moving clumps": ["mesh.cells=[10, 10, 10]", *HYPERFINE],
    "hyperfine lines, star and dust": ["mesh.cells=[8, 8, 8]", *HYPERFINE, *STAR, *DUST],
    "hyperfine lines, refined mesh": [*REFINED, *HYPERFINE],
    "layers": [*LAYERS, "medium.velocity=[0 km/s, 0 km/s, 0 km/s]"],
    "layers with dust": [*LAYERS, *DUST, "medium.velocity=[0 km/s, 0 km/s, 0 km/s]"],
}


def solve(settings, device, precision, folder):
    """The cube, and the numbers in the summary about the populations."""
    command = [PROGRAM, "run", str(ROOT / "bench" / "cloud_levels.yaml"), "--device", device, "--precision", precision,
               "--quiet", "--json", "-o", str(folder / "p.h5")]
    hyperfine = folder / "hyperfine.dat"
    if "HYPERFINE" in " ".join(settings) and not hyperfine.exists():
        done = subprocess.run([sys.executable, ROOT / "tools" / "make_rotor.py", *ROTOR], capture_output=True, check=True)
        hyperfine.write_bytes(done.stdout)
    for setting in [*settings, *ITERATION, "image.errors=false", "image.moments=false", "image.unit=photon"]:
        command += ["--set", setting.replace("HYPERFINE.dat", str(hyperfine))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return read_fits(folder / "p_c.fits"), json.loads(done.stdout)["populations"]


def main():
    if not has_gpu(PROGRAM):
        print(NO_GPU)
        return SKIPPED
    failed = False
    print("| case | iterations | " + " | ".join(f"{device} {precision}" for device, precision in VARIANTS[1:]) + " |")
    print("|---|---|---|---|---|")
    for name, settings in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            runs = [solve(settings, *variant, Path(folder)) for variant in VARIANTS]
        yardstick, first = runs[0]
        cells = []
        for (cube, found), (_, precision) in zip(runs[1:], VARIANTS[1:]):
            worst = np.abs(cube - yardstick).max() / np.abs(yardstick).max()
            more = found["iterations"] - first["iterations"]
            failed |= not worst < LIMIT[precision] or (precision == "double" and more != 0) or not found["converged"]
            cells.append(f"{worst:.1e} ({more:+d})")
        print(f"| {name} | {first['iterations']} | " + " | ".join(cells) + " |", flush=True)
    print("\nLargest difference from `cpu double` over the brightest pixel, and in brackets that of the iterations.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
