"""The result of a run. Arrays are views of the library's memory, which they keep alive; nothing is copied."""

import os
from collections import namedtuple

import astropy.units as u
import numpy as np

from . import _files
from ._arguments import checked
from ._context import Context
from ._library import ffi, lib, names, new_struct, take_text, text
from ._memory import view_array
from ._show import Arrays
from .cube import Cube
from .errors import FileError, Interrupted

_AS_MAP = "settings are a dictionary, such as {'image.distance': 100 * u.pc}"
Estimate = namedtuple("Estimate", "value error")  # one standard error

_UNITS = {
    "reference_b": u.cm / u.s, "emitted": 1 / u.s, "escaped": 1 / u.s, "absorbed": 1 / u.s, "outside": 1 / u.s,
    "seconds_transport": u.s, "seconds_images": u.s, "seconds_total": u.s, "seconds_populations": u.s,
    "scatterings_per_second": 1 / u.s, "mean_velocity": u.km / u.s, "red_peak_velocity": u.km / u.s,
    "blue_peak_velocity": u.km / u.s,
}  # fmt: skip


_OF_PACKETS = (
    "escaped", "absorbed", "outside", "f_esc", "scatterings_per_packet", "mean_path", "median_abs_x",
    "lower_quartile_abs_x", "upper_quartile_abs_x", "peak_abs_x", "asymmetric", "mean_velocity", "red_blue_ratio",
    "red_peak_velocity", "blue_peak_velocity", "scatterings_per_second", "scatterings", "scatterings_skipped", "x_crit",
    "seconds_transport",
)  # fmt: skip
_OF_LEVELS = (
    "population_iterations", "population_error", "population_noise", "populations_converged", "seconds_populations",
)  # fmt: skip


class Summary:
    """Numbers of a run, as attributes; measured ones are (value, error). Made by a run. Quantities that were not
    measured are None: those of packets if none were followed, peaks that are not significant, those of populations
    without a molecule.
    """

    def __init__(self, struct):
        for name, member in ffi.typeof("struct lr_summary").fields[1:]:  # after its size
            value = getattr(struct, name)
            unit = _UNITS.get(name, 1)
            if member.type.kind == "struct":
                value = Estimate(value.value * unit, value.error * unit)
            elif member.type.kind == "array":
                value = text(value)
            elif unit != 1:
                value = value * unit
            setattr(self, name, value)
        self.peak_abs_x = Estimate(self.peak_abs_x, vars(self).pop("peak_abs_x_error"))
        for name in ("peak_abs_x", "mean_velocity", "red_blue_ratio", "red_peak_velocity", "blue_peak_velocity"):
            if np.isnan(getattr(self, name).value):
                setattr(self, name, None)
        for name in ("shells", "images_missing", "report_missing", "populations_converged", "asymmetric"):
            setattr(self, name, bool(getattr(self, name)))
        left_out = (*(_OF_PACKETS if self.packets == 0 else ()), *(() if self.populations else _OF_LEVELS))
        for name in (*left_out, *(name for name in ("line", "populations") if not getattr(self, name))):
            setattr(self, name, None)
        if not self.population_iterations:
            self.population_iterations = self.population_error = self.population_noise = None
        elif np.isnan(self.population_noise):
            self.population_noise = None

    def as_dict(self):
        """All numbers as a dictionary."""
        return dict(vars(self))

    def __repr__(self):
        def show(value):
            value, error = value if isinstance(value, Estimate) else (value, None)
            unit = f" {value.unit.to_string('fits')}" if isinstance(value, u.Quantity) and str(value.unit) else ""
            number, spread = (getattr(part, "value", part) for part in (value, error))
            text = f"{number:.6g}" if isinstance(number, float) else str(number)
            return text + ("" if error is None else f" +- {spread:.2g}") + unit

        told = {name: value for name, value in vars(self).items() if value is not None and value is not False}
        return "\n".join(f"{name:24s} {show(value)}" for name, value in told.items())


