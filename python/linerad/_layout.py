"""Maps the leaf cells of a simulation to one uniform array, or to the bricks of a refined mesh.

A lattice numbers cells by level and index: on level l a domain has cells * factor^l cells along each axis. A leaf is a
cell that no finer one replaces. Layouts are given the leaves piece by piece, as a simulation is read, and then know the
position of each in an array; fields are stored in the same pieces. If leaves are finer than the mesh, several share a
cell, each with its fraction of the volume.
"""

from dataclasses import dataclass

import numpy as np

from .errors import InputError

KEY_BITS = 21  # of an index in a Morton key
DEEPEST = 15  # levels of a mesh of the library below the first, and its largest number of cells
MOST_CELLS = 2**31 - 1
OVERLAP = (
    "cells of the simulation overlap: yt does not know which ones finer grids replace. yt.load_amr_grids needs every "
    "grid inside a single one of the next coarser level"
)


@dataclass(eq=False)
class Lattice:
    """A domain (in any unit of length) and the numbering of its cells; axes missing from the simulation are never
    divided."""

    lower: np.ndarray
    size: np.ndarray
    cells: np.ndarray
    factor: np.ndarray
    periodic: np.ndarray

    def count(self, level):
        return self.cells * self.factor**level

    def step(self, level):
        return self.size / self.count(level)

    def span(self, lower, upper, level):
        """Indices (from, to) on a level of the smallest box of whole cells that holds a region."""
        count, step = self.count(level), self.step(level)
        slack = 1e-6  # of a cell: edges are rounded
        first = np.floor((lower - self.lower) / step + slack).astype(np.int64)
        last = np.ceil((upper - self.lower) / step - slack).astype(np.int64)
        last = np.clip(last, first + 1, first + count)  # a periodic domain need not begin at its lower edge
        inside = np.where(self.periodic, first, 0), np.where(self.periodic, last, count)
        return np.maximum(first, inside[0]), np.minimum(last, inside[1])


@dataclass(eq=False)
class Box:
    """Whole cells [first, last) of one level of a lattice, and the cells of other levels that touch them."""

    lattice: Lattice
    level: int
    first: np.ndarray
    last: np.ndarray

    def at(self, level):
        """(first, number) on another level; of a periodic domain no more than there are."""
        ratio = self.lattice.factor ** abs(level - self.level)
        first, last = (self.first * ratio, self.last * ratio)
        if level < self.level:
            first, last = self.first // ratio, -(-self.last // ratio)
        return first, np.minimum(last - first, self.lattice.count(level))

    def inside(self, level, index):
        """Rows of `index` (n, 3) whose cells touch the box (None: all of them), and their indices from its corner."""
        first, number = self.at(level)
        count = self.lattice.count(level)
        away, keep = [], None
        for axis in range(3):
            column = index[:, axis] - first[axis]
            if self.lattice.periodic[axis]:
                column %= count[axis]
            good = (column >= 0) & (column < number[axis])
            keep = good if keep is None else keep & good
            away.append(column)
        if keep.all():
            return None, away
        rows = np.flatnonzero(keep)
        return rows, [column[rows] for column in away]

    @property
    def corner(self):
        return self.lattice.lower + self.first * self.lattice.step(self.level)

    @property
    def size(self):
        return (self.last - self.first) * self.lattice.step(self.level)


@dataclass(eq=False)
class Entry:
    """Leaves of one level in a piece of a simulation: rows of the piece (None: all), places in the array `target`."""

    target: int
    rows: np.ndarray
    place: np.ndarray
    share: float  # of the volume of the place; less than 1 where several leaves share it


def put(entries, flat, values, weight=None):
    """One piece of a field into the arrays of its targets. `weight` of leaves that share a place, with a mean of 1 over
    the place, by entry; without it they count by volume."""
    for number, entry in enumerate(entries):
        part = values if entry.rows is None else values[entry.rows]
        if entry.share == 1:
            flat[entry.target][entry.place] = part
        else:
            part = part * entry.share if weight is None else part * (entry.share * weight[number])
            np.add.at(flat[entry.target], entry.place, part.astype(flat[entry.target].dtype, copy=False))


# ---- uniform ----


