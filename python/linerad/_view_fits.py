"""Cubes in FITS files of any program, and what their headers say: which axes are x, y and velocity, radio velocities in
km/s, and the axes of the sky."""

import os
import re
import warnings

import numpy as np
from astropy import constants
from astropy import units as u
from astropy.io import fits
from astropy.utils.exceptions import AstropyWarning
from astropy.wcs import WCS

from .errors import FileError, InputError

_LIGHT = constants.c.to_value("km/s")
_ANGLES = (("°", 3600.0), ("arcmin", 60.0), ("arcsec", 1.0), ("mas", 1e-3))  # in arcsec
_LENGTHS = tuple((name, u.Unit(name).to("pc")) for name in ("Mpc", "kpc", "pc", "au", "km"))
_LEAST = {"Mpc": 0.5, "kpc": 0.5, "pc": 0.05, "au": 0.05}  # half an image, as in plots
_OFFSETS = {"RA": ("R.A. offset", "Dec. offset"), "GLON": ("l offset", "b offset")}

# frequency over rest frequency, of a value v of an axis in SI units and the rest frequency in Hz
_RATIOS = {
    "FREQ": lambda v, rest: v / rest,
    "WAVE": lambda v, rest: constants.c.si.value / (v * rest),
    "VRAD": lambda v, rest: 1 - 1e-3 * v / _LIGHT,
    "VOPT": lambda v, rest: 1 / (1 + 1e-3 * v / _LIGHT),
    "ZOPT": lambda v, rest: 1 / (1 + v),
    "VELO": lambda v, rest: np.sqrt((1 - 1e-3 * v / _LIGHT) / (1 + 1e-3 * v / _LIGHT)),
}


class Axes:
    """The axes of a cube, numbered from 0 as in the header: x, y, and velocity."""

    def __init__(self, header, shape=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AstropyWarning)
            self.wcs = wcs = WCS(header)
        if wcs.naxis < 3:
            raise InputError("not a cube: the header describes fewer than three axes")
        self.velocity = wcs.wcs.spec
        if self.velocity < 0:
            kinds = ", ".join(f"CTYPE{k + 1} = '{kind}'" for k, kind in enumerate(wcs.wcs.ctype))
            raise InputError(f"no axis is a velocity (VRAD), a frequency (FREQ) or a wavelength (WAVE): {kinds}")
        others = [k for k in range(wcs.naxis) if k != self.velocity]
        if wcs.has_celestial:
            self.x, self.y = wcs.wcs.lng, wcs.wcs.lat
        else:  # the longest two, in their order
            sizes = shape[::-1] if shape else [2] * wcs.naxis
            self.x, self.y = sorted(sorted(others, key=lambda k: (sizes[k] == 1, k))[:2])

    def arrange(self, values):
        """Numbers as [velocity, y, x]; others axes have a single value."""
        rank, chosen = values.ndim, (self.velocity, self.y, self.x)
        rest = [rank - 1 - k for k in range(rank) if k not in chosen]
        if any(values.shape[k] != 1 for k in rest):
            raise InputError(f"not a cube: its axes have {' x '.join(map(str, values.shape[::-1]))} values; a page shows "
                             "three axes, and the others must have a single value")  # fmt: skip
        values = np.transpose(values, rest + [rank - 1 - k for k in chosen])
        return values.reshape(values.shape[len(rest) :])

    def rest_frequency(self):
        """In Hz; 0 if unknown."""
        if self.wcs.wcs.restfrq > 0:
            return float(self.wcs.wcs.restfrq)
        return constants.c.si.value / self.wcs.wcs.restwav if self.wcs.wcs.restwav > 0 else 0.0

    def velocities(self, channels):
        """Radio velocities in km/s at these numbers of channels: 0 is the centre of the first, -0.5 its lower edge."""
        axis, rest = self.wcs.sub([self.velocity + 1]), self.rest_frequency()
        kind = axis.wcs.ctype[0][:4]
        if kind not in _RATIOS:
            raise InputError(f"CTYPE{self.velocity + 1} = '{kind}' is not a velocity (VRAD, VOPT), a frequency (FREQ) or a "
                             "wavelength in vacuum (WAVE)")  # fmt: skip
        if kind in ("FREQ", "WAVE") and rest == 0:
            raise InputError("no RESTFRQ in the header, which turns frequencies into velocities")
        at = axis.wcs_pix2world(np.asarray(channels, dtype=float)[:, None], 0)[:, 0]
        return _LIGHT * (1 - _RATIOS[kind](at, rest))

    def sky(self, header, n_x, n_y):
        """Steps per pixel to the right and up, their unit and labels; where north and east are; the beam."""
        return (_on_sky if self.wcs.has_celestial else _at_object)(self, header, n_x, n_y)


