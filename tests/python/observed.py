"""A small observed sphere of CO: its model, its cube, and noise like that of an interferometer."""

import astropy.units as u
import linerad as lr
import numpy as np

KMS = u.km / u.s
TRUTH = {"temperature": 14 * u.K, "density": -1.7, "turbulence": 0.15 * KMS, "systemic": 5.23 * KMS}
GRID = {
    "channels.number": 10,
    "channels.range": ["-1 km/s", "1 km/s"],
    "cameras.0.pixels": [16, 14],
    "cameras.0.field": ["0.16 pc", "0.14 pc"],
    "image.unit": "Jy/beam",
    "image.beam": {"major": "40 arcsec", "minor": "32 arcsec", "angle": "20 deg"},
    "image.position": {"ra": "83.8 deg", "dec": "-5.4 deg"},
}


def sphere(
    temperature=TRUTH["temperature"],
    density=TRUTH["density"],
    turbulence=TRUTH["turbulence"],
    systemic=TRUTH["systemic"],
    distance=140 * u.pc,
    **image,
):
    """Infalling gas in LTE. `density` is the logarithm of the central density of CO, in cm^-3."""
    n = 8
    r = (np.arange(n) + 0.5) / n
    return lr.Model(
        mesh=lr.Mesh.shells(number=n, outer=0.07 * u.pc),
        line=lr.Molecule("co", transition="2-1"),
        medium=lr.Medium(
            temperature=temperature,
            density=10.0**density * np.exp(-(r**2) / 0.3) / u.cm**3,
            turbulence=turbulence,
            velocity=-0.3 * r * KMS,
        ),
        channels=lr.Channels(8, [-1, 1] * KMS),
        cameras=[lr.Camera("front", "+z", pixels=8)],
        image=lr.Image(distance=distance, velocity=systemic, background="cmb", subtract_background=True, **image),
        run=lr.Run(threads=1),
    )


def observed_cube(model=None):
    """The model as observed, without noise."""
    return (model or sphere()).run(settings=GRID).cube()


def beam_noise(shape, pixel, beam, seed, smoothed=False, pad=2):
    """Random numbers of variance 1 whose correlation over pixels is the beam, as in images of interferometers: white
    noise smoothed by a Gaussian 1/sqrt(2) as wide. `smoothed`: by the beam itself. A cutout from a field `pad` times as
    wide has edges; with 1 it has none, and continues at the other side."""
    major, minor, angle = (part.to_value(u.rad) for part in beam)
    white = np.random.default_rng(seed).standard_normal((shape[0], pad * shape[1], pad * shape[2]))
    ky, kx = (np.fft.fftfreq(n)[:, None] if i == 0 else np.fft.fftfreq(n) for i, n in enumerate(white.shape[1:]))
    along, across = ky * np.cos(angle) - kx * np.sin(angle), ky * np.sin(angle) + kx * np.cos(angle)
    sigma = [width / pixel.to_value(u.rad) / np.sqrt(8 * np.log(2)) for width in (major, minor)]
    power = 2 if smoothed else 1  # of the square root of the beam
    window = np.exp(-0.5 * power * np.pi**2 * 2 * ((sigma[0] * along) ** 2 + (sigma[1] * across) ** 2))
    smooth = np.fft.ifft2(np.fft.fft2(white) * window).real / np.sqrt((window**2).mean())
    return smooth[:, : shape[1], : shape[2]]
