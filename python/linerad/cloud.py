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
    """A turbulent cloud. Made by :func:`cloud`. Fields are read-only views of the library's memory, float32, [x, y, z].

    ``density`` is that of H2, ``co`` and ``oh`` those of the molecules; ``velocity`` has three components.
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

    def medium(self, density=None, **more):
        """The gas for a given line, as a :class:`Medium`.

        Parameters
        ----------
        density : field, number density
            Of the molecule: ``cloud.co`` or ``cloud.oh``. Default: none, for ``abundance`` and ``colliders``.
        **more
            Other arguments of :class:`Medium`.
        """
        return Medium(**{"temperature": self.temperature, "velocity": self.velocity, "density": density, **more})

    @property
    def statistics(self):
        """Statistics of the fields: dispersions, ranges (smallest, mean, largest) and correlations, CGS."""
        found = ffi.new("struct lr_cloud_statistics *")
        lib.lr_cloud_measure(self._pointer, found)
        values = {name: getattr(found, name) for name, _ in ffi.typeof(found).item.fields}
        return {name: value if isinstance(value, float) else list(value) for name, value in values.items()}

    def save(self, path):
        """Writes a snapshot, as ``linerad cloud`` does: ``Model(snapshot=path, ...)`` reads it.

        Parameters
        ----------
        path : str
            The HDF5 file. Required.
        """
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
    """A turbulent cloud of H2, CO and OH in a cube (docs/cloud.md), as a :class:`Cloud`. The same seed gives the same
    cloud for any number of cells.

    Parameters
    ----------
    cells : int
        Along each side: even, 8 to 1024. Default: 64.
    seed : int
        Of the random numbers. Default: 1.
    mach : float
        Mach number, which sets ``density_width``. Default: none.
    size : length
        Edge of the cube. Default: 0.04 pc.
    sigma_v : velocity
        Velocity dispersion along one axis. Default: 0.5 km/s.
    velocity_slope : float
        n in the power k^-n of a single wave of the velocity. Default: 4.
    solenoidal : float, 0 to 1
        Fraction of that power in divergence-free waves. Default: 2/3.
    mean_density : number density
        Of H2, over the volume. Default: 100 cm^-3.
    density_width : float
        Standard deviation of ln n. Default: 1.5.
    density_slope : float
        n in the power k^-n of ln n. Default: 11/3.
    mean_temperature : temperature
        Over the volume. Default: 47 K.
    min_temperature : temperature
        Smallest. Default: 8 K.
    max_temperature : temperature
        Largest. Default: 600 K.
    temperature_index : float
        p in T ~ n^-p between these limits. Default: 0.6.
    transition_density : number density
        Of H2, where CO takes over from OH. Default: 100 cm^-3.
    mean_co : number density
        Of CO, over the volume. Default: 2.8e-5 cm^-3.
    mean_oh : number density
        Of OH, over the volume. Default: 5.8e-6 cm^-3.
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