class Spectrum:
    """The escaped spectrum: photons per second and unit x, x = (nu - nu0) / nu_D in Doppler units of reference_b,
    positive = blue. Made by a run.

    ``velocity`` is the radio velocity of the bin centres, positive = receding: it decreases as x increases.
    """

    def __init__(self, arrays, reference_b):
        self.x_edges = arrays["spectrum/x_edges"].value
        self.velocity_edges = (-self.x_edges * reference_b).to(u.km / u.s)
        self.flux, self.error = arrays["spectrum/total"], arrays["spectrum/total_error"]
        self.face, self.face_error = arrays.get("spectrum/face"), arrays.get("spectrum/face_error")
        self.direction, self.direction_error = arrays.get("spectrum/direction"), arrays.get("spectrum/direction_error")
        self._reference_b = reference_b

    def __repr__(self):
        ends = np.sort(self.velocity_edges[[0, -1]].value)
        return f"<linerad.Spectrum: {len(self.flux)} bins from {ends[0]:.4g} to {ends[1]:.4g} km/s>"

    @property
    def x(self):
        return 0.5 * (self.x_edges[1:] + self.x_edges[:-1])

    @property
    def velocity(self):
        return 0.5 * (self.velocity_edges[1:] + self.velocity_edges[:-1])

    def per_velocity(self):
        """(flux, error) per km/s instead of per unit x."""
        step = self._reference_b.to(u.km / u.s)
        return self.flux / step, self.error / step


class Populations:
    """Level populations of the molecule, and how they were found."""

    def __init__(self, result):
        arrays = result.arrays
        self.method, self.molecule, self.transition = (result.text(key) for key in ("method", "molecule", "transition"))
        self.fraction = arrays.get("populations/fraction")
        if self.fraction is not None:
            self.fraction = self.fraction.value
        self.excitation_temperature = arrays.get("populations/excitation_temperature")
        self.residual = arrays.get("populations/residual")
        energy = arrays.get("populations/level_energy")
        self.level_energy = energy
        self.level_weight = None if energy is None else arrays["populations/level_weight"].value
        labels = range(0 if energy is None else len(energy))
        self.level_label = [text(lib.lr_result_level_label(result._pointer, level)) for level in labels]
        summary = result.summary
        self.converged, self.error, self.noise = (
            summary.populations_converged,
            summary.population_error,
            summary.population_noise,
        )
        self.iterations = summary.population_iterations
        history = ("change", "error", "radius", "accelerated")
        found = {key: arrays.get(f"populations/history_{key}") for key in history}
        self.history = Arrays({key: value.value for key, value in found.items() if value is not None})

    def __repr__(self):
        found = "" if self.fraction is None else f", fraction {self.fraction.shape}"
        steps = f", {self.iterations} iterations" if self.iterations else ""
        ended = "" if self.converged or not steps else ", not converged"
        return f"<linerad.Populations: {self.molecule} {self.transition} by {self.method}{steps}{ended}{found}>"


