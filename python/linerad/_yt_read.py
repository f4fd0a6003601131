"""Data read by yt, in the shape of a mesh: leaf cells, chunk by chunk, each to its position (_layout.py), or particles
on a grid made by yt. Numbers are in CGS; yt converts code and comoving units."""

import astropy.units as u
import numpy as np

from . import _values
from ._layout import MOST_CELLS, Box, Bricks, Lattice, Uniform, put
from .errors import InputError
from .parts import Mesh

_PER_VOLUME = (u.g / u.cm**3, u.cm**-3, u.erg / u.cm**3)  # averaged by volume; everything else by mass


# ---- what the dataset is ----


def check_dataset(ds):
    if not hasattr(ds, "domain_left_edge") or not hasattr(ds, "index"):
        raise InputError(f"from_yt: expected a dataset, as yt.load returns it, found {type(ds).__name__}")
    geometry = str(getattr(ds.geometry, "value", ds.geometry))
    if geometry != "cartesian":
        raise InputError(
            f"from_yt: the dataset has {geometry} coordinates; meshes are Cartesian. Resample it, or, if it depends "
            "only on radius, pass the profiles to lr.Mesh.shells"
        )
    if hasattr(ds.index, "meshes"):
        raise InputError("from_yt: the mesh of the dataset is unstructured or stretched; resample it to equal cells")


def has_particles_only(ds):
    from yt.geometry.particle_geometry_handler import ParticleIndex

    return isinstance(ds.index, ParticleIndex)


def lattice_of(ds):
    cells = np.asarray(ds.domain_dimensions, np.int64)
    factor = np.broadcast_to(np.asarray(ds.refine_by, np.int64), 3).copy()
    factor[ds.dimensionality :] = 1  # axes that the simulation does not have
    return Lattice(
        lower=ds.domain_left_edge.to_value("code_length").astype(float),
        size=ds.domain_width.to_value("code_length").astype(float),
        cells=cells,
        factor=factor,
        periodic=np.asarray(ds.periodicity, bool),
    )


def _corner(ds, value, what):
    """Three code lengths from plain numbers (which are code lengths), or quantities of unyt or astropy."""
    if isinstance(value, u.Quantity):
        value = ds.arr(value.to_value(u.cm), "cm")
    elif isinstance(value, (list, tuple)) and any(hasattr(item, "unit") or hasattr(item, "units") for item in value):
        value = ds.arr([float(_corner(ds, item, what)) for item in value], "code_length")
    try:
        found = np.asarray(ds.arr(value, getattr(value, "units", "code_length")).to_value("code_length"), float)
    except Exception as error:
        raise InputError(f"from_yt: {what} of the region is not a position: {error}") from None
    if not np.isfinite(found).all():
        raise InputError(f"from_yt: {what} of the region is not finite")
    return found


def corners_of(ds, region, lattice):
    """Corners in code lengths: inside the domain, or, where that is periodic, no larger than it."""
    if region is None:
        return lattice.lower, lattice.lower + lattice.size
    if hasattr(region, "get_bbox"):
        if getattr(region, "_type_name", "") == "cut_region":
            raise InputError("from_yt: a cut region has holes; use the region it was cut from, and set fields to 0 "
                             "in the holes")
        region = region.get_bbox()
    if not isinstance(region, (list, tuple)) or len(region) != 2:
        raise InputError("from_yt: region must be a pair of corners, or a yt object such as ds.box(left, right)")
    lower, upper = (_corner(ds, value, what) for value, what in zip(region, ("the left corner", "the right corner")))
    if lower.shape != (3,) or upper.shape != (3,) or not (upper > lower).all():
        raise InputError(f"from_yt: the region from {lower} to {upper} code lengths is empty; it needs two corners")
    last = lattice.lower + lattice.size
    lower = np.where(lattice.periodic, lower, np.maximum(lower, lattice.lower))
    upper = np.where(lattice.periodic, np.minimum(upper, lower + lattice.size), np.minimum(upper, last))
    if not (upper > lower).all():
        raise InputError(f"from_yt: the region lies outside the domain, {lattice.lower} to {last} code lengths")
    return lower, upper


# ---- meshes ----


