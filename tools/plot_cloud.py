#!/usr/bin/env python3
"""Draw channel maps of several lines of one cloud above each other, and their spectra.

    plot_cloud.py out/cloud_oh.h5 out/cloud_co.h5 -o cloud.png --velocities -1 0 1

Reads /images/<camera> of linerad results (intensity in erg s-1 cm-2 Hz-1 sr-1, [channel, y, x]; radio velocity, positive
= receding). Each line is a row with one logarithmic scale over two decades; on its right is the spectrum of the image.
"""

import argparse
import re
import sys
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.patheffects import withStroke

LIGHT_SPEED, BOLTZMANN, PARSEC, JANSKY = 2.99792458e10, 1.380649e-16, 3.0856775814913673e18, 1e-23  # CGS
COLOURS = "cividis"  # even in grey and for any colour vision
INKS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # of Okabe & Ito (2008), told apart by all
DECADES = 2
PREFIXES = {0: "", -1: "m", -2: "\N{MICRO SIGN}", -3: "n", 1: "k"}


class Line:
    """One result: its cube in K, and its spectrum in Jy, or in K where there is no distance."""

    def __init__(self, path, camera):
        with h5py.File(path, "r") as file:
            if "images" not in file or not len(file["images"]):
                raise ValueError(f"{path} has no images")
            group = file["images"]
            name = camera or list(group)[0]
            if name not in group:
                raise ValueError(f"{path} has no camera '{name}'; there is {', '.join(group)}")
            image = group[name]
            self.nu0 = float(image.attrs["nu0"])
            intensity = image["intensity"][()].astype(float)
            self.kelvin = intensity * LIGHT_SPEED**2 / (2 * BOLTZMANN * self.nu0**2)
            self.edges = image["velocity_edges"][()]
            if str(image["x_edges"].attrs["units"]) != "cm":
                raise ValueError(f"{path}: the camera '{name}' is near; this picture is made for parallel views")
            x, y = (image[axis][()] / PARSEC for axis in ("x_edges", "y_edges"))
            self.extent = x[0], x[-1], y[0], y[-1]
            self.distance = float(group.attrs["distance"]) / PARSEC if "distance" in group.attrs else None
            self.name = str(file["provenance"].attrs.get("line", Path(path).stem)).upper()
            self.transition = str(file["populations"].attrs["transition"]) if "populations" in file else ""
        pixel = (x[1] - x[0]) * (y[1] - y[0])
        if self.distance:
            self.spectrum = intensity.sum(axis=(1, 2)) * pixel / self.distance**2 / JANSKY
        else:
            self.spectrum = self.kelvin.mean(axis=(1, 2))

    def channel(self, velocity):
        """The channel that holds a velocity; on an edge, the one above it."""
        index = np.searchsorted(self.edges, velocity, side="right") - 1
        if not 0 <= index < len(self.spectrum):
            raise ValueError(f"no channel at {velocity:g} km/s; they go from {self.edges[0]:g} to {self.edges[-1]:g}")
        return index

    def title(self):
        frequency = f"{self.nu0 / 1e9:.4f} GHz" if self.nu0 > 1e10 else f"{self.nu0 / 1e6:.3f} MHz"
        plain = re.fullmatch(r"\d+-\d+", self.transition)
        return f"{self.name} {self.transition}, {frequency}" if plain else f"{self.name}, {frequency}"


def scaled(top):
    """The power of 1000 and its prefix that make a number at least 1."""
    power = int(np.clip(np.floor(np.log10(top) / 3), min(PREFIXES), max(PREFIXES))) if top > 0 else 0
    return 1000.0**power, PREFIXES[power]


def draw_row(figure, axes, line, velocities, ink, last):
    planes = [line.kelvin[line.channel(v)] for v in velocities]
    top = max(plane.max() for plane in planes)
    if not top > 0:
        raise ValueError(f"{line.name}: the channels are dark")
    unit, prefix = scaled(top)
    norm = LogNorm(top / unit / 10**DECADES, top / unit)
    for axis, plane, velocity in zip(axes, planes, velocities):
        shown = axis.imshow(np.maximum(plane / unit, norm.vmin), origin="lower", extent=line.extent, norm=norm,
                            cmap=COLOURS, interpolation="nearest")
        axis.text(0.04, 0.95, f"{velocity:+g} km/s".replace("+0 ", "0 ").replace("-", "\N{MINUS SIGN}"), color="white",
                  transform=axis.transAxes, va="top", fontsize=9,
                  path_effects=[withStroke(linewidth=2, foreground="#00204d")])
        axis.set_xticks([-0.01, 0, 0.01] if abs(line.extent[0] + 0.02) < 1e-9 else axis.get_xticks()[1:-1:2])
        axis.set_yticks(axis.get_xticks())
        axis.set_xlim(line.extent[:2])
        axis.set_ylim(line.extent[2:])
        axis.tick_params(labelbottom=last, labelleft=axis is axes[0], direction="in", color="white")
        if last:
            axis.set_xlabel("offset (pc)")
    axes[0].set_ylabel("offset (pc)")
    axes[0].set_title(line.title(), loc="left", fontsize=10, color=ink)
    bar = figure.colorbar(shown, ax=list(axes), pad=0.01, aspect=22, extend="min")
    bar.set_label(f"$T_\\mathrm{{B}}$ ({prefix}K)")


def draw_spectrum(axis, line, ink, last):
    unit, prefix = scaled(line.spectrum.max())
    axis.stairs(line.spectrum / unit, line.edges, color=ink, linewidth=1.8, fill=False)
    axis.stairs(line.spectrum / unit, line.edges, color=ink, alpha=0.15, fill=True)
    axis.set_xlim(line.edges[0], line.edges[-1])
    axis.set_ylim(0, None)
    axis.set_ylabel(f"flux density ({prefix}Jy)" if line.distance else f"mean $T_\\mathrm{{B}}$ ({prefix}K)")
    axis.yaxis.set_label_position("right")
    axis.yaxis.tick_right()
    axis.tick_params(direction="in", labelbottom=last)
    axis.set_box_aspect(1)
    if last:
        axis.set_xlabel("velocity (km/s)")


def draw(lines, velocities):
    n = len(velocities)
    figure = plt.figure(figsize=(2.1 * n + 3.6, 2.35 * len(lines) + 0.35), layout="constrained")
    rows = figure.add_gridspec(len(lines), n + 1, width_ratios=[1] * (n + 1))
    for k, line in enumerate(lines):
        last = k == len(lines) - 1
        axes = [figure.add_subplot(rows[k, i]) for i in range(n)]
        ink = INKS[k % len(INKS)]
        draw_row(figure, axes, line, velocities, ink, last)
        draw_spectrum(figure.add_subplot(rows[k, n]), line, ink, last)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="HDF5 results of linerad, one for each line")
    parser.add_argument("-o", "--output", default="cloud.png", help="picture to write (cloud.png)")
    parser.add_argument("--camera", help="name of the camera (the first)")
    parser.add_argument("--velocities", nargs="+", type=float, default=[-1.0, 0.0, 1.0], help="km/s (-1 0 1)")
    arguments = parser.parse_args()
    try:
        lines = [Line(path, arguments.camera) for path in arguments.results]
        figure = draw(lines, arguments.velocities)
        figure.savefig(arguments.output, dpi=180)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"plot_cloud.py: {error}")
    print(arguments.output)


if __name__ == "__main__":
    main()
