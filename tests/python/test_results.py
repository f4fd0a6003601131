"""The same numbers as the command, bit for bit, from files and from memory; views that keep their memory alive."""

import gc
import json
from pathlib import Path

import astropy.units as u
import h5py
import linerad as lr
import numpy as np
import pytest
from astropy.io import fits
from astropy.wcs import WCS
from small import CLOUD, SLAB, cloud, field, slab


def datasets(path, group):
    with h5py.File(path) as file:
        return {f"{group}/{key}": value[()] for key, value in file[group].items() if isinstance(value, h5py.Dataset)}


def compare_with_file(result, path, groups):
    for group in groups:
        stored = datasets(path, group)
        mine = {key: value for key, value in result.arrays.items() if key.startswith(f"{group}/")}
        assert mine, group
        for key, value in mine.items():
            np.testing.assert_array_equal(value.value, stored[key], err_msg=key)
        # edges in velocity are derived from the others
        assert set(stored) - set(mine) <= {"spectrum/velocity_edges"}


def test_transport_equals_the_command(command):
    Path("slab.yaml").write_text(SLAB)
    told = json.loads(command("run", "slab.yaml", "-o", "cli.h5", "--json", "--quiet"))
    from_file = lr.Model.load("slab.yaml").run()
    from_parts = slab().run()
    from_array = slab(medium=lr.Medium(temperature=np.full((16, 2, 2), 1e4) * u.K, tau_mean=200, damping=0.149)).run()
    for result in (from_file, from_parts, from_array):
        compare_with_file(result, "cli.h5", ("spectrum", "fields", "packets"))
        assert result.summary.f_esc.value == told["f_esc"] and result.summary.mean_path.value == told["mean_path"]
        assert result.summary.seed == 7 and result.summary.packets == 1000


def test_cubes_equal_the_files_of_the_command(command):
    Path("cloud.yaml").write_text(CLOUD)
    command("run", "cloud.yaml", "-o", "cloud.h5", "--quiet")
    for result in (lr.Model.load("cloud.yaml").run(), cloud().run()):
        assert result.cameras == ["front", "corner"]
        for name in result.cameras:
            cube = result.cube(name)
            with fits.open(f"cloud_{name}.fits") as file:
                np.testing.assert_array_equal(cube.data.value, file[0].data)
                assert cube.unit == u.Unit(file[0].header["BUNIT"])
                for key, value in file[0].header.items():
                    if key.startswith(("CTYPE", "CUNIT", "RADESYS", "SPECSYS", "BUNIT", "BTYPE")):
                        assert cube.header[key] == value, key
                    if key.startswith(("CRPIX", "CRVAL", "CDELT", "BMAJ", "BMIN", "BPA", "RESTFRQ", "LON", "LAT")):
                        assert cube.header[key] == pytest.approx(value, rel=1e-12, abs=1e-12), key
                sky, mine = WCS(file[0].header), cube.wcs
                np.testing.assert_allclose(
                    mine.pixel_to_world_values(3, 2, 1), sky.pixel_to_world_values(3, 2, 1), rtol=1e-10
                )
            np.testing.assert_array_equal(cube.optical_depth, fits.getdata(f"cloud_{name}_tau.fits"))
            np.testing.assert_array_equal(cube.peak.value, fits.getdata(f"cloud_{name}_peak.fits"))
            for order in range(3):
                np.testing.assert_array_equal(
                    result.moment(order, name).value, fits.getdata(f"cloud_{name}_mom{order}.fits")
                )


def test_files_of_python_equal_those_of_the_command(command):
    Path("cloud.yaml").write_text(CLOUD)
    command("run", "cloud.yaml", "-o", "cloud.h5", "--quiet")
    result = cloud().run()
    result.save("mine.h5")
    paths = result.write_cubes("mine")
    assert "mine_front.fits" in paths and "mine_corner_mom0.fits" in paths
    for path in paths:
        if path.endswith(".fits"):
            np.testing.assert_array_equal(fits.getdata(path), fits.getdata(path.replace("mine", "cloud")))
    with h5py.File("mine.h5") as mine, h5py.File("cloud.h5") as other:
        np.testing.assert_array_equal(mine["images/front/intensity"][()], other["images/front/intensity"][()])


