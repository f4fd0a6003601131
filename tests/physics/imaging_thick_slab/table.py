#!/usr/bin/env python3
"""Peaks of the spectrum of a thick slab as seen by a camera, against the limit of Neufeld (1990), as a Markdown table;
with --plot, a figure of the spectra.

    LINERAD_BIN=build/linerad tests/physics/imaging_thick_slab/table.py --depths 300 3000 30000 --plot slab.png

Columns: mean depth from midplane to face; packets; peak |x| of the image at mu = 0.75 and of the escaped packets within
0.05 of it (tops of parabolas through the folded spectra within a third of their median); 0.8812 (a tau_mean)^(1/3) of
Neufeld; flux of the image over that of the packets with one standard error; seconds of transport and of ray tracing.
"""

import argparse
import itertools
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import Linerad  # noqa: E402
from slab import DAMPING, MU, escaped, middles, run_slab, seen  # noqa: E402


def peak_of(x, spectrum):
    folded = (spectrum + spectrum[::-1])[: len(x) // 2]
    x = np.abs(x[: len(x) // 2])
    median = np.interp(0.5, np.cumsum(folded[::-1]) / folded.sum(), x[::-1])
    top = np.abs(x / median - 0.95) < 0.35
    curvature, slope, _ = np.polyfit(x[top], folded[top], 2)
    return -slope / (2 * curvature)


def neufeld(x, tau_mean):
    """Escaped photons per unit x, all directions together, per emitted photon."""
    argument = np.minimum(np.sqrt(np.pi**4 / 54) * np.abs(x) ** 3 / (DAMPING * tau_mean), 700)
    return np.pi / np.sqrt(6) * x**2 / (DAMPING * tau_mean) / np.cosh(argument)


def row(run, tau_mean, mu=0.75):
    x = middles(run)
    image, packets = seen(run, mu)[0], escaped(run, mu)[0]
    left = sum(m * escaped(run, m)[0].sum() for m in MU)
    ratio = sum(m * seen(run, m)[0].sum() for m in MU) / left
    error = np.sqrt(sum(m**2 * np.sum(escaped(run, m)[1] ** 2) for m in MU)) / left
    trace = sum(run.attribute("seconds", f"images/mu{100 * m:.0f}") for m in MU)
    return (f"| {tau_mean:g} | {run.summary['packets']} | {peak_of(x, image):.2f} | {peak_of(x, packets):.2f} | "
            f"{0.8812 * np.cbrt(DAMPING * tau_mean):.2f} | {ratio:.4f} +- {error:.4f} | "
            f"{run.summary['seconds']['transport']:.1f} + {trace:.2f} |")


def draw(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(len(runs), 3)
    rows = -(-len(runs) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.9 * rows), squeeze=False)
    for panel, (tau_mean, run) in zip(panels.ravel(), runs.items()):
        x = middles(run)
        image, error = seen(run, 0.75)
        packets, packets_error = escaped(run, 0.75)
        panel.errorbar(x, packets, packets_error, fmt=".", ms=3, lw=0.8, color="#D55E00",
                       label="packets, mu 0.7 to 0.8")
        panel.fill_between(x, image - error, image + error, color="#0072B2", alpha=0.3, lw=0)
        panel.plot(x, image, color="#0072B2", lw=1.2, label="image, mu = 0.75")
        limit = neufeld(x, tau_mean)
        panel.plot(x, limit * image.sum() / limit.sum(), color="0.5", lw=1, ls="--", label="Neufeld (1990), shape")
        panel.set_xlim(-2.6 * np.cbrt(DAMPING * tau_mean), 2.6 * np.cbrt(DAMPING * tau_mean))
        panel.set_title(f"mean depth {tau_mean:g}", fontsize=10)
        panel.set_xlabel("x (Doppler units)")
    for panel in panels[:, 0]:
        panel.set_ylabel("I_v b A / L")
    panels[0, 0].set_ylim(top=1.45 * panels[0, 0].get_ylim()[1])
    panels[0, 0].legend(fontsize=7, loc="upper center")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--depths", type=float, nargs="+", default=[300, 3000])
    parser.add_argument("--scatterings", type=float, default=4e7, help="about how many in each run")
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--plot", help="path of the picture")
    options = parser.parse_args()
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        def new_folder():
            path = Path(folder) / str(next(numbers))
            path.mkdir()
            return path

        program = Linerad(str(Path(os.environ["LINERAD_BIN"]).resolve()), new_folder)
        sys.stdout, out = sys.stderr, sys.stdout  # the harness reports its runs
        runs = {}
        print("| tau_mean | packets | image peak | packets peak | Neufeld | image / packets | seconds |", file=out)
        print("|---|---|---|---|---|---|---|", file=out)
        for tau_mean in options.depths:
            packets = np.ceil(options.scatterings / (1.1 * tau_mean))
            runs[tau_mean] = run_slab(program, tau_mean, packets, n_channel=options.channels)
            print(row(runs[tau_mean], tau_mean), file=out, flush=True)
        if options.plot:
            draw(runs, options.plot)


if __name__ == "__main__":
    main()
