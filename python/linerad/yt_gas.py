"""Simulations that yt reads (https://yt-project.org), as a mesh and arrays for a model: docs/yt.md."""

import difflib
import os

import astropy.units as u
import numpy as np

from . import _values
from ._yt_read import check_dataset, corners_of, has_particles_only, lattice_of, read_cells, read_particles
from .errors import Error, FileError, InputError, UnitsError

_GENERATOR = "linerad.from_yt"  # in the files that save writes, to recognise them
H2_MASS = 2.8 * u.u  # of gas per H2 molecule: fully molecular, with 0.1 helium atoms per hydrogen nucleus


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
    """A simulation opened by yt, as :class:`YtGas`: its mesh, and its fields, which are read when first used
    (docs/yt.md).

    Finer cells are averaged: densities and pressures by volume, everything else by mass.

    Parameters
    ----------
    ds : yt dataset
        What ``yt.load`` returns. Required.
    region : pair of corners, or yt object
        (left, right), with units or in code lengths, or a box or sphere of yt, whose bounding box is used; extended to
        whole cells. Default: everything.
    level : int
        Cells of a uniform mesh, 0 the coarsest; on a refined mesh, the deepest level. Default: the finest in the
        region.
    refined : bool
        Keep cells of different sizes. Default: if there are any.
    cells : int or three integers
        Cells along each axis, for simulations with particles. Required there.
    faces : str or dict
        As for :meth:`Mesh.uniform`. Default: 'open'.
    density : str or tuple
        yt field of the mass density. Default: ('gas', 'density').
    temperature : str or tuple
        yt field of the temperature. Default: ('gas', 'temperature').
    velocity : three names
        yt fields of the velocity. Default: ('gas', 'velocity_x') and so on.
    dtype : numpy type
        numpy.float64 (the default) or numpy.float32.
    """
    check_dataset(ds)
    if dtype not in (np.float32, np.float64):
        raise InputError("from_yt: dtype must be numpy.float32 or numpy.float64")
    if len(velocity) != 3:
        raise InputError("from_yt: velocity must be three field names, along x, y and z")
    if level is not None and (isinstance(level, bool) or not isinstance(level, (int, np.integer)) or level < 0):
        raise InputError(f"from_yt: level must be a whole number, 0 for the coarsest cells; found {level!r}")
    names = {"density": density, "temperature": temperature, "velocity": tuple(velocity)}
    lattice = lattice_of(ds)
    lower, upper = corners_of(ds, region, lattice)
    if has_particles_only(ds):
        reader, mesh = read_particles(ds, lower, upper, level, refined, cells, faces)
    elif cells is not None:
        raise InputError("from_yt: cells is for particles; on this mesh, level sets the resolution")
    else:
        reader, mesh = read_cells(ds, lattice, lower, upper, level, refined, faces)
    return YtGas(ds, mesh, reader, names, np.dtype(dtype))


# ---- what users get ----


class YtGas:
    """Gas of a simulation: ``mesh``, and fields of its shape as quantities in CGS. Made by :func:`from_yt`.

    ``density``, ``temperature``, ``velocity`` (3, ...), and any other yt field as gas["name"] or gas["type", "name"].
    Fields are read when first used, and kept.
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
        has = f"; it has {', '.join(map(str, near[:6]))}" if near else "; see ds.derived_field_list"
        todo = f". Name another with {argument}=, or give lr.Medium your own values" if argument else ""
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
            raise UnitsError(f"from_yt: {what}={given} has the unit '{found.unit}'; expected that of {noun}, such as {example}")
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
        """Number density of particles with a given mass of gas for each.

        Parameters
        ----------
        mass : mass
            Default: 2.8 u, that of H2 in fully molecular gas with 0.1 helium atoms per hydrogen nucleus.
        """
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
            return np.array(whole) * u.cm**3
        return (whole * 8.0 ** -self.mesh.brick_places["level"])[:, None, None, None] * u.cm**3

    @property
    def mass(self):
        """Total gas mass on the mesh, for comparison with the simulation."""
        first = self.density.value.sum(axis=(1, 2, 3) if self.mesh.brick_places else (1, 2), dtype=np.float64)
        return (np.sum(first * self.volume.value.reshape(-1)) * u.g).to(u.Msun)

    # ---- files ----

    def save(self, path, fields=None):
        """Writes a snapshot (docs/model_format.md) that model files can name: ``snapshot: gas.h5``.

        Density, velocity and temperature (or pressure) are written if the dataset has them. A file written earlier by
        this function is replaced once the new one is complete; any other file is left alone.

        Parameters
        ----------
        path : str
            The HDF5 file. Required.
        fields : dict
            Other fields, by the names on that page: {"n_CO": ("gas", "CO_number_density"), "abundance_CO": array}; None
            leaves one out: {"temperature": None}. Default: none.
        """
        h5py = _h5py()
        wanted = {**self._usual(), **(fields or {})}
        _check_output(path)
        path = os.path.realpath(path)
        part = f"{path}.part-{os.getpid()}"
        try:
            with h5py.File(part, "w") as file:
                file.attrs["format"], file.attrs["version"], file.attrs["title"] = "linerad-model", 1, str(self._ds)
                file.attrs["generator"] = _GENERATOR
                self._save_mesh(file.create_group("mesh"))
                for name, field in wanted.items():
                    if field is not None:
                        self._save_field(file, name, field)
            os.replace(part, path)
        except OSError as failure:
            raise FileError(f"{path}: the snapshot was not written: {failure}") from failure
        finally:
            if os.path.exists(part):
                os.remove(part)

    def _usual(self):
        """The contents of a snapshot, by name."""
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
                raise InputError("save: a snapshot has face rules per axis; set single faces in the model, mesh.faces")
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
                wrong = f"the array has shape {values.shape}; the mesh needs {self.shape}"
                raise InputError(f"fields['{name}']: {wrong}")
        factor, text = _values.split_unit(unit, "any", f"fields['{name}']")
        dataset = file.create_dataset(f"fields/{name}", data=values if factor == 1 else values * factor)
        if text:
            dataset.attrs["units"] = text


def _h5py():
    try:
        import h5py
    except ImportError:
        raise Error("save: writing snapshots needs h5py; pip install h5py") from None
    return h5py


def _check_output(path):
    """Only files written by save, and empty files, are replaced."""
    h5py = _h5py()
    if os.path.isdir(path):
        raise FileError(f"{path}: the output is a directory; give the name of a file")
    folder = os.path.dirname(os.fspath(path)) or "."
    if not os.path.isdir(folder):
        raise FileError(f"{path}: there is no directory '{folder}'")
    if not os.path.exists(path) or os.path.isfile(path) and os.path.getsize(path) == 0:
        return
    try:
        with h5py.File(path, "r") as file:
            own = file.attrs.get("generator") == _GENERATOR
    except OSError:
        own = False
    if not own:
        raise FileError(
            f"{path}: the output exists and was not written by save, so it is not replaced; choose another name"
        )


def _has_unit(ds, field, unit):
    """Whether a field is convertible to an astropy unit."""
    try:
        found = ds.quan(1.0, ds.field_info[field].units or "dimensionless")
        return u.Unit(str(found.in_cgs().units)).is_equivalent(unit)
    except Exception:  # fields of frontends may have units of their own kind: not what is looked for
        return False