def test_stored_results_are_the_same():
    result = slab().run()
    result.save("slab.h5")
    stored = lr.Result.load("slab.h5")
    assert set(stored.arrays) == set(result.arrays)
    for key, value in result.arrays.items():
        np.testing.assert_array_equal(stored.arrays[key].value, value.value, err_msg=key)
        assert stored.arrays[key].unit == value.unit
    mine, other = result.summary.as_dict(), stored.summary.as_dict()
    for key in ("packets", "seed", "f_esc", "median_abs_x", "escaped", "mean_path", "device", "precision"):
        assert mine[key] == other[key], key
    assert stored.text("model") == result.text("model")


def test_stored_cubes_are_the_same():
    result = cloud().run()
    result.save("cloud.h5")
    stored = lr.Result.load("cloud.h5")
    assert stored.cameras == ["front", "corner"]
    for name in stored.cameras:
        mine, other = result.cube(name), stored.cube(name)
        np.testing.assert_allclose(other.data.value, mine.data.value, rtol=1e-6, atol=1e-6 * mine.data.value.max())
        assert other.unit == mine.unit and other.beam == mine.beam
        np.testing.assert_array_equal(other.optical_depth, mine.optical_depth)
    assert {"again_front.fits", "again_front_mom1.fits"} <= set(stored.write_cubes("again"))


def test_populations(in_folder):
    data = Path(__file__).resolve().parents[2] / "examples" / "data" / "hco+_demo.dat"
    model = lr.Model(
        mesh=lr.Mesh.shells(np.geomspace(0.01, 0.1, 9) * u.pc),
        line=lr.Molecule(data, transition="1-0"),
        medium=lr.Medium(
            temperature=np.linspace(20, 10, 8) * u.K,
            turbulence=0.2 * u.km / u.s,
            abundance=1e-9,
            colliders={"H2": np.geomspace(1e6, 1e4, 8) / u.cm**3},
        ),
        populations=lr.Populations("equilibrium", error=1e-3, directions=32),
    )
    result = model.run()
    found = result.populations
    assert found.method == "equilibrium" and found.converged and found.transition
    assert found.fraction.shape == (8, len(found.level_energy)) == (8, len(found.level_label))
    np.testing.assert_allclose(found.fraction.sum(axis=1), 1, rtol=1e-12)
    # the excitation is between the background and the gas
    assert np.all(found.excitation_temperature > 2.7 * u.K) and np.all(found.excitation_temperature < 20 * u.K)
    assert len(found.history["change"]) == found.iterations and found.history["error"][-1] <= 1e-3
    assert found.history["accelerated"].dtype == bool
    # populations found by a run can be given as an array
    again = lr.Model(
        mesh=lr.Mesh.shells(np.geomspace(0.01, 0.1, 9) * u.pc),
        line=lr.Molecule(data, transition="1-0"),
        medium=lr.Medium(b=0.3 * u.km / u.s, density=1e-5 / u.cm**3),
        populations=lr.Populations("given", given=found.fraction),
        output=lr.Output(populations=True),
    )
    np.testing.assert_allclose(again.run().populations.fraction, found.fraction, rtol=1e-12)


def test_errors_of_moments():
    """Against the scatter of moments over many noisy realisations."""
    result = slab(
        sources=lr.Point(position=[0, 0, 0] * u.pc, spectrum="local", luminosity=1e50 * u.ph / u.s),
        mesh=lr.Mesh.uniform((8, 8, 8), [1, 1, 1] * u.pc),
        medium=lr.Medium(b=10 * u.km / u.s, damping=0.01, tau_centre=1),
        channels=lr.Channels(10, [-30, 30] * u.km / u.s),
        cameras=lr.Camera("top", "+z", pixels=4),
        image=lr.Image(errors=True),
        output=None,
        run=lr.Run(packets=20000, seed=3),
    ).run()
    cube = result.cube()
    assert cube.error is not None and (cube.error.value >= 0).all()
    noise = np.random.default_rng(5).normal(size=(4000, *cube.shape))
    copies = cube.data.value.astype(float) + noise * cube.error.value
    velocity, step = cube.velocity.value, cube.channel_width.value
    zero = copies.sum(axis=1) * step
    mean = (copies * velocity[:, None, None]).sum(axis=1) / copies.sum(axis=1)
    width = np.sqrt((copies * (velocity[:, None, None] - mean[:, None]) ** 2).sum(axis=1) / copies.sum(axis=1))
    for order, sample in enumerate((zero, mean, width)):
        # 4000 realisations give a scatter to 1.1 %; the errors are of first order
        np.testing.assert_allclose(cube.moment_error(order).value, sample.std(axis=0), rtol=0.1)