class Uniform:
    """Cells of one level. Coarser leaves are collected on their own level and then fill all cells that they cover."""

    def __init__(self, box):
        self.box = box
        self.shape = tuple(int(n) for n in box.last - box.first)
        if np.prod(self.shape, dtype=float) > MOST_CELLS:
            raise InputError(f"{' x '.join(map(str, self.shape))} cells are too many; take a lower level, or a region")
        self.pieces = []
        self._filled = {}

    def _size(self, level):
        return tuple(int(n) for n in self.box.at(min(level, self.box.level))[1])

    def add(self, levels, index):
        """Add a piece: level (n) and index (n, 3) of its leaves."""
        entries = []
        for level in np.unique(levels):
            level = int(level)
            of_level = None if (levels == level).all() else np.flatnonzero(levels == level)
            rows, away = self.box.inside(level, index if of_level is None else index[of_level])
            if of_level is not None:
                rows = of_level if rows is None else of_level[rows]
            deeper = max(level - self.box.level, 0)
            ratio = self.box.lattice.factor**deeper
            _, ny, nz = self._size(level)
            x, y, z = (column // r if deeper else column for column, r in zip(away, ratio))
            place = (x * ny + y) * nz + z
            target = min(level, self.box.level)
            if target not in self._filled:
                self._filled[target] = np.zeros(np.prod(self._size(level)), bool)
            self._filled[target][place] = True
            entries.append(Entry(target, rows, place, 1.0 / float(np.prod(ratio))))
        self.pieces.append(entries)

    def finish(self):
        """After the last piece: every cell must have been filled."""
        found = self._filled.pop(self.box.level, np.zeros(np.prod(self.shape), bool)).reshape(self.shape)
        for level, filled in self._filled.items():
            there = np.zeros(self.shape, bool)
            self._spread({level: filled}, there)
            if (there & found).any():
                raise InputError(f"in cell {np.argwhere(there & found)[0].tolist()} of the mesh {OVERLAP}")
            found |= there
        if not found.all():
            raise InputError(f"the simulation has no data in cell {np.argwhere(~found)[0].tolist()} of the mesh")
        return self

    def _spread(self, coarse, fine):
        """Coarse cells that are leaves into the fine ones, plane by plane."""
        first, number = self.box.at(self.box.level)
        for level, values in coarse.items():
            ratio = self.box.lattice.factor ** (self.box.level - level)
            start, _ = self.box.at(level)
            count = self.box.lattice.count(level)
            x, y, z = (((first[a] + np.arange(number[a])) // ratio[a] - start[a]) % count[a] for a in range(3))
            values = values.reshape(self._size(level))
            filled = self._filled[level].reshape(self._size(level))
            across = np.ix_(y, z)
            for i, plane in enumerate(x):
                np.copyto(fine[i], values[plane][across], where=filled[plane][across])

    def targets(self, out):
        """Arrays to store pieces in, one of them `out`."""
        coarse = {level: np.zeros(filled.size, out.dtype) for level, filled in self._filled.items()}
        return {**coarse, self.box.level: out.reshape(-1)}

    def close(self, targets, out):
        self._spread({level: values for level, values in targets.items() if level != self.box.level}, out)


# ---- bricks ----


def _spread_bits(number):
    """Insert two zero bits between the bits of numbers below 2^21."""
    number = number.astype(np.uint64)
    for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F),
                        (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249)):  # fmt: skip
        number = (number | number << np.uint64(shift)) & np.uint64(mask)
    return number


def morton(x, y, z):
    """Keys along a curve that visits all cells of a brick of 2^k x 2^k x 2^k before those of the next."""
    return _spread_bits(x) << np.uint64(2) | _spread_bits(y) << np.uint64(1) | _spread_bits(z)


class Bricks:
    """A refined mesh of the largest bricks of 2^k cells along each axis that the leaves consist of.

    Along the Morton curve the cells of an aligned brick are consecutive, so that leaves of one level are whole bricks
    where every 8^k-th key, from the first, begins one and ends 8^k - 1 further.
    """

    def __init__(self, box, step=1, deepest=None):
        self.box = box
        self._step = step  # levels of the mesh for one of the simulation, whose factor is 2^step
        self._deepest = deepest
        self._levels, self._index, self._rows, self._spare = [], [], [], []

    def add(self, levels, index):
        """Add a piece: level (n) and index (n, 3) of its leaves."""
        kept = np.zeros(len(levels), bool)
        found = np.empty((len(levels), 3), np.int32)
        for level in np.unique(levels):
            level = int(level)
            of_level = np.flatnonzero(levels == level)
            rows, away = self.box.inside(level, index[of_level])
            rows = of_level if rows is None else of_level[rows]
            kept[rows] = True
            for axis in range(3):
                found[rows, axis] = away[axis]
        rows = None if kept.all() else np.flatnonzero(kept)
        below = (levels if rows is None else levels[rows]).astype(np.int64) - self.box.level
        found = found if rows is None else found[rows]
        spare = np.zeros(len(below), np.int8)
        if self._deepest is not None:
            spare = np.maximum(below - (self._deepest - self.box.level), 0).astype(np.int8)
            found >>= (self._step * spare[:, None]).astype(np.int32)
        self._levels.append((self._step * (below - spare)).astype(np.int8))
        self._index.append(found)
        self._rows.append(rows)
        self._spare.append(spare)

    def finish(self):
        levels, index = np.concatenate(self._levels), np.concatenate(self._index)
        spare = np.concatenate(self._spare)
        starts = np.cumsum([0] + [len(piece) for piece in self._levels])
        del self._levels, self._index
        self._check_volume(levels, spare)
        rank, keys, firsts = self._sort(levels, index)
        k = self._largest(keys)
        self.brick, cells = 2**k, 8**k
        self.level, self.position = self._bricks(keys, firsts, index, k)
        self.shape = (len(self.level),) + 3 * (self.brick,)
        inner = index & np.int32(self.brick - 1)
        place = rank // cells * cells + (inner[:, 0] * self.brick + inner[:, 1]) * self.brick + inner[:, 2]
        self.pieces = [
            self._entries(rows, place[start:stop], spare[start:stop])
            for rows, start, stop in zip(self._rows, starts[:-1], starts[1:])
        ]
        del self._rows, self._spare
        return self

    def _entries(self, rows, place, spare):
        entries = []
        for extra in np.unique(spare):
            same = spare == extra
            if same.all():
                entries.append(Entry(0, rows, place, 8.0 ** -int(self._step * extra)))
            else:
                chosen = np.flatnonzero(same)
                of_piece = chosen if rows is None else rows[chosen]
                entries.append(Entry(0, of_piece, place[chosen], 8.0 ** -int(self._step * extra)))
        return entries

    def _check_volume(self, levels, spare):
        """Leaves fill the box, and no two overlap."""
        cells = self.box.last - self.box.first
        found = sum(
            float(n) * 8.0 ** -float(level)
            for level, n in zip(*np.unique(levels + self._step * spare.astype(np.int64), return_counts=True))
        )
        wanted = float(np.prod(cells))
        if abs(found - wanted) > 1e-9 * wanted:
            raise InputError(
                f"the cells of the simulation fill {found / wanted:.6g} of the region: "
                + ("grids are missing" if found < wanted else OVERLAP)
            )
        deepest = int(levels.max())
        if deepest > DEEPEST:
            raise InputError(
                f"the region has {deepest + 1} levels, and a mesh at most {DEEPEST + 1}; take a smaller region, or "
                "level= to average what is finer"
            )
        if int(cells.max()) << deepest >= 1 << KEY_BITS:
            raise InputError(
                f"the region has {int(cells.max()) << deepest} cells of the finest level along an axis, which is too "
                "many; take a smaller region, or level= to average what is finer"
            )

    def _sort(self, levels, index):
        """Rank of each leaf along the curve, level by level; the keys of each level, and a leaf that has each."""
        rank, keys, firsts, before = np.empty(len(levels), np.int64), {}, {}, 0
        for level in np.unique(levels):
            rows = np.flatnonzero(levels == level)
            found, first, back = np.unique(morton(*index[rows].T), return_index=True, return_inverse=True)
            rank[rows] = before + back.reshape(-1)
            keys[int(level)], firsts[int(level)] = found, rows[first]
            before += len(found)
        return rank, keys, firsts

    def _largest(self, keys):
        cells, k = self.box.last - self.box.first, 0
        while not (cells % 2 ** (k + 1)).any() and all(_whole(found, k + 1) for found in keys.values()):
            k += 1
        return k

    def _bricks(self, keys, firsts, index, k):
        level = np.concatenate([np.full(len(found) // 8**k, at, np.int32) for at, found in keys.items()])
        position = np.concatenate([index[rows[:: 8**k]] >> k for rows in firsts.values()])
        return level, np.ascontiguousarray(position, np.int32)

    def targets(self, out):
        return {0: out.reshape(-1)}

    def close(self, targets, out):
        pass


def _whole(keys, k):
    """Whether sorted keys are whole bricks of 8^k cells."""
    n, bits = 8**k, np.uint64(3 * k)
    if len(keys) % n:
        return False
    first, last = keys[::n], keys[n - 1 :: n]
    return bool(np.all(first & np.uint64(n - 1) == 0) and np.all(first >> bits == last >> bits))
