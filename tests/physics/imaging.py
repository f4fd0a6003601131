"""Shared by tests of images: the cubes of a result, the constants of their units, and closed forms.

Cubes are stored as I_nu in erg/(s cm2 Hz sr). Tests mostly count photons, per unit of radio velocity:

    I_v = I_nu / (h c),    photon/(s cm2 sr) per cm/s
"""

from typing import NamedTuple, Optional

import numpy as np
from scipy.special import wofz

# CODATA 2018, CGS
PLANCK = 6.62607015e-27
BOLTZMANN = 1.380649e-16
LIGHT_SPEED = 2.99792458e10
DALTON = 1.66053906660e-24
PROTON_MASS = 1.67262192369e-24

KM = 1e5


class Cube(NamedTuple):
    """One image: [channel, y, x], x along `right` and y along `up`."""

    intensity: np.ndarray  # erg/(s cm2 Hz sr)
    error: Optional[np.ndarray]
    edges: np.ndarray  # of the channels, cm/s, positive = receding
    x_edges: np.ndarray  # cm, or radians
    y_edges: np.ndarray

    @property
    def velocity(self):
        return 0.5 * (self.edges[1:] + self.edges[:-1])

    @property
    def width(self):
        """Of a channel, cm/s."""
        return self.edges[1] - self.edges[0]

    @property
    def photons(self):
        """photon/(s cm2 sr) per cm/s."""
        return self.intensity / (PLANCK * LIGHT_SPEED)

    @property
    def pixel_area(self):
        return (self.x_edges[1] - self.x_edges[0]) * (self.y_edges[1] - self.y_edges[0])

    @property
    def spectrum(self):
        """Photons of the whole image: photon/(s sr) in each channel."""
        return np.sum(self.photons, axis=(1, 2), dtype=float) * self.pixel_area * self.width


def cube(run, name):
    """The image of a camera in a Run."""
    group = f"images/{name}/"
    try:
        error = run.data(group + "error").astype(float)
    except KeyError:
        error = None
    return Cube(run.data(group + "intensity").astype(float), error, run.data(group + "velocity_edges") * KM,
                run.data(group + "x_edges"), run.data(group + "y_edges"))


def hjerting(a, x):
    return wofz(x + 1j * a).real


def planck(nu, temperature):
    """B_nu, erg/(s cm2 Hz sr)."""
    return 2 * PLANCK * nu**3 / LIGHT_SPEED**2 / np.expm1(PLANCK * nu / (BOLTZMANN * temperature))


def length(cm):
    """A length for a model file, without loss of digits."""
    return f"{cm:.17g} cm"


def kms(cm_s):
    return f"{cm_s / KM:.17g} km/s"


def healpix_centres(n_side):
    """Directions that cover the sphere evenly, ring by ring from north to south (Gorski et al. 2005, section 4)."""
    directions = []
    for ring in range(1, 4 * n_side):
        cap = min(ring, 4 * n_side - ring)
        polar = cap < n_side
        n = 4 * cap if polar else 4 * n_side
        z = 1 - cap**2 / (3 * n_side**2) if polar else 4 / 3 - 2 * ring / (3 * n_side)
        if polar and ring > 2 * n_side:
            z = -z
        shift = 0.5 if polar or (ring - n_side) % 2 == 0 else 0.0
        phi = 2 * np.pi * (np.arange(n) + shift) / n
        sine = np.sqrt(1 - z * z)
        directions += [(sine * np.cos(p), sine * np.sin(p), z) for p in phi]
    return np.array(directions)