def test_views_keep_their_result(in_folder):
    result = slab().run()
    flux, copy = result.spectrum.flux, result.spectrum.flux.value.copy()
    assert not flux.value.flags.owndata and not flux.value.flags.writeable
    cube = cloud().run().cube("front")
    data, kept = cube.data, cube.data.value.copy()
    del result, cube
    gc.collect()
    for _ in range(3):
        slab().run(packets=10)  # would write into freed memory
    np.testing.assert_array_equal(flux.value, copy)
    np.testing.assert_array_equal(data.value, kept)


def test_images_again():
    kept = cloud(image=lr.Image(emissivity=True), cameras=lr.Camera("front", "+z", pixels=8)).run()
    kept.save("cloud.h5")
    again = lr.image("cloud.h5", {"camera": "front", "pixels": 4, "image.unit": "Jy/sr"})
    assert again.cube("front").shape == (12, 4, 4) and again.cube().unit == u.Jy / u.sr


def test_images_of_a_loaded_result(in_folder, monkeypatch):
    """From its file, wherever the current folder is by then; and Python messages if there is no light."""
    settings = {"camera": "front", "pixels": 4, "image.unit": "Jy/sr"}
    kept = cloud(image=lr.Image(emissivity=True), cameras=lr.Camera("front", "+z", pixels=8)).run()
    kept.save("cloud.h5")
    loaded = lr.Result.load("cloud.h5")
    (in_folder / "other").mkdir()
    monkeypatch.chdir("other")
    for found in (loaded.image(settings), kept.image(settings)):
        np.testing.assert_array_equal(found.cube().data.value, lr.image("../cloud.h5", settings).cube().data.value)
    kept.image(settings).save("seen.h5")
    (in_folder / "other" / "seen.h5").replace(in_folder / "cloud.h5")
    with pytest.raises(lr.FileError, match="cloud.h5: the file is gone or has changed"):
        loaded.image(settings)
    bare = cloud().run()
    bare.save("bare.h5")
    for result in (bare, lr.Result.load("bare.h5")):
        with pytest.raises(lr.Error, match="emissivity") as failure:
            result.image(settings)
        assert "lr_" not in str(failure.value)


def test_several_lines(command):
    model = cloud(
        line=None,
        lines=[
            lr.OneLine("a", lr.Molecule("co", "1-0")),
            lr.OneLine("b", "co10", medium=lr.Medium(density=field((8, 8, 8)) / u.cm**3), sources=[lr.Thermal()]),
        ],
    )
    assert model.lines == ["a", "b"]
    one = model.run(line="a")
    np.testing.assert_array_equal(one.cube().data.value, cloud().run().cube().data.value)
    Path("two.yaml").write_text(
        CLOUD.replace(
            "line: {molecule: co, transition: 1-0}", "lines: [{name: a, molecule: co}, {name: b, molecule: 13co}]"
        )
    )
    assert lr.Model.load("two.yaml").lines == ["a", "b"]
    with pytest.raises(lr.InputError, match="line 'b'"):
        lr.Model.load("two.yaml", ["lines.1.medium={temperature: 1 km}"])


def test_numbers_and_columns_of_images():
    result = cloud(image=lr.Image(column=True, optical_depth=True)).run()
    cube = result.cube("front")
    # through the centre: n L, with n = 1e-2 cm^-3 and L = 0.2 pc
    assert cube.column.max().to_value(u.cm**-2) == pytest.approx(1e-2 * (0.2 * u.pc).to_value(u.cm), rel=1e-5)
    largest = cube.optical_depth.max(axis=0)
    assert cube.report["depth_largest"] == pytest.approx(largest.max(), rel=1e-6)
    assert cube.report["depth_mean"] == pytest.approx(largest.mean(), rel=0.2)
    result.save("cloud.h5")
    stored = lr.Result.load("cloud.h5").cube("front")
    assert stored.report["depth_largest"] == cube.report["depth_largest"]
    np.testing.assert_allclose(stored.column.value, cube.column.value, rtol=1e-6)


