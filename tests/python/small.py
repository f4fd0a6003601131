"""Models that run in no time."""

import astropy.units as u
import linerad as lr
import numpy as np

SLAB = """\
mesh: {cells: [16, 2, 2], size: [2 pc, 1 pc, 1 pc], faces: {x: open, y: periodic, z: periodic}}
line: lya
medium: {temperature: 1e4 K, tau_mean: 200, damping: 0.149}
sources: [{plane: {axis: x, at: 0 pc, emission: isotropic}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
output: {packets: true, directions: {mu: 2, phi: 2}}
run: {packets: 1000, seed: 7, threads: 1}
"""

CLOUD = """\
mesh: {cells: [8, 8, 8], size: [0.2 pc, 0.2 pc, 0.2 pc]}
line: {molecule: co, transition: 1-0}
medium: {temperature: 20 K, turbulence: 0.2 km/s, density: 1e-2 cm^-3}
channels: {number: 12, range: [-1 km/s, 1 km/s]}
cameras: [{name: front, direction: +z, pixels: [10, 9]}, {name: corner, direction: [1, 1, 1], pixels: 8}]
image: {unit: Jy/beam, distance: 140 pc, beam: {major: 90 arcsec, minor: 70 arcsec, angle: 30 deg}, moments: true,
        peak: true, optical_depth: true, position: {ra: 83.8 deg, dec: -5.4 deg}, velocity: 10 km/s}
run: {threads: 1}
"""


def slab(**options):
    """SLAB, from parts."""
    chosen = {
        "mesh": lr.Mesh.uniform((16, 2, 2), [2, 1, 1] * u.pc, faces={"x": "open", "y": "periodic", "z": "periodic"}),
        "line": "lya",
        "medium": lr.Medium(temperature=1e4 * u.K, tau_mean=200, damping=0.149),
        "sources": lr.Plane(
            axis="x", at=0 * u.pc, emission="isotropic", spectrum=lr.Monochromatic(0), luminosity=1 * u.ph / u.s
        ),
        "output": lr.Output(packets=True, directions={"mu": 2, "phi": 2}),
        "run": lr.Run(packets=1000, seed=7, threads=1),
        **options,
    }
    return lr.Model(**chosen)


def cloud(**options):
    """CLOUD, from parts."""
    chosen = {
        "mesh": lr.Mesh.uniform((8, 8, 8), [0.2, 0.2, 0.2] * u.pc),
        "line": lr.Molecule("co", transition="1-0"),
        "medium": lr.Medium(temperature=20 * u.K, turbulence=0.2 * u.km / u.s, density=1e-2 / u.cm**3),
        "channels": lr.Channels(12, [-1, 1] * u.km / u.s),
        "cameras": [lr.Camera("front", "+z", pixels=[10, 9]), lr.Camera("corner", [1, 1, 1], pixels=8)],
        "image": lr.Image(
            unit="Jy/beam",
            distance=140 * u.pc,
            moments=True,
            peak=True,
            optical_depth=True,
            beam={"major": 90 * u.arcsec, "minor": 70 * u.arcsec, "angle": 30 * u.deg},
            position={"ra": 83.8 * u.deg, "dec": -5.4 * u.deg},
            velocity=10 * u.km / u.s,
        ),
        "run": lr.Run(threads=1),
        **options,
    }
    return lr.Model(**chosen)


def field(shape, seed=1):
    """Positive random numbers."""
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape)
