"""Rebins narrow channels to other edges.

With F(v) the integral of the intensity up to v, known at the edges of the fine channels, the mean over a channel from a
to b is (F(b) - F(a)) / (b - a); F in between is a cubic through the four nearest edges. The result is linear in the
fine channels, so it is a matrix, and flux is conserved.
"""

import numpy as np


def _integral_rows(at, n):
    """F at `at` (in fine channels from the first edge) as sums over n fine channels: [at, channel]."""
    edge = np.clip(np.floor(at).astype(int) - 1, 0, max(n - 3, 0))
    count = min(4, n + 1)
    nodes = edge[:, None] + np.arange(count)
    away = at[:, None] - nodes
    weight = np.ones_like(away)
    for i in range(count):
        for j in range(count):
            if i != j:
                weight[:, i] *= away[:, j] / (nodes[:, i] - nodes[:, j])
    below = np.arange(n)[None, None, :] < nodes[:, :, None]
    return (weight[:, :, None] * below).sum(axis=1)


def matrix(first, width, n, fine_first, fine_width, n_fine):
    """[n, n_fine]: channels first + k width from fine ones, which must cover them."""
    edges = (first + width * np.arange(n + 1) - fine_first) / fine_width
    if edges[0] < -1e-6 or edges[-1] > n_fine + 1e-6:
        raise ValueError("the fine channels do not cover the others")
    rows = _integral_rows(np.clip(edges, 0, n_fine), n_fine)
    return np.diff(rows, axis=0) * (fine_width / width)