class Result:
    """Made by Model.run, Result.load and linerad.image."""

    def __init__(self):
        raise TypeError("results are made by Model.run, Result.load or linerad.image")

    @classmethod
    def _own(cls, pointer):
        result = cls.__new__(cls)
        result._pointer = ffi.gc(pointer, lib.lr_result_free)
        result._cubes = {}
        result._arrays = None
        result._file = None  # the file it was loaded from
        result._settings = ()  # settings by which its images differ from those of its model
        found = new_struct("lr_summary")
        lib.lr_result_summary(result._pointer, found)
        result.summary = Summary(found[0])
        return result

    @classmethod
    def load(cls, path):
        """Loads a result file.

        Parameters
        ----------
        path : str
            The HDF5 file written by a run. Required.
        """
        made, file = ffi.new("lr_result **"), (os.path.abspath(path), _files.stamp(path))
        Context().call(lib.lr_result_read, os.fspath(path).encode(), made)
        result = cls._own(made[0])
        result._file = file
        return result

    def __repr__(self):
        found = [f"{self.summary.packets:,d} packets"] if self.summary.packets else []
        found += [repr(part)[len("<linerad.") : -1] for part in (self.spectrum, self.populations) if part is not None]
        found += [repr(self.cube(name))[len("<linerad.") : -1] for name in self.cameras[:6]]
        found += [f"and {len(self.cameras) - 6} more cubes"] if len(self.cameras) > 6 else []
        found += [f"fields: {', '.join(self.fields)}"] if self.fields else []
        return "\n  ".join(["<linerad.Result", *(found or ["empty"])]) + ">"

    @property
    def empty(self):
        """Whether nothing was measured: no spectrum, no image, no populations."""
        kept = {"spectrum/total", "populations/fraction", "populations/history_change"}
        return not self.cameras and not kept.intersection(names(lib.lr_result_array_name, self._pointer))

    # ---- what was measured ----

    @property
    def arrays(self):
        """Everything except images, as {name: Quantity} with the names in the result file (docs/result_format.md)."""
        if self._arrays is None:
            self._arrays = Arrays()
            for name in names(lib.lr_result_array_name, self._pointer):
                values, units = view_array(lib.lr_result_array, self._pointer, name)
                unit = u.dimensionless_unscaled if units in (None, "1") else u.Unit(units)
                self._arrays[name] = u.Quantity(values, unit, copy=False, dtype=values.dtype)
        return self._arrays

    def _group(self, name):
        start = f"{name}/"
        return Arrays({key[len(start) :]: value for key, value in self.arrays.items() if key.startswith(start)})

    @property
    def spectrum(self):
        """The escaped spectrum; None if no packets were followed."""
        return Spectrum(self.arrays, self.summary.reference_b) if "spectrum/total" in self.arrays else None

    @property
    def fields(self):
        """Per cell: mean_intensity, scattering_rate, and their errors (NAME_error)."""
        return self._group("fields")

    @property
    def packets(self):
        """The list of escaped packets, with output.packets."""
        return self._group("packets")

    @property
    def mesh(self):
        """Edges, radii, or level and position of bricks; `kind` is 'cartesian', 'shells' or 'amr'."""
        found = Arrays({"kind": self.text("mesh"), **self._group("mesh")})
        n = lib.lr_result_bricks(self._pointer, ffi.NULL, ffi.NULL)
        if n > 0:
            level, position = np.empty(n, dtype=np.intc), np.empty((n, 3), dtype=np.intc)
            lib.lr_result_bricks(
                self._pointer,
                ffi.cast("int *", level.__array_interface__["data"][0]),
                ffi.cast("int *", position.__array_interface__["data"][0]),
            )
            found["level"], found["position"] = level, position
        return found

    @property
    def populations(self):
        """Levels of the molecule; None without one."""
        return Populations(self) if self.text("method") else None

    def text(self, name):
        """A text of the result.

        Parameters
        ----------
        name : str
            'model', 'model_resolved', 'version', 'date', 'host', 'cpu', 'mesh', 'method', 'molecule' or 'transition'.
            Required.
        """
        return text(lib.lr_result_text(self._pointer, name.encode()))

    # ---- images ----

    @property
    def cameras(self):
        """Names of the cameras, in order."""
        return names(lib.lr_result_camera, self._pointer)

    def _cube(self, camera):
        if camera not in self._cubes:
            self._cubes[camera] = Cube(_Owner(self._pointer, self._settings), camera)
        return self._cubes[camera]

    def cube(self, camera=None):
        """The :class:`Cube` of a camera.

        Parameters
        ----------
        camera : str or int
            Its name, or its number from 0. Default: the first.
        """
        cameras = self.cameras
        if not cameras:
            raise KeyError("this result has no images, because the model has no cameras")
        if isinstance(camera, str) and camera not in cameras:
            raise KeyError(f"there is no camera '{camera}'; there are {', '.join(cameras)}")
        if isinstance(camera, int) and not 0 <= camera < len(cameras):
            raise KeyError(f"there is no camera {camera}; there are {len(cameras)}, counted from 0")
        return self._cube(camera if isinstance(camera, str) else cameras[camera or 0])

    def moment(self, order, camera=None):
        """A moment map of a cube.

        Parameters
        ----------
        order : int
            0 (integral over velocity), 1 (mean velocity) or 2 (velocity dispersion). Required.
        camera : str or int
            Its name, or its number from 0. Default: the first.
        """
        return self.cube(camera).moment(order)

    @checked("image", 1, _AS_MAP)
    def image(self, settings=(), progress=None):
        """Other images of this run, if it stored its emissivity (``Image(emissivity=True)``), in memory or in the
        file that the result was loaded from.

        Parameters
        ----------
        settings : dict or list of str
            What to change, as in :func:`image`. Default: none.
        progress : function or class
            A function of (what, done, total, seconds), or ``tqdm.tqdm``. Default: no progress is shown.
        """
        context = _context(progress)
        return _trace(context, self._scene(settings, context, depth=5), settings, depth=5)

    def _scene(self, settings, context=None, depth=4):
        """Its light and the images to make from it; lent by this result, which must stay alive as long, or read from
        its file."""
        scene, context, settings = ffi.new("lr_scene **"), context or Context(), _c_settings(settings)
        if self._file:
            path, stamp = self._file
            if _files.stamp(path) != stamp:
                raise FileError(f"{path}: the file is gone or has changed since it was loaded; load it again")
            context.call(lib.lr_scene_load, path.encode(), *settings, scene, depth=depth)
        else:
            context.say = lambda message: message.split(", and load results from files")[0]  # with a function of C
            context.call(lib.lr_scene_from_result, self._pointer, *settings, scene, depth=depth)
        return ffi.gc(scene[0], lib.lr_scene_free)

    def view(self, camera=None):
        """An interactive page of the cubes, as :func:`view` makes it: a notebook shows it, and ``.save("page.html")``
        writes it.

        Parameters
        ----------
        camera : str or int
            Only this camera. Default: None, all of them.
        """
        from .view import view

        return view(self, camera=camera)

    # ---- files ----

    def save(self, path):
        """Writes everything into one file (docs/result_format.md).

        Parameters
        ----------
        path : str
            The HDF5 file. Required.
        """
        Context().call(lib.lr_result_write, self._pointer, os.fspath(path).encode())

    def write_cubes(self, prefix):
        """Writes the cubes as FITS files, and whatever else the section image requests. Returns the file names.

        Parameters
        ----------
        prefix : str
            Files are called PREFIX_<camera>.fits. Required.
        """
        paths = ffi.new("char **")
        Context().call(lib.lr_result_write_cubes, self._pointer, os.fspath(prefix).encode(), paths)
        return take_text(paths[0]).splitlines()


