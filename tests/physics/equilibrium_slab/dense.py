"""The source function of a two-level line in an isothermal layer, complete redistribution with a Doppler profile, by a
dense matrix: S = (1 - eps) Lambda S + eps B, with S linear in depth between points.

For a ray of slope mu at frequency x the depth between neighbours is h = (t' - t) phi / mu, phi = exp(-x^2). With S
linear between them, the intensity at the next point is I' = I exp(-h) + S (m - e) + S' (1 - m), e = exp(-h), m = (1 -
e) / h. Rows of Lambda are built by carrying the coefficients of all S along the ray."""

import numpy as np


def weights(h):
    e = np.exp(-h)
    m = np.where(h > 1e-4, -np.expm1(-h) / np.where(h > 1e-4, h, 1), 1 - h / 2 + h**2 / 6)
    through = np.where(h > 1e-3, m - e, h / 2 - h**2 / 3)
    to = np.where(h > 1e-3, 1 - m, h / 2 - h**2 / 6)
    return e, through, to


def source_function(depth, eps, n_mu=10, n_x=32, reach=4.5):
    """S / B at the given line-centre depths (from 0), open on the side of the first, symmetric about the last one."""
    x, wx = np.polynomial.legendre.leggauss(n_x)
    x, wx = reach / 2 * (x + 1), wx * np.exp(-(reach / 2 * (x + 1)) ** 2)
    mu, wmu = np.polynomial.legendre.leggauss(n_mu)
    mu, wmu = (mu + 1) / 2, wmu / 2
    slope = (np.exp(-x**2)[:, None] / mu[None, :]).ravel()
    weight = (wx[:, None] * wmu[None, :]).ravel() / wx.sum() / 2
    n = len(depth)
    operator = np.zeros((n, n))
    light = np.zeros((len(slope), n))  # coefficients of S in the inward intensity
    steps = [weights(h * slope) for h in np.diff(depth)]
    for i in range(n - 1):
        e, start, end = steps[i]
        light *= e[:, None]
        light[:, i] += start
        light[:, i + 1] += end
        operator[i + 1] += weight @ light
    operator[n - 1] += weight @ light  # the last point is a mirror: the same light returns
    for i in range(n - 2, -1, -1):
        e, start, end = steps[i]
        light *= e[:, None]
        light[:, i + 1] += start
        light[:, i] += end
        operator[i] += weight @ light
    return np.linalg.solve(np.eye(n) - (1 - eps) * operator, np.full(n, eps))
