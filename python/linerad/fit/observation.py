"""An observed cube with its noise: the data that a model is compared with, and the grid of the model.

Internally, channels increase in radio velocity, rows go north and columns west, whatever the order in the file.
"""

import os
import re

import astropy.constants as constants
import astropy.units as u
import numpy as np
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.wcs import WCS, WCSSUB_SPECTRAL

from ..cube import Cube
from ..errors import FileError, InputError, UnitsError

_C = constants.c.to_value(u.m / u.s)
# BUNIT as spelt by FITS writers, and the unit of a model for such a cube
_MODEL_UNITS = {
    u.K: "K",
    u.Jy / u.beam: "Jy/beam",
    u.Jy / u.sr: "Jy/sr",
    u.Jy / u.pix: "Jy/pixel",
    u.erg / u.s / u.cm**2 / u.arcsec**2 / u.AA: "erg/s/cm^2/arcsec^2/Angstrom",
}


# ---- where the numbers come from ----


def _open(cube, header):
    """(values, header, unit or None) of any object that holds a cube."""
    if isinstance(cube, Cube):
        return cube.data.value, cube.header, cube.unit
    if isinstance(cube, (str, os.PathLike)):
        return _of_file(cube)
    if isinstance(cube, fits.HDUList):
        return _of_hdu(next((hdu for hdu in cube if hdu.data is not None and hdu.data.ndim > 2), cube[0]))
    if hasattr(cube, "filled_data"):
        return _of_spectral_cube(cube)
    if hasattr(cube, "data") and isinstance(getattr(cube, "header", None), fits.Header):
        return _of_hdu(cube)
    if header is None:
        raise InputError("cube: an array needs 'header', a FITS header or an astropy WCS")
    if isinstance(header, WCS):
        header = header.to_header()
    return getattr(cube, "value", cube), header, getattr(cube, "unit", None)


def _of_file(path):
    try:
        with fits.open(path) as hdus:
            return _open(hdus, None)
    except OSError as failure:
        raise FileError(f"{path}: {failure}") from None


def _of_hdu(hdu):
    if hdu.data is None or hdu.data.ndim < 3:
        raise InputError("cube: no image with two sky axes and one velocity axis")
    return hdu.data, hdu.header, None


def _of_spectral_cube(cube):
    if not hasattr(cube, "beam") and hasattr(cube, "beams"):
        raise InputError("cube: the beam differs between channels; use cube.convolve_to(cube.beams.common_beam())")
    values = cube.filled_data[:]
    return values.value, cube.header, values.unit


def _read_unit(unit, found, header):
    text = unit or found or header.get("BUNIT")
    if text is None:
        raise UnitsError("cube: no BUNIT; give 'unit', such as 'Jy/beam' or 'K'")
    if "MJY" in str(text) and "sr" not in str(text).lower():
        raise UnitsError(f"cube: '{text}' could be mJy or MJy; give 'unit', mJy/... or MJy/...")
    try:
        parsed = text if isinstance(text, u.UnitBase) else u.Unit(_spelled(str(text)))
    except ValueError:
        raise UnitsError(f"cube: the unit '{text}' is unknown; give 'unit', such as 'Jy/beam' or 'K'") from None
    for base in _MODEL_UNITS:
        if parsed.is_equivalent(base):
            return parsed, base
    raise UnitsError(f"cube: '{parsed}' is not one of {', '.join(_MODEL_UNITS.values())}")


def _spelled(text):
    """Some writers use JY/BEAM. MJY/SR is MJy/sr, as used for maps; per beam it could also be mJy."""
    for right in ("Jy", "beam", "pixel", "sr"):
        text = re.sub(rf"(?<![A-Za-z])(M?){right.upper()}(?![A-Za-z])", rf"\1{right}", text)
    return text


# ---- axes ----


def _canonical_sky(header):
    """The celestial WCS with east left and north up, and whether columns and rows had to be flipped for that."""
    wcs = WCS(header)
    if not wcs.has_celestial:
        return None, (False, False)
    if (wcs.wcs.lng, wcs.wcs.lat, wcs.wcs.spec) != (0, 1, 2):
        raise InputError("cube: the axes are not longitude, latitude and velocity, in this order")
    sky, flipped = wcs.celestial.deepcopy(), []
    for axis, sign in ((0, -1), (1, 1)):
        flipped.append(sky.pixel_scale_matrix[axis, axis] * sign < 0)
        if flipped[-1]:
            name = "cd" if sky.wcs.has_cd() else "pc"
            matrix, reference = np.array(getattr(sky.wcs, name)), np.array(sky.wcs.crpix)
            matrix[:, axis] *= -1
            reference[axis] = header[f"NAXIS{axis + 1}"] + 1 - reference[axis]
            setattr(sky.wcs, name, matrix)
            sky.wcs.crpix = reference
    return sky, tuple(flipped)


