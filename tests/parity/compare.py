#!/usr/bin/env python3
"""The same cases on several devices and precisions, against the independent references and against each other.

    tests/parity/compare.py cpu:mixed cuda:mixed cuda:double > table.md

The others are compared with the first entry. With the same seed a packet has the same history everywhere up to
rounding, so entries with equal packet numbers agree far better than their statistical errors; GPU entries use more
packets. Exit code 1 if anything differs by more than LIMIT combined standard errors.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "physics"))

import reference  # noqa: E402

from gpu import NO_GPU, SKIPPED, has_gpu  # noqa: E402

BINARY = os.environ.get("LINERAD_BIN", os.path.join(ROOT, "build", "linerad"))
LIMIT = 4.0  # about two hundred comparisons: one of them exceeds 3.5 by chance one time in ten
UNREFERENCED = ["median_abs_x", "f_esc", "scatterings_per_packet", "mean_path"]  # of cases without a reference
QUANTITIES = ["median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x", "scatterings_per_depth", "mean_path"]


def slab(tau_mean, cpu, gpu):
    return {"name": "slab tau_mean=%d" % tau_mean, "model": "neufeld_slab", "set": ["medium.tau_mean=%d" % tau_mean],
            "depth": tau_mean / math.sqrt(math.pi), "expected": reference.SLAB[tau_mean], "cpu": cpu, "cuda": gpu}


def cube(name, settings, expected):
    return {"name": name, "model": "box", "set": settings, "depth": reference.CUBE_DEPTH, "expected": expected,
            "cpu": 4e5, "cuda": 2e7}


def dusty(x_parameter, expected, gpu):
    tau = x_parameter / (reference.DUSTY_DAMPING * reference.DUSTY_DEPTH) ** (1 / 3)
    return {"name": "dusty slab X=%g" % x_parameter, "model": "dusty_slab", "set": ["medium.tau_absorption=%.10g" % tau],
            "depth": None, "expected": {"f_esc": expected}, "cpu": 1000, "cuda": gpu}


SPHERES = ["mesh={shells: 16, outer: 1 pc}", "medium={b: 10 km/s, damping: 0.149, tau_centre: 1000}", "sources.0="
           "{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}"]


def shells(name, settings, expected=None):
    """Spherical shells; without a reference, devices are compared with each other."""
    return {"name": name, "model": "shells_lya", "set": ["output={reference_b: 10 km/s}", *SPHERES, *settings],
            "depth": 1000, "expected": expected or {}, "cpu": 4e4, "cuda": 1e6}


WIDE = "sources.0.spectrum={gaussian: {centre: 0, sigma: 1}}"
CASES = [
    slab(200, 4e5, 4e6), slab(500, 2e5, 4e6), slab(2000, 1e5, 2e6), slab(8000, 2e4, 1e6), slab(32000, 4e3, 4e5),
    cube("cube, dispersion b/sqrt2", [], reference.CUBE_THERMAL),
    cube("cube, dispersion b", [WIDE], reference.CUBE_WIDE),
    cube("cube periodic in y, z", [WIDE, "mesh.faces={x: open, y: periodic, z: periodic}"], reference.CUBE_PERIODIC),
    cube("cube of a refined mesh", ["mesh.cells=[8, 8, 8]", "mesh.refine=[{sphere: {centre: [0.2 pc, 0.1 pc, 0 pc], radius: "
                                    "0.2 pc}, levels: 2}]"], reference.CUBE_THERMAL),
    shells("sphere of shells", [], reference.SPHERE[1000]),
    shells("outflow of shells with a cavity", ["mesh.inner=0.3 pc", "medium.velocity=15 km/s", "medium.damping=0.01"]),
    shells("absorbing infall of shells", ["medium.velocity=-20 km/s", "medium.tau_absorption=0.2",
                                          "medium.destruction=1e-4"]),
    {"name": "fine structure and deuterium, slab", "model": "neufeld_slab", "depth": None, "expected": {}, "cpu": 4e4,
     "cuda": 1e6, "set": ["line={group: lyman_alpha_fine, deuterium: 0.01}", "medium={temperature: 100 K, tau_centre: 500}",
                          "physics={phase: dipole, recoil: true}",
                          "sources.0.spectrum={band: {from: -100 km/s, to: 10 km/s}}"]},
    shells("C II with fluorescence, outflow of shells", [
        "line=cii1335", "medium={b: 10 km/s, tau_centre: 100, velocity: 20 km/s, absorption: 0.1 1/pc}"]),
    {"name": "He I triplet, refined cube", "model": "box", "depth": None, "expected": {}, "cpu": 4e4, "cuda": 1e6, "set": [
        "line=hei10833", "medium={temperature: 1e4 K, tau_centre: 100}", "sources.0.spectrum=local",
        "mesh={cells: [8, 8, 8], size: [1 pc, 1 pc, 1 pc], refine: [{sphere: {centre: [0.2 pc, 0.1 pc, 0 pc], radius: "
        "0.2 pc}, levels: 1}]}"]},
] + [dusty(x, expected, 4e4) for x, expected in reference.DUSTY_ESCAPE.items()]


def run(case, device, precision):
    """Every quantity as (value, error)."""
    packets = case["cuda" if device.startswith("cuda") else "cpu"]
    if device.startswith("cuda") and precision == "double":
        packets /= 4
    with tempfile.TemporaryDirectory() as folder:
        command = [BINARY, "run", os.path.join(ROOT, "examples", case["model"] + ".yaml"), "--json", "--quiet",
                   "-o", os.path.join(folder, "r.h5"), "--device", device, "--precision", precision,
                   "--packets", "%d" % packets, "--set", "run.batches=64", "--set", "output.bins=4000",
                   "--set", "physics.acceleration=none"]
        for setting in case["set"]:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s on %s: %s" % (case["name"], device, done.stderr.strip()))
    summary = json.loads(done.stdout)
    values = {name: (summary[name], summary[name + "_error"])
              for name in ("median_abs_x", "mean_path", "f_esc", "scatterings_per_packet")}
    for which, name in enumerate(("lower_quartile_abs_x", "upper_quartile_abs_x")):
        values[name] = (summary["quartiles_abs_x"][which], summary["quartiles_abs_x_error"][which])
    if case["depth"]:
        values["scatterings_per_depth"] = tuple(v / case["depth"] for v in values["scatterings_per_packet"])
    return values, summary


def sigmas(measured, expected):
    return (measured[0] - expected[0]) / math.hypot(measured[1], expected[1])


def main():
    targets = [target.rsplit(":", 1) for target in sys.argv[1:]] or [["cpu", "mixed"], ["cpu", "double"]]
    if any(device.startswith("cuda") for device, _ in targets) and not has_gpu(BINARY):
        print(NO_GPU)
        return SKIPPED
    names = ["%s %s" % tuple(target) for target in targets]
    print("| case | quantity | reference | " + " | ".join(names) + " |")
    print("|" + "---|" * (3 + len(targets)))
    worst = 0.0
    devices = {}
    for case in CASES:
        results = []
        for device, precision in targets:
            values, summary = run(case, device, precision)
            results.append(values)
            devices["%s %s" % (device, precision)] = summary["device"]
        expectations = case["expected"] or {name: results[0][name] for name in UNREFERENCED if results[0][name][1] > 0}
        for name, expected in expectations.items():
            cells = []
            for values in results:
                off = sigmas(values[name], expected)
                against_first = sigmas(values[name], results[0][name]) if values is not results[0] else 0.0
                worst = max(worst, abs(off), abs(against_first))
                cells.append("%.5g(%.1g) %+.1f" % (values[name][0], values[name][1], off))
            print("| %s | %s | %.5g(%.1g) | %s |" % (case["name"], name, expected[0], expected[1], " | ".join(cells)))
            sys.stdout.flush()
    print()
    print("The signed number after a value is its distance from the reference in combined standard errors; where there is "
          "none, the first column stands in for it.")
    print("Largest distance, from the reference or from the first column: %.1f. Limit: %.1f." % (worst, LIMIT))
    for name, device in devices.items():
        print("- %s: %s" % (name, device))
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