class _Cells:
    """Leaf cells of a dataset, chunk by chunk, always in the same order."""

    def __init__(self, ds, lattice, lower, upper):
        self.ds, self.lattice = ds, lattice
        self.lower, self.upper = lower, upper
        # Whole coarse cells: yt selects by centres, and every leaf that touches the region has its centre in these.
        first, last = lattice.span(lower, upper, 0)
        if (last - first == lattice.cells).all():
            self.source = ds.all_data()
        else:
            step = lattice.step(0)
            left, right = (ds.arr(lattice.lower + index * step, "code_length") for index in (first, last))
            self.source = ds.region((left + right) / 2, left, right)
        self._check_grids()

    def _check_grids(self):
        """Checks that grids lie where level and index say; those of stretched meshes do not."""
        index = self.ds.index
        stretched = any(getattr(grid, "cell_widths", None) is not None for grid in getattr(index, "grids", [])[:1])
        if hasattr(index, "grid_levels") and not stretched:
            levels = np.asarray(index.grid_levels).reshape(-1)
            for level in np.unique(levels):
                step, same = self.lattice.step(int(level)), levels == level
                left = (index.grid_left_edge[same].to_value("code_length") - self.lattice.lower) / step
                right = (index.grid_right_edge[same].to_value("code_length") - self.lattice.lower) / step
                wide = (right - left) / np.asarray(index.grid_dimensions)[same]
                stretched |= bool((np.abs(left - np.rint(left)) > 0.1).any() or (np.abs(wide - 1) > 0.01).any())
        if stretched:
            raise InputError(
                "from_yt: cells of one level are not of equal size, or do not lie on a common lattice. For a "
                "stretched grid use lr.Mesh.edges with your own arrays; .athdf files can be read without yt"
            )

    def _check_cells(self, source):
        """The same for octrees, cell by cell."""
        step = self.lattice.step(np.asarray(source.ires)[:, None])
        at = self.lattice.lower + (source.icoords + 0.5) * step
        off = np.abs(source.fcoords.to_value("code_length") - at) / step
        wide = source.fwidth.to_value("code_length") / step
        if (off > 0.1).any() or (np.abs(wide - 1) > 0.01).any():
            raise InputError("from_yt: cells do not lie where their level and index say; please report this frontend")

    def chunks(self):
        for _ in self.source.chunks([], "io"):
            if self.source.ires.size:
                yield self.source

    def places(self):
        """Level (n) and index (n, 3) of the leaves of each chunk."""
        for number, source in enumerate(self.chunks()):
            if number == 0 and not hasattr(self.ds.index, "grid_levels"):
                self._check_cells(source)
            yield np.asarray(source.ires), np.asarray(source.icoords)

    def levels(self):
        """The coarsest and the finest level of leaves that touch the region."""
        found = set()
        whole = ((self.upper - self.lower) > self.lattice.size * (1 - 1e-12)).all()
        for source in self.chunks():
            levels = np.asarray(source.ires)
            for level in np.unique(levels):
                if whole:
                    found.add(int(level))
                elif int(level) not in found:
                    box = Box(self.lattice, int(level), *self.lattice.span(self.lower, self.upper, int(level)))
                    rows, _ = box.inside(int(level), np.asarray(source.icoords)[levels == level])
                    if rows is None or len(rows):
                        found.add(int(level))
        if not found:
            raise InputError("from_yt: no cells in the region")
        return min(found), max(found)


def read_cells(ds, lattice, lower, upper, level, refined, faces):
    cells = _Cells(ds, lattice, lower, upper)
    coarsest, finest = cells.levels()
    finest = finest if level is None else min(finest, int(level))
    thin = ds.dimensionality < 3
    if refined is None:
        refined = coarsest < finest and level is None
        if refined and thin:
            raise InputError(
                f"from_yt: the dataset has {ds.dimensionality} dimensions and {finest + 1} levels; refined meshes have "
                f"three dimensions. Give level=0 to {finest} for a uniform mesh one cell thick"
            )
    step = _levels_per_level(lattice) if refined else 0
    base = min(coarsest, finest) if refined else int(level) if level is not None else finest
    box = Box(lattice, base, *lattice.span(lower, upper, base))
    try:
        layout = Bricks(box, step, finest) if refined else Uniform(box)
        for levels, index in cells.places():
            layout.add(levels, index)
        layout.finish()
    except InputError as error:
        raise InputError(f"from_yt: {error}") from None
    to_cm = float(ds.quan(1.0, "code_length").in_cgs())
    corner, size = box.corner * to_cm * u.cm, box.size * to_cm * u.cm
    shape = [int(n) for n in box.last - box.first]
    if refined:
        mesh = Mesh.bricks(layout.level, layout.position, shape, size, layout.brick, origin=corner, faces=faces)
    else:
        mesh = Mesh.uniform(shape, size, origin=corner, faces=faces)
    return _CellReader(cells, layout), mesh


def _levels_per_level(lattice):
    """How many times a refinement halves cells."""
    factor = lattice.factor
    step = int(factor[0]).bit_length() - 1
    if (factor != factor[0]).any() or factor[0] != 2**step or step < 1:
        raise InputError(
            f"from_yt: levels of this dataset refine cells by factors of {', '.join(map(str, factor))} along x, y, "
            "z; refined meshes need a factor of 2. Give level= for a uniform mesh"
        )
    return step