def _step(matrix):
    """(steps to the right and up, whether the axes are turned): the columns of the matrix are one pixel each."""
    turned = abs(matrix[0, 1]) > 1e-3 * abs(matrix[0, 0]) or abs(matrix[1, 0]) > 1e-3 * abs(matrix[1, 1])
    return (np.hypot(*matrix) if turned else np.diag(matrix)), turned


def _fitting(step, n_x, n_y, units):
    """(unit, its size): the first in which half the image is long enough."""
    half = 0.5 * max(abs(step[0]) * n_x, abs(step[1]) * n_y)
    return next((pair for pair in units if half > _LEAST.get(pair[0], 1) * pair[1]), units[-1])


def _on_sky(axes, header, n_x, n_y):
    wcs = axes.wcs.sub([axes.x + 1, axes.y + 1])  # in this order
    matrix = np.array(wcs.pixel_scale_matrix)
    step, turned = _step(3600 * matrix)
    unit, size = _fitting(step, n_x, n_y, _ANGLES)
    labels = _OFFSETS.get(wcs.wcs.ctype[0].split("-")[0], ("longitude offset", "latitude offset"))
    inverse = np.linalg.inv(matrix)  # pixels along east and north
    centre = wcs.wcs_pix2world([[0.5 * (n_x - 1), 0.5 * (n_y - 1)]], 0)[0]
    return {
        "step": (step / size).tolist(), "sky_unit": unit, "angles": True, "arcsec": size, "beam": _beam(header, size),
        "labels": ("offset to the right", "offset up") if turned else labels,
        "north": inverse[:, 1].tolist(), "east": inverse[:, 0].tolist(), "centre": centre.tolist(),
    }  # fmt: skip


def _beam(header, size):
    """Axes in units of `size` arcsec and position angle; None without one. Some programs write keys without a number."""
    major, minor, angle = (header.get(key) for key in ("BMAJ", "BMIN", "BPA"))
    if not _number(major) or major <= 0:
        return None
    minor = minor if _number(minor) and minor > 0 else major
    return [3600 * major / size, 3600 * minor / size, angle if _number(angle) else 0.0]


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _at_object(axes, header, n_x, n_y):
    """Lengths, or pixels where the header has no lengths."""
    both = [axes.x, axes.y]
    sizes = [_in_parsec(axes.wcs.wcs.cunit[k]) for k in both]
    known = all(sizes)
    matrix = axes.wcs.pixel_scale_matrix[np.ix_(both, both)] * np.array(sizes)[:, None] if known else np.eye(2)
    step, _ = _step(matrix)
    unit, size = _fitting(step, n_x, n_y, _LENGTHS) if known else ("pixels", 1.0)
    return {"step": (step / size).tolist(), "sky_unit": unit, "angles": False, "arcsec": None, "beam": None,
            "labels": ("offset to the right", "offset up")}  # fmt: skip


def _in_parsec(unit):
    return unit.to("pc") if unit.is_equivalent(u.pc) else 0.0


# ---- files ----


def read(path):
    """(numbers [channel, y, x], their errors or None, header) of the first cube in a file."""
    values, header = _first_cube(path)
    beside = re.sub(r"(\.fits?(\.gz)?)$", r"_error\1", path, flags=re.IGNORECASE)
    errors = None
    if beside != path and os.path.exists(beside):
        found, other = _first_cube(beside)
        if found.shape == values.shape and other.get("RUNID") == header.get("RUNID"):
            errors = found
    return values, errors, header


def _first_cube(path):
    try:
        with fits.open(path, memmap=False) as file:
            for part in file:
                if part.is_image and len(part.shape) >= 3 and 0 not in part.shape:
                    values = Axes(part.header, part.shape).arrange(part.data)
                    return values.astype(np.float64), part.header
    except InputError as failure:
        raise InputError(f"{path}: {failure}") from None
    except (OSError, TypeError, ValueError) as failure:
        raise FileError(f"{path}: cannot read the FITS file: {str(failure).splitlines()[-1]}") from None
    raise InputError(f"{path}: not a cube: no image with the axes x, y and velocity in this file")
