#!/usr/bin/env python3
"""Images on the CPU and on a GPU, in single and double precision, as a table in Markdown.

    LINERAD_BIN=build/linerad tests/parity/images.py            needs a GPU and numpy

Histories are a function of seed and packet number. In double precision the cubes of both devices therefore agree to the
rounding of the files (float32). In mixed precision rays also agree to rounding; packets that scatter often diverge at
the first rounding difference, so cubes of thick gas agree within noise. Exit status 1 if double precision differs by
more than 1e-5 of the brightest pixel, or a cube without packets by more than 1e-4.
"""

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
LIMIT_DOUBLE, LIMIT_RAYS = 1e-5, 1e-4

BOX_CHANNELS = "channels={number: 32, range: [-7.7 km/s, 7.7 km/s]}"
OBLIQUE = "cameras=[{name: c, direction: [1, 2, 3], pixels: 24}]"

REFINED = ("mesh={cells: [8, 8, 8], size: [2 pc, 2 pc, 2 pc], brick: %d, refine: [{sphere: {centre: [0.3 pc, 0.2 pc, 0.1 pc],"
           " radius: 0.4 pc}, levels: 2}, {slab: {axis: x, from: -0.9 pc, to: -0.6 pc}, levels: 1}]}")

UNEQUAL = ", ".join(f"{2 * (i / 56) ** 1.2 - 1:.6f} pc" for i in range(57))

# name: (model, packets, settings)
CASES = {
    "thermal clumps, plain cells": ("bench/clumps", 0, [OBLIQUE]),
    "thermal clumps, sub-cell": ("bench/clumps", 0, [OBLIQUE, "image.subcell=true", "channels.samples=2"]),
    "box": ("examples/box", 3e4, [OBLIQUE, BOX_CHANNELS]),
    "box, dipole and recoil": ("examples/box", 1e4, [OBLIQUE, BOX_CHANNELS, "physics.phase=dipole",
                                                     "physics.recoil=true", "medium.tau_centre=5"]),
    "box, complete redistribution": ("examples/box", 1e4, [OBLIQUE, BOX_CHANNELS, "medium.tau_centre=5",
                                                           "physics.redistribution=complete"]),
    "star and clumps": ("examples/clumpy_box", 1e5, ["cameras=[{name: c, direction: [1, 1, 2], pixels: 32}]",
                                                     "image.background=cmb"]),
    "near observer, absorption": ("examples/clumpy_box", 1e5, ["cameras=[{name: c, position: [3 pc, 2 pc, 1 pc],"
                                                               " pixels: 32}]", "medium.absorption=0.1 1/pc",
                                                               "medium.destruction=0.05"]),
    "shells": ("tests/physics/shells/image", 0, ["cameras=[{name: c, direction: [1, 2, 3], pixels: 24}]",
                                                 "medium.velocity=2 km/s", "medium.opacity=3 1/pc",
                                                 "image.background=cmb"]),
    "shells with a cavity, grey absorption": ("tests/physics/shells/image", 0, [
        "cameras=[{name: c, direction: +z, pixels: 24}]", "mesh={shells: 30, inner: 0.01 pc, outer: 1 pc, spacing: log}",
        "medium.velocity=-1 km/s", "medium.opacity=3 1/pc", "medium.absorption=0.5 1/pc"]),
    "shells that scatter": ("tests/physics/shells_scattered/model", 3e4, ["medium.tau_centre=3", "cameras=[{name: c,"
                                                                                    " direction: +z, pixels: 24}]"]),
    "shells that scatter, outflow around a cavity, absorption": ("tests/physics/shells_scattered/model", 3e4, [
        "mesh.inner=0.2 pc", "medium.velocity=20 km/s", "medium.absorption=0.3 1/pc", "cameras=[{name: c, direction: +x, "
        "pixels: 24}]"]),
    "refined mesh, thermal clumps, sub-cell": ("bench/clumps", 0, [OBLIQUE, REFINED % 1, "image.subcell=true"]),
    "refined mesh in bricks, star and clumps": ("examples/clumpy_box", 1e5, [
        REFINED % 2, "cameras=[{name: c, direction: [1, 1, 2], pixels: 32}]"]),
    "refined mesh, near observer, absorption": ("examples/clumpy_box", 1e5, [
        REFINED % 1, "cameras=[{name: c, position: [3 pc, 2 pc, 1 pc], pixels: 32}]", "medium.absorption=0.1 1/pc"]),
    "emissivity kept on the device, unequal cells": ("examples/clumpy_box", 1e5, [
        "mesh={edges: {x: [%s], y: [%s], z: [%s]}}" % (UNEQUAL, UNEQUAL, UNEQUAL), "channels.number=120",
        "cameras=[{name: c, direction: [1, 1, 2], pixels: 32}, {name: d, direction: +x, pixels: 8}]"]),
    "emissivity kept on the device, refined mesh": ("examples/clumpy_box", 1e5, [
        REFINED.replace("8, 8, 8", "40, 40, 40") % 1, "channels.number=120",
        "cameras=[{name: d, direction: +x, pixels: 8}, {name: c, direction: [1, 1, 2], pixels: 32}]"]),
    "hyperfine lines": ("examples/hcn_core", 0, [OBLIQUE, "image={background: cmb}"]),
    "hyperfine lines, dust, near observer": ("examples/hcn_core", 0, [
        "cameras=[{name: c, position: [0.3 pc, 0.2 pc, 0.1 pc], pixels: 24}]", "image={background: cmb}",
        "medium.absorption=3 1/pc", "medium.dust_temperature=15 K",
        "medium.temperature={formula: '8 K + 20 K * r / 0.3 pc'}"]),
    "hyperfine lines, refined mesh": ("examples/hcn_core", 0, [
        OBLIQUE, "image={background: cmb}", "mesh={cells: [16, 16, 16], size: [0.3 pc, 0.3 pc, 0.3 pc], refine: "
        "[{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0.05 pc}, levels: 2}]}"]),
    "hyperfine lines, shells with a cavity": ("examples/hcn_core", 0, [
        OBLIQUE, "image={background: cmb}", "mesh={shells: 40, inner: 0.005 pc, outer: 0.15 pc}",
        "medium.velocity=-0.15 km/s"]),
    "doublet, flowing shells": ("examples/mgii_wind", 3e4, [
        "mesh.shells=40", "channels.number=60", "cameras=[{name: c, direction: +z, pixels: 24}]"]),
    "doublet, moving box, absorption": ("examples/clumpy_box", 3e4, [
        "line=lyman_alpha_fine", "image.emissivity=false", "cameras=[{name: c, direction: [1, 1, 2], pixels: 24}]", "physics.phase=dipole",
        "physics.recoil=true", "medium.absorption=0.1 1/pc"]),
    "slab with a shining plane": ("examples/thick_slab_image", 1e3, ["cameras=[{name: c, theta: 60 deg, phi: 30 deg,"
                                                                     " pixels: 12}]"]),
}


