"""Simulations that yt reads (https://yt-project.org), as a mesh and arrays for a model: docs/yt.md.

Leaf cells are read chunk by chunk, as yt delivers them, and put where the mesh wants them (_layout.py), in CGS. yt converts
code and comoving units. Particles have no cells; yt lays them onto a grid.
"""

import difflib
import os

import astropy.units as u
import numpy as np

from . import _values
from ._layout import MOST_CELLS, Box, Bricks, Lattice, Uniform, put
from .errors import InputError, UnitsError
from .parts import Mesh

H2_MASS = 2.8 * u.u  # of gas for each H2 molecule: all hydrogen molecular, 0.1 helium atoms per nucleus
_PER_VOLUME = (u.g / u.cm**3, u.cm**-3, u.erg / u.cm**3)  # averaged by volume; everything else by mass


def from_yt(
    ds,
    region=None,
    *,
    level=None,
    refined=None,
    cells=None,
    faces=None,
    density=("gas", "density"),
    temperature=("gas", "temperature"),
    velocity=(("gas", "velocity_x"), ("gas", "velocity_y"), ("gas", "velocity_z")),
    dtype=np.float64,
):
    """A simulation that yt has opened: its mesh, and its fields when they are asked for.

    `region` is a pair of corners (left, right), with units or in code lengths, or an object of yt, such as a box or a
    sphere, of which the bounding box is taken; grown to whole cells. `refined` says whether cells of different sizes
    stay so: by default where there are any. A uniform mesh has cells of `level`, 0 the coarsest, by default the finest
    in the region; on a refined one `level` is the deepest. What is finer is averaged: densities and pressures by volume,
    everything else by mass. Particles need `cells`, one number or three. `faces` are those of the mesh, open by default.

    `density`, `temperature` and `velocity` name fields of yt. They are read when they are first used.
    """
    _check_dataset(ds)
    if dtype not in (np.float32, np.float64):
        raise InputError("from_yt: dtype is numpy.float32 or numpy.float64")
    if len(velocity) != 3:
        raise InputError("from_yt: velocity is three names of fields, along x, y and z")
    if level is not None and (isinstance(level, bool) or not isinstance(level, (int, np.integer)) or level < 0):
        raise InputError(f"from_yt: level is a whole number, 0 for the coarsest cells; found {level!r}")
    names = {"density": density, "temperature": temperature, "velocity": tuple(velocity)}
    lattice = _lattice(ds)
    lower, upper = _region(ds, region, lattice)
    if _has_particles_only(ds):
        reader, mesh = _particles(ds, lower, upper, level, refined, cells, faces)
    elif cells is not None:
        raise InputError("from_yt: cells is for particles; on this mesh, level chooses the resolution")
    else:
        reader, mesh = _mesh(ds, lattice, lower, upper, level, refined, faces)
    return YtGas(ds, mesh, reader, names, np.dtype(dtype))


# ---- what the dataset is ----


def _check_dataset(ds):
    if not hasattr(ds, "domain_left_edge") or not hasattr(ds, "index"):
        raise InputError(f"from_yt: expected a dataset, as yt.load returns it, found {type(ds).__name__}")
    geometry = str(getattr(ds.geometry, "value", ds.geometry))
    if geometry != "cartesian":
        raise InputError(
            f"from_yt: the dataset has {geometry} coordinates; meshes are Cartesian. Resample it, or, if it depends on "
            "the radius alone, give the profiles to lr.Mesh.shells"
        )
    if hasattr(ds.index, "meshes"):
        raise InputError("from_yt: the dataset has an unstructured or stretched mesh; resample it to cells of equal size")


def _has_particles_only(ds):
    from yt.geometry.particle_geometry_handler import ParticleIndex

    return isinstance(ds.index, ParticleIndex)


def _lattice(ds):
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
        raise InputError(f"from_yt: {what} of the region is not a place: {error}") from None
    if not np.isfinite(found).all():
        raise InputError(f"from_yt: {what} of the region is not finite")
    return found


