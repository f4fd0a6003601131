"""Position-velocity diagrams: exact along rows and columns, and for light that changes linearly across the image in any
direction."""

from types import SimpleNamespace

import astropy.units as u
import linerad as lr
import numpy as np
import pytest
from linerad.cut import position_velocity


def image(values, pixel=(2.0, 2.0), unit=u.arcsec):
    """What a cut needs of a cube."""
    pixel = (np.array(pixel) * unit).to(u.rad if unit == u.arcsec else u.cm)
    return SimpleNamespace(data=values * u.K, pixel=pixel, shape=values.shape, unit=u.K)


def noise(*shape):
    return np.random.default_rng(4).uniform(size=shape)


def offsets_of(cube):
    """(to the right, up) of the pixel centres, as numbers in the unit of the pixels."""
    _, n_y, n_x = cube.shape
    return (np.arange(n_x) - 0.5 * (n_x - 1)) * cube.pixel[0].value, (np.arange(n_y) - 0.5 * (n_y - 1)) * cube.pixel[
        1
    ].value


def test_a_cut_along_x_is_the_row_in_the_middle():
    """Between two rows, their mean. On the sky offsets increase to the east, which is to the left; else to the right."""
    for rows, middle in ((7, np.s_[3:4]), (8, np.s_[3:5])):
        values = noise(3, rows, 10)
        offset, found = position_velocity(image(values))
        np.testing.assert_allclose(found.value, values[:, middle, ::-1].mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(offset.to_value(u.arcsec), np.arange(-9.0, 10.0, 2.0), rtol=1e-9)
        offset, found = position_velocity(image(values, (0.1, 0.1), u.pc))
        np.testing.assert_allclose(found.value, values[:, middle].mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(offset.to_value(u.pc), np.arange(-0.45, 0.5, 0.1), rtol=1e-9)


def test_position_angles_run_from_north_to_east():
    values = noise(3, 9, 7)
    offset, found = position_velocity(image(values), angle=0)
    np.testing.assert_allclose(found.value, values[:, :, 3], rtol=1e-9)  # up
    _, found = position_velocity(image(values), angle=90 * u.deg)
    np.testing.assert_allclose(found.value, values[:, 4, ::-1], rtol=1e-9)  # to the left
    _, found = position_velocity(image(values), angle=np.pi * u.rad)
    np.testing.assert_allclose(found.value, values[:, ::-1, 3], rtol=1e-9)  # down


def test_the_mean_across_a_cut():
    values = noise(3, 8, 10)
    for width in (2, 4, 8):
        _, found = position_velocity(image(values), width=width)
        rows = np.s_[4 - width // 2 : 4 + width // 2]
        np.testing.assert_allclose(found.value, values[:, rows, ::-1].mean(axis=1), rtol=1e-9)


@pytest.mark.parametrize("angle", [-130, 17, 45, 90, 212.5])
@pytest.mark.parametrize("pixel", [(2.0, 2.0), (2.0, 3.0)])
def test_light_that_changes_linearly_is_exact_in_any_direction(angle, pixel):
    cube = image(np.zeros((2, 11, 14)), pixel)
    right, up = offsets_of(cube)
    slope = np.array([[0.7, -0.2], [-0.1, 0.4]]) / cube.pixel[0].value
    for k in range(2):
        cube.data[k] = (5 + slope[k, 0] * right + slope[k, 1] * up[:, None]) * u.K
    through = [4, -3] * u.arcsec  # right ascension increases to the left
    offset, found = position_velocity(cube, angle=angle, through=through)
    way = -np.sin(np.radians(angle)), np.cos(np.radians(angle))
    start = np.array([-1, 1]) * through.to_value(u.rad)
    x, y = (start[axis] + offset.value * way[axis] for axis in range(2))
    inside = (np.abs(x) <= right[-1]) & (np.abs(y) <= up[-1])  # between the outer centres
    assert inside.sum() >= 6 and np.isfinite(found.value).all()
    expected = 5 + slope[:, :1] * x + slope[:, 1:] * y
    np.testing.assert_allclose(found.value[:, inside], expected[:, inside], rtol=1e-9)
    assert np.diff(offset.value) == pytest.approx(2 * u.arcsec.to(u.rad))
    half = 0.5 * np.array([14, 11]) * cube.pixel.value
    ends = [
        min((half[axis] - np.sign(s * way[axis]) * start[axis]) / abs(way[axis] or 1e-30) for axis in range(2))
        for s in (1, -1)
    ]
    assert offset.value[-1] <= ends[0] and offset.value[0] >= -ends[1]  # inside the image, and all of it
    assert ends[0] + ends[1] - (offset.value[-1] - offset.value[0]) < 2 * cube.pixel.value.min()


def test_missing_values_are_left_out():
    values = noise(2, 4, 5)
    values[:, 1, 2] = np.nan
    _, found = position_velocity(image(values, (1, 1), u.pc), width=2)
    np.testing.assert_allclose(found.value[:, 2], values[:, 2, 2])
    values[:, 2, 2] = np.nan
    _, found = position_velocity(image(values, (1, 1), u.pc), width=2)
    assert np.isnan(found.value[:, 2]).all() and np.isfinite(found.value[:, [0, 1, 3, 4]]).all()


def test_what_is_no_cut():
    cube = image(noise(2, 4, 5))
    for options, said in (({"width": 0}, "1 or more"), ({"width": 1.5}, "number of pixels"),
                          ({"angle": 3 * u.pc}, "degrees"), ({"angle": np.nan}, "degrees"), ({"through": [1, 0] * u.pc}, "two angles"),
                          ({"through": [9, 0] * u.arcsec}, "outside the image")):  # fmt: skip
        with pytest.raises(lr.InputError, match=said):
            position_velocity(cube, **options)
