#!/usr/bin/env python3
"""Writes a linear rotor (CO, HCO+, CS, HCN, ...) as a molecule file in the format of the LAMDA database.

    tools/make_rotor.py --name HCO+ --b 44594.428 --d 82.8e-3 --dipole 3.89 --mass 29 > hco+.dat
    tools/make_rotor.py --name 13CO --b 55101.0126 --d 0.1676868 --dipole 0.11046 --mass 29 --levels 10 --rate 1e-11
    tools/make_rotor.py --name C18O --b 54891.4203 --d 0.166405 --dipole 0.11079 --mass 30 --levels 10 --rate 1e-11

Energies and Einstein coefficients are those of a rigid rotor with centrifugal stretching,

    E(J) = B J (J + 1) - D [J (J + 1)]^2,    A = 64 pi^4 nu^3 mu^2 / (3 h c^3) (J + 1) / (2 J + 3)   for J + 1 -> J,

and as accurate as B, D and the dipole moment. The collision rates are NOT: they follow a simple energy-gap law,

    k(J -> J') = K (2 J' + 1) / (J - J')^1.5 / (2 J + 1)^0.5   downward, independent of temperature,

which has only the right order of magnitude (K = 1e-10 cm^3/s for ions with H2, 1e-11 for neutral molecules). They are
meant for examples and tests of programs. For science use measured or computed rates, such as those of LAMDA
(https://home.strw.leidenuniv.nl/~moldata)."""

import argparse
import math

PLANCK, LIGHT, BOLTZMANN = 6.62607015e-27, 2.99792458e10, 1.380649e-16


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True)
    parser.add_argument("--b", type=float, required=True, help="rotational constant, MHz")
    parser.add_argument("--d", type=float, default=0.0, help="centrifugal distortion, MHz")
    parser.add_argument("--dipole", type=float, required=True, help="dipole moment, Debye")
    parser.add_argument("--mass", type=float, required=True, help="atomic mass units")
    parser.add_argument("--levels", type=int, default=12)
    parser.add_argument("--rate", type=float, default=1e-10, help="K, cm^3/s")
    options = parser.parse_args()

    def frequency_of_level(j):
        return (options.b * j * (j + 1) - options.d * (j * (j + 1)) ** 2) * 1e6

    print("! MOLECULE (rates of collisions are made up, for demonstration only: see tools/make_rotor.py)")
    print(f"{options.name}\n! MASS\n{options.mass:g}\n! NUMBER OF LEVELS\n{options.levels}\n! LEVEL, ENERGY (1/cm), WEIGHT, J")
    for j in range(options.levels):
        print(f"{j + 1:4d} {frequency_of_level(j) / LIGHT:16.9f} {2 * j + 1:6.1f} {j:4d}")
    print(f"! NUMBER OF LINES\n{options.levels - 1}\n! LINE, UPPER, LOWER, A (1/s), FREQUENCY (GHz), E_U (K)")
    for j in range(options.levels - 1):
        nu = frequency_of_level(j + 1) - frequency_of_level(j)
        a = (64 * math.pi**4 * nu**3 * (options.dipole * 1e-18) ** 2 / (3 * PLANCK * LIGHT**3) * (j + 1) / (2 * j + 3))
        print(f"{j + 1:4d} {j + 2:4d} {j + 1:4d} {a:13.5e} {nu / 1e9:14.7f} "
              f"{PLANCK * frequency_of_level(j + 1) / BOLTZMANN:10.3f}")
    pairs = [(u, l) for u in range(1, options.levels) for l in range(u)]
    print("! NUMBER OF PARTNERS\n1\n! PARTNER\n1 made up, with H2\n! NUMBER OF RATES\n" + str(len(pairs)))
    print("! NUMBER OF TEMPERATURES\n2\n! TEMPERATURES\n 5.0 500.0\n! RATE, UPPER, LOWER, cm^3/s")
    for i, (u, l) in enumerate(pairs):
        k = options.rate * (2 * l + 1) / (u - l) ** 1.5 / math.sqrt(2 * u + 1)
        print(f"{i + 1:4d} {u + 1:4d} {l + 1:4d} {k:11.3e} {k:11.3e}")


if __name__ == "__main__":
    main()