def _region(ds, region, lattice):
    """Corners in code lengths: inside the domain, or, where that is periodic, no larger than it."""
    if region is None:
        return lattice.lower, lattice.lower + lattice.size
    if hasattr(region, "get_bbox"):
        if getattr(region, "_type_name", "") == "cut_region":
            raise InputError("from_yt: a cut region has holes; give the region it was cut from, and set fields to 0 there")
        region = region.get_bbox()
    if not isinstance(region, (list, tuple)) or len(region) != 2:
        raise InputError("from_yt: region is a pair of corners, or an object of yt such as ds.box(left, right)")
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
        """Grids lie where level and index say; those of stretched meshes do not."""
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
                "from_yt: cells of one level are not of equal size, or do not lie on a common lattice. A stretched grid "
                "goes into lr.Mesh.edges with arrays of its own; .athdf files are read without yt"
            )

    def chunks(self):
        for _ in self.source.chunks([], "io"):
            if self.source.ires.size:
                yield self.source

    def places(self):
        """Level (n) and index (n, 3) of the leaves of each chunk."""
        for source in self.chunks():
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
            raise InputError("from_yt: there are no cells in the region")
        return min(found), max(found)


def _mesh(ds, lattice, lower, upper, level, refined, faces):
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
            f"from_yt: levels of this dataset divide cells by {', '.join(map(str, factor))} along x, y, z; refined meshes "
            "halve them. Give level= for a uniform mesh"
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
    """Density of leaves that share a place, relative to the mean there; 1 where there is none."""
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


def _particles(ds, lower, upper, level, refined, cells, faces):
    if refined or level is not None:
        raise InputError("from_yt: particles have neither levels nor a refined mesh; give cells, their number along x, y, z")
    if cells is None:
        raise InputError(
            "from_yt: the dataset has particles and no cells: give cells, the number along the axes of a uniform mesh "
            "(one, or three). Cells as wide as the shortest smoothing lengths show all there is; a smaller region "
            "makes that cheaper"
        )
    number = np.broadcast_to(np.asarray(cells), 3)
    if number.dtype.kind not in "iu" or (number < 1).any() or np.prod(number, dtype=float) > MOST_CELLS:
        raise InputError(f"from_yt: cells is one number of cells or three; found {cells!r}")
    left, right = (ds.arr(corner, "code_length") for corner in (lower, upper))
    grid = ds.arbitrary_grid(left, right, dims=[int(n) for n in number])
    corner, size = (values.in_cgs().to_value("cm") * u.cm for values in (left, right - left))
    return _GridReader(ds, grid, ds.region((left + right) / 2, left, right)), Mesh.uniform(number, size, origin=corner, faces=faces)


class _GridReader:
    """Fields of particles, as yt lays them onto a grid."""

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
                f"from_yt: on the grid {field} reaches from {values.min():g} to {values.max():g}, but only from {low:g} to "
                f"{high:g} among particles (CGS): yt has mixed up its units. Load it in CGS units"
            )


def _fill_empty(temperature, density):
    """No particle reaches some cells. They are given the mean temperature of the gas: it must be something."""
    empty = density <= 0
    if empty.any() and not empty.all():
        temperature[empty] = np.average(temperature[~empty], weights=density[~empty])


# ---- what users get ----


