"""Cells that are thick to the light that leaves them: images against escaping packets.

The two share packets but nothing after the last scattering. Both have errors: packets from batches, images from eight
groups, so that (d/sigma)^2 of the image alone would be 7/5 on average. The criteria, for cells of any depth, are

    flux      within 4 errors of both,
    spectrum  chi-square per channel, of all channels with more than 2 % of the brightest, below 1.5.

There is no allowance for the mesh: whether light escapes from a cell must not depend on the size of the cell.
"""

import itertools
from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM
from imaging import cube

WIND = Path(__file__).with_name("wind.yaml")
LUMINOSITY = 1e50  # photon/s, of all models
N_SIGMA = 4
B = 12.845e5  # cm/s, of the slab
N_MU = 20  # bins of direction, 0.1 wide
MU = (0.35, 0.75, 0.95)  # centres of some
KPC = 1e3 * PARSEC_CM


def compare(name, image, image_error, packets, packets_error, most_chi2, allowance=0.0):
    """Flux and spectrum; the error of the total flux of an image accounts for correlated neighbouring channels, about
    two of them. Returns the terms of chi-square."""
    used = packets > 0.02 * packets.max()
    ratio = image.sum() / packets.sum()
    error = np.hypot(np.sqrt(2 * np.sum(image_error**2)), np.sqrt(np.sum(packets_error**2))) / packets.sum()
    terms = (image - packets)[used] ** 2 / (image_error**2 + packets_error**2)[used]
    print(f"  {name}: image over packets {ratio:.4f} +- {error:.4f}, chi^2 / n {terms.mean():.2f} of {used.sum()}")
    assert abs(ratio - 1) < N_SIGMA * error + allowance
    if most_chi2:
        assert terms.mean() < most_chi2
    return terms


# ---- A slab of thick layers -----------------------------------------------------------------------------------------


def run_slab(linerad, damping, layers, packets, seed):
    """tau = 1000 from the centre, where the light comes from, to each face."""
    reach = 6 if damping < 0.01 else 28
    mesh = {"cells": [layers, 1, 1], "size": ["2 pc", "1 pc", "1 pc"],
            "faces": {"x": "open", "y": "periodic", "z": "periodic"}}
    cameras = [{"name": f"mu{100 * mu:.0f}", "direction": [mu, float(np.sqrt(1 - mu**2)), 0.0], "field": "1 pc",
                "pixels": 1} for mu in MU]
    settings = {"mesh": mesh, "medium": {"b": "12.845 km/s", "damping": damping, "tau_centre": 1000}, "cameras": cameras,
                "channels": {"number": 48, "range": [-reach, reach]},
                "output": {"directions": {"mu": N_MU, "axis": "x"}, "bins": 48, "range": [-reach, reach],
                           "fields": False}}
    return linerad.run("thick_slab_image", settings, packets=packets, seed=seed)


def seen(run, mu):
    """Photons per unit x and emitted photon in each channel, from blue to red, and their errors."""
    image = cube(run, f"mu{100 * mu:.0f}")
    scale = image.photons.max() / image.intensity.max() * B * PARSEC_CM**2 / LUMINOSITY
    return image.intensity[:, 0, 0] * scale, image.error[:, 0, 0] * scale


def escaped(run, mu):
    """The same from the packets that left within 0.05 of mu or -mu: I_v b mu A photons per unit x and steradian."""
    spectrum, error = (run.data(f"spectrum/{name}")[:, 0, ::-1] for name in ("direction", "direction_error"))
    upper = round((mu + 1) / 2 * N_MU - 0.5)
    lower = N_MU - 1 - upper
    scale = 0.5 / (mu * LUMINOSITY)
    return (spectrum[upper] + spectrum[lower]) * scale, np.hypot(error[upper], error[lower]) * scale


def share_below(x, values, errors, limit=2):
    """Fraction of the light at |x| < limit, and its error."""
    inside = np.abs(x) < limit
    share = values[inside].sum() / values.sum()
    spread = np.sqrt((1 - share) ** 2 * np.sum(errors[inside] ** 2) + share**2 * np.sum(errors[~inside] ** 2))
    return share, spread / values.sum()


