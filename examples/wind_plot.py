"""Plots a result of examples/halo.yaml, wind.yaml or wind_spectrum.yaml: surface brightness and spectrum from two sides.

    python examples/wind_plot.py wind.h5                          # writes wind.png
    python examples/wind_plot.py wind_spectrum.h5 -o wind.pdf

Without images in the result, they are made from the list of packets: all that escape within 25 degrees of a direction
are counted where they were last scattered, in pixels of 0.3 kpc, and smoothed as by a telescope. This is noisier, and
averages over those directions.
"""

import argparse
from typing import NamedTuple

import astropy.constants as const
import astropy.units as u
import linerad as lr
import matplotlib.pyplot as plt
import numpy as np
from astropy.convolution import Gaussian2DKernel, convolve
from linerad import plot
from matplotlib.colors import LogNorm
from matplotlib.patches import Circle

FREQUENCY = 2.46606755e15 / u.s  # of Lyman alpha
ENERGY = const.h * FREQUENCY  # of a photon
LUMINOSITY, SIGMA, DISTANCE = 1e42 * u.erg / u.s, 100 * u.km / u.s, 100 * u.Mpc  # of the source
SURFACE = u.erg / u.s / u.cm**2 / u.arcsec**2
FLUX = 1e-13 * u.erg / u.s / u.cm**2 / (100 * u.km / u.s)
HALF, BINS = 10.0, 64  # kpc, pixels and velocities of an image from packets
CONE, SMOOTHING = 25.0, 0.8  # degrees, pixels
TOWARD = {"face-on": (0, 0, 1), "edge-on": (1, 0, 0)}
INKS = {"face-on": "#d55e00", "edge-on": "#0072b2"}
DYNAMIC_RANGE = 500


class View(NamedTuple):
    surface: np.ndarray  # brightness, SURFACE
    half: float  # of the image, kpc
    beam: float  # FWHM, kpc; 0 without one
    edges: np.ndarray  # of velocity, km/s
    flux: np.ndarray  # per velocity, FLUX


def view_from_cube(cube):
    photons = (cube.data / u.photon) * FREQUENCY * u.s * u.Hz / const.c  # per velocity
    energy, step = photons * ENERGY, abs(cube.channel_width)
    edges = np.append(cube.velocity - 0.5 * cube.channel_width, cube.velocity[-1] + 0.5 * cube.channel_width)
    flux = energy.sum(axis=(1, 2)) * cube.pixel[0] * cube.pixel[1]
    half = 0.5 * cube.shape[2] * cube.pixel[0].to_value(u.rad) * DISTANCE.to_value(u.kpc)
    surface = (energy.sum(axis=0) * step).to_value(SURFACE)
    beam = cube.beam[0].to_value(u.rad) * DISTANCE.to_value(u.kpc) if cube.beam else 0
    return View(surface, half, beam, edges.to_value(u.km / u.s), flux.to_value(FLUX, u.dimensionless_angles()))


def view_from_packets(packets, toward):
    """Each packet is seen by an observer in its own direction, for whom the axis of the disc is up, or y in a view along
    it."""
    direction = packets["direction"].value
    seen = direction @ toward > np.cos(np.radians(CONE))
    direction, place = direction[seen], packets["last_scattering"][seen].to_value(u.kpc)
    axis = (0, 1, 0) if toward[2] else (0, 0, 1)
    right = np.cross(axis, direction)
    right /= np.linalg.norm(right, axis=1)[:, None]
    up = np.cross(direction, right)
    cone = 2 * np.pi * (1 - np.cos(np.radians(CONE)))
    energy = (packets["weight"][seen] * ENERGY / (cone * DISTANCE**2)).to(u.erg / u.s / u.cm**2)
    limits = [[-HALF, HALF], [-HALF, HALF]]
    image, _, _ = np.histogram2d((up * place).sum(axis=1), (right * place).sum(axis=1), BINS, limits, weights=energy.value)
    pixel = (2 * HALF * u.kpc / BINS / DISTANCE).to_value(u.dimensionless_unscaled) * u.rad
    surface = (convolve(image, Gaussian2DKernel(SMOOTHING)) * energy.unit / pixel**2).to_value(SURFACE)
    velocity = -packets["shift"][seen].to_value(u.km / u.s)
    flux, edges = np.histogram(velocity, BINS, (-1000, 1000), weights=energy.value)
    beam = SMOOTHING * np.sqrt(8 * np.log(2)) * 2 * HALF / BINS
    return View(surface, HALF, beam, edges, (flux * energy.unit / (np.diff(edges) * u.km / u.s)).to_value(FLUX))


