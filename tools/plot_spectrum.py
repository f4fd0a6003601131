#!/usr/bin/env python3
"""Draw the escaped spectrum of a linerad result file.

    plot_spectrum.py out/neufeld_slab.h5 -o slab.png --neufeld 0.149 32000

Reads /spectrum (x_edges, total, total_error: photons/s per unit x, x > 0 is blue) and draws it with integral 1. The upper
axis is the radio velocity v = -x b, positive = receding. --neufeld A TAU_MEAN adds the slab solution of Neufeld (1990)
for a central source.
"""

import argparse
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Okabe and Ito: distinguishable with any colour vision
BLUE, ORANGE = "#0072B2", "#D55E00"
CM_PER_KM = 1e5


def neufeld_slab(x, a, tau_mean):
    """Escaped photons per unit x from one photon emitted at x = 0 in the midplane of a static slab of mean depth
    tau_mean from centre to face: 4 pi J of Neufeld (1990, ApJ 350, 216), whose integral over x is 1."""
    depth = a * tau_mean
    argument = np.minimum(np.sqrt(np.pi**4 / 54.0) * np.abs(x) ** 3 / depth, 700.0)
    return 4.0 * np.pi * np.sqrt(6.0) / 24.0 * x**2 / depth / np.cosh(argument)


def visible_range(edges, values):
    """Symmetric limits in x that hold all but the faintest wings."""
    bright = np.flatnonzero(values > 1e-2 * values.max())
    if bright.size == 0:
        return edges[0], edges[-1]
    limit = 1.3 * max(abs(edges[bright[0]]), abs(edges[bright[-1] + 1]))
    return max(-limit, edges[0]), min(limit, edges[-1])


class NoSpectrum(Exception):
    """The file cannot have one; the text says why."""


def why_none(file):
    """A result without packets has images instead; anything else is not a result."""
    if file.attrs.get("format") not in ("linerad result", b"linerad result"):
        return "it is not a result of linerad"
    cameras = ", ".join(file["images"]) if "images" in file else ""
    return "no packets were followed (run.packets: 0)" + (
        f"; spectra of its images ({cameras}) are the files _<camera>_spectrum.txt of the run" if cameras else "")


def draw(path, arguments):
    """Return the figure for one result file."""
    with h5py.File(path, "r") as file:
        if "spectrum" not in file:
            raise NoSpectrum("there is no escaped spectrum in it: " + why_none(file))
        group = file["spectrum"]
        edges, total, error = (group[name][()] for name in ("x_edges", "total", "total_error"))
        b_kms = float(group.attrs["reference_b_cm_s"]) / CM_PER_KM

    photons = np.sum(total * np.diff(edges))
    scale = 1.0 / photons if photons > 0 else 1.0
    figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    axes.stairs((total + error) * scale, edges, baseline=(total - error) * scale, fill=True, color=BLUE, alpha=0.3)
    axes.stairs(total * scale, edges, color=BLUE, lw=1.3, label="linerad, with 1 standard error")
    if arguments.neufeld:
        a, tau_mean = arguments.neufeld
        x = np.linspace(edges[0], edges[-1], 2001)
        label = f"Neufeld (1990), a = {a:g}, mean depth {tau_mean:g}"
        axes.plot(x, neufeld_slab(x, a, tau_mean), color=ORANGE, ls="--", lw=1.6, label=label)

    axes.set_xlim(*visible_range(edges, total))
    axes.set_ylim(bottom=0)
    axes.set_xlabel(r"$x = (\nu - \nu_0)\,/\,\nu_D$   (red $\leftarrow$   $\rightarrow$ blue)")
    axes.set_ylabel("escaped photons per unit x, integral 1")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    velocity = axes.secondary_xaxis("top", functions=(lambda x: -x * b_kms, lambda v: -v / b_kms))
    velocity.set_xlabel("radio velocity (km/s), positive = receding")
    if arguments.title:
        axes.set_title(arguments.title)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result", help="HDF5 file written by linerad run -o")
    parser.add_argument("-o", "--output", required=True, help="picture to write (png, pdf, svg)")
    parser.add_argument("--neufeld", nargs=2, type=float, metavar=("A", "TAU_MEAN"), help="overlay the Neufeld slab")
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    try:
        figure = draw(arguments.result, arguments)
        figure.savefig(arguments.output, dpi=150)
    except (OSError, KeyError, NoSpectrum) as problem:
        print(f"plot_spectrum: {arguments.result}: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
