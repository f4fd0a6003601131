"""linerad cloud: the random fields have the requested statistics."""

import h5py
import numpy as np
import pytest

from conftest import error_line

PC = 3.0856775814913673e18
CELLS = 64


def make(folder, *options, name="cloud.h5", cells=CELLS):
    done = folder.run("cloud", "--cells", cells, "-o", name, *options)
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / name) as file:
        fields = {key: file["fields"][key][:].astype(float) for key in file["fields"]}
    return fields, done.stdout


def velocity(fields):
    return np.stack([fields[f"velocity_{axis}"] for axis in "xyz"])


def waves(field):
    """Coefficients c(k) of f = SUM c exp(i k x) about the corner of the cube, and k; cell centres are half a cell in."""
    n = field.shape[-1]
    k = np.fft.fftfreq(n, 1 / n)
    kx, ky, kz = np.meshgrid(k, k, k, indexing="ij")
    c = np.fft.fftn(field, axes=(-3, -2, -1)) / n**3 * np.exp(-1j * np.pi * (kx + ky + kz) / n)
    return c, np.stack([kx, ky, kz])


def power_slope(field, lowest, highest):
    """n of |c(k)|^2 ~ k^-n: a fit to the mean power in shells of k, weighted by the number of waves."""
    c, k = waves(field)
    power = (abs(c) ** 2).reshape(-1, *k.shape[1:]).sum(axis=0)
    length = np.sqrt((k**2).sum(axis=0))
    shell = np.rint(length).astype(int)
    which = np.arange(lowest, highest + 1)
    number = np.bincount(shell.ravel())[which]
    mean = np.bincount(shell.ravel(), power.ravel())[which] / number
    middle = np.bincount(shell.ravel(), length.ravel())[which] / number
    return -np.polyfit(np.log(middle), np.log(mean), 1, w=np.sqrt(number))[0]


def correlation(a, b):
    return np.corrcoef(np.log(a).ravel(), np.log(b).ravel())[0, 1]


@pytest.fixture(scope="module")
def cloud(program, tmp_path_factory):
    from conftest import Folder

    folder = Folder(program, tmp_path_factory.mktemp("cloud"))
    fields, text = make(folder)
    return folder, fields, text


def test_file_follows_the_schema_of_models(cloud):
    folder, fields, _ = cloud
    assert set(fields) == {"n_H2", "temperature", "velocity_x", "velocity_y", "velocity_z", "n_CO", "n_OH"}
    with h5py.File(folder.path / "cloud.h5") as file:
        assert file.attrs["format"] == "linerad-model" and file.attrs["version"] == 1
        assert file["mesh"].attrs["kind"] == "uniform"
        assert file["mesh/cells"][:].tolist() == [CELLS] * 3
        assert np.allclose(file["mesh/lower"][:], -0.02) and np.allclose(file["mesh/upper"][:], 0.02)
        assert file["mesh/lower"].attrs["units"] == file["mesh/upper"].attrs["units"] == "pc"
        for name, dataset in file["fields"].items():
            assert dataset.shape == (CELLS,) * 3 and dataset.dtype == np.float32
            assert dataset.attrs["units"] == {"n": "cm-3", "t": "K", "v": "cm s-1"}[name[0]]


def test_means_and_dispersion_are_exact(cloud):
    _, fields, _ = cloud
    # float32 values, so means are accurate to about 1e-7
    assert fields["n_H2"].mean() == pytest.approx(100, rel=2e-6)
    assert fields["temperature"].mean() == pytest.approx(47, rel=2e-6)
    assert fields["n_CO"].mean() == pytest.approx(2.8e-5, rel=2e-6)
    assert fields["n_OH"].mean() == pytest.approx(5.8e-6, rel=2e-6)
    v = velocity(fields)
    assert abs(v.mean(axis=(1, 2, 3))).max() < 1e-5 * 5e4
    assert np.sqrt((v**2).sum(axis=0).mean() / 3) == pytest.approx(5e4, rel=2e-6)
    assert np.log(fields["n_H2"]).std() == pytest.approx(1.5, rel=1e-5)
    assert fields["temperature"].max() == pytest.approx(600, rel=0.05) and fields["temperature"].min() >= 8


