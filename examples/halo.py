"""The gas of examples/halo.yaml: a galaxy and its clumpy wind of neutral hydrogen, on 40^3 cells.

    python examples/halo.py                      # writes examples/halo_gas.h5 (linerad and h5py)
    python examples/halo.py --cells 64 -o gas.h5

The wind accelerates to 250 km/s and thins out as r^-1.5; along its axis, z, there is more gas than across. The column
from the centre outward is 1e18 to 1e19 cm^-2, depending on the direction and on the clouds in the way.
"""

import argparse
from pathlib import Path

import astropy.units as u
import gas_file
import linerad as lr
import numpy as np

SIZE = 20 * u.kpc  # of the box
LIGHT = 0.7 * u.kpc  # scale length of the galaxy
DENSITY, RADIUS = 8e-3 / u.cm**3, 1 * u.kpc  # of hydrogen on the axis of the wind, where it begins
SPEED, TURN = 300 * u.km / u.s, 7 * u.kpc  # v = SPEED r / sqrt(r^2 + TURN^2)


def wind(cells, seed=3):
    """Emissivity of the galaxy, density of neutral hydrogen and velocity: [x, y, z], the last with three components."""
    x = ((np.arange(cells) + 0.5) / cells - 0.5) * SIZE
    place = u.Quantity(np.meshgrid(x, x, x, indexing="ij"))
    r = np.sqrt((place**2).sum(axis=0))
    clouds = lr.cloud(cells, seed, density_width=1.5, density_slope=3).density
    axis = 0.15 + 0.85 * (place[2] / r) ** 2
    density = DENSITY * axis * (1 + (r / RADIUS) ** 2) ** -0.75 * (clouds / clouds.mean())
    return np.exp(-r / LIGHT), density, SPEED * place / np.hypot(r, TURN)


def write(path, light, density, velocity):
    fields = {"light": (light.to_value(""), "1"), "n_HI": (density.to_value("cm-3"), "cm-3")}
    fields |= {f"velocity_{axis}": (v.to_value("km/s"), "km/s") for axis, v in zip("xyz", velocity)}
    gas_file.write(path, SIZE.to_value("kpc"), "kpc", fields)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=40, help="along each side (40)")
    parser.add_argument("--seed", type=int, default=3, help="of the clouds (3)")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "halo_gas.h5")
    arguments = parser.parse_args()
    write(arguments.output, *wind(arguments.cells, arguments.seed))


if __name__ == "__main__":
    main()