class YtGas:
    """Gas of a simulation: `mesh`, and fields of its shape as quantities in CGS.

    `density`, `temperature`, `velocity` (3, ...), and any other field of yt as gas["name"] or gas["type", "name"].
    Fields are read when they are first used, and kept.
    """

    def __init__(self, ds, mesh, reader, names, dtype):
        self.mesh = mesh
        self._ds, self._reader, self._names, self._dtype = ds, reader, names, dtype
        self._kept = {}

    def __repr__(self):
        if self.mesh.brick_places:
            level = self.mesh.brick_places["level"]
            mesh = f"{len(level)} bricks of {self.mesh.brick}^3 cells on {level.max() + 1} levels"
        else:
            mesh = f"{' x '.join(map(str, self.shape))} cells"
        return f"<linerad.YtGas: {self._ds}, {mesh}>"

    @property
    def shape(self):
        return self._reader.shape

    def _find(self, field, argument=None, unit=None):
        """The full name of a field. `argument` is that of from_yt, for the message."""
        known = self._ds.derived_field_list
        if isinstance(field, (tuple, list)) and tuple(field) in known:
            return tuple(field)
        if isinstance(field, str):
            found = sorted({name for name in known if name[1] == field}, key=lambda name: name[0] != "gas")
            if found and (len(found) == 1 or found[0][0] == "gas"):
                return found[0]
            if found:
                raise InputError(f"from_yt: '{field}' is {' or '.join(map(str, found))}; give both parts of the name")
        raise InputError(self._missing(field, argument, unit))

    def _missing(self, field, argument, unit):
        known = self._ds.derived_field_list
        near = [name for name in known if unit is not None and _has_unit(self._ds, name, unit)]
        if not near:
            last = field[-1] if isinstance(field, (tuple, list)) else str(field)
            close = difflib.get_close_matches(str(last), {name[1] for name in known}, 6)
            near = [name for name in known if name[1] in close]
        has = f"; it has {', '.join(map(str, near[:6]))}" if near else "; ds.derived_field_list is what it has"
        todo = f". Name another with {argument}=, or give lr.Medium values of your own" if argument else ""
        return f"from_yt: the dataset '{self._ds}' has no field {field!r}{has}{todo}"

    def _read(self, fields):
        """One array for all of the fields, and their unit."""
        out = np.zeros(self.shape if len(fields) == 1 else (len(fields), *self.shape), self._dtype)
        outs = [out] if len(fields) == 1 else list(out)
        weight, density = None, self._density_name
        if density is not None and fields != (density,) and self._reader.weighs:
            weight = (density, self._get((density,)).value)
        return out, self._reader.read(fields, outs, weight)

    def _get(self, fields):
        """What _read gives as a quantity, kept."""
        if fields not in self._kept:
            values, unit = self._read(fields)
            self._kept[fields] = u.Quantity(values, unit, copy=False)
        return self._kept[fields]

    @property
    def _density_name(self):
        try:
            return self._find(self._names["density"])
        except InputError:
            return None

    def _named(self, what, dimension):
        noun, example, units = _values.DIMENSIONS[dimension]
        given = self._names[what] if what == "velocity" else (self._names[what],)
        found = self._get(tuple(self._find(name, what, units[0]) for name in given))
        if not found.unit.is_equivalent(units[0]):
            raise UnitsError(f"from_yt: {what}={given} has the unit '{found.unit}'; expected {noun} such as {example}")
        return found

    @property
    def density(self):
        """Mass density of the gas."""
        return self._named("density", "mass density")

    @property
    def temperature(self):
        return self._named("temperature", "temperature")

    @property
    def velocity(self):
        return self._named("velocity", "velocity")

    def number_density(self, mass=H2_MASS):
        """Density of particles, of which there is one in every `mass` of gas: by default of H2 where all hydrogen is
        molecular, with 0.1 helium atoms per nucleus."""
        mass = _values.quantity(mass, "mass", "mass").to_value(u.g)
        return u.Quantity(self.density.value / self._dtype.type(mass), u.cm**-3, copy=False)

    def __getitem__(self, field):
        return self._get((self._find(field),))

    @property
    def volume(self):
        """Of cells: one value, or one for each brick, of shape (n, 1, 1, 1)."""
        size = self.mesh.size.to_value(u.cm)
        whole = np.prod(size / self.mesh.cells)
        if not self.mesh.brick_places:
            return whole * u.cm**3
        return (whole * 8.0 ** -self.mesh.brick_places["level"])[:, None, None, None] * u.cm**3

    @property
    def mass(self):
        """Of all gas on the mesh: to be compared with the simulation."""
        return (np.sum(self.density.value * self.volume.value, dtype=np.float64) * u.g).to(u.Msun)

    # ---- files ----

    def save(self, path, fields=None):
        """Write a snapshot (docs/model_format.md) that model files can name: `snapshot: gas.h5`.

        Density, velocity and temperature (or pressure) are written as far as the dataset has them. `fields` adds others
        by the names of that page: {"n_CO": ("gas", "CO_number_density"), "abundance_CO": array}, or leaves one out:
        {"temperature": None}.
        """
        import h5py

        wanted = {**self._usual(), **(fields or {})}
        part = f"{os.fspath(path)}.part"
        try:
            with h5py.File(part, "w") as file:
                file.attrs["format"], file.attrs["version"], file.attrs["title"] = "linerad-model", 1, str(self._ds)
                self._save_mesh(file.create_group("mesh"))
                for name, field in wanted.items():
                    if field is not None:
                        self._save_field(file, name, field)
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.remove(part)

    def _usual(self):
        """What a snapshot is made of, by its names there."""
        names = {"gas_density": self._names["density"], "temperature": self._names["temperature"]}
        names |= {f"velocity_{axis}": name for axis, name in zip("xyz", self._names["velocity"])}
        known = set(self._ds.derived_field_list)
        found = {name: field for name, field in names.items() if isinstance(field, str) or tuple(field) in known}
        if "temperature" not in found and ("gas", "pressure") in known:
            found["pressure"] = ("gas", "pressure")
        return found

    def _save_mesh(self, group):
        mesh = self.mesh
        lower = mesh.origin.to_value(u.cm)
        lengths = {"lower": lower, "upper": lower + mesh.size.to_value(u.cm)}
        for name, values in lengths.items():
            group[name] = values
            group[name].attrs["units"] = "cm"
        if mesh.brick_places:
            group.attrs["kind"] = "amr"
            group["root"] = np.array(mesh.cells) // mesh.brick
            group["brick"] = 3 * [mesh.brick]
            group["level"], group["position"] = mesh.brick_places["level"], mesh.brick_places["position"]
        else:
            group.attrs["kind"] = "uniform"
            group["cells"] = mesh.cells
        if mesh.faces is not None:
            if isinstance(mesh.faces, dict) and set(mesh.faces) - set("xyz"):
                raise InputError("save: a snapshot has faces of axes; write single ones in the model, mesh.faces")
            each = isinstance(mesh.faces, dict)
            group.attrs["faces"] = " ".join(mesh.faces.get(axis, "open") for axis in "xyz") if each else mesh.faces

    def _save_field(self, file, name, field):
        if isinstance(field, (str, tuple)):
            field = (self._find(field),)
            kept = self._kept.get(field)
            values, unit = (kept.value, kept.unit) if kept is not None else self._read(field)
        else:
            found = _values.quantity(field, "any", f"fields['{name}']")
            values, unit = found.value, found.unit
            if values.shape not in ((), self.shape):
                raise InputError(f"fields['{name}']: the array has shape {values.shape}, but the mesh needs {self.shape}")
        factor, text = _values.split_unit(unit, "any", f"fields['{name}']")
        dataset = file.create_dataset(f"fields/{name}", data=values if factor == 1 else values * factor)
        if text:
            dataset.attrs["units"] = text


def _has_unit(ds, field, unit):
    """Whether a field is convertible to a unit of astropy."""
    try:
        found = ds.quan(1.0, ds.field_info[field].units or "dimensionless")
        return u.Unit(str(found.in_cgs().units)).is_equivalent(unit)
    except Exception:  # fields of frontends may have units of their own kind: not what is looked for
        return False