@pytest.mark.parametrize("width, index", [(5, 5), (5, 1), (0.1, 5), (3, 0)])
def test_mean_temperature_is_met_in_all_clouds(folder, width, index):
    """Powers n^-index of wide distributions exceed the range of single precision. Between the limits T n^index is
    constant."""
    fields, _ = make(folder, "--width", width, "--temperature-index", index, cells=16)
    n, t = fields["n_H2"], fields["temperature"]
    assert t.mean() == pytest.approx(47, rel=1e-5)
    assert t.min() >= 8 and t.max() <= 600
    between = (t > 8) & (t < 600)
    assert between.any()
    t0 = np.log(t[between]) + index * np.log(n[between])
    assert np.ptp(t0) < 1e-4
    assert (n[t == 8].min(initial=np.inf) >= n[between].max()) and (n[t == 600].max(initial=0) <= n[between].min())


def test_what_does_not_vary_has_no_correlation(folder):
    _, text = make(folder, "--width", 0, cells=16)
    assert "correlation" not in text and "nan" not in text
    _, text = make(folder, "--min-temperature", 47, "--max-temperature", 47, cells=16, name="warm.h5")
    line = next(line for line in text.splitlines() if line.startswith("log correlation"))
    assert line.startswith("log correlation         CO/H2 with n 0.") and "T with n" not in text and "nan" not in text


def test_molecules_are_scaled_before_they_are_rounded(folder):
    """All densities are far below the transition: CO ~ n^2.5, which is 1e-90 before it is scaled to its mean."""
    fields, _ = make(folder, "--transition", 1e20, "--mean-density", 1e-10, "--width", 1, cells=16)
    n, co = fields["n_H2"], fields["n_CO"]
    assert co.mean() == pytest.approx(2.8e-5, rel=1e-6)
    assert np.ptp(np.log(co) - 2.5 * np.log(n)) < 1e-5


def test_densities_beyond_single_precision_are_refused(folder):
    words = error_line(folder.run("cloud", "--cells", 16, "--width", 5, "--mean-co", 1e-20))
    assert "densities of CO in this cloud range from 0 to " in words and "beyond single precision" in words
    assert not (folder.path / "cloud.h5").exists()


def test_gas_is_as_in_diffuse_clouds(cloud):
    _, fields, _ = cloud
    co, oh = fields["n_CO"] / fields["n_H2"], fields["n_OH"] / fields["n_H2"]
    assert correlation(fields["n_H2"], fields["temperature"]) < -0.95
    assert correlation(fields["n_H2"], co) > 0.8
    assert correlation(fields["n_H2"], oh) < -0.6
    assert correlation(co, oh) < -0.4
    order = np.argsort(fields["n_H2"].ravel())  # everywhere, not just on average
    assert np.all(np.diff(co.ravel()[order]) > -1e-6 * co.max())
    assert np.all(np.diff(oh.ravel()[order]) < 1e-6 * oh.max())


@pytest.mark.parametrize("slope", [4.0, 11 / 3, 2.0])
def test_slopes_of_the_spectra(folder, slope):
    fields, _ = make(folder, "--slope", slope, "--density-slope", slope)
    # modes 4 to 25 have some 1e5 waves; the fit of their log power scatters by about 0.02
    assert power_slope(velocity(fields), 4, 25) == pytest.approx(slope, abs=0.08)
    assert power_slope(np.log(fields["n_H2"]), 4, 25) == pytest.approx(slope, abs=0.08)


@pytest.mark.parametrize("share", [0, 0.25, 1])
def test_share_without_divergence(folder, share):
    fields, _ = make(folder, "--solenoidal", share)
    c, k = waves(velocity(fields))
    k2 = np.maximum((k**2).sum(axis=0), 1)
    along = (abs((k * c).sum(axis=0)) ** 2 / k2).sum()
    across = (abs(c) ** 2).sum() - along
    if share in (0, 1):
        assert (along if share == 1 else across) < 1e-9 * (along + across)
    else:  # a few large waves carry most of the power
        assert across / (along + across) == pytest.approx(share, abs=0.12)


def test_share_is_met_where_waves_are_many(folder):
    fields, _ = make(folder, "--solenoidal", 0.25)
    c, k = waves(velocity(fields))
    k2 = (k**2).sum(axis=0)
    many = (k2 > 100) & (k2 < 900)
    along = (abs((k * c).sum(axis=0)) ** 2 / np.maximum(k2, 1))[many].sum()
    assert 1 - along / (abs(c) ** 2)[:, many].sum() == pytest.approx(0.25, abs=0.01)