def compare_slab(run, most_chi2, allowance=None):
    """Each direction and, with an allowance, the flux of all of them together: for a single one the errors alone are as
    large."""
    terms, flux = [], np.zeros(2)
    edges = run.data("spectrum/x_edges")[::-1]
    x = 0.5 * (edges[1:] + edges[:-1])
    for mu in MU:
        image, packets = seen(run, mu), escaped(run, mu)
        flux += mu * np.array([image[0].sum(), packets[0].sum()])
        terms.append(compare(f"mu {mu}", *image, *packets, None))
        core, core_error = share_below(x, *image)
        expected, expected_error = share_below(x, *packets)
        print(f"    at |x| < 2: {core:.5f} +- {core_error:.5f}, packets {expected:.5f} +- {expected_error:.5f}")
        assert abs(core - expected) < N_SIGMA * np.hypot(np.sqrt(2) * core_error, expected_error)
    chi2 = np.mean(np.concatenate(terms))
    print(f"  all directions: image over packets {flux[0] / flux[1]:.4f}, chi^2 / n {chi2:.2f}")
    assert not allowance or abs(flux[0] / flux[1] - 1) < allowance
    assert chi2 < most_chi2


@pytest.mark.parametrize("layers", [8, 32])
@pytest.mark.parametrize("damping, packets", [(4.7e-4, 2e4), (0.149, 2e4)])
def test_slab(linerad, damping, packets, layers):
    compare_slab(run_slab(linerad, damping, layers, packets, seed=21), 1.5)


@pytest.mark.long
@pytest.mark.parametrize("layers", [8, 32])
@pytest.mark.parametrize("damping", [4.7e-4, 0.149])
def test_slab_in_detail(linerad, damping, layers):
    compare_slab(run_slab(linerad, damping, layers, 1e6, seed=22), 1.3, allowance=0.005)


# ---- A wind ---------------------------------------------------------------------------------------------------------


def wind_speed(r):
    """km/s; r in kpc."""
    return 200 * (1 - np.exp(-r / 4))


def density_scale(column):
    """n r^2, in cm^-3 kpc^2."""
    return column / (0.9 * KPC)


def wind_on_shells(linerad, column, packets, seed):
    edges = np.linspace(1, 10, 33)
    density = density_scale(column) / (edges[1:] * edges[:-1])  # with the column of each shell
    fields = {"wind.h5": {"density": (density, "cm^-3"), "velocity": (wind_speed(0.5 * (edges[1:] + edges[:-1])), "km/s")}}
    return linerad.run(WIND, {}, packets=packets, seed=seed, fields=fields)


def all_packets(run):
    """Photons/s/sr in each channel from blue to red, averaged over all directions, and their errors."""
    width = np.abs(np.diff(run.data("spectrum/x_edges")))[0]
    n = run.data("spectrum/x_edges").size - 1
    value, error = (run.data(f"spectrum/{name}").reshape(-1, n) for name in ("total", "total_error"))
    return value.sum(axis=0)[::-1] * width / (4 * np.pi), np.sqrt(np.sum(error**2, axis=0))[::-1] * width / (4 * np.pi)


def whole_image(run, name):
    image = cube(run, name)
    scale = image.photons.max() / image.intensity.max() * image.pixel_area * image.width
    return image.intensity[:, 0, 0] * scale, image.error[:, 0, 0] * scale


COLUMNS = {1e14: 1e5, 1e16: 5e4, 1e18: 4e3}  # cm^-2: packets


def pooled(spectra):
    """The mean of spectra with errors. Errors of images from eight groups are sometimes far too small; four runs
    together give them four times as many degrees of freedom, so that chi-square has no such tail."""
    values, errors = zip(*spectra)
    return np.mean(values, axis=0), np.sqrt(np.sum(np.square(errors), axis=0)) / len(values)


def runs_on_shells(linerad, column, packets, first):
    runs = [wind_on_shells(linerad, column, packets, seed) for seed in range(first, first + 4)]
    return pooled([whole_image(run, "far") for run in runs]), pooled([all_packets(run) for run in runs])


