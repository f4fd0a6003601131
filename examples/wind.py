"""The gas of examples/wind.yaml: a galaxy with a clumpy, bipolar wind of neutral hydrogen, on 64^3 cells.

    python examples/wind.py                      # writes examples/wind_gas.h5 (numpy and h5py)
    python examples/wind.py --cells 32 -o gas.h5

A rotating disc, and clouds that a wind carries away within 50 degrees of its axis, the faster the further out, up to
270 km/s. From the centre outward there are 2e20 to 6e20 cm^-2 through the wind, depending on the clouds in the way, and
5e20 to 9e20 in the plane of the disc. Dust follows neutral hydrogen.
"""

import argparse
from pathlib import Path

import gas_file
import numpy as np

KPC = 3.0857e21  # cm
SIZE = 20.0  # kpc, of the box

DISC_DENSITY, DISC_RADIUS, DISC_HEIGHT = 0.15, 3.0, 0.35  # cm^-3 at the centre, exponential scales in kpc
ROTATION, ROTATION_RADIUS = 150.0, 2.5  # km/s in the flat part, kpc to get there
WIND_COLUMN, WIND_INNER = 3e20, 0.8  # cm^-2 from the centre outward, kpc
WIND_ANGLE, WIND_EDGE = 50.0, 8.0  # degrees from the axis, and over which the wind fades
WIND_SPEED, WIND_RADIUS = 300.0, 5.0  # km/s far away, kpc to get there
CLUMPS, CLUMP_SLOPE = 1.6, -2.5  # rms of ln(density), slope of its power spectrum

# Absorption per hydrogen atom at 1216 Å: extinction of the Milky Way (Weingartner & Draine 2001), of which a fraction
# 0.32 is scattering, here left out, for gas with a quarter of the metals.
EXTINCTION, ALBEDO, METALS = 1.6e-21, 0.32, 0.25  # cm^2


def clumps(n, seed):
    """A random field of mean 1, log-normal, with structure on all scales."""
    waves = np.fft.fftfreq(n) * n
    k = np.sqrt(waves[:, None, None] ** 2 + waves[None, :, None] ** 2 + (np.fft.rfftfreq(n) * n) ** 2)
    amplitude = np.zeros_like(k)
    amplitude[k >= 2] = k[k >= 2] ** (CLUMP_SLOPE / 2)
    noise = np.random.default_rng(seed).standard_normal((n, n, n))
    field = np.fft.irfftn(np.fft.rfftn(noise) * amplitude, s=noise.shape, axes=(0, 1, 2))
    density = np.exp(CLUMPS * field / field.std())
    return density / density.mean()


def galaxy(n, seed=3):
    """Density in cm^-3 and velocity in km/s, [n, n, n] and [3, n, n, n]."""
    centres = ((np.arange(n) + 0.5) / n - 0.5) * SIZE
    place = np.stack(np.meshgrid(centres, centres, centres, indexing="ij"))
    x, y, z = place
    radius, r = np.hypot(x, y), np.sqrt((place**2).sum(axis=0))

    disc = DISC_DENSITY * np.exp(-radius / DISC_RADIUS - np.abs(z) / DISC_HEIGHT)
    turning = ROTATION / np.hypot(radius, ROTATION_RADIUS)
    rotation = np.stack([-y * turning, x * turning, np.zeros_like(x)])

    # n ~ 1 / r^2 in the cone, as for a steady wind; 1 / (r^2 + r_0^2) has the column pi / 2 r_0 n_0
    angle = np.degrees(np.arccos(np.abs(z) / r))
    cone = 1 / (1 + np.exp((angle - WIND_ANGLE) / WIND_EDGE * 4))
    density = WIND_COLUMN / (np.pi / 2 * WIND_INNER * KPC) / (1 + (r / WIND_INNER) ** 2)
    wind = density * cone * clumps(n, seed)
    outflow = WIND_SPEED * place / np.hypot(r, WIND_RADIUS)

    total = disc + wind
    return total, (disc * rotation + wind * outflow) / total


def write(path, density, velocity):
    fields = {"n_HI": (density, "cm-3"), "absorption": (density * EXTINCTION * (1 - ALBEDO) * METALS, "cm-1")}
    fields |= {f"velocity_{axis}": (v, "km/s") for axis, v in zip("xyz", velocity)}
    gas_file.write(path, SIZE, "kpc", fields)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=64, help="along each side (64)")
    parser.add_argument("--seed", type=int, default=3, help="of the clumps (3)")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "wind_gas.h5")
    arguments = parser.parse_args()
    write(arguments.output, *galaxy(arguments.cells, arguments.seed))


if __name__ == "__main__":
    main()