def _sky_pixel(sky, shape):
    """The side of a pixel, an angle; pixels must be square and upright."""
    matrix = sky.pixel_scale_matrix
    side = np.sqrt(abs(np.linalg.det(matrix)))
    skew = max(abs(matrix[0, 0] + side), abs(matrix[1, 1] - side), abs(matrix[0, 1]), abs(matrix[1, 0]))
    if skew * max(shape) > 0.1 * side:
        raise InputError("cube: pixels are not square, or north is not up; reproject the cube first")
    return side * u.deg


def _length_pixel(header):
    """The same for axes in lengths, as written by linerad without a distance."""
    steps = []
    for axis in (1, 2):
        try:
            steps.append(header[f"CDELT{axis}"] * u.Unit(header[f"CUNIT{axis}"]).to(u.cm))
        except (KeyError, ValueError, u.UnitsError):
            raise InputError("cube: the header has neither sky axes nor lengths") from None
    if not np.isclose(steps[0], steps[1], rtol=1e-6) or steps[0] <= 0:
        raise InputError("cube: pixels are not square")
    return steps[0] * u.cm


_TO_FREQUENCY = {  # from SI, with the rest frequency
    "FREQ": lambda x, rest: x,
    "VRAD": lambda x, rest: rest * (1 - x / _C),
    "VOPT": lambda x, rest: rest / (1 + x / _C),
    "ZOPT": lambda x, rest: rest / (1 + x),
    "VELO": lambda x, rest: rest * np.sqrt((1 - x / _C) / (1 + x / _C)),
    "WAVE": lambda x, rest: _C / x,
}


def _velocity_edges(header, n, rest):
    """(radio velocities of the n + 1 edges of the channels in km/s, rest frequency in Hz or None)."""
    axis = WCS(header).sub([WCSSUB_SPECTRAL])
    if axis.naxis != 1:
        raise InputError("cube: the header has no axis of velocity or frequency")
    kind = axis.wcs.ctype[0][:4]
    if kind not in _TO_FREQUENCY:
        raise InputError(f"cube: the spectral axis '{axis.wcs.ctype[0]}' is not one of {', '.join(_TO_FREQUENCY)}")
    values = axis.wcs_pix2world(np.arange(n + 1) - 0.5, 0)[0]
    written = axis.wcs.restfrq or (_C / axis.wcs.restwav if axis.wcs.restwav else None)
    if kind == "VRAD" and (rest is None or written is None):
        return values / 1e3, rest or written
    if written is None and rest is None:
        raise InputError("cube: the header has no RESTFRQ; give 'rest_frequency'")
    frequency = _TO_FREQUENCY[kind](values, written or rest)
    return _C * (1 - frequency / (rest or written)) / 1e3, rest or written


def _even(edges):
    """(first edge, width) of channels that go up, or an error if their widths differ."""
    n = len(edges) - 1
    width = (edges[-1] - edges[0]) / n
    if np.abs(edges - edges[0] - width * np.arange(n + 1)).max() > 0.1 * abs(width):
        raise InputError("cube: in radio velocity the channels do not have equal width; use fewer, or resample them")
    return (edges[0], width) if width > 0 else (edges[-1], -width)


def _read_beam(beam, header):
    """FWHM major, FWHM minor and position angle as Quantities; or None."""
    if beam is None:
        if not header.get("BMAJ"):
            if header.get("CASAMBM"):
                raise InputError("cube: the beam differs between channels; smooth to a common one")
            return None
        beam = (header["BMAJ"] * u.deg, header.get("BMIN", header["BMAJ"]) * u.deg, header.get("BPA", 0.0) * u.deg)
    elif isinstance(beam, u.Quantity) and beam.ndim == 0:
        beam = (beam, beam, 0 * u.deg)
    try:
        major, minor, angle = (part.to(u.arcsec) for part in beam)
    except (AttributeError, TypeError, ValueError, u.UnitsError):
        raise UnitsError("beam: expected an angle, or three: major, minor and position angle") from None
    if not major >= minor > 0:
        raise InputError(f"beam: the axes {major:.4g} and {minor:.4g} are not those of a beam")
    return major, minor, angle.to(u.deg)


