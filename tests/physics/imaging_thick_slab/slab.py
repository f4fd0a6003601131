"""The thick slab, as imaged and as escaped: one run gives the images at several angles and the spectra of the packets
that leave in narrow bins of direction around them. Shared by the test and by table.py."""

import numpy as np

from harness import PARSEC_CM
from imaging import cube

DAMPING = 0.149
LUMINOSITY = 1e50  # photon/s
N_CHANNEL = 64
N_MU = 20  # bins of mu, 0.1 wide
MU = (0.15, 0.35, 0.55, 0.75, 0.95)  # middles of bins
B = 12.845e5  # cm/s
AREA = PARSEC_CM**2  # of a face


def frequency_range(tau_mean):
    """Of the channels: +- four and a half times the scale of the spectrum, in Doppler units."""
    return round(4.5 * np.cbrt(DAMPING * tau_mean), 1)


def slab_edges(tau_mean):
    """Cells grow from each face inward by an eighth from one to the next, up to 1/24 of the half-thickness. The first
    has a depth of 1/16 where light begins to escape, at |x| = half the median of the escaped spectrum. With cells twice
    as large the image is 0.3 % too bright, which these tests would detect (docs/imaging.md)."""
    x = 0.43 * np.cbrt(DAMPING * tau_mean)
    opacity = tau_mean / np.sqrt(np.pi) * DAMPING / (np.sqrt(np.pi) * max(x, 1.5) ** 2)
    width = min(0.0625 / opacity, 0.01)
    depth = [0.0]
    while depth[-1] < 1:
        depth.append(depth[-1] + width)
        width = min(1.125 * width, 1 / 24)
    depth = np.array(depth) / depth[-1]
    return np.concatenate([depth - 1, (1 - depth)[::-1][1:]])


def run_slab(linerad, tau_mean, packets, seed=1, n_channel=N_CHANNEL):
    reach = frequency_range(tau_mean)
    cameras = [{"name": f"mu{100 * mu:.0f}", "direction": [mu, float(np.sqrt(1 - mu**2)), 0.0], "field": "1 pc",
                "pixels": 1} for mu in MU]
    settings = {"medium.tau_mean": tau_mean, "mesh.edges.x": [f"{x:.9f} pc" for x in slab_edges(tau_mean)],
                "channels": {"number": n_channel, "range": [-reach, reach]}, "cameras": cameras,
                "output": {"directions": {"mu": N_MU, "axis": "x"}, "bins": n_channel, "range": [-reach, reach],
                           "fields": False}}
    return linerad.run("thick_slab_image", settings, packets=packets, seed=seed)


def seen(run, mu):
    """Photons per unit x and emitted photon in each channel, from blue to red, and their errors: I_v as it is."""
    image = cube(run, f"mu{100 * mu:.0f}")
    scale = B * AREA / LUMINOSITY
    return image.photons[:, 0, 0] * scale, image.error[:, 0, 0] / image.intensity.max() * image.photons.max() * scale


def escaped(run, mu):
    """The same from the packets that left within 0.05 of mu, and of -mu, which is the same by symmetry: photons per
    unit x and steradian through a face of area A are I_v b mu A."""
    spectrum = run.data("spectrum/direction")[:, 0, ::-1]
    error = run.data("spectrum/direction_error")[:, 0, ::-1]
    upper = round((mu + 1) / 2 * N_MU - 0.5)
    lower = N_MU - 1 - upper
    scale = 1 / (mu * LUMINOSITY)
    return 0.5 * (spectrum[upper] + spectrum[lower]) * scale, 0.5 * np.hypot(error[upper], error[lower]) * scale


def middles(run):
    """x of the channels, from blue to red."""
    edges = run.data("spectrum/x_edges")[::-1]
    return 0.5 * (edges[1:] + edges[:-1])
