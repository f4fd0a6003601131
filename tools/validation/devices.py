"""Devices and precisions compared with each other, by the scripts of tests/parity."""

from pathlib import Path

import numpy as np

from .suite import Outcome, Skipped, case, load


def variants(suite):
    """The others are compared with the first."""
    here = suite.device
    return [("cpu", "double"), (here, "double"), ("cpu", "mixed"), (here, "mixed")]


@case("parity", "CPU and GPU, single and double precision", """
With the same seed, a packet has the same history everywhere, up to rounding (`tests/parity`). Escape: differences from
the CPU in double precision, in combined standard errors. Images and level populations: largest difference of a pixel
relative to the brightest one, if the image needs only ray tracing or if precision is double; in mixed precision packets
that scatter often diverge, and their flux is shown.
""")
def parity(suite):
    if not suite.has_gpu:
        raise Skipped("needs a GPU: run it with --device cuda")
    outcome = Outcome()
    escape(suite, outcome)
    images(suite, outcome)
    populations(suite, outcome)
    return outcome


def escape(suite, outcome):
    module = load("parity/compare")
    for entry in suite.pick(module.CASES):
        entry = entry | {kind: suite.packets(entry[kind]) for kind in ("cpu", "cuda")}
        first, _ = module.run(entry, "cpu", "double")
        for device, precision in variants(suite)[1:]:
            values, summary = module.run(entry, device, precision)
            for name in entry["expected"] or module.UNREFERENCED:
                if first[name][1] > 0:
                    outcome.statistical(f"{entry['name']}, {device} {precision}, {name.replace('_', ' ')}",
                                        summary["packets"], values[name], first[name], "double")


def images(suite, outcome):
    module = load("parity/images")
    for name, (model, packets, settings) in suite.pick(module.CASES.items()):
        cubes = [module.image(model, packets, settings, device, precision, Path(suite.new_folder()))
                 for device, precision in variants(suite)]
        for cube, (device, precision) in list(zip(cubes, variants(suite)))[1:]:
            worst = np.abs(cube - cubes[0]).max() / np.abs(cubes[0]).max()
            label = f"image of {name}, {device} {precision}"
            if precision == "double" or packets == 0:
                limit = module.LIMIT_DOUBLE if precision == "double" else module.LIMIT_RAYS
                outcome.within(f"{label}, worst pixel", packets, worst, 0.0, "double", absolute=limit)
            else:
                outcome.shown(f"{label}, flux ratio", packets, cube.sum() / cubes[0].sum(), 1.0, "double")


def populations(suite, outcome):
    module = load("parity/levels")
    for name, settings in suite.pick(module.CASES.items()):
        runs = [module.solve(settings, device, precision, Path(suite.new_folder()))
                for device, precision in variants(suite)]
        for (cube, found), (device, precision) in list(zip(runs, variants(suite)))[1:]:
            worst = np.abs(cube - runs[0][0]).max() / np.abs(runs[0][0]).max()
            outcome.within(f"populations of {name}, {device} {precision}, worst pixel", 0, worst, 0.0, "double",
                           absolute=module.LIMIT[precision])
            if precision == "double":
                outcome.within(f"populations of {name}, {device} {precision}, iterations", 0, found["iterations"],
                               runs[0][1]["iterations"], "double", absolute=0)
