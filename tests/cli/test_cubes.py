"""The cubes of a run as opened by other programs: astropy, spectral-cube, CASA's library and fitsverify, with every
warning treated as an error. A point source in almost empty space, so that positions, velocities and fluxes are
known."""

import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

from conftest import Folder

fits = pytest.importorskip("astropy.io.fits")
from astropy import constants, units as u  # noqa: E402
from astropy.coordinates import SkyCoord  # noqa: E402
from astropy.utils.exceptions import AstropyPendingDeprecationWarning  # noqa: E402
from astropy.wcs import WCS  # noqa: E402

SIGMA = 20.0  # km/s
SYSTEMIC = 10.0  # km/s
RATE = 1e48  # photons/s
DISTANCE = 10 * u.kpc
CENTRE = SkyCoord(83.8 * u.deg, -5.4 * u.deg)
PLACE = 0.525, -0.275  # pc to the right and up: the centre of pixel [14, 30]
BEAM = 6 * u.arcsec, 4 * u.arcsec, 30 * u.deg
MODEL = f"""\
mesh: {{cells: [8, 8, 8], size: [2 pc, 2 pc, 2 pc]}}
line: lya
medium: {{temperature: 1e4 K, tau_centre: 1e-6, destruction: 1}}
sources:
- point: {{position: [{PLACE[0]} pc, {PLACE[1]} pc, 0 pc]}}
  spectrum: {{gaussian: {{sigma: {SIGMA} km/s}}}}
  luminosity: {RATE} photon/s
run: {{packets: 0, device: cpu}}
cameras: [{{name: front, direction: +z, pixels: 40, field: 2 pc}}]
channels: {{number: 40, range: [-100 km/s, 100 km/s]}}
image:
  unit: Jy/pixel
  distance: 10 kpc
  position: {{ra: 83.8 deg, dec: -5.4 deg}}
  velocity: {SYSTEMIC} km/s
  moments: true
  peak: true
  optical_depth: true
"""
BEAM_SETTING = "image.beam={major: 6 arcsec, minor: 4 arcsec, angle: 30 deg}"


@pytest.fixture(autouse=True)
def every_warning_is_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Warnings of one library about another, not about the file.
        for kind in (DeprecationWarning, PendingDeprecationWarning, AstropyPendingDeprecationWarning):
            warnings.simplefilter("ignore", kind)
        yield


