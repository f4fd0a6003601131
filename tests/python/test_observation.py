"""Observed cubes: whatever the form of the file, the model is compared with the same numbers on the same grid."""

import math

import astropy.units as u
import linerad as lr
import numpy as np
import observed
import pytest
from astropy.coordinates import SkyCoord
from astropy.io import fits
from linerad.fit import Fit, Observation, rebin

NOISE = 0.1 * u.Jy / u.beam


@pytest.fixture(scope="module")
def cube():
    return observed.observed_cube()


@pytest.fixture(scope="module")
def hdu(cube):
    return fits.PrimaryHDU(np.array(cube.data.value), cube.header)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.data, expected.data)
    assert found.pixel.to_value(u.arcsec) == pytest.approx(expected.pixel.to_value(u.arcsec), rel=1e-12)
    np.testing.assert_allclose(found.velocity.value, expected.velocity.value, atol=1e-8)
    assert found.centre.separation(expected.centre) < 1e-6 * u.arcsec
    for one, other in zip(found.beam, expected.beam):
        assert one.to_value(u.deg) == pytest.approx(other.to_value(u.deg), rel=1e-12)


def test_files_hdus_cubes_and_arrays_say_the_same(cube, hdu):
    expected = Observation(cube, NOISE)
    assert expected.shape == (10, 14, 16) and expected.unit == u.Jy / u.beam
    np.testing.assert_array_equal(expected.data, cube.data.value)
    np.testing.assert_allclose(expected.velocity.value, cube.velocity.value, atol=1e-9)
    assert expected.pixel.to_value(u.rad) == pytest.approx(0.01 / 140, rel=1e-9)
    hdu.writeto("cube.fits")
    assert_same(Observation("cube.fits", NOISE), expected)
    assert_same(Observation(hdu, NOISE), expected)
    assert_same(Observation(fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(hdu.data, hdu.header)]), NOISE), expected)
    assert_same(Observation(cube.data.value, NOISE, header=cube.header), expected)
    stokes = fits.PrimaryHDU(hdu.data[None], hdu.header)
    stokes.header["CTYPE4"], stokes.header["CRPIX4"], stokes.header["CRVAL4"] = "STOKES", 1, 1
    assert_same(Observation(stokes, NOISE), expected)


def test_a_spectral_cube_says_the_same(cube):
    pytest.importorskip("spectral_cube")
    assert_same(Observation(cube.spectral_cube(), NOISE), Observation(cube, NOISE))


def test_axes_that_run_the_other_way_are_turned(cube, hdu):
    header, (n, ny, nx) = hdu.header.copy(), hdu.data.shape
    for axis, length in ((1, nx), (2, ny), (3, n)):
        header[f"CRPIX{axis}"] = length + 1 - header[f"CRPIX{axis}"]
        header[f"CDELT{axis}"] *= -1
    noise = np.random.default_rng(1).uniform(1, 2, hdu.data.shape)
    turned = Observation(hdu.data[::-1, ::-1, ::-1], noise[::-1, ::-1, ::-1], header=header)
    assert_same(turned, Observation(cube, noise))
    np.testing.assert_array_equal(turned.noise, noise)


@pytest.mark.parametrize("kind", ["FREQ", "VOPT", "WAVE"])
def test_frequencies_and_optical_velocities_become_radio_velocities(cube, hdu, kind):
    c, rest = 299792458.0, cube.rest_frequency.to_value(u.Hz)
    edge = hdu.header["CRVAL3"] + hdu.header["CDELT3"] * np.array([0, 9.0])
    frequency = rest * (1 - edge / c)
    value = {"FREQ": frequency, "VOPT": c * (rest / frequency - 1), "WAVE": c / frequency}[kind]
    header = hdu.header.copy()
    header["CTYPE3"], header["CUNIT3"] = kind, {"FREQ": "Hz", "VOPT": "m/s", "WAVE": "m"}[kind]
    header["CRVAL3"], header["CDELT3"] = value[0], (value[1] - value[0]) / 9
    found = Observation(hdu.data, NOISE, header=header)
    np.testing.assert_allclose(found.velocity.value, cube.velocity.value, atol=2e-5)  # km/s
    np.testing.assert_array_equal(found.data, hdu.data)


def test_another_rest_frequency_shifts_the_velocities(cube):
    rest = cube.rest_frequency * (1 + 1e-6)
    shifted = Observation(cube, NOISE, rest_frequency=rest)
    expected = cube.velocity.value + 299792.458e-6 * (1 - cube.velocity.value / 299792.458)
    np.testing.assert_allclose(shifted.velocity.value, expected, atol=1e-7)
    fit = Fit(observed.sphere, Observation(cube, NOISE, rest_frequency=rest * (1 + 1e-5)), {"density": (-2, -1)})
    with pytest.raises(lr.InputError, match="230.54.* GHz.*rest_frequency"):
        fit.log_likelihood([-1.7])