def image(model, packets, settings, device, precision, folder):
    command = [PROGRAM, "run", str(ROOT / f"{model}.yaml"), "--packets", "%d" % packets, "--device", device,
               "--precision", precision, "--quiet", "-o", str(folder / "p.h5")]
    for setting in [*settings, "output.fields=false", "image.errors=false", "image.moments=false", "image.unit=photon"]:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return read_fits(folder / "p_c.fits")


def main():
    if not has_gpu(PROGRAM):
        print(NO_GPU)
        return SKIPPED
    failed = False
    print("| case | packets | " + " | ".join(f"{device} {precision}" for device, precision in VARIANTS[1:]) + " |")
    print("|---|---|---|---|---|")
    for name, (model, packets, settings) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            cubes = [image(model, packets, settings, *variant, Path(folder)) for variant in VARIANTS]
        worst = [np.abs(cube - cubes[0]).max() / np.abs(cubes[0]).max() for cube in cubes[1:]]
        flux = [cube.sum() / cubes[0].sum() - 1 for cube in cubes[1:]]
        failed |= worst[0] > LIMIT_DOUBLE or (packets == 0 and max(worst) > LIMIT_RAYS)
        print(f"| {name} | {packets:g} | " + " | ".join(f"{w:.1e} ({f:+.1e})" for w, f in zip(worst, flux)) + " |",
              flush=True)
    print("\nLargest difference from `cpu double` over the brightest pixel, and in brackets that of the total flux.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