def run(folder, *settings):
    options = [word for setting in settings for word in ("--set", setting)]
    done = folder.run("run", "model.yaml", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(program, tmp_path_factory):
    folder = Folder(program, tmp_path_factory.mktemp("cubes"))
    folder.model.write_text(MODEL)
    assert run(folder).stderr == ""
    return folder


@pytest.fixture
def private(program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(MODEL)
    return folder


def load(folder, name="front"):
    with fits.open(folder.path / f"model_{name}.fits", checksum=True) as file:
        file.verify("exception")
        return file[0].header, file[0].data.astype(float)


def flux_expected(velocity):
    """Photons per second of a Gaussian line, per channel of 5 km/s at this distance, in Jy."""
    edges = np.append(velocity - 2.5, velocity[-1] + 2.5) - SYSTEMIC
    from scipy.special import erf

    share = np.diff(erf(edges / SIGMA / np.sqrt(2))) / 2
    nu = constants.c / (1215.67 * u.AA)
    width = nu * (5 * u.km / u.s / constants.c)
    flux = RATE / u.s * share * constants.h * nu / (4 * np.pi * DISTANCE**2) / width
    return flux.to_value(u.Jy)


def test_fitsverify_has_nothing_to_say(folder):
    if not shutil.which("fitsverify"):
        pytest.skip("fitsverify is not installed")
    files = sorted(folder.path.glob("*.fits"))
    assert len(files) == 6
    done = subprocess.run(["fitsverify", *files], capture_output=True, text=True)
    assert done.stdout.count("0 warning(s) and 0 error(s)") == len(files), done.stdout


def test_a_source_to_the_right_is_in_the_west(folder):
    header, data = load(folder)
    wcs = WCS(header)
    x, y = wcs.celestial.world_to_pixel(CENTRE)
    assert (x, y) == pytest.approx((19.5, 19.5), abs=1e-6)
    channel, row, column = np.unravel_index(data.argmax(), data.shape)
    assert (row, column) == (14, 30)
    place = wcs.celestial.pixel_to_world(column, row)
    east, north = CENTRE.spherical_offsets_to(place)
    angle = (1 * u.pc / DISTANCE).to_value(u.arcsec, u.dimensionless_angles())
    assert east.arcsec == pytest.approx(-PLACE[0] * angle, abs=1e-4)
    assert north.arcsec == pytest.approx(PLACE[1] * angle, abs=1e-4)


def test_velocities_are_radio_and_include_the_systemic(folder):
    header, data = load(folder)
    wcs = WCS(header)
    velocity = wcs.spectral.wcs_pix2world(np.arange(40), 0)[0]
    assert velocity == pytest.approx(1000 * (SYSTEMIC - 97.5 + 5 * np.arange(40)), abs=1e-6)
    assert header["SPECSYS"] == "LSRK" and header["CTYPE3"] == "VRAD" and header["CUNIT3"] == "m/s"
    assert header["RESTFRQ"] == pytest.approx(constants.c.si.value / 1215.67e-10, rel=1e-5)
    assert not [key for key in header if key.startswith(("CD1_", "PC1_", "BMAJ"))]


def test_the_flux_is_that_of_the_source(folder):
    header, data = load(folder)
    velocity = SYSTEMIC - 97.5 + 5 * np.arange(40)
    assert data.sum(axis=(1, 2)) == pytest.approx(flux_expected(velocity), rel=2e-3, abs=1e-6 * data.max())
    table = np.loadtxt(folder.path / "model_front_spectrum.txt")
    assert table[:, 0] == pytest.approx(velocity)
    assert table[:, 1] == pytest.approx(data.sum(axis=(1, 2)), rel=1e-5)
    lines = (folder.path / "model_front_spectrum.txt").read_text().splitlines()
    assert lines[2] == "# velocity (km/s)  flux (Jy)"


def test_moments_are_those_of_the_line(folder):
    _, data = load(folder)
    header, total = load(folder, "front_mom0")
    assert u.Unit(header["BUNIT"], format="fits") == u.Jy / u.pix * u.km / u.s
    assert header["NAXIS"] == 2 and WCS(header).has_celestial
    assert total == pytest.approx(5 * data.sum(axis=0), rel=1e-5)
    _, mean = load(folder, "front_mom1")
    _, width = load(folder, "front_mom2")
    assert mean[14, 30] == pytest.approx(SYSTEMIC, abs=0.02)
    assert width[14, 30] == pytest.approx(np.hypot(SIGMA, 5 / np.sqrt(12)), rel=1e-3)
    dark = total <= 0
    assert np.isnan(mean[dark]).all() and np.isfinite(mean[~dark]).all()
    _, peak = load(folder, "front_peak")
    assert (peak == data.max(axis=0)).all()


@pytest.mark.parametrize("unit", ["K", "Jy/sr", "photon", "erg/s/cm^2/arcsec^2/Angstrom"])
def test_units_agree_with_each_other(folder, private, unit):
    header, per_pixel = load(folder)
    run(private, f"image.unit={unit}")
    other, data = load(private)
    pixel = (header["CDELT2"] * u.deg) ** 2
    brightness = (per_pixel.max() * u.Jy / pixel).to(u.Jy / u.sr)
    nu = header["RESTFRQ"] * u.Hz
    per_wavelength = (brightness * u.sr).to("erg s-1 cm-2 Angstrom-1", u.spectral_density(nu)) / u.sr
    expected = {
        "erg/s/cm^2/arcsec^2/Angstrom": per_wavelength.to("erg s-1 cm-2 Angstrom-1 arcsec-2"),
        "K": brightness.to(u.K, u.brightness_temperature(nu)),
        "Jy/sr": brightness,
        "photon": (brightness / (constants.h * nu) * u.photon).to("photon s-1 cm-2 sr-1 Hz-1"),
    }[unit]
    assert u.Unit(other["BUNIT"], format="fits") == expected.unit
    assert data.max() == pytest.approx(expected.value, rel=1e-5)


def test_a_beam_spreads_the_source_and_keeps_its_flux(folder, private):
    _, sharp = load(folder)
    run(private, "image.unit=Jy/beam", BEAM_SETTING)
    header, data = load(private)
    step = header["CDELT2"] * 3600
    area = np.pi * 6 * 4 / (4 * np.log(2)) / step**2
    middle = data[19]
    assert middle.sum() / area == pytest.approx(sharp[19].sum(), rel=1e-5)
    y, x = np.indices(middle.shape)
    east, north = -(x - 30) * step, (y - 14) * step
    weight = middle / middle.sum()
    angle = np.deg2rad(30)
    along = east * np.sin(angle) + north * np.cos(angle)  # the major axis: from north through east
    across = east * np.cos(angle) - north * np.sin(angle)
    fwhm = np.sqrt(8 * np.log(2))
    assert np.sqrt((weight * along**2).sum()) * fwhm == pytest.approx(6, rel=2e-3)
    assert np.sqrt((weight * across**2).sum()) * fwhm == pytest.approx(4, rel=2e-3)
    _, table = load(private, "front_tau")
    assert table.max() < 1e-5


def test_spectral_cube_opens_it(folder, private):
    spectral_cube = pytest.importorskip("spectral_cube")
    run(private, "image.unit=Jy/beam", BEAM_SETTING)
    cube = spectral_cube.SpectralCube.read(private.path / "model_front.fits")
    assert cube.shape == (40, 40, 40)
    assert cube.unit == u.Jy / u.beam
    assert cube.spectral_axis[0].to_value(u.km / u.s) == pytest.approx(-87.5)
    for found, expected in zip((cube.beam.major, cube.beam.minor, cube.beam.pa), BEAM):
        assert found.to_value(u.deg) == pytest.approx(expected.to_value(u.deg), rel=1e-9)
    nu = cube.header["RESTFRQ"] * u.Hz
    frequency = cube.with_spectral_unit(u.Hz, velocity_convention="radio", rest_value=nu).spectral_axis[0]
    assert (frequency / nu).value == pytest.approx(1 + 87.5 / 299792.458, rel=1e-12)
    mean = cube.moment1().to_value(u.km / u.s)
    _, ours = load(private, "front_mom1")
    assert ours[14, 30] == pytest.approx(mean[14, 30], rel=1e-4)


CASA = """
import sys
from casacore.images import image
cube = image(sys.argv[1])
coordinates = cube.coordinates()
print(*cube.shape(), cube.unit(), coordinates["spectral"].get_frame(), coordinates["direction"].get_projection())
print(*cube.toworld([19, 14, 30]))
print(*cube.imageinfo().get("restoringbeam", {}).get("major", {}).values())
"""


@pytest.mark.parametrize("settings", [["image.unit=K"], ["image.unit=Jy/beam", BEAM_SETTING]])
def test_casa_opens_it(private, settings):
    pytest.importorskip("casacore")
    run(private, *settings)
    words = subprocess.run(
        [sys.executable, "-c", CASA, private.path / "model_front.fits"], capture_output=True, text=True
    )
    assert words.returncode == 0, words.stderr
    assert words.stderr == "" and "WARN" not in words.stdout and "SEVERE" not in words.stdout
    about, world, beam = words.stdout.splitlines()
    assert about == f"40 40 40 {settings[0].split('=')[1]} LSRK TAN"
    header, _ = load(private)
    frequency, declination, ascension = map(float, world.split())
    expected = WCS(header).celestial.pixel_to_world(30, 14)
    assert np.rad2deg(declination) == pytest.approx(expected.dec.deg, abs=1e-9)
    assert np.rad2deg(ascension) == pytest.approx(expected.ra.deg, abs=1e-9)
    assert frequency == pytest.approx(header["RESTFRQ"] * (1 - (SYSTEMIC - 2.5) / 299792.458), rel=1e-12)
    assert ("6." in beam) == (len(settings) == 2)


def test_without_a_distance_axes_are_parsecs(private):
    private.model.write_text(MODEL.replace("  distance: 10 kpc\n", "").replace("Jy/pixel", "K"))
    done = private.run("run", "model.yaml", "--quiet")
    assert done.returncode == 0
    assert "image.distance" in done.stderr and done.stderr.count("\n") == 1
    header, data = load(private)
    wcs = WCS(header)
    _, row, column = np.unravel_index(data.argmax(), data.shape)
    x, y, v = wcs.wcs_pix2world([[column, row, 0]], 0)[0]
    assert (x, y) == pytest.approx(PLACE, abs=1e-9)
    assert header["CUNIT1"] == "pc" and v == pytest.approx(1000 * (SYSTEMIC - 97.5))


def test_an_observer_nearby_needs_no_distance(private):
    camera = "{name: front, position: [0 pc, 0 pc, 10 pc], pixels: 40, field: 12 deg}"
    private.model.write_text(
        MODEL.replace("{name: front, direction: +z, pixels: 40, field: 2 pc}", camera).replace("  distance: 10 kpc\n", "")
    )
    done = private.run("run", "model.yaml", "--quiet")
    assert done.returncode == 0 and done.stderr == ""
    header, data = load(private)
    _, row, column = np.unravel_index(data.argmax(), data.shape)
    x, y = WCS(header).celestial.world_to_pixel(CENTRE)
    assert (x, y) == pytest.approx((19.5, 19.5), abs=1e-6)
    # The tangent of the angle to the source is its offset over its distance, 10 pc.
    step = 2 * np.tan(np.deg2rad(6)) / 40
    assert column == int(20 + PLACE[0] / 10 / step) and row == int(np.floor(20 + PLACE[1] / 10 / step))
