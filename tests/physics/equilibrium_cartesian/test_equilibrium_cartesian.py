"""The same spheres on a Cartesian mesh and on shells. Shells are solved with tangent rays and compared with references
elsewhere; cubes share nothing with that but the equations along a ray."""

from pathlib import Path

import numpy as np
import pytest

from equilibrium import fractions, reference, shell_means, shell_middles, solve
from harness import PARSEC_CM, assert_close
from imaging import KM, cube
from molecules import Molecule

MODEL = Path(__file__).with_name("model.yaml")
RADIO = Molecule((0.0, 3.845), (1.0, 3.0), ((1, 0, 7.2e-8),), ((1, 0, 3e-11),))
RADIUS, DEPTH = 1 * PARSEC_CM, 30.0


def shape(r):
    """Density relative to the centre; without a jump at the surface, which cells could not represent."""
    return np.where(r < RADIUS, (1 - (r / RADIUS) ** 2) ** 2, 0)


def central_density():
    """From the line-centre depth across the sphere, with LTE populations: INT shape dr = 16 / 15 R."""
    x = RADIO.boltzmann(20.0)
    return DEPTH / (16 / 15 * RADIUS * RADIO.cross_section(KM) * (x[0] - x[1] / 3))


def cell_means(n, half, samples=4):
    at = (np.arange(n * samples) + 0.5) / (n * samples) * 2 * half - half
    r = np.sqrt(at[:, None, None] ** 2 + at[None, :, None] ** 2 + at[None, None, :] ** 2)
    return shape(r).reshape(n, samples, n, samples, n, samples).mean(axis=(1, 3, 5))


@pytest.mark.parametrize("n", [32, pytest.param(64, marks=pytest.mark.long)])
def test_smooth_sphere(linerad, tmp_path, n):
    """30 deep across, collisions below the critical density: populations and images agree."""
    path = RADIO.write(tmp_path)
    density = central_density()
    edges = np.linspace(0, RADIUS, 101)
    shells = solve(linerad, MODEL,
                   {"line.molecule": path, "mesh": {"shells": 100, "outer": f"{RADIUS:.17g} cm"},
                    "medium.density": {"file": "n.h5", "dataset": "n"}, "populations.error": 1e-3},
                   fields={"n.h5": {"n": (density * shell_means(edges, shape), "cm^-3")}})
    half = 1.05 * RADIUS
    mesh = {"cells": [n] * 3, "size": [f"{2 * half:.17g} cm"] * 3}
    means = cell_means(n, half)
    cubes = solve(linerad, MODEL, {"line.molecule": path, "mesh": mesh,
                                   "medium.density": {"file": "n.h5", "dataset": "n"}},
                  fields={"n.h5": {"n": (density * means, "cm^-3")}})
    at = (np.arange(n) + 0.5) / n * 2 * half - half
    radius = np.sqrt(at[:, None, None] ** 2 + at[None, :, None] ** 2 + at[None, None, :] ** 2)
    inside = radius < RADIUS
    expected = np.interp(radius[inside], shell_middles(edges), fractions(shells)[:, 1])
    difference = fractions(cubes)[..., 1][inside] / expected - 1
    print(f"  upper fraction {expected.min():.4f} to {expected.max():.4f}; difference of {inside.sum()} cells: "
          f"mean {difference.mean():+.4f}, rms {np.sqrt(np.mean(difference**2)):.4f}, worst {np.abs(difference).max():.3f}")
    assert np.sqrt(np.mean(difference**2)) < 0.01

    images = [cube(run, "far") for run in (cubes, shells)]
    fluxes = [image.spectrum.sum() for image in images]
    assert_close("flux of cells / flux of shells", fluxes[0], fluxes[1], 0.01)
    maps = [image.photons.sum(axis=0) * image.width for image in images]
    bright = maps[1] > 0.1 * maps[1].max()
    rms = np.sqrt(np.mean((maps[0][bright] / maps[1][bright] - 1) ** 2))
    print(f"  pixels differ by {rms:.4f} (rms of {bright.sum()})")
    assert rms < 0.03


