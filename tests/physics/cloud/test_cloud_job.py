"""The molecular-cloud job (examples/cloud.yaml) on a small mesh: flux in the thin limit, depths, columns and centroids,
each against sums over the cells of the cloud, and cubes as opened by other programs."""

import json
import os
import subprocess

import h5py
import numpy as np
import pytest
from scipy.special import erf

from harness import EXAMPLES, PARSEC_CM

PLANCK, BOLTZMANN, LIGHT_SPEED, ATOMIC_MASS = 6.62607015e-27, 1.380649e-16, 2.99792458e10, 1.66053906660e-24
CELLS, SIZE, DISTANCE = 32, 0.04 * PARSEC_CM, 100 * PARSEC_CM
KM_S = 1e5


def command(folder, *arguments):
    program = os.environ.get("LINERAD_BIN")
    if not program:
        pytest.skip("LINERAD_BIN is not set")
    words = [os.path.abspath(program), *map(str, arguments)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(folder, *options):
    device = os.environ.get("LINERAD_DEVICE", "cpu")
    text = command(folder, "run", EXAMPLES / "cloud.yaml", "--set", "snapshot=gas.h5", "--set", "cameras.0.pixels=32",
                   "--device", device, "--json", "--quiet", "-o", "job.h5", *options)
    return {line["line"]: line for line in json.loads(text)["lines"]}


class Gas:
    """The fields of a cloud, and sums over its cells for one line in LTE, computed independently here."""

    def __init__(self, path, result, species):
        with h5py.File(path) as file:
            self.n = file[f"fields/n_{species}"][:].astype(float)
            self.temperature = file["fields/temperature"][:].astype(float)
            self.velocity = -file["fields/velocity_x"][:].astype(float)  # an observer at +x: receding is toward -x
            self.h2 = file["fields/n_H2"][:].astype(float)
        with h5py.File(result) as file:
            levels = file["populations"]
            energy = levels["level_energy"][:] * PLANCK * LIGHT_SPEED  # 1/cm
            weight = levels["level_weight"][:]
            self.nu0 = float(file["images/x"].attrs["nu0"])
        boltzmann = weight * np.exp(-(energy - energy[0]) / (BOLTZMANN * self.temperature[..., None]))
        self.fraction = boltzmann / boltzmann.sum(axis=-1, keepdims=True)
        self.ratio = PLANCK * self.nu0 / (BOLTZMANN * self.temperature)
        self.cell = SIZE / self.n.shape[0]

    def strength(self, a_ul, g_upper, g_lower, lower, stimulated=True):
        """INT alpha dv of each cell: n x_l (g_u / g_l) A c^3 / (8 pi nu^3), cm^-1 cm/s."""
        bare = self.n * self.fraction[..., lower] * g_upper / g_lower * a_ul * (LIGHT_SPEED / self.nu0) ** 3 / (8 * np.pi)
        return bare * -np.expm1(-self.ratio) if stimulated else bare

    def channel_depth(self, strength, mass, edges):
        """Mean depth of each channel along x, [channel, z, y] as seen by the camera."""
        b = np.sqrt(2 * BOLTZMANN * self.temperature / mass)
        below = 0.5 * (1 + erf((np.asarray(edges)[:, None, None, None] - self.velocity) / b))
        share = np.diff(below, axis=0) / np.diff(edges)[:, None, None, None]
        return (strength * share).sum(axis=1).transpose(0, 2, 1) * self.cell


OH = {"a_ul": 7.11e-11, "g_upper": 3, "g_lower": 3, "lower": 0}
CO = {"a_ul": 7.203e-8, "g_upper": 3, "g_lower": 1, "lower": 0}
MASS = {"oh": 17.0027 * ATOMIC_MASS, "co": 27.9949 * ATOMIC_MASS}


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cloud")
    command(folder, "cloud", "--cells", CELLS, "-o", "gas.h5", "--quiet")
    return folder, run(folder, "--packets", 20000)


@pytest.fixture(scope="module")
def gas(job):
    folder, _ = job
    return {name: Gas(folder / "gas.h5", folder / f"job_{name}.h5", name.upper()) for name in ("oh", "co")}


def image(folder, name):
    with h5py.File(folder / f"job_{name}.h5") as file:
        group = file["images/x"]
        arrays = {key: group[key][()] for key in group}
        return arrays, dict(group.attrs)


@pytest.mark.parametrize("name, line", [("oh", OH), ("co", CO)])
def test_depths_with_and_without_stimulated_emission(job, gas, name, line):
    folder, summary = job
    edges = image(folder, name)[0]["velocity_edges"] * KM_S
    report = summary[name]["images"][0]
    for key, stimulated in (("depth", True), ("depth_without_stimulated_emission", False)):
        depth = gas[name].channel_depth(gas[name].strength(**line, stimulated=stimulated), MASS[name], edges).max(axis=0)
        print(name, key, report[key], depth.mean(), depth.max())
        # quadrature in channels five b wide, and constants of the line to four digits
        assert report[key]["mean"] == pytest.approx(depth.mean(), rel=2e-3)
        assert report[key]["largest"] == pytest.approx(depth.max(), rel=1e-2)
    assert report["stimulated_emission"] is True
    factor = report["depth_without_stimulated_emission"]["mean"] / report["depth"]["mean"]
    low, high = (1 / -np.expm1(-PLANCK * gas[name].nu0 / BOLTZMANN / t) for t in (8, 600))
    assert low < factor < high and (factor > 100 if name == "oh" else factor < 30)


@pytest.mark.parametrize("name", ["oh", "co"])
def test_column_correlation_and_centroids(job, gas, name):
    folder, summary = job
    arrays, attributes = image(folder, name)
    column = gas[name].n.sum(axis=0).T * gas[name].cell  # rows are z, columns are y
    assert np.allclose(arrays["column"][0], column, rtol=2e-5)
    total = arrays["intensity"].sum(axis=0)
    report = summary[name]["images"][0]
    expected = np.corrcoef(np.log10(total).ravel(), np.log10(column).ravel())[0, 1]
    assert report["correlation_with_column"] == pytest.approx(expected, abs=1e-4)
    assert attributes["correlation_with_column"] == pytest.approx(expected, abs=1e-4)
    place = (np.arange(CELLS) + 0.5 - CELLS / 2) * gas[name].cell
    light = arrays["intensity"].astype(float)
    centroid = np.stack([(light * place).sum(axis=(1, 2)), (light * place[:, None]).sum(axis=(1, 2))], axis=1)
    centroid /= light.sum(axis=(1, 2))[:, None]
    assert np.allclose(arrays["centroid"], centroid, atol=1e-5 * SIZE)
    bright = light.sum(axis=(1, 2)) >= 0.01 * light.sum(axis=(1, 2)).max()
    between = np.linalg.norm(centroid[bright][:, None] - centroid[bright][None], axis=-1)
    assert report["centroid_shift_unit"] == "cm"
    assert report["centroid_shift"] == pytest.approx(between.max(), rel=1e-4)


def thin_flux(gas, a_ul, upper, share):
    """h c A N_u / (4 pi D^2), Jy km/s: INT F_nu dv of gas without absorption; a fraction `share` of its light is
    emitted."""
    number = (gas.n * gas.fraction[..., upper] * share).sum() * gas.cell**3
    return PLANCK * LIGHT_SPEED * a_ul * number / (4 * np.pi * DISTANCE**2) / 1e-23 / KM_S


def cube_flux(folder, name):
    arrays, _ = image(folder, name)
    pixel = (SIZE / CELLS / DISTANCE) ** 2
    return arrays["intensity"].astype(float).sum() * pixel * np.diff(arrays["velocity_edges"])[0] / 1e-23


@pytest.mark.parametrize("destruction", ["1", "{critical_density: 2400 cm^-3}"])
def test_thin_gas_shines_as_its_levels_do(tmp_path, destruction):
    """Abundances a thousand times lower: depths below 1e-5. LTE light is n_u A; gas below its critical density emits a
    fraction eps of that (the rest would be scattered light, of which thin gas has none)."""
    command(tmp_path, "cloud", "--cells", CELLS, "-o", "gas.h5", "--quiet", "--mean-co", "2.8e-8", "--mean-oh", "5.8e-9")
    summary = run(tmp_path, "--packets", 1000, "--set", f"lines.1.medium.destruction={destruction}", "--set",
                  "channels={number: 12, range: [-6 km/s, 6 km/s]}")
    assert summary["co"]["images"][0]["depth"]["largest"] < 1e-3
    co = Gas(tmp_path / "gas.h5", tmp_path / "job_co.h5", "CO")
    y = co.h2 / 2400 * -np.expm1(-co.ratio)
    share = 1.0 if destruction == "1" else y / (1 + y)
    expected, found = thin_flux(co, CO["a_ul"], 1, share), cube_flux(tmp_path, "co")
    print(f"CO 1-0: {found:.6g} Jy km/s, expected {expected:.6g}")
    assert found == pytest.approx(expected, rel=0.01)


def test_cubes_open_in_other_programs(job):
    folder, _ = job
    fits = pytest.importorskip("astropy.io.fits")
    from astropy.wcs import WCS

    for name, frequency in (("oh", 1.665402e9), ("co", 115.271e9)):
        with fits.open(folder / f"job_{name}_x.fits", checksum=True) as file:
            header, data = file[0].header, file[0].data
            assert data.shape == (5, CELLS, CELLS) and header["BUNIT"] == "K"
            assert header["CTYPE3"] == "VRAD" and header["RESTFRQ"] == pytest.approx(frequency, rel=1e-5)
            wcs = WCS(header)
            velocities = wcs.spectral.pixel_to_world_values(np.arange(5))
            assert np.allclose(velocities, np.array([-2, -1, 0, 1, 2]) * 1e3, atol=1e-3)
            side = np.degrees(SIZE / CELLS / DISTANCE)
            assert header["CDELT1"] == pytest.approx(-side, rel=1e-6)
        with fits.open(folder / f"job_{name}_x_column.fits") as file:
            assert file[0].header["BUNIT"] == "cm-2" and np.squeeze(file[0].data).shape == (CELLS, CELLS)
    spectral_cube = pytest.importorskip("spectral_cube")
    cube = spectral_cube.SpectralCube.read(str(folder / "job_co_x.fits"))
    assert cube.shape == (5, CELLS, CELLS) and str(cube.unit) == "K"
    assert np.allclose(cube.spectral_axis.to_value("km/s"), [-2, -1, 0, 1, 2], atol=1e-6)