def views_of(result):
    if result.cameras:
        return {name: view_from_cube(result.cube(name)) for name in TOWARD}
    return {name: view_from_packets(result.packets, np.array(toward)) for name, toward in TOWARD.items()}


def draw_maps(figure, axes, views):
    top = max(np.percentile(view.surface, 99.9) for view in views.values())
    norm = LogNorm(top / DYNAMIC_RANGE, top)
    for at, (name, view) in zip(axes, views.items()):
        extent = (-view.half, view.half, -view.half, view.half)
        drawn = at.imshow(np.maximum(view.surface, norm.vmin), origin="lower", extent=extent, cmap="inferno", norm=norm)
        at.text(0.05, 0.95, name, transform=at.transAxes, color="white", va="top")
        at.add_patch(Circle((-0.9 * view.half, -0.9 * view.half), 0.5 * view.beam, fc="#808080", ec="white"))
        at.set(xlabel="offset [kpc]", xticks=range(-10, 11, 5), yticks=range(-10, 11, 5))
        at.tick_params(color="#808080")
    axes[0].set_ylabel("offset [kpc]")
    bar = figure.colorbar(drawn, ax=axes, pad=0.01, aspect=25, extend="both")
    bar.set_label(r"Ly$\alpha$ surface brightness [erg s$^{-1}$ cm$^{-2}$ arcsec$^{-2}$]")


def draw_escaped(axes, spectrum):
    """All escaped packets, with their errors, as if they were seen from all sides."""
    density, error = (values * ENERGY / (4 * np.pi * DISTANCE**2) for values in spectrum.per_velocity())
    edges = spectrum.velocity_edges.to_value(u.km / u.s)
    low, high = ((density + sign * error).to_value(FLUX) for sign in (-1, 1))
    axes.stairs(high, edges, baseline=low, fill=True, color="#c0c0c0", label=r"mean of all directions, $\pm1\,\sigma$")


def draw_spectra(axes, views, spectrum):
    draw_escaped(axes, spectrum)
    for name, view in views.items():
        axes.stairs(view.flux, view.edges, color=INKS[name], baseline=None, lw=1.2, label=name)
    ends = next(iter(views.values())).edges[[0, -1]]
    v = np.linspace(*ends, 801) * u.km / u.s
    emitted = LUMINOSITY / (4 * np.pi * DISTANCE**2) * np.exp(-0.5 * (v / SIGMA) ** 2) / np.sqrt(2 * np.pi) / SIGMA
    axes.plot(v, emitted.to_value(FLUX), color="#808080", ls="--", lw=0.9, label="emitted")
    axes.axvline(0, color="#c0c0c0", lw=0.6, zorder=0)
    axes.set(xlim=ends, ylim=(0, None), xlabel="velocity [km/s], receding > 0")
    axes.set_ylabel(r"flux [$10^{-13}$ erg/s/cm$^2$ per 100 km/s]")
    axes.legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result")
    parser.add_argument("-o", "--output", default="wind.png")
    arguments = parser.parse_args()
    result = lr.Result.load(arguments.result)
    views = views_of(result)
    with plt.rc_context(plot.STYLE):
        figure = plt.figure(figsize=(7.1, 5.6), layout="constrained")
        axes = figure.subplot_mosaic([["face-on", "edge-on"], ["spectra", "spectra"]], height_ratios=(3, 2.2))
        draw_maps(figure, [axes[name] for name in views], views)
        draw_spectra(axes["spectra"], views, result.spectrum)
        plot.save(figure, arguments.output)


if __name__ == "__main__":
    main()
