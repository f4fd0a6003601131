"""A turbulent test cloud (docs/cloud.md): random fields of H2, CO, OH, temperature and velocity."""

import os

import astropy.units as u
import numpy as np

from . import _values
from ._context import Context
from ._library import ffi, lib, names
from ._memory import view_array
from ._show import Arrays
from .errors import InputError
from .parts import Medium, Mesh

# Options and their dimensions; defaults are those of the command.
_OPTIONS = {
    "size": "length", "sigma_v": "velocity", "velocity_slope": "number", "solenoidal": "number",
    "mean_density": "density", "density_width": "number", "density_slope": "number", "mean_temperature": "temperature",
    "min_temperature": "temperature", "max_temperature": "temperature", "temperature_index": "number",
    "transition_density": "density", "mean_co": "density", "mean_oh": "density",
}  # fmt: skip
_CGS = {"length": u.cm, "velocity": u.cm / u.s, "number": u.dimensionless_unscaled, "density": u.cm**-3,
        "temperature": u.K}  # fmt: skip


class Cloud:
    """Made by linerad.cloud. Fields are read-only views of the library's memory, float32, [x, y, z].

    `density` is that of H2, `co` and `oh` those of the molecules; `velocity` has three components.
    """

    def __init__(self, pointer, options):
        self._pointer = ffi.gc(pointer, lib.lr_cloud_free)
        self.cells, self.seed = options.cells, options.seed
        self.size = (options.size * u.cm).to(u.pc)
        self.arrays = Arrays()
        for name in names(lib.lr_cloud_array_name, self._pointer):
            values, units = view_array(lib.lr_cloud_array, self._pointer, name)
            self.arrays[name] = u.Quantity(values, u.Unit(units), copy=False, dtype=values.dtype)
        self.density, self.temperature = self.arrays["n_H2"], self.arrays["temperature"]
        self.co, self.oh = self.arrays["n_CO"], self.arrays["n_OH"]
        self.velocity = [self.arrays[f"velocity_{axis}"] for axis in "xyz"]

    def __repr__(self):
        return f"<linerad.Cloud: {self.cells}^3 cells, {self.size:.4g}, seed {self.seed}>"

    @property
    def mesh(self):
        """The cube, open at all faces."""
        return Mesh.uniform(3 * (self.cells,), [1, 1, 1] * self.size)

    def medium(self, density, **more):
        """The gas for a given line: `density` is cloud.co or cloud.oh; `more` are other arguments of Medium."""
        return Medium(**{"temperature": self.temperature, "velocity": self.velocity, "density": density, **more})

    @property
    def statistics(self):
        """Statistics of the fields: dispersions, ranges (smallest, mean, largest) and correlations, CGS."""
        found = ffi.new("struct lr_cloud_statistics *")
        lib.lr_cloud_measure(self._pointer, found)
        values = {name: getattr(found, name) for name, _ in ffi.typeof(found).item.fields}
        return {name: value if isinstance(value, float) else list(value) for name, value in values.items()}

    def save(self, path):
        """A snapshot (HDF5), as `linerad cloud` writes it: Model(snapshot=path, ...) reads it."""
        Context().call(lib.lr_cloud_write, self._pointer, os.fspath(path).encode())


def _whole(name, value, end):
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputError(f"{name}: expected a whole number, found {value!r}")
    if not 0 <= value < end:
        raise InputError(f"{name}: {value} is not between 0 and {end - 1}")
    return int(value)


def _number(name, value, dimension):
    """One value, in CGS."""
    found = _values.quantity(value, dimension, name)
    if found.ndim:
        raise InputError(f"{name}: expected one value, found an array of shape {found.shape}")
    return float(found.to_value(_CGS[dimension]))


def cloud(cells=64, seed=1, *, mach=None, **options):
    """A turbulent cloud on `cells`^3 cells; the same seed gives the same cloud for any number of cells.

    Options, with units: size, sigma_v (dispersion along one axis), velocity_slope, solenoidal, mean_density (H2),
    density_width (of ln n; or `mach`, which gives it), density_slope, mean_temperature, min_temperature,
    max_temperature, temperature_index, transition_density, mean_co, mean_oh. docs/cloud.md describes them.
    """
    chosen = ffi.new("struct lr_cloud_options *", lib.lr_cloud_defaults())
    chosen.cells, chosen.seed = _whole("cells", cells, 2**31), _whole("seed", seed, 2**64)
    for name, value in options.items():
        if name not in _OPTIONS:
            raise InputError(f"{name}: a cloud has no such option; the options are {', '.join(_OPTIONS)}")
        setattr(chosen, name, _number(name, value, _OPTIONS[name]))
    if mach is not None:
        if "density_width" in options:
            raise InputError("mach: give either mach or density_width")
        mach = _number("mach", mach, "number")
        if not 0 <= mach < np.inf:
            raise InputError(f"mach: expected a non-negative number, found {mach:g}")
        chosen.density_width = float(np.sqrt(np.log1p((0.4 * mach) ** 2)))
    made = ffi.new("lr_cloud **")
    Context().run(lib.lr_cloud_create, chosen, made)
    return Cloud(made[0], chosen)
