"""The gas of examples/core.yaml: a turbulent core of molecular hydrogen, on 32^3 cells.

    python examples/core.py                      # writes examples/core_gas.h5 (linerad and h5py)
    python examples/core.py --cells 64 -o gas.h5

Turbulence as in `linerad cloud` (log-normal density, velocities of 0.4 km/s along each axis) in a core whose mean density
falls from 3e4 cm^-3 inside 0.06 pc as 1 / r^2. Dense gas is shielded and cold: 10 to 25 K, T ~ n^-0.2.
"""

import argparse
from pathlib import Path

import astropy.units as u
import gas_file
import linerad as lr
import numpy as np

SIZE = 0.6 * u.pc  # of the box
DENSITY, RADIUS = 3e4 / u.cm**3, 0.06 * u.pc  # of H2 at the centre, and of the flat part


def core(cells, seed=8):
    """Density of H2, temperature and velocity, Quantities."""
    turbulence = lr.cloud(cells, seed, size=SIZE, sigma_v=0.4 * u.km / u.s, density_width=0.8)
    x = ((np.arange(cells) + 0.5) / cells - 0.5) * SIZE
    r2 = x[:, None, None] ** 2 + x[:, None] ** 2 + x**2
    density = DENSITY / (1 + r2 / RADIUS**2) * (turbulence.density / turbulence.density.mean())
    temperature = np.clip(20 * u.K * (density / (1e3 / u.cm**3)).to_value("") ** -0.2, 9 * u.K, 25 * u.K)
    return density, temperature, turbulence.velocity


def write(path, density, temperature, velocity):
    fields = {"n_H2": (density.to_value("cm-3"), "cm-3"), "temperature": (temperature.to_value("K"), "K")}
    fields |= {f"velocity_{axis}": (v.to_value("km/s"), "km/s") for axis, v in zip("xyz", velocity)}
    gas_file.write(path, SIZE.to_value("pc"), "pc", fields)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=32, help="along each side (32)")
    parser.add_argument("--seed", type=int, default=8, help="of the turbulence (8)")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "core_gas.h5")
    arguments = parser.parse_args()
    write(arguments.output, *core(arguments.cells, arguments.seed))


if __name__ == "__main__":
    main()
