#!/usr/bin/env python3
"""Draw the channel maps of one camera of a linerad result file.

    plot_channels.py out/clumpy_box.h5 -o maps.png --camera front

Reads /images/<camera> (intensity in erg s-1 cm-2 Hz-1 sr-1, [channel, y, x]; radio velocity, positive = receding) and
draws the channels that hold the line on one logarithmic scale, the integrated map and the spectrum of the whole image.
"""

import argparse
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

LIGHT_SPEED, BOLTZMANN, PARSEC = 2.99792458e10, 1.380649e-16, 3.0856775814913673e18  # CGS
COLOURS = "cividis"  # even in grey and for any colour vision
N_MAP = 7


def read(path, name):
    """Brightness temperature [channel, y, x], velocity edges in km/s, and the extent of the image with its unit."""
    with h5py.File(path, "r") as file:
        if "images" not in file:
            raise ValueError("no images in this file: the model has no cameras")
        names = list(file["images"])
        name = name or names[0]
        if name not in names:
            raise ValueError(f"no camera '{name}'; there is {', '.join(names)}")
        group = file["images"][name]
        nu0 = float(group.attrs["nu0"])
        kelvin = group["intensity"][()].astype(float) * LIGHT_SPEED**2 / (2 * BOLTZMANN * nu0**2)
        near = "rad" in str(group["x_edges"].attrs["units"])
        scale = np.pi / 180 if near else PARSEC
        x, y = group["x_edges"][()] / scale, group["y_edges"][()] / scale
        return name, kelvin, group["velocity_edges"][()], (x[0], x[-1], y[0], y[-1]), "deg" if near else "pc"


def choose_channels(spectrum):
    """Up to N_MAP channels, evenly over those that hold 98 % of the light."""
    share = np.cumsum(spectrum) / np.sum(spectrum)
    first, last = np.searchsorted(share, (0.01, 0.99))
    return np.unique(np.linspace(first, max(last, first), N_MAP).round().astype(int))


def draw(path, camera):
    name, kelvin, velocity, extent, unit = read(path, camera)
    spectrum = np.maximum(kelvin, 0).sum(axis=(1, 2))
    if not spectrum.sum() > 0:
        raise ValueError(f"the image of '{name}' is dark")
    centres = 0.5 * (velocity[1:] + velocity[:-1])
    shown = choose_channels(spectrum)
    top = np.percentile(kelvin[shown], 99.8)  # a star in one pixel does not set the scale
    figure = plt.figure(figsize=(7.4, 7.2), layout="constrained")
    grid = figure.add_gridspec(3, 4, width_ratios=(1, 1, 1, 0.06))
    axes = [figure.add_subplot(grid[k // 3, k % 3]) for k in range(9)]
    for axis, k in zip(axes, shown):
        picture = axis.imshow(np.clip(kelvin[k], 1e-2 * top, None), origin="lower", extent=extent, cmap=COLOURS,
                              norm=LogNorm(1e-2 * top, top))
        axis.set_title(f"{centres[k]:+.2f} km/s", fontsize=9)
    for axis in axes[len(shown):N_MAP]:
        axis.set_axis_off()
    figure.colorbar(picture, cax=figure.add_subplot(grid[:2, 3]), label="brightness temperature (K)")
    total = (kelvin * np.diff(velocity)[:, None, None]).sum(axis=0)
    brightest = np.percentile(total, 99.8)
    axes[7].imshow(total, origin="lower", extent=extent, cmap=COLOURS, vmin=0, vmax=brightest)
    axes[7].set_title(f"integrated, 0 to {brightest:.3g} K km/s", fontsize=9)
    axes[8].stairs(kelvin.mean(axis=(1, 2)), velocity, color="#0072B2")
    axes[8].set_xlabel("velocity (km/s)", fontsize=8)
    axes[8].set_title("mean over the image (K)", fontsize=9)
    axes[8].ticklabel_format(axis="y", scilimits=(-2, 3))
    for axis in axes:
        axis.tick_params(labelsize=7)
    for axis in axes[6:8]:
        axis.set_xlabel(f"offset ({unit})", fontsize=8)
    for axis in axes[0:8:3]:
        axis.set_ylabel(f"offset ({unit})", fontsize=8)
    figure.suptitle(f"camera '{name}'", fontsize=10)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="result file of linerad run, HDF5")
    parser.add_argument("-o", "--output", required=True, help="picture to write: .png, .pdf or .svg")
    parser.add_argument("--camera", help="name of the camera (the first one)")
    arguments = parser.parse_args()
    try:
        draw(arguments.result, arguments.camera).savefig(arguments.output, dpi=150)
    except (OSError, KeyError, ValueError) as error:
        print(f"plot_channels.py: {arguments.result}: {error}", file=sys.stderr)
        return 2
    return 0


sys.exit(main())
