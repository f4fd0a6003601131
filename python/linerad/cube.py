"""Channel maps as observed: with the beam, in the unit of the model, on the sky."""

import json

import astropy.constants as constants
import astropy.units as u
import numpy as np
from astropy.io import fits
from astropy.wcs import WCS

from . import _values as v
from ._context import Context
from ._library import ffi, lib, new_struct, text
from ._memory import view
from .cut import position_velocity
from .errors import InputError


class Cube:
    """One cube [channel, y, x]. Made by :meth:`Result.cube`. Its arrays are read-only views of the memory of the
    result, which they keep alive.
    """

    def __init__(self, result, camera):
        made = ffi.new("lr_cube **")
        Context().call(lib.lr_cube_create, result._pointer, camera.encode(), made, depth=4)
        self._pointer = ffi.gc(made[0], lib.lr_cube_free)
        self._result, self.camera = result, camera
        self._view = found = new_struct("lr_cube_view")
        lib.lr_cube_describe(self._pointer, found)
        self.unit = u.Unit(text(found.unit))
        self.integral_unit = u.Unit(text(found.integral_unit))
        self.rest_frequency = found.rest_frequency * u.Hz
        channels = (found.first + found.width * np.arange(found.n_channel)) / 1e5
        self.velocity = channels * (u.km / u.s)  # of the channel centres, radio convention
        self.channel_width = found.width / 1e5 * (u.km / u.s)
        self.background = found.background * u.K
        self.background_subtracted = bool(found.subtracted)
        self.distance = found.distance * u.cm if found.distance > 0 else None
        self.toward, self.right, self.up = (np.array(list(axis)) for axis in (found.toward, found.right, found.up))
        self.pixel = np.array(list(found.pixel)) * (u.rad if found.angles else u.cm)
        beam = list(found.beam)
        self.beam = tuple(np.degrees(beam) * u.deg) if beam[0] > 0 else None  # FWHM major and minor, position angle

    def __repr__(self):
        return f"<linerad.Cube '{self.camera}': {' x '.join(map(str, self.shape))}, {self.unit}>"

    @property
    def shape(self):
        return self._view.n_channel, self._view.n_y, self._view.n_x

    def _values(self, pointer, unit, scale, shape=None):
        if pointer == ffi.NULL:
            return None
        values = view((self, self._result), pointer, shape or self.shape, np.float32)
        return u.Quantity(values if scale == 1 else values * np.float64(scale), unit, copy=False)

    def _text(self, name):
        """A text of the result; None if it has none of that name."""
        return text(lib.lr_result_text(self._result._pointer, name.encode())) or None

    @property
    def systemic_velocity(self):
        """Systemic velocity, image.velocity of the model; None if not in the result."""
        resolved = self._text("model_resolved")
        if not resolved:
            return None
        found = (json.loads(resolved).get("image") or {}).get("velocity", "0 km/s")
        for setting in self._result.settings:  # of other images of a run, not in the model
            key, _, value = setting.partition("=")
            found = value if key.strip() == "image.velocity" else found
        try:
            return v.quantity(found.strip(), "velocity", "image.velocity").to(u.km / u.s)
        except InputError:  # a unit that only the library reads
            return None

    @property
    def data(self):
        return self._values(self._view.values, self.unit, self._view.scale)

    @property
    def error(self):
        """One standard error; None without image.errors, or if no light is scattered."""
        return self._values(self._view.errors, self.unit, self._view.scale)

    @property
    def optical_depth(self):
        """Mean over pixel and channel, without a beam; None without image.optical_depth."""
        found = self._values(self._view.optical_depth, u.dimensionless_unscaled, 1)
        return None if found is None else found.value

    @property
    def column(self):
        """Column density of the molecule, a map [y, x]; None without image.column."""
        unit = self._view.column_unit
        return self._values(self._view.column, u.cm**-2, unit, self.shape[1:])

    @property
    def report(self):
        """Statistics of the image, as in the summary, NaN if unknown: optical depths (with and
        without stimulated emission), the correlation with the column density, the shift of the line's centroid."""
        found = new_struct("lr_image")
        lib.lr_result_image(self._result._pointer, self.camera.encode(), found)
        return {
            "depth_mean": found.depth.mean,
            "depth_largest": found.depth.largest,
            "bare_depth_mean": found.bare.mean,
            "bare_depth_largest": found.bare.largest,
            "correlation": found.correlation,
            "shift": found.shift * u.cm,
        }

    @property
    def check(self):
        """The flux of the image against that of the packets that escaped toward its camera (docs/imaging.md): both with
        their errors, the half-angle of the cone, and the difference in standard errors. If the two cannot be
        compared, "not_compared" says why; None without packets, and for a nearby observer."""
        check, unit = new_struct("lr_check"), u.ph / u.s / u.sr
        lib.lr_result_check(self._result._pointer, self.camera.encode(), check)
        if not check.angle > 0:
            reason = text(check.missing)
            return {"not_compared": reason} if reason else None
        return {
            "image_flux": check.image.value * unit,
            "image_flux_error": check.image.error * unit,
            "packet_flux": check.packets.value * unit,
            "packet_flux_error": check.packets.error * unit,
            "angle": np.degrees(check.angle) * u.deg,
            "deviation": check.deviation,
        }

    # ---- maps ----

    def _moments(self):
        found = new_struct("lr_moments")
        Context().call(lib.lr_cube_moments, self._pointer, found)
        return found

    def moment(self, order):
        """A moment: a map [y, x].

        Parameters
        ----------
        order : int
            0 (integral over velocity), 1 (mean velocity) or 2 (velocity dispersion). Required.
        """
        found, shape, speed = self._moments(), self.shape[1:], u.km / u.s
        if order == 0:
            return self._values(found.integral, self.integral_unit, found.scale, shape)
        if order in (1, 2):
            return self._values(found.mean if order == 1 else found.dispersion, speed, 1, shape)
        raise ValueError(f"moment {order}: only moments 0, 1 and 2 exist")

    def moment_error(self, order):
        """One standard error of a moment, treating errors of different channels as independent; None without errors::

            d m0 = dv sqrt(SUM e^2),  d m1 = sqrt(SUM e^2 (v - m1)^2) / SUM I,
            d m2 = sqrt(SUM e^2 ((v - m1)^2 - m2^2)^2) / (2 m2 SUM I)

        Parameters
        ----------
        order : int
            0, 1 or 2. Required.
        """
        error = self.error
        if error is None:
            return None
        error, step = error.astype(np.float64), self.channel_width
        if order == 0:
            return (np.sqrt((error**2).sum(axis=0)) * step).to(self.integral_unit)
        total = self.data.astype(np.float64).sum(axis=0)
        away = (self.velocity[:, None, None] - self.moment(1)[None]) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            if order == 1:
                return (np.sqrt((error**2 * away).sum(axis=0)) / total).to(u.km / u.s)
            width = self.moment(2)
            return (np.sqrt((error**2 * (away - width**2) ** 2).sum(axis=0)) / (2 * width * total)).to(u.km / u.s)

    @property
    def peak(self):
        """The largest value along the velocity axis: a map [y, x]."""
        found = self._moments()
        return self._values(found.peak, self.unit, found.scale, self.shape[1:])

    def position_velocity(self, angle=None, width=1, through=None):
        """(offsets [point], values [channel, point]) along a cut through the image.

        Parameters
        ----------
        angle : float, degrees
            Direction of positive offsets, from up to the left: on the sky the position angle, from north to east.
            Default: None, along x: to the east on the sky, otherwise to the right.
        width : int
            Mean over this many pixels across the cut. Default: 1.
        through : two offsets
            The point with offset zero, from the image centre as on the axes of maps. Default: None, the centre.
        """
        return position_velocity(self, angle, width, through)

    def mean_spectrum(self):
        """(mean over the image, its error) of each channel. Pixel errors are treated as independent; None without
        errors."""
        mean = self.data.mean(axis=(1, 2), dtype=np.float64)
        error = self.error
        if error is None:
            return mean, None
        squares = (error.astype(np.float64) ** 2).sum(axis=(1, 2))
        return mean, np.sqrt(squares) / (self.shape[1] * self.shape[2])

    # ---- other programs ----

    @property
    def header(self):
        """The FITS header: the same axes as in the files that linerad writes (docs/cubes.md)."""
        found, degree = self._view, np.pi / 180
        header = fits.Header()

        def axis(number, kind, unit, reference_pixel, reference, step):
            header[f"CTYPE{number}"], header[f"CUNIT{number}"] = kind, unit
            header[f"CRPIX{number}"], header[f"CRVAL{number}"], header[f"CDELT{number}"] = (
                reference_pixel,
                reference,
                step,
            )

        middle_x, middle_y = 0.5 * (found.n_x + 1), 0.5 * (found.n_y + 1)
        if found.angles:
            axis(1, "RA---TAN", "deg", middle_x, found.sky[0] / degree, -found.pixel[0] / degree)
            axis(2, "DEC--TAN", "deg", middle_y, found.sky[1] / degree, found.pixel[1] / degree)
            header["LONPOLE"], header["LATPOLE"], header["RADESYS"] = 180.0, found.sky[1] / degree, "ICRS"
        else:
            parsec = constants.pc.cgs.value
            axis(1, "XOFFSET", "pc", middle_x, 0.0, found.pixel[0] / parsec)
            axis(2, "YOFFSET", "pc", middle_y, 0.0, found.pixel[1] / parsec)
        axis(3, "VRAD", "m/s", 1.0, found.first / 100, found.width / 100)
        header["SPECSYS"] = "LSRK"
        header["RESTFRQ"] = found.rest_frequency
        header["BUNIT"], header["BTYPE"] = text(found.unit), "Intensity"
        if self.beam:
            header["BMAJ"], header["BMIN"], header["BPA"] = (part.to_value(u.deg) for part in self.beam)
        header["OBJECT"], header["ORIGIN"] = self.camera, "linerad"
        return header

    @property
    def wcs(self):
        """The world coordinates of the cube; `.celestial` is that of maps."""
        return WCS(self.header)

    def to_fits(self):
        """An astropy HDU list with the cube; .writeto(path) writes it."""
        return fits.HDUList([fits.PrimaryHDU(np.asarray(self.data.value), self.header)])

    def spectral_cube(self):
        """A SpectralCube; needs that package, and a cube on the sky (image.distance)."""
        from spectral_cube import SpectralCube

        return SpectralCube.read(self.to_fits()[0])