def test_units_and_shapes_of_noise_and_mask(cube, hdu):
    header = hdu.header.copy()
    header["BUNIT"] = "mJy beam-1"
    found = Observation(hdu.data, 0.2 * u.Jy / u.beam, header=header)
    assert found.noise == pytest.approx(200) and found.model_unit == ("Jy/beam", pytest.approx(1000))
    assert Observation(hdu.data, NOISE, header=header, unit="JY/BEAM").noise == pytest.approx(0.1)
    for written, scale in (("MJY/sr", 1e6), ("MJY/SR", 1e6), ("MJy/sr", 1e6), ("mJy/sr", 1e-3), ("JY/SR", 1)):
        assert Observation(hdu.data, 1.0, header=header, unit=written).unit.to(u.Jy / u.sr) == pytest.approx(scale)
    with pytest.raises(lr.UnitsError, match="'MJY/BEAM' could be mJy or MJy"):
        Observation(hdu.data, NOISE, header=header, unit="MJY/BEAM")
    per_channel = Observation(cube, np.arange(1, 11))
    assert per_channel.noise[4, 3, 2] == 5
    assert Observation(cube, np.full((14, 16), 2.0)).noise[0, 0, 0] == 2
    values = np.array(hdu.data)
    values[3, 2, 1] = np.nan
    mask = np.zeros((14, 16), dtype=bool)
    mask[2] = True
    masked = Observation(values, NOISE, header=header, unit="Jy/beam", mask=mask)
    assert masked.mask.sum() == 10 * 16 - 1 and not masked.mask[3, 2, 1]


def test_pixels_per_beam(cube):
    expected = math.pi * 40 * 32 / (4 * math.log(2)) / math.degrees(3600 * 0.01 / 140) ** 2
    assert Observation(cube, NOISE).correlated == pytest.approx(expected)
    assert Observation(cube, NOISE, correlation="smoothed").correlated == pytest.approx(2 * expected)
    assert Observation(cube, NOISE, correlation="none").independent == 10 * 14 * 16
    assert Observation(cube, NOISE, correlation=3).correlated == 3


@pytest.mark.parametrize("correlation", ["beam", "smoothed"])
def test_the_mean_of_many_pixels_is_as_noisy_as_their_number_over_those_that_count_as_one(cube, correlation):
    """The variance of a mean over an area without edges is s^2 n_c / N: 1000 means, to 3.5 of their errors."""
    observation = Observation(cube, NOISE, correlation=correlation)
    noise = observed.beam_noise((1000, 32, 32), cube.pixel[0], cube.beam, 3, correlation == "smoothed", pad=1)
    assert noise.std() == pytest.approx(1, abs=0.02)
    variance = noise.mean(axis=(1, 2)).var()
    assert variance == pytest.approx(observation.correlated / 32**2, rel=3.5 * math.sqrt(2 / 1000))


def test_channels_from_finer_ones_elsewhere():
    """A Gaussian line, b = 1, in channels of b/4, to channels of 0.6 b that begin anywhere; exact means by erf."""
    erf = np.vectorize(math.erf)
    fine = -6 + 0.25 * np.arange(49)
    values = math.sqrt(math.pi) / 2 * np.diff(erf(fine)) / 0.25
    for start in (-3.1, -3.0, -2.93):
        edges = start + 0.6 * np.arange(11)
        rows = rebin.matrix(start, 0.6, 10, -6, 0.25, 48)
        expected = math.sqrt(math.pi) / 2 * np.diff(erf(edges)) / 0.6
        np.testing.assert_allclose(rows @ values, expected, atol=1e-3)
        np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(rebin.matrix(-6, 0.25, 48, -6, 0.25, 48), np.eye(48), atol=1e-12)
    with pytest.raises(ValueError):
        rebin.matrix(-7, 1, 3, -6, 0.25, 48)


# ---- the model on the grid of the observation ----


def model_of(cube, **image):
    parameters = {"density": (-3.0, -1.0)}
    fit = Fit(lambda density: observed.sphere(density=density, **image), Observation(cube, NOISE), parameters)
    return fit.model_cube([observed.TRUTH["density"]])


def test_the_model_is_what_was_observed(cube):
    found = model_of(cube)
    assert found.data.unit == cube.unit and found.data.shape == cube.shape
    assert np.abs(found.data - cube.data).max() < 1e-3 * cube.data.max()
    assert found.header["WCSAXES"] == 3 and list(found.header)[0] == "WCSAXES"
    again = Observation(found.to_fits(), NOISE)
    assert again.centre.separation(Observation(cube, NOISE).centre) < 1e-6 * u.arcsec


