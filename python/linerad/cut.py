"""Position-velocity diagrams: the light of a cube along a straight cut through the image.

Points of the cut are one pixel apart. Values between pixel centres are interpolated linearly in both directions, and
averaged over `width` rows of points, also one pixel apart, on both sides of the cut.
"""

import astropy.units as u
import numpy as np

from .errors import InputError


def position_velocity(cube, angle=None, width=1, through=None):
    """(offsets [point], values [channel, point]) along the whole image: Cube.position_velocity."""
    angle = degrees(angle, cube)
    if isinstance(width, bool) or not isinstance(width, (int, np.integer)) or width < 1:
        raise InputError(f"width {width!r}: write a number of pixels, 1 or more")
    pixel = cube.pixel.value
    half = 0.5 * pixel * (cube.shape[2], cube.shape[1])
    way = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])  # of the cut: to the right, up
    middle = _place(through, cube, half)
    first, last = _inside(middle, way, half)
    step = pixel.min()
    number = max(1, int((last - first) / step + 1e-6))
    along = 0.5 * (first + last) + step * (np.arange(number) - 0.5 * (number - 1))
    beside = step * (np.arange(width) - 0.5 * (width - 1))
    across = np.array([-way[1], way[0]])
    points = middle + along[:, None, None] * way + beside[:, None] * across  # [point, row, (right, up)]
    places = (points + half) / pixel - 0.5  # in pixels from the centre of the first
    values = _interpolate(np.asarray(cube.data.value, dtype=float), places[..., 0], places[..., 1])
    return along * cube.pixel.unit, _mean(values) * cube.unit


def _mean(values):
    """Over the last axis, of those points that have a value."""
    known = np.isfinite(values)
    number = known.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=-1) / np.where(number, number, np.nan)


def degrees(angle, cube):
    if angle is None:
        return 90.0 if cube.pixel.unit == u.rad else -90.0
    angle = u.Quantity(angle, u.deg) if not isinstance(angle, u.Quantity) else angle
    if not angle.isscalar or not angle.unit.is_equivalent(u.deg) or not np.isfinite(angle.value):
        raise InputError(f"angle {angle}: write an angle in degrees")
    return angle.to_value(u.deg)


def _place(through, cube, half):
    """Offsets to the right and up: right ascension increases to the left."""
    if through is None:
        return np.zeros(2)
    try:
        place = u.Quantity(through).to_value(cube.pixel.unit, equivalencies=u.dimensionless_angles())
    except (TypeError, u.UnitConversionError):
        place = None
    if place is None or place.shape != (2,):
        kind = "angles" if cube.pixel.unit == u.rad else "lengths"
        unit = "arcsec" if kind == "angles" else "pc"
        raise InputError(f"through {through}: write two {kind}, for example [1, 0] * u.{unit}")
    place = place * ((-1, 1) if cube.pixel.unit == u.rad else (1, 1))
    if not np.all(np.abs(place) <= half):
        raise InputError(f"through {through}: this point is outside the image")
    return place


def _inside(middle, way, half):
    """Distances from `middle` along `way` at which the cut enters and leaves the image."""
    with np.errstate(divide="ignore"):
        ends = np.array([(sign * half - middle) / way for sign in (-1, 1)])
    crossed = np.abs(way) > 1e-12
    return ends.min(axis=0)[crossed].max(), ends.max(axis=0)[crossed].min()


def _interpolate(values, x, y):
    """values [channel, y, x] at these places; constant from the outer pixel centres to the edge, NaN beyond it."""
    _, n_y, n_x = values.shape
    low_x, low_y = (np.clip(np.floor(at).astype(int), 0, max(n - 2, 0)) for at, n in ((x, n_x), (y, n_y)))
    part_x, part_y = np.clip(x - low_x, 0, 1), np.clip(y - low_y, 0, 1)
    high_x, high_y = np.minimum(low_x + 1, n_x - 1), np.minimum(low_y + 1, n_y - 1)
    found = 0.0
    for places_y, share_y in ((low_y, 1 - part_y), (high_y, part_y)):
        for places_x, share_x in ((low_x, 1 - part_x), (high_x, part_x)):
            share = share_x * share_y  # a corner without a share may have no value either
            found = found + np.where(share > 1e-6, share * values[:, places_y, places_x], 0.0)
    edge = 0.5 + 1e-6
    outside = (x < -edge) | (y < -edge) | (x > n_x - 1 + edge) | (y > n_y - 1 + edge)
    return np.where(outside, np.nan, found)
