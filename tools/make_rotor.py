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
(https://home.strw.leidenuniv.nl/~moldata).

With --spin I and --quadrupole eqQ every level is divided into its hyperfine levels F = |J - I| .. J + I, labelled J_F,

    E(J, F) = E(J) - eqQ Y(J, F) + C K / 2,    K = F (F + 1) - I (I + 1) - J (J + 1),
    Y = [3 K (K + 1) / 4 - I (I + 1) J (J + 1)] / [2 I (2 I - 1) (2 J - 1) (2 J + 3)],
    A(J' F' -> J F) = A(J' -> J) (2 J' + 1) (2 F + 1) {J' F' I; F J 1}^2,

to first order (Townes & Schawlow 1955, Microwave Spectroscopy, chapter 6), with the spin-rotation constant C; made-up
collisions go to the levels of J' in proportion to their weights, and files without --rate have none.

    tools/make_rotor.py --name HCN --b 44315.97545 --d 0.0872168 --dipole 2.985 --mass 27 --levels 4 \\
        --spin 1 --quadrupole -4.70783 --spin-rotation 0.01013 > hcn_hfs.dat"""

import argparse
import math
from typing import NamedTuple

PLANCK, LIGHT, BOLTZMANN = 6.62607015e-27, 2.99792458e10, 1.380649e-16



class Level(NamedTuple):
    j: int
    f: float  # J without hyperfine structure
    hertz: float
    weight: float
    label: str


def wigner_6j(a, b, c, d, e, f):
    """{a b c; d e f} by Racah's formula; whole numbers only."""
    def triangle(x, y, z):
        return (math.factorial(x + y - z) * math.factorial(x - y + z) * math.factorial(-x + y + z) /
                math.factorial(x + y + z + 1))

    triads = ((a, b, c), (a, e, f), (d, b, f), (d, e, c))
    if any(z > x + y or z < abs(x - y) for x, y, z in triads):
        return 0.0
    low, high = max(map(sum, triads)), min(a + b + d + e, b + c + e + f, c + a + f + d)
    total = sum((-1) ** t * math.factorial(t + 1) /
                (math.prod(math.factorial(t - sum(triad)) for triad in triads) * math.factorial(a + b + d + e - t) *
                 math.factorial(b + c + e + f - t) * math.factorial(c + a + f + d - t)) for t in range(low, high + 1))
    return math.sqrt(math.prod(triangle(*triad) for triad in triads)) * total


def make_levels(options):
    """From the lowest J; within one J by energy."""
    found = []
    for j in range(options.levels):
        centre = (options.b * j * (j + 1) - options.d * (j * (j + 1)) ** 2) * 1e6
        if options.spin == 0:
            found.append(Level(j, j, centre, 2 * j + 1, f"{j:4d}"))
            continue
        split, i = [], options.spin
        for f in range(abs(j - i), j + i + 1):
            k = f * (f + 1) - i * (i + 1) - j * (j + 1)
            casimir = ((0.75 * k * (k + 1) - i * (i + 1) * j * (j + 1)) /
                       (2 * i * (2 * i - 1) * (2 * j - 1) * (2 * j + 3)))
            shift = (-options.quadrupole * casimir + 0.5 * options.spin_rotation * k) * 1e6
            split.append(Level(j, f, centre + shift, 2 * f + 1, f" {j:02d}_{f:02d}"))
        found += sorted(split, key=lambda level: level.hertz)
    lowest = min(level.hertz for level in found)
    return [level._replace(hertz=level.hertz - lowest) for level in found]


def make_lines(options, levels):
    """(upper, lower, Hz, A) from the lowest frequency of each J on."""
    lines = []
    for u, upper in enumerate(levels):
        for l, lower in enumerate(levels):
            if upper.j != lower.j + 1:
                continue
            nu, j = upper.hertz - lower.hertz, lower.j
            a = 64 * math.pi**4 * nu**3 * (options.dipole * 1e-18) ** 2 / (3 * PLANCK * LIGHT**3) * (j + 1) / (2 * j + 3)
            if options.spin:
                a *= (2 * upper.j + 1) * lower.weight * wigner_6j(upper.j, upper.f, options.spin, lower.f, lower.j, 1) ** 2
            if a > 0:
                lines.append((u, l, nu, a))
    return sorted(lines, key=lambda line: (levels[line[0]].j, line[2]))


def make_rates(options, levels):
    """(upper, lower, cm^3/s)"""
    rates = []
    for u, upper in enumerate(levels):
        for l, lower in enumerate(levels):
            if upper.j > lower.j:
                k = options.rate * (2 * lower.j + 1) / (upper.j - lower.j) ** 1.5 / math.sqrt(2 * upper.j + 1)
                whole = (2 * lower.j + 1) * (2 * options.spin + 1) if options.spin else lower.weight
                rates.append((u, l, k * lower.weight / whole))
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True)
    parser.add_argument("--b", type=float, required=True, help="rotational constant, MHz")
    parser.add_argument("--d", type=float, default=0.0, help="centrifugal distortion, MHz")
    parser.add_argument("--dipole", type=float, required=True, help="dipole moment, Debye")
    parser.add_argument("--mass", type=float, required=True, help="atomic mass units")
    parser.add_argument("--levels", type=int, default=12, help="number of J")
    parser.add_argument("--rate", type=float, default=None, help="K, cm^3/s; 1e-10 without hyperfine structure")
    parser.add_argument("--spin", type=int, default=0, help="I of the nucleus, a whole number")
    parser.add_argument("--quadrupole", type=float, default=0.0, help="eqQ, MHz")
    parser.add_argument("--spin-rotation", type=float, default=0.0, help="C, MHz")
    options = parser.parse_args()
    if options.rate is None:
        options.rate = 0.0 if options.spin else 1e-10
    levels = make_levels(options)
    lines = make_lines(options, levels)

    made_up = "rates of collisions are made up, for demonstration only: see" if options.rate else "made by"
    print(f"! MOLECULE ({made_up} tools/make_rotor.py)")
    print(f"{options.name}\n! MASS\n{options.mass:g}\n! NUMBER OF LEVELS\n{len(levels)}\n! LEVEL, ENERGY (1/cm), WEIGHT, J"
          + ("_F" if options.spin else ""))
    for i, level in enumerate(levels):
        print(f"{i + 1:4d} {level.hertz / LIGHT:16.9f} {level.weight:6.1f} {level.label}")
    print(f"! NUMBER OF LINES\n{len(lines)}\n! LINE, UPPER, LOWER, A (1/s), FREQUENCY (GHz), E_U (K)")
    for i, (u, l, nu, a) in enumerate(lines):
        print(f"{i + 1:4d} {u + 1:4d} {l + 1:4d} {a:13.5e} {nu / 1e9:14.7f} {PLANCK * levels[u].hertz / BOLTZMANN:10.3f}")
    if not options.rate:
        return
    rates = make_rates(options, levels)
    print(f"! NUMBER OF PARTNERS\n1\n! PARTNER\n1 made up, with H2\n! NUMBER OF RATES\n{len(rates)}")
    print("! NUMBER OF TEMPERATURES\n2\n! TEMPERATURES\n 5.0 500.0\n! RATE, UPPER, LOWER, cm^3/s")
    for i, (u, l, k) in enumerate(rates):
        print(f"{i + 1:4d} {u + 1:4d} {l + 1:4d} {k:11.3e} {k:11.3e}")


if __name__ == "__main__":
    main()
