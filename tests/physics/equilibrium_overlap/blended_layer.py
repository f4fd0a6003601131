"""Source functions of two lines that overlap, in a plane layer that may move, by one dense matrix:

    S_l = (1 - eps_l) <I>_l + eps_l B,    dI/ds = SUM_m alpha_m phi_m (S_m - I),

with Doppler profiles phi_m = exp(-(x - v mu - d_m)^2) and constant opacities alpha_m. Rows of the matrix are built by
carrying the coefficients of all S along rays, S_m being linear in depth between points; profiles are taken in the
middle of each step."""

import numpy as np


def weights(h):
    e = np.exp(-h)
    safe = np.where(h > 1e-4, h, 1)
    m = np.where(h > 1e-4, -np.expm1(-h) / safe, 1 - h / 2 + h**2 / 6)
    through = np.where(h > 1e-3, (m - e) / np.where(h > 1e-3, h, 1), 1 / 2 - h / 3)
    to = np.where(h > 1e-3, (1 - m) / np.where(h > 1e-3, h, 1), 1 / 2 - h / 6)
    return e, through, to


def source_functions(z, alpha, shift, eps, velocity, n_mu=8, step=0.1, reach=4.0, overlap=True):
    """S / B of both lines at positions z: two arrays. Lines have opacities alpha[m], shifts[m] and destruction eps[m];
    velocities are in Doppler widths, at z. Without `overlap` each line meets its own light only."""
    mu, w_mu = np.polynomial.legendre.leggauss(n_mu)
    mu, w_mu = (mu + 1) / 2, w_mu / 2
    fast = np.abs(velocity).max()
    x = np.arange(min(shift) - reach - fast, max(shift) + reach + fast + step / 2, step)
    x, mu = (a.ravel() for a in np.meshgrid(x, mu, indexing="ij"))
    w_mu = np.broadcast_to(w_mu, (len(x) // n_mu, n_mu)).ravel()
    n, lines = len(z), len(alpha)
    operator = np.zeros((lines, n, lines, n))

    def profile(v, side, m):
        return np.exp(-(x - side * v * mu - shift[m])**2)

    for group in [range(lines)] if overlap else [[m] for m in range(lines)]:
        for side in (1, -1):
            order = range(n) if side > 0 else range(n - 1, -1, -1)
            light = np.zeros((len(x), lines, n))
            last = None
            for i in order:
                if last is not None:
                    v = 0.5 * (velocity[i] + velocity[last])
                    depth = {m: alpha[m] * abs(z[i] - z[last]) / mu * profile(v, side, m) for m in group}
                    e, start, end = weights(sum(depth.values()))
                    light *= e[:, None, None]
                    for m in group:
                        light[:, m, last] += depth[m] * start
                        light[:, m, i] += depth[m] * end
                for m in group:
                    seen = profile(velocity[i], side, m) * w_mu
                    operator[m, i] += 0.5 * np.tensordot(seen, light, 1) / seen.sum()
                last = i
    eps = np.repeat(eps, n)
    matrix = np.eye(lines * n) - (1 - eps)[:, None] * operator.reshape(lines * n, lines * n)
    return np.linalg.solve(matrix, eps).reshape(lines, n)
