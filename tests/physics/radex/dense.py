"""Escape-probability models by a different method: dense matrices, plain iteration, numpy. Slow, and shares nothing
with the program under test but the equations."""

import numpy as np
from scipy.special import expn

PLANCK = 6.62607015e-27
BOLTZMANN = 1.380649e-16
LIGHT_SPEED = 2.99792458e10
GAUSSIAN_WIDTH = np.sqrt(np.pi) / (2 * np.sqrt(np.log(2)))


class Molecule:
    """Levels, lines and rates of a LAMDA file whose levels are in order and whose labels have no blanks."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        n = int(lines[5].split()[0])
        levels = [line.split() for line in lines[7:7 + n]]
        self.energy = np.array([float(words[1]) for words in levels]) * PLANCK * LIGHT_SPEED / BOLTZMANN  # K
        self.weight = np.array([float(words[2]) for words in levels])
        n_line = int(lines[8 + n].split()[0])
        rows = np.array([[float(word) for word in line.split()[:5]] for line in lines[10 + n:10 + n + n_line]])
        self.upper, self.lower = rows[:, 1].astype(int) - 1, rows[:, 2].astype(int) - 1
        self.a_ul, self.frequency = rows[:, 3], rows[:, 4] * 1e9
        at = 11 + n + n_line
        self.partners = {}
        for _ in range(int(lines[at].split()[0])):
            collider, n_rate = int(lines[at + 2].split()[0]), int(lines[at + 4].split()[0])
            n_temperature = int(lines[at + 6].split()[0])
            temperature = np.array(lines[at + 8].split()[:n_temperature], float)
            table = np.array([line.split()[:3 + n_temperature] for line in lines[at + 10:at + 10 + n_rate]], float)
            self.partners[collider] = temperature, table[:, 1].astype(int) - 1, table[:, 2].astype(int) - 1, table[:, 3:]
            at += 9 + n_rate

    def collisions(self, temperature, densities):
        """rates[i, j] from i to j, for densities by LAMDA number of the collider."""
        rates = np.zeros((len(self.energy),) * 2)
        for collider, density in densities.items():
            grid, upper, lower, table = self.partners[collider]
            rates[upper, lower] += density * np.array([np.interp(temperature, grid, row) for row in table])
        gap = self.energy[:, None] - self.energy[None, :]
        factor = np.exp(-np.where(gap > 0, gap, 0) / temperature) * self.weight[:, None] / self.weight[None, :]
        return rates + (rates * factor).T


def sphere(tau):
    small = np.abs(tau) < 0.05
    t = np.where(small, 1, tau)
    exact = 1.5 / t * (1 - 2 / t**2 + (2 / t + 2 / t**2) * np.exp(-t))
    return np.where(small, 1 - 0.375 * tau + 0.1 * tau**2 - tau**3 / 48, exact)


def exponential(y):
    safe = np.where(np.abs(y) < 1e-8, 1, y)
    return np.where(np.abs(y) < 1e-8, 1, -np.expm1(-safe) / safe)


def slab(tau):
    return exponential(3 * tau)


def expansion(tau):
    return exponential(tau)


def lvg(tau, change=14.0):
    """RADEX's expanding sphere; it switches between two forms at tau = 14."""
    far = np.maximum(tau, 4.0)
    return np.where(tau < change, exponential(1.17 * tau), 1 / (far * np.sqrt(np.log(far / (2 * np.sqrt(np.pi))))))


def layer(tau):
    """Exact mean over directions in a static plane layer of depth tau: (1/2 - E3(tau)) / tau."""
    t = np.maximum(tau, 1e-5)
    return np.where(tau < 1e-5, 1, (0.5 - expn(3, t)) / t)


def solve(molecule, beta, temperature, densities, column_per_speed, background):
    """Populations, tau and Tex by damped iteration until nothing changes by more than 1e-8; not for inverted lines."""
    collisions = molecule.collisions(temperature, densities)
    u, l = molecule.upper, molecule.lower
    ratio = molecule.weight[u] / molecule.weight[l]
    kelvin = PLANCK * molecule.frequency / BOLTZMANN
    photons = 1 / np.expm1(kelvin / background)
    kappa = molecule.a_ul * (LIGHT_SPEED / molecule.frequency)**3 / (8 * np.pi) * column_per_speed
    x = molecule.weight * np.exp(-molecule.energy / temperature)
    x = x / x.sum()
    conservation = np.zeros(len(x))
    conservation[0] = 1
    for step in range(20000):
        probability = beta(np.maximum(kappa * (ratio * x[l] - x[u]), -1))
        rates = collisions.copy()
        rates[u, l] += molecule.a_ul * probability * (1 + photons)
        rates[l, u] += molecule.a_ul * probability * photons * ratio
        matrix = rates.T - np.diag(rates.sum(axis=1))
        matrix[0] = 1
        new = np.maximum(np.linalg.solve(matrix, conservation), 1e-300)
        counts = new > 1e-12
        change = np.abs(new[counts] / x[counts] - 1).max()
        part = 0.5 if step < 200 else 0.2 if step < 1000 else 0.05
        x = x**(1 - part) * new**part
        x /= x.sum()
        if change < 1e-8:
            with np.errstate(all="ignore"):
                return x, kappa * (ratio * x[l] - x[u]), kelvin / np.log(ratio * x[l] / x[u])
    raise AssertionError("the dense solver did not converge")