def test_the_same_seed_is_the_same_cloud_on_other_meshes(folder):
    small, _ = make(folder, name="small.h5", cells=32)
    large, _ = make(folder, name="large.h5", cells=48)
    for field in (velocity, lambda f: np.log(f["n_H2"])[None]):
        (c_small, k_small), (c_large, k_large) = waves(field(small)), waves(field(large))
        few = lambda k: (abs(k).max(axis=0) <= 7) & ((k**2).sum(axis=0) > 0)
        first, second = c_small[:, few(k_small)], c_large[:, few(k_large)]
        order = [np.lexsort(k[:, few(k)]) for k in (k_small, k_large)]
        ratio = second[:, order[1]] / first[:, order[0]]
        # one real factor for all waves: scales are set by dispersions, to which small waves contribute a little
        assert abs(ratio - ratio.real.mean()).max() < 1e-3
        assert ratio.real.mean() == pytest.approx(1, abs=0.05)


def test_seeds_reproduce_and_differ(folder):
    first, _ = make(folder, "--seed", 5, name="a.h5", cells=16)
    again, _ = make(folder, "--seed", 5, name="b.h5", cells=16)
    other, _ = make(folder, "--seed", 6, name="c.h5", cells=16)
    assert all(np.array_equal(first[key], again[key]) for key in first)
    assert abs(np.corrcoef(velocity(first).ravel(), velocity(other).ravel())[0, 1]) < 0.5


def test_options_with_units(folder):
    fields, text = make(
        folder, "--size", "1 kpc", "--sigma", "1e5 cm/s", "--mean-density", "3e8 m-3", "--mean-temperature", "20 K",
        "--max-temperature", "90 K", "--mach", 5, "--mean-co", "1e-3 cm^-3", "--transition", "10", cells=16,
    )
    assert np.sqrt((velocity(fields) ** 2).sum(axis=0).mean() / 3) == pytest.approx(1e5, rel=2e-6)
    assert fields["n_H2"].mean() == pytest.approx(300, rel=2e-6)
    assert fields["temperature"].mean() == pytest.approx(20, rel=2e-6) and fields["temperature"].max() <= 90
    assert np.log(fields["n_H2"]).std() == pytest.approx(np.sqrt(np.log(1 + (0.4 * 5) ** 2)), rel=1e-5)
    assert fields["n_CO"].mean() == pytest.approx(1e-3, rel=2e-6)
    with h5py.File(folder.path / "cloud.h5") as file:
        assert np.allclose(file["mesh/upper"][:], 500)
        assert file["cloud"].attrs["size"] == pytest.approx(1000 * PC)
    assert "mean 300" in text and "16 x 16 x 16" in text


def test_a_size_with_odd_factors(folder):
    fields, _ = make(folder, cells=28)
    assert fields["n_H2"].mean() == pytest.approx(100, rel=2e-6)


@pytest.mark.parametrize(
    "options, words",
    [
        (["--cells", "17"], "even whole number"),
        (["--cells", "4"], "from 8 to 1024"),
        (["--cells", "many"], "not a number"),
        (["--sigma", "0.5 K"], "--sigma: '0.5 K'"),
        (["--sigma", "1,2 km/s"], "single value"),
        (["--sigma", "0 km/s"], "sigma_v"),
        (["--solenoidal", "1.5"], "from 0 to 1"),
        (["--mean-temperature", "700 K"], "mean temperature"),
        (["--min-temperature", "60 K"], "mean temperature"),
        (["--seed", "-1"], "--seed"),
        (["--sede", "1"], "did you mean '--seed'"),
        (["cloud.h5"], "name the file with -o"),
        (["-o", "nowhere/cloud.h5"], "nowhere"),
    ],
)
def test_bad_options_are_one_line(folder, options, words):
    assert words in error_line(folder.run("cloud", "--cells", 8, *options))
    assert not list(folder.path.glob("*.h5*"))


def test_other_files_are_never_replaced(folder):
    folder.earlier_result("out.h5")
    before = folder.contents()
    assert "out.h5" in error_line(folder.run("cloud", "--cells", 8, "-o", "out.h5"))
    assert "model.yaml" in error_line(folder.run("cloud", "--cells", 8, "-o", "model.yaml"))
    assert folder.contents() == before
    make(folder, cells=8)
    with h5py.File(folder.path / "cloud.h5") as mine, h5py.File(folder.path / "snapshot.h5", "w") as other:
        for name in mine:
            mine.copy(name, other)
        other.attrs["format"] = "linerad-model"  # somebody else's gas
        other.attrs["version"] = 1
    assert "snapshot.h5: the output exists" in error_line(folder.run("cloud", "--cells", 8, "-o", "snapshot.h5"))
    again = folder.run("cloud", "--cells", 8, "-o", "cloud.h5", "--seed", 2)
    assert again.returncode == 0 and "will be replaced" in again.stderr


def test_help_teaches(folder):
    done = folder.run("cloud", "--help")
    assert done.returncode == 0 and "snapshot: cloud.h5" in done.stdout and "3 V^2" in done.stdout