class _Owner:
    """What a cube keeps of its result, without a reference cycle."""

    def __init__(self, pointer, settings):
        self._pointer, self.settings = pointer, settings


@checked("image", 0, _AS_MAP)
def image(path, settings=(), progress=None):
    """Other images of a run that stored its emissivity (``Image(emissivity=True)``), as made by ``linerad image``.
    Returns a :class:`Result`.

    Parameters
    ----------
    path : str
        The result file. Required.
    settings : dict or list of str
        Settings of the sections cameras, channels and image, and the short ones camera, pixels, field, centre,
        range and bin: {'pixels': 256, 'image.unit': 'Jy/sr'}. Default: none.
    progress : function or class
        A function of (what, done, total, seconds), or ``tqdm.tqdm``. Default: no progress is shown.
    """
    context, scene = _context(progress), ffi.new("lr_scene **")
    context.call(lib.lr_scene_load, os.fspath(path).encode(), *_c_settings(settings), scene, depth=4)
    return _trace(context, ffi.gc(scene[0], lib.lr_scene_free), settings, depth=5)


def _context(progress):
    from .model import _bar

    return Context(_bar(progress))


def _c_settings(settings):
    from .model import _settings, _texts

    return _texts(_settings(settings))


def _trace(context, scene, settings, depth):
    """The images of a scene made with these settings."""
    from .model import _settings

    made = ffi.new("lr_result **")
    try:
        stopped = context.run(lib.lr_scene_image, scene, made, depth=depth)
    finally:
        context.finish()
    result = Result._own(made[0])
    result._settings = _settings(settings)
    if stopped:
        raise Interrupted("stopped while making images", result)
    return result