def test_an_object_to_the_north_east_is_seen_up_and_left(cube):
    """Three pixels to the left, two up."""
    step = cube.pixel[0].to(u.deg)
    dec = -5.4 * u.deg + 2 * step
    place = SkyCoord(83.8 * u.deg, -5.4 * u.deg).spherical_offsets_by(3 * step, 2 * step)
    assert place.dec.deg == pytest.approx(dec.value, abs=1e-6)
    moved = model_of(cube, position={"ra": place.ra, "dec": place.dec}).data.value
    inside = model_of(cube).data.value
    np.testing.assert_allclose(moved[:, 2:, :-3], inside[:, :-2, 3:], atol=2e-4 * inside.max())


def test_the_beam_carries_light_in_from_beyond_the_field(cube):
    """A field that cuts through the object shows the same as the whole one."""
    whole = model_of(cube).data.value
    part = Observation(cube.data.value[:, 4:10, 5:11], NOISE, header=cropped(cube.header, 5, 4))
    fit = Fit(observed.sphere, part, {"density": (-3.0, -1.0)})
    found = fit.model_cube([observed.TRUTH["density"]]).data.value
    np.testing.assert_allclose(found, whole[:, 4:10, 5:11], atol=0.01 * whole.max())
    bare = Fit(observed.sphere, part, {"density": (-3.0, -1.0)}, margin=0)
    assert np.abs(bare.model_cube([observed.TRUTH["density"]]).data.value - found).max() > 0.1 * whole.max()


def cropped(header, x, y):
    """And the object stays where it is: its position is that of the first header."""
    header = header.copy()
    header["CRPIX1"] -= x
    header["CRPIX2"] -= y
    return header


def test_pixels_that_are_lengths_need_no_distance():
    """A cube without a distance, as a model writes it."""
    settings = {**observed.GRID, "image.unit": "K", "image.beam": "none"}
    cube = observed.sphere(distance=None).run(settings=settings).cube()
    observation = Observation(cube, 0.1 * u.K)
    assert observation.pixel.to_value(u.pc) == pytest.approx(0.01) and observation.correlated == 1
    fit = Fit(lambda density: observed.sphere(density=density, distance=None), observation, {"density": (-3, -1)})
    found = fit.model_cube([observed.TRUTH["density"]])
    np.testing.assert_allclose(found.data.value, cube.data.value, atol=1e-5 * cube.data.value.max())
    assert Observation(found.to_fits(), 0.1).pixel.to_value(u.pc) == pytest.approx(0.01)
    assert observation.header["WCSAXES"] == 3


# ---- bad arguments ----


@pytest.mark.parametrize(
    "options, words",
    [
        ({"noise": 0.0}, "above zero"),
        ({"noise": [1.0, 2.0]}, "neither that of the cube"),
        ({"noise": 1 * u.K}, "not the unit of the cube"),
        ({"noise": "loud"}, "noise"),
        ({"mask": np.ones(3, dtype=int)}, "booleans"),
        ({"mask": np.zeros((10, 14, 16), dtype=bool)}, "no pixel is left"),
        ({"unit": "erg"}, "not one of K"),
        ({"unit": "Crab"}, "Crab"),
        ({"beam": 3 * u.pc}, "expected an angle"),
        ({"beam": (1 * u.arcsec, 2 * u.arcsec, 0 * u.deg)}, "not those of a beam"),
        ({"correlation": "some"}, "beam, smoothed, none"),
        ({"correlation": 0.5}, "at least 1"),
    ],
)
def test_bad_arguments_are_named(cube, options, words):
    with pytest.raises(lr.InputError, match=words):
        Observation(cube, **{"noise": 1.0, **options})


def test_cubes_that_cannot_be_used_are_named(cube, hdu):
    def refused(words, values=hdu.data, **keys):
        header = hdu.header.copy()
        for key, value in keys.items():
            if value is None:
                del header[key]
            else:
                header[key] = value
        with pytest.raises(lr.InputError, match=words):
            Observation(values, 1.0, header=header)

    refused("channel, y, x", values=hdu.data[0])
    refused("RESTFRQ", RESTFRQ=None, CTYPE3="FREQ", CUNIT3="Hz", CRVAL3=2.3e11, CDELT3=1e5)
    refused("spectral axis|no axis of velocity", CTYPE3="DEPTH")
    refused("not square", CDELT1=hdu.header["CDELT1"] * 1.5)
    refused("north is not up", PC1_1=0.9, PC1_2=0.436, PC2_1=-0.436, PC2_2=0.9)
    refused("BMAJ", BMAJ=None)
    refused("BUNIT", BUNIT=None)
    with pytest.raises(lr.InputError, match="header"):
        Observation(hdu.data, 1.0)
    with pytest.raises(lr.FileError, match="gone.fits"):
        Observation("gone.fits", 1.0)