def test_spectral_cube():
    pytest.importorskip("spectral_cube")
    cube = cloud(image=lr.Image(unit="K", distance=140 * u.pc)).run().cube("front")
    other = cube.spectral_cube()
    np.testing.assert_array_equal(other.unmasked_data[:].value, cube.data.value)
    np.testing.assert_allclose(other.spectral_axis.to_value(u.km / u.s), cube.velocity.value, rtol=1e-9, atol=1e-9)
    zero = other.moment(order=0).to_value(u.K * u.km / u.s)
    np.testing.assert_allclose(zero, cube.moment(0).value, rtol=1e-5, atol=1e-5 * zero.max())


def test_images_are_compared_with_packets(command):
    """The same numbers in memory, from a file and from the command; None and a reason if there are none."""
    model = lr.Model(
        mesh=lr.Mesh.uniform((6, 6, 6), [2, 2, 2] * u.pc),
        line="lya",
        medium=lr.Medium(b=10 * u.km / u.s, tau_mean=1, damping=1e-3),
        sources=lr.Volume(spectrum="local", luminosity=1e50 * u.ph / u.s),
        channels=lr.Channels(8, [-60, 60] * u.km / u.s),
        cameras=[lr.Camera("far", "+z", pixels=4), lr.Camera("near", position=[9, 0, 0] * u.pc, pixels=4)],
        image=lr.Image(report=False, distance=1 * u.kpc),
        run=lr.Run(packets=20000, seed=1, threads=1),
    )
    result = model.run()
    result.save("check.h5")
    found, again = result.cube("far").check, lr.Result.load("check.h5").cube("far").check
    assert found["image_flux"].unit == u.ph / u.s / u.sr and abs(found["deviation"]) < 3.5
    Path("check.yaml").write_text(model.yaml)
    told = json.loads(command("run", "check.yaml", "-o", "cli.h5", "--json", "--quiet"))["images"][0]["check"]
    for key in ("image_flux", "image_flux_error", "packet_flux", "packet_flux_error"):
        assert found[key] == again[key] and found[key].value == pytest.approx(told[key], rel=1e-9), key
    assert found["angle"] == again["angle"] and found["deviation"] == again["deviation"]
    assert result.cube("near").check is None and lr.Result.load("check.h5").cube("near").check is None
    lit = model.run(settings={"image.background": "3 K"})
    lit.save("lit.h5")
    for cube in (lit.cube("far"), lr.Result.load("lit.h5").cube("far")):
        assert cube.check == {"not_compared": "the image has a background"}
    assert model.run(packets=0).cube("far").check is None


def test_the_summary_of_a_shifted_line():
    """A beam of a source that approaches at 5 km/s."""
    beam = lr.Point(position=[-1, 0, 0] * u.pc, emission="beam", direction="+x", luminosity=1 / u.s, frame="gas",
                    spectrum=lr.Gaussian(fwhm=20 * u.km / u.s))  # fmt: skip
    gas = lr.Medium(b=12 * u.km / u.s, opacity=1e-6 / u.pc, damping=1e-4, velocity=[5, 0, 0] * u.km / u.s)
    result = slab(medium=gas, sources=beam, output=None).run(20000)
    told = result.summary
    result.save("shifted.h5")
    again = lr.Result.load("shifted.h5").summary
    names = ("asymmetric", "mean_velocity", "red_blue_ratio", "red_peak_velocity", "blue_peak_velocity", "peak_abs_x")
    assert all(getattr(again, name) == getattr(told, name) for name in names)
    with h5py.File("shifted.h5", "r+") as file:  # as version 0.1 wrote it
        for name in [key for key in file["summary"].attrs if "velocity" in key or "asymmetric" in key]:
            del file["summary"].attrs[name]
    assert lr.Result.load("shifted.h5").summary.mean_velocity is None
    assert told.asymmetric is True
    value, error = told.mean_velocity
    assert abs(value + 5 * u.km / u.s) < 4 * error and error < 0.1 * u.km / u.s
    assert told.red_peak_velocity is None and told.blue_peak_velocity.value < 0
    assert 0 < told.red_blue_ratio.value < 1
    shown = repr(told)
    assert "mean_velocity" in shown and "km s-1" in shown and "nan" not in shown
    symmetric = slab(output=None).run(20000).summary
    assert symmetric.asymmetric is False and symmetric.peak_abs_x.error > 0
