#!/usr/bin/env python3
"""Derives the coefficients of src/kernel/voigt.h. Needs numpy, scipy, mpmath. Prints C literals and errors.

Both pieces are linear in their coefficients once the pole (c or L) is chosen, so the minimax fit of the relative error
|approximation - H| / H over a grid of (a, x) is a linear programme. Their wing limits are exact by construction.

narrow, 0 <= a <= A, with s = a^2, t = x^2, u = 1/(t + c):
    H = exp(s - t) (1 + k s t + a [G(t) + s K(t)]) + a u (1/sqrt(pi) + u P(u) + s u Q(u))
  Even part: Re exp(-z^2) = exp(s - t) cos(2 a x). Odd part: a H1 + a^3 H3 + ... of Harris (1948). H1 looks like
  t exp(-t) erfi near the core, which no short polynomial in u follows; since the exponential is at hand anyway,
  exp(-t) times a cubic takes the core and u takes the wing. 19 free coefficients reach what needs about 25 without.

broad, a >= A, with p = a - i x, q = 2 L / (p + L), Z = q - 1 = (L - p) / (L + p)  (Weideman 1994):
    H = Re [ (q + q^2 / 2) / (2 L sqrt(pi)) + q^3 B(Z) ]
  The first bracket is 1/(sqrt(pi) p) up to O(p^-3), hence the exact a/(sqrt(pi) x^2) wing.
"""
import mpmath
import numpy as np
from scipy.optimize import linprog
from scipy.special import wofz

A = 0.1
N_P, N_Q, N_G, N_K = 7, 3, 4, 4  # number of coefficients in P, Q, G, K
N_B = 13  # number of coefficients in B
T_MAX = 87.0  # exp(-T_MAX) is the smallest the header asks for in single precision


def minimax(matrix, target):
    """c minimising max |matrix c - target|, and that maximum."""
    scale = np.abs(matrix).max(0)
    m = matrix / scale
    bound = -np.ones((len(target), 1))
    result = linprog(
        np.r_[np.zeros(m.shape[1]), 1],
        A_ub=np.vstack([np.c_[m, bound], np.c_[-m, bound]]),
        b_ub=np.r_[target, -target],
        bounds=[(None, None)] * m.shape[1] + [(0, None)],
        method="highs",
    )
    c = result.x[:-1] / scale
    return c, np.abs(matrix @ c - target).max()


def mesh(a, x):
    a, x = (v.ravel() for v in np.meshgrid(a, x, indexing="ij"))
    return a, x, wofz(x + 1j * a).real


def narrow_system(c, a, x, h):
    s, t = a * a, x * x
    t_exp = np.minimum(t, T_MAX)
    e, u = np.exp(s - t_exp), 1 / (t + c)
    columns = (
        [e * s * t_exp]
        + [a * e * t_exp**j for j in range(N_G)]
        + [a * s * e * t_exp**j for j in range(N_K)]
        + [a * u ** (j + 2) for j in range(N_P)]
        + [a * s * u ** (j + 2) for j in range(N_Q)]
    )
    return np.array(columns).T / h[:, None], (h - e - a * u / np.sqrt(np.pi)) / h


def broad_system(pole, a, x, h):
    q = 2 * pole / (a - 1j * x + pole)
    base = ((q + q * q / 2) / (2 * pole * np.sqrt(np.pi))).real
    columns = [(q**3 * (q - 1) ** j).real for j in range(N_B)]
    return np.array(columns).T / h[:, None], (h - base) / h


def fit(system, a, x_coarse, x_fine, poles):
    """The pole by scanning: the error has several minima in it."""
    coarse = mesh(a, x_coarse)
    pole = min(poles, key=lambda c: minimax(*system(c, *coarse))[1])
    coefficients, error = minimax(*system(pole, *mesh(a, x_fine)))
    return pole, coefficients, error


def check(system, pole, coefficients, a_range, n=2000):
    """Largest relative error against mpmath at random points, with the coefficients as printed."""
    mpmath.mp.dps = 30
    rng = np.random.default_rng(1)
    a = np.exp(rng.uniform(*np.log(a_range), n))
    x = np.where(rng.random(n) < 0.7, rng.uniform(0, 8, n), np.exp(rng.uniform(np.log(8), np.log(1e5), n)))

    def hjerting(ai, xi):
        z = mpmath.mpc(xi, ai)
        return float((mpmath.exp(-z * z) * mpmath.erfc(-1j * z)).real) if xi < 20 else float(wofz(xi + 1j * ai).real)

    h = np.array([hjerting(*ax) for ax in zip(a, x)])
    matrix, target = system(pole, a, x, h)
    return np.abs(matrix @ coefficients - target).max()


def show(name, coefficients):
    print(f"{name}: " + ", ".join(f"{v:.9g}" for v in coefficients))


def main():
    x_coarse = np.r_[np.linspace(0, 7, 120), np.geomspace(7.1, 1e3, 25)]
    x_fine = np.r_[np.linspace(0, 7, 351), np.geomspace(7.05, 1e3, 60)]

    a = np.r_[1e-10, 1e-7, 1e-5, 1e-4, 1e-3, A * np.r_[0.04, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1]]
    pole, c, error = fit(narrow_system, a, x_coarse, x_fine, np.arange(20, 81) / 10)
    c = np.array([float(f"{v:.9g}") for v in c])
    print(f"narrow: c = {pole}, error on the grid {error:.2e}, at random points "
          f"{check(narrow_system, pole, c, (1e-12, A)):.2e}")
    for name, part in zip("kGKPQ", np.split(c, np.cumsum([1, N_G, N_K, N_P]))):
        show(name, part)

    a = A * np.r_[1, 1.05, 1.2, 1.5, 2, 3, 5, 10, 30, 100]
    pole, c, error = fit(broad_system, a, x_coarse, x_fine, np.arange(26, 43) / 10)
    c = np.array([float(f"{v:.9g}") for v in c])
    print(f"broad: L = {pole}, error on the grid {error:.2e}, at random points "
          f"{check(broad_system, pole, c, (A, 10)):.2e}")
    show("B", c)


if __name__ == "__main__":
    main()
