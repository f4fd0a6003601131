"""The cells of a refined mesh, from a result file, and their representation on a uniform mesh of the finest level."""

from typing import NamedTuple

import h5py
import numpy as np


class Bricks(NamedTuple):
    lower: np.ndarray
    upper: np.ndarray
    root: np.ndarray
    brick: np.ndarray
    level: np.ndarray
    position: np.ndarray

    @property
    def finest(self):
        """Cells along each axis of a mesh with the smallest cells everywhere."""
        return self.root * self.brick * 2 ** int(self.level.max())

    @property
    def shape(self):
        return (len(self.level), *self.brick)

    def centres(self):
        """[brick, i, j, k, axis]"""
        inside = np.stack(np.meshgrid(*(np.arange(n) for n in self.brick), indexing="ij"), axis=-1) + 0.5
        index = (self.position * self.brick)[:, None, None, None, :] + inside
        cells = (self.root * self.brick) * 2.0 ** self.level[:, None]
        return self.lower + (self.upper - self.lower) * index / cells[:, None, None, None, :]

    def spread(self, field):
        """[brick, i, j, k, ...] to [x, y, z, ...] of the finest level: all smallest cells in a cell have its value."""
        whole = np.full((*self.finest, *field.shape[4:]), np.nan)
        for b, level in enumerate(self.level):
            n = 2 ** int(self.level.max() - level)
            part = field[b]
            for axis in range(3):
                part = np.repeat(part, n, axis=axis)
            first = self.position[b] * self.brick * n
            last = first + self.brick * n
            whole[first[0]:last[0], first[1]:last[1], first[2]:last[2]] = part
        assert not np.any(np.isnan(whole))
        return whole

    def gather(self, whole):
        """The inverse: means over the smallest cells in each cell."""
        field = np.empty(self.shape)
        for b, level in enumerate(self.level):
            n = 2 ** int(self.level.max() - level)
            first = self.position[b] * self.brick * n
            last = first + self.brick * n
            part = whole[first[0]:last[0], first[1]:last[1], first[2]:last[2]]
            x, y, z = self.brick
            field[b] = part.reshape(x, n, y, n, z, n).mean(axis=(1, 3, 5))
        return field


def bricks(path):
    with h5py.File(path) as file:
        mesh = file["mesh"]
        assert mesh.attrs["kind"] in ("amr", b"amr")
        return Bricks(*(mesh[name][()] for name in Bricks._fields))