class Observation:
    """An observed cube (docs/fit.md).

    Parameters
    ----------
    cube : str, HDU, SpectralCube, Cube or array
        A FITS file or what is in it; an array [channel, y, x] needs ``header``. Required.
    noise : number or Quantity
        One standard deviation per pixel and channel: one value, one per channel, a map or a cube; plain numbers are
        in the unit of the cube. Required.
    mask : boolean array
        True where values are used; NaN never is. Default: everywhere.
    header : FITS header
        Default: that of the cube.
    unit : unit
        Of the cube. Default: BUNIT of the header.
    beam : angles
        (major, minor, position angle). Default: that of the header.
    rest_frequency : frequency
        Default: RESTFRQ of the header.
    correlation : str or float
        Of the noise in neighbouring pixels: 'beam' (the default) if it is correlated like the beam, as in
        interferometer images; 'smoothed' if independent pixels were smoothed with the beam; 'none'; or the number of
        pixels that count as one.
    """

    def __init__(
        self,
        cube,
        noise,
        *,
        mask=None,
        header=None,
        unit=None,
        beam=None,
        rest_frequency=None,
        correlation="beam",
    ):
        values, header, found = _open(cube, header)
        values = np.asarray(values, dtype=np.float64)
        while values.ndim > 3 and values.shape[0] == 1:
            values = values[0]
        if values.ndim != 3 or 0 in values.shape:
            raise InputError(f"cube: expected [channel, y, x], found the shape {values.shape}")
        header = header.copy()
        for axis, length in enumerate(values.shape[::-1]):
            header[f"NAXIS{axis + 1}"] = length
        self.unit, self._base_unit = _read_unit(unit, found, header)
        self._read_axes(header, values.shape, rest_frequency)
        self.beam = _read_beam(beam, header)
        if self.beam is None and self.unit.is_equivalent(u.Jy / u.beam):
            raise InputError("beam: a cube in Jy/beam needs one; the header has no BMAJ, so give 'beam'")
        if self.beam is not None and not self.pixel.unit.is_equivalent(u.rad):
            raise InputError("beam: pixels are in lengths, not angles")
        self.data = self._turn(values)
        self.mask = self._read_mask(mask, values.shape) & np.isfinite(self.data)
        self.noise = self._read_noise(noise, values.shape)
        self.correlated = self._read_correlation(correlation)

    def _read_axes(self, header, shape, rest):
        if rest is not None:
            rest = u.Quantity(rest).to_value(u.Hz)
        edges, rest = _velocity_edges(header, shape[0], rest)
        self.rest_frequency = None if rest is None else rest * u.Hz
        first, width = _even(edges)
        self._first, self.channel_width = first, width * u.km / u.s
        self.velocity = (first + width * (np.arange(shape[0]) + 0.5)) * u.km / u.s
        self._sky, (turn_x, turn_y) = _canonical_sky(header)
        self._order = (slice(None, None, 1 if edges[-1] > edges[0] else -1),)
        self._order += tuple(slice(None, None, -1 if turn else 1) for turn in (turn_y, turn_x))
        self.pixel = _length_pixel(header) if self._sky is None else _sky_pixel(self._sky, shape[1:])
        middle = [(n - 1) / 2 for n in shape[:0:-1]]  # of the image, on the sky; None where pixels are lengths
        self.centre = None if self._sky is None else self._sky.pixel_to_world(*middle).icrs

    def _turn(self, values):
        return np.ascontiguousarray(values[self._order])

    def _fit_shape(self, values, name, shape):
        """One value, one per channel, a map or a cube, with the axes of the file."""
        if values.shape == (shape[0],) and shape[0] != 1:
            values = values[:, None, None]
        try:
            return self._turn(np.broadcast_to(values, shape))
        except ValueError:
            raise InputError(
                f"{name}: the shape {values.shape} is neither that of the cube, {shape}, nor of a map or its channels"
            ) from None

    def _read_mask(self, mask, shape):
        if mask is None:
            return np.ones(shape, dtype=bool)
        found = np.asarray(mask)
        if found.dtype != bool:
            raise InputError(f"mask: expected booleans, found {found.dtype}")
        return self._fit_shape(found, "mask", shape)

    def _read_noise(self, noise, shape):
        if isinstance(noise, u.Quantity):
            try:
                noise = noise.to_value(self.unit)
            except u.UnitConversionError:
                raise UnitsError(f"noise: '{noise.unit}' is not the unit of the cube, '{self.unit}'") from None
        try:
            noise = np.asarray(noise, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("noise: expected numbers") from None
        found = self._fit_shape(noise, "noise", shape)
        if not self.mask.any():
            raise InputError("mask: no pixel is left")
        if not (np.isfinite(found[self.mask]).all() and (found[self.mask] > 0).all()):
            raise InputError("noise: it must be above zero wherever the mask is true")
        return found

    def _read_correlation(self, correlation):
        if isinstance(correlation, str):
            if correlation not in ("beam", "smoothed", "none"):
                raise InputError(f"correlation: '{correlation}' is none of beam, smoothed, none, or a number of pixels")
            factor = {"beam": 1, "smoothed": 2, "none": 0}[correlation]
            return max(1.0, factor * (self.pixels_per_beam or 0.0))
        if not correlation >= 1:
            raise InputError(f"correlation: {correlation} pixels cannot count as one; at least 1 is needed")
        return float(correlation)

    def __repr__(self):
        size = " x ".join(map(str, self.shape))
        return f"<linerad.fit.Observation: {size}, {self.unit}, {self.independent:.0f} independent values>"

    @property
    def shape(self):
        return self.data.shape

    @property
    def pixels_per_beam(self):
        """pi major minor / (4 ln 2) over the area of a pixel; None without a beam."""
        if self.beam is None:
            return None
        major, minor, _ = self.beam
        return float((np.pi * major * minor / (4 * np.log(2)) / self.pixel**2).to_value(u.dimensionless_unscaled))

    @property
    def independent(self):
        """Number of independent values in the cube."""
        return self.mask.sum() / self.correlated

    @property
    def header(self):
        """A FITS header for arrays on this grid, such as `data`."""
        header = fits.Header() if self._sky is None else self._sky.to_header()
        header["WCSAXES"] = 3  # the sky alone has two
        if self._sky is None:
            for axis, n in ((1, self.shape[2]), (2, self.shape[1])):
                header[f"CTYPE{axis}"], header[f"CUNIT{axis}"] = ("XOFFSET", "YOFFSET")[axis - 1], "pc"
                header[f"CRPIX{axis}"], header[f"CRVAL{axis}"] = 0.5 * (n + 1), 0.0
                header[f"CDELT{axis}"] = self.pixel.to_value(u.pc)
        header["CTYPE3"], header["CUNIT3"], header["CRPIX3"] = "VRAD", "m/s", 1.0
        header["CRVAL3"], header["CDELT3"] = (v.to_value(u.m / u.s) for v in (self.velocity[0], self.channel_width))
        if self.rest_frequency is not None:
            header["RESTFRQ"] = self.rest_frequency.value
        header["BUNIT"] = self.unit.to_string("fits")
        if self.beam:
            header["BMAJ"], header["BMIN"], header["BPA"] = (part.to_value(u.deg) for part in self.beam)
        return header

    # ---- the same grid for a model ----

    @property
    def model_unit(self):
        """(image.unit of a model of this cube, its size in units of the cube)."""
        return _MODEL_UNITS[self._base_unit], float(self._base_unit.to(self.unit))

    def grid(self, distance, position, margin):
        """(side of a pixel in cm, pixels along right and up, offset of the middle from the object in cm).

        Parameters
        ----------
        distance : float, cm
            Of the object. Required.
        position : two angles
            Where the object is on the sky; None is the centre of the image. Required.
        margin : int
            Pixels added on all sides, for light brought in by the beam. Required.
        """
        if self._sky is not None and distance is None:
            raise InputError("image.distance: the model needs one, because the observed pixels are angles")
        side = self.pixel.to_value(u.cm) if self._sky is None else self.pixel.to_value(u.rad) * distance
        n = self.shape[2], self.shape[1]
        offset = (0.0, 0.0)
        if position is not None and self._sky is not None:
            place = self._sky.world_to_pixel(SkyCoord(*position, frame="icrs"))
            offset = tuple(side * ((count - 1) / 2 - float(at)) for count, at in zip(n, place))
        return side, tuple(count + 2 * margin for count in n), offset

    def channels(self, systemic):
        """(first, last) edge of the channels in km/s, as seen by the object.

        Parameters
        ----------
        systemic : float, km/s
            Velocity at which the object recedes. Required.
        """
        last = self._first + self.shape[0] * self.channel_width.value
        return self._first - systemic, last - systemic