class _CellReader:
    """Fields of leaf cells, in the shape of the mesh."""

    def __init__(self, cells, layout):
        self.cells, self.layout, self.shape = cells, layout, layout.shape
        self.weighs = any(entry.share < 1 for entries in layout.pieces for entry in entries)

    def read(self, fields, outs, density=None):
        """Each field into an array, in CGS; gives their unit. `density`, a field and its array, weighs averages."""
        layout, unit = self.layout, None
        targets = [layout.targets(out) for out in outs]
        number = 0
        for source in self.cells.chunks():
            entries = layout.pieces[number]
            number += 1
            weight = None
            for field, target in zip(fields, targets):
                values, unit = _in_cgs(source[field])
                if density is not None and not _per_volume(unit):
                    weight = weight or _mass_share(source, entries, *density)
                    put(entries, target, values, weight)
                else:
                    put(entries, target, values)
        for target, out in zip(targets, outs):
            layout.close(target, out)
        return unit


def _mass_share(source, entries, field, mean):
    """Density of leaves that share a cell, relative to the mean there; 1 if it is empty."""
    rho, _ = _in_cgs(source[field])
    shares = []
    for entry in entries:
        if entry.share == 1:
            shares.append(None)
            continue
        there = mean.reshape(-1)[entry.place]
        part = rho if entry.rows is None else rho[entry.rows]
        shares.append(np.divide(part, there, out=np.ones(len(part)), where=there > 0))
    return shares


def _per_volume(unit):
    return any(unit.is_equivalent(one) for one in _PER_VOLUME)


def _in_cgs(values):
    """Numbers and an astropy unit of what yt returns."""
    found = _values.from_unyt(values.in_cgs())
    return found.value, found.unit


# ---- particles ----


def read_particles(ds, lower, upper, level, refined, cells, faces):
    if refined or level is not None:
        raise InputError("from_yt: particles have neither levels nor a refined mesh; give cells, the number along x, "
                         "y, z")
    if cells is None:
        raise InputError(
            "from_yt: the dataset has particles but no cells: give cells, the number along the axes of a uniform "
            "mesh (one or three). Cells as wide as the shortest smoothing lengths resolve everything; a smaller "
            "region makes that cheaper"
        )
    number = np.broadcast_to(np.asarray(cells), 3)
    if number.dtype.kind not in "iu" or (number < 1).any() or np.prod(number, dtype=float) > MOST_CELLS:
        raise InputError(f"from_yt: cells must be one number or three; found {cells!r}")
    left, right = (ds.arr(corner, "code_length") for corner in (lower, upper))
    grid = ds.arbitrary_grid(left, right, dims=[int(n) for n in number])
    corner, size = (values.in_cgs().to_value("cm") * u.cm for values in (left, right - left))
    reader = _GridReader(ds, grid, ds.region((left + right) / 2, left, right))
    return reader, Mesh.uniform(number, size, origin=corner, faces=faces)


class _GridReader:
    """Fields of particles, as deposited on a grid by yt."""

    def __init__(self, ds, grid, particles):
        self.ds, self.grid, self.particles = ds, grid, particles
        self.shape = tuple(int(n) for n in grid.ActiveDimensions)
        self.weighs = True  # density says which cells are empty

    def read(self, fields, outs, density=None):
        unit = None
        for field, out in zip(fields, outs):
            values, unit = _in_cgs(self.grid[field])
            self._check_range(field, values)
            out[...] = values
            del self.grid[field]
        if density is not None and unit.is_equivalent(u.K):
            _fill_empty(outs[0], density[1])
        return unit

    def _check_range(self, field, values):
        """Weighted means lie between the values of the particles. yt 4.4 labels some of them with another unit."""
        if self.ds.field_info[field].sampling_type != "particle" or not getattr(self.ds, "use_sph_normalization", True):
            return
        low, high = 0.0, 0.0  # cells that no particle reaches
        for _ in self.particles.chunks([], "io"):
            found, _unit = _in_cgs(self.particles[field])
            if found.size:
                low, high = min(low, found.min()), max(high, found.max())
        slack = 1e-3 * (high - low)
        if values.min() < low - slack or values.max() > high + slack:
            raise InputError(
                f"from_yt: on the grid {field} reaches from {values.min():g} to {values.max():g}, but only from "
                f"{low:g} to {high:g} among particles (CGS): yt has confused the units. Load the dataset in CGS units"
            )


def _fill_empty(temperature, density):
    """Some cells are reached by no particle. They get the mean temperature of the gas, since they need a value."""
    empty = density <= 0
    if empty.any() and not empty.all():
        temperature[empty] = np.average(temperature[~empty], weights=density[~empty])
