"""Molecules for tests: small LAMDA files written here, and the behaviour of their levels in closed form."""

from typing import NamedTuple

import numpy as np

from imaging import BOLTZMANN, LIGHT_SPEED, PLANCK


class Molecule(NamedTuple):
    """Energies in 1/cm, weights, lines (upper, lower, A in 1/s), and downward rates (upper, lower, cm^3/s) with H2."""

    energy: tuple
    weight: tuple
    lines: tuple
    rates: tuple = ()
    mass: float = 28.0

    def frequency(self, line=0):
        upper, lower, _ = self.lines[line]
        return (self.energy[upper] - self.energy[lower]) * LIGHT_SPEED

    def text(self):
        """The file, with rates that do not depend on temperature."""
        rows = ["!MOLECULE", "toy", "!MASS", f"{self.mass}", "!LEVELS", f"{len(self.energy)}", "!LEVEL ENERGY WEIGHT J"]
        rows += [f"{i + 1} {e:.12g} {g:g} {i}" for i, (e, g) in enumerate(zip(self.energy, self.weight))]
        rows += ["!LINES", f"{len(self.lines)}", "!LINE UPPER LOWER A GHZ K"]
        rows += [f"{i + 1} {u + 1} {l + 1} {a:.12g} {self.frequency(i) / 1e9:.12g} "
                 f"{self.energy[u] * PLANCK * LIGHT_SPEED / BOLTZMANN:.6g}"
                 for i, (u, l, a) in enumerate(self.lines)]
        if self.rates:
            rows += ["!PARTNERS", "1", "!PARTNER", "1 toy with H2", "!RATES", f"{len(self.rates)}", "!TEMPERATURES",
                     "2", "!TEMPERATURES", "1 1000", "!RATE UPPER LOWER"]
            rows += [f"{i + 1} {u + 1} {l + 1} {k:.12g} {k:.12g}" for i, (u, l, k) in enumerate(self.rates)]
        return "\n".join(rows) + "\n"

    def write(self, folder):
        path = folder / "toy.dat"
        path.write_text(self.text())
        return path

    def boltzmann(self, temperature):
        """Fractions in LTE."""
        x = np.array(self.weight) * np.exp(-np.array(self.energy) * PLANCK * LIGHT_SPEED / BOLTZMANN / temperature)
        return x / x.sum()

    def cross_section(self, b, line=0):
        """At line centre, without stimulated emission, cm^2."""
        upper, lower, a = self.lines[line]
        wavelength = LIGHT_SPEED / self.frequency(line)
        return self.weight[upper] / self.weight[lower] * a * wavelength**3 / (8 * np.pi**1.5 * b)

    def equilibrium(self, temperature, density, escape, background):
        """Fractions with collisions, and with light that escapes from each line with the given probability: A beta (1 +
        f) down and A beta f up, where f is the number of background photons per mode."""
        n = len(self.energy)
        rates = np.zeros((n, n))
        for upper, lower, k in self.rates:
            gap = (self.energy[upper] - self.energy[lower]) * PLANCK * LIGHT_SPEED / BOLTZMANN / temperature
            rates[upper, lower] += density * k
            rates[lower, upper] += density * k * self.weight[upper] / self.weight[lower] * np.exp(-gap)
        for i, (upper, lower, a) in enumerate(self.lines):
            ratio = PLANCK * self.frequency(i) / BOLTZMANN
            modes = 1 / np.expm1(ratio / background) if background > 0 else 0
            rates[upper, lower] += a * escape[i] * (1 + modes)
            rates[lower, upper] += a * escape[i] * modes * self.weight[upper] / self.weight[lower]
        matrix = rates.T - np.diag(rates.sum(axis=1))
        matrix[-1] = 1
        return np.linalg.solve(matrix, np.eye(n)[-1])


def rotor(n_level, b0=1.9225, a10=7.2e-8, k10=3e-11):
    """A linear rotor: E = B J (J + 1), A proportional to nu^3 (J + 1) / (2 J + 3), rates that decrease with the
    step."""
    energy = tuple(b0 * j * (j + 1) for j in range(n_level))
    weight = tuple(2 * j + 1.0 for j in range(n_level))
    lines = tuple((j + 1, j, a10 * (j + 1) ** 4 * 3 / (2 * j + 3)) for j in range(n_level - 1))
    rates = tuple((u, l, k10 / (u - l)) for u in range(1, n_level) for l in range(u))
    return Molecule(energy, weight, lines, rates)


def divided(molecule, parts):
    """The molecule with each level divided into levels of the same energy and of these weights. Their populations are
    in proportion to the weights, and all lines between two such levels together are the line that there was."""
    first = np.concatenate([[0], np.cumsum([len(part) for part in parts])])

    def share(pairs):
        return tuple((int(first[u]) + i, int(first[l]) + j, value * parts[l][j] / molecule.weight[l])
                     for u, l, value in pairs for i in range(len(parts[u])) for j in range(len(parts[l])))

    return Molecule(tuple(e for e, part in zip(molecule.energy, parts) for _ in part),
                    tuple(g for part in parts for g in part), share(molecule.lines), share(molecule.rates)), first[:-1]