@pytest.mark.parametrize("column", COLUMNS)
def test_wind_on_shells(linerad, column):
    image, packets = runs_on_shells(linerad, column, COLUMNS[column] / 2, first=23)
    compare(f"N = {column:.0e}", *image, *packets, 1.5)


@pytest.mark.long
@pytest.mark.parametrize("column", COLUMNS)
def test_wind_on_shells_in_detail(linerad, column):
    image, packets = runs_on_shells(linerad, column, 10 * COLUMNS[column], first=27)
    compare(f"N = {column:.0e}", *image, *packets, 1.3)
    assert abs(image[0].sum() / packets[0].sum() - 1) < 0.005


DIRECTIONS = {"axis": (0, 0, 1), "oblique": (1, 2, 3)}


def wind_in_a_box(linerad, column, packets, seed, cells=17):
    at = (np.arange(cells) + 0.5) * 20 / cells - 10
    x, y, z = np.meshgrid(at, at, at, indexing="ij")
    r = np.sqrt(x**2 + y**2 + z**2)
    density = np.where(r < 10, density_scale(column) / np.maximum(r, 1) ** 2, 0)
    velocity = wind_speed(r) * np.array([x, y, z]) / np.maximum(r, 1e-9)
    fields = {"wind.h5": {"density": (density, "cm^-3"), "velocity": (velocity, "km/s")}}
    # ten rays across a cell, since most of the light comes from few of them
    cameras = [{"name": "axis", "direction": "+z", "pixels": cells, "field": "20 kpc"},
               {"name": "oblique", "direction": [1, 2, 3], "pixels": 20, "rays": 16, "field": "36 kpc"}]
    settings = {"mesh": {"cells": [cells] * 3, "size": ["20 kpc"] * 3}, "cameras": cameras, "image.errors": False,
                "channels": {"number": 45, "range": ["-450 km/s", "900 km/s"]}, "output.packets": True}
    return linerad.run(WIND, settings, packets=packets, seed=seed, fields=fields)


def packets_about(run, direction, share):
    """Photons/s/sr toward a direction and all those equivalent to it for a cube, 48 in general, from the packets in
    cones that cover this fraction of the sphere, with the weights of docs/imaging.md; and the error."""
    turns = {tuple(sign * np.array(direction)[list(order)]) for order in itertools.permutations(range(3))
             for sign in map(np.array, itertools.product((1, -1), repeat=3))}
    packets = run.packets
    inside = (-packets["shift"] > -450e5) & (-packets["shift"] < 900e5)
    weight = np.zeros(len(packets["weight"]))
    for turn in turns:
        chord = (1 - packets["direction"] @ (np.array(turn) / np.linalg.norm(turn))) / (2 * share)
        weight += np.where(inside & (chord < 1), 9 - 12 * np.sqrt(np.clip(chord, 0, 1)), 0)
    weight *= packets["weight"] / (4 * np.pi * share * len(turns))
    return weight.sum(), np.sqrt(np.sum(weight**2))


@pytest.mark.parametrize("column", (1e14, 1e16, pytest.param(1e18, marks=pytest.mark.long)))
def test_wind_in_a_box(linerad, column):
    """Each image agrees with the packets in a cone about it and, if no light comes directly from the source, with those
    in all equivalent cones."""
    run = wind_in_a_box(linerad, column, COLUMNS[column], seed=25)
    for image in run.summary["images"]:
        found = image["check"]
        flux, error = packets_about(run, DIRECTIONS[image["camera"]], 0.005)
        print(f"  N = {column:.0e}, {image['camera']}: image over packets {found['image_flux'] / found['packet_flux']:.3f},"
              f" {found['deviation']:+.1f} sigma; in equivalent cones {found['image_flux'] / flux:.4f} +- {error / flux:.4f}")
        assert abs(found["deviation"]) < N_SIGMA
        if column > 1e15:
            assert abs(found["image_flux"] - flux) < N_SIGMA * np.hypot(error, found["image_flux_error"])