def power_law_cells(edges, samples=6):
    """Mean of 2e7 cm^-3 (r / 1e15 cm)^-2 over each cell, r between 1e15 and 7.8e18 cm, zero elsewhere."""
    node, weight = np.polynomial.legendre.leggauss(samples)
    at = 0.5 * (edges[1:] + edges[:-1])[:, None] + 0.5 * np.diff(edges)[:, None] * node
    at, weight = at.ravel(), np.tile(weight / 2, len(edges) - 1)
    result = np.zeros([len(edges) - 1] * 3)
    n = len(edges) - 1
    for i in range(len(at)):
        square = at[i] ** 2 + at[:, None] ** 2 + at[None, :] ** 2
        value = np.where((square > 1e30) & (square < 7.8e18**2), 2e7 * 1e30 / square, 0) * weight[:, None] * weight[None]
        result[i // samples] += weight[i] * value.reshape(n, samples, n, samples).sum(axis=(1, 3))
    return result


def power_law_settings(mesh, density):
    """Problem 1a of van Zadelhoff et al. (2002) on any mesh, seen by a distant observer."""
    return {"mesh": mesh, "line.molecule": reference("vz2002", "molecule_2level_test.lamda.dat"),
            "medium": {"temperature": "20 K", "b": "0.15 km/s", "abundance": 1e-8, "colliders": {"H2": density}},
            "populations": {"method": "equilibrium", "background": "2.728 K", "error": 1e-2, "iterations": 500},
            "channels": {"number": 24, "range": ["-0.6 km/s", "0.6 km/s"], "samples": 4},
            "cameras": [{"name": "far", "direction": "+z", "pixels": 32}]}


def power_law_spectrum_of_shells(linerad):
    edges = np.geomspace(1e15, 7.8e18, 251)
    density = shell_means(edges, lambda r: 2e7 * (r / 1e15) ** -2)
    mesh = {"shells": 250, "inner": "1e15 cm", "outer": "7.8e18 cm", "spacing": "log"}
    run = solve(linerad, MODEL, power_law_settings(mesh, {"file": "gas.h5", "dataset": "n"}),
                fields={"gas.h5": {"n": (density, "cm^-3")}})
    return cube(run, "far").spectrum


def power_law(linerad, n):
    """van Zadelhoff et al. (2002), problem 1a, in n^3 cells with edges in geometric progression on both sides of the
    centre: rms difference of the upper fraction, and the spectrum."""
    half = np.concatenate([[0], np.geomspace(1e15, 7.8e18, n // 2)])
    edges = np.concatenate([-half[:0:-1], half])
    where = {"file": "gas.h5", "dataset": "edges"}
    density = power_law_cells(edges)
    mesh = {"edges": {"x": where, "y": where, "z": where}}
    run = solve(linerad, MODEL, power_law_settings(mesh, {"file": "gas.h5", "dataset": "n"}),
                fields={"gas.h5": {"edges": (edges, "cm"), "n": (density, "cm^-3")}})
    middle = 0.5 * (edges[1:] + edges[:-1])
    radius = np.sqrt(middle[:, None, None] ** 2 + middle[None, :, None] ** 2 + middle[None, None, :] ** 2)
    x = fractions(run)[..., 1]
    expected = np.loadtxt(reference("vz2002", "reference_problem1.txt"))
    inside = (density > 0) & (radius > 3e15) & (radius < 5e18)
    wanted = np.exp(np.interp(np.log(radius[inside]), np.log(expected[:, 0]), np.log(expected[:, 1])))
    difference = x[inside] / wanted - 1
    rms = np.sqrt(np.mean(difference**2))
    print(f"  {n}^3 cells: mean {difference.mean():+.4f}, rms {rms:.4f}, worst {np.abs(difference).max():.3f}")
    return rms, cube(run, "far").spectrum


def test_power_law(linerad):
    """Cells are long and thin near the axes and differ in size by factors of thousands; the error falls with their
    number."""
    coarse, fine = power_law(linerad, 16)[0], power_law(linerad, 24)[0]
    assert fine < 0.7 * coarse
    assert fine < 0.05


@pytest.mark.long
@pytest.mark.parametrize("n, tolerance", [(32, 0.03), (64, 0.02)])
def test_power_law_of_many_cells(linerad, n, tolerance):
    """Populations, and the line as seen by a distant observer, compared with that of 250 shells."""
    rms, spectrum = power_law(linerad, n)
    expected = power_law_spectrum_of_shells(linerad)
    difference = np.abs(spectrum - expected).max() / expected.max()
    print(f"  {n}^3 cells and 250 shells: flux {spectrum.sum() / expected.sum() - 1:+.4f}, "
          f"channels differ by {difference:.4f} of the highest at most")
    assert rms < tolerance
    assert abs(spectrum.sum() / expected.sum() - 1) < tolerance
    assert difference < tolerance
