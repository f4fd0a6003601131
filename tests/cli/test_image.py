"""`linerad image`: new images from a stored result, and the cubes in the summary of `linerad run`."""

import json
import shutil

import h5py
import numpy as np
import pytest

from conftest import Folder, error_line

fits = pytest.importorskip("astropy.io.fits")

MODEL = """\
mesh: {cells: [8, 8, 8], size: [2 pc, 2 pc, 2 pc]}
line: lya
medium: {temperature: 1e4 K, tau_centre: 3, velocity: [3 km/s, 0 km/s, 0 km/s]}
sources: [{volume: {}, spectrum: {local: {}}, luminosity: 1e48 photon/s}]
run: {packets: 2000, seed: 3, device: cpu}
cameras: [{name: front, direction: +z, pixels: 16}, {name: side, direction: +x, pixels: 12}]
channels: {number: 24, range: [-60 km/s, 60 km/s]}
image: {emissivity: true, errors: true, unit: Jy/sr, spectrum: false}
"""


@pytest.fixture(scope="module")
def made(program, tmp_path_factory):
    """A folder with a result that includes a scene."""
    folder = Folder(program, tmp_path_factory.mktemp("image"))
    folder.model.write_text(MODEL)
    done = folder.run("run", "model.yaml", "--json")
    assert done.returncode == 0, done.stderr
    folder.summary = json.loads(done.stdout)
    return folder


@pytest.fixture
def folder(made, program, tmp_path):
    folder = Folder(program, tmp_path)
    shutil.copy(made.path / "model.h5", tmp_path / "model.h5")
    return folder


def cube(folder, name):
    return fits.getdata(folder.path / f"{name}.fits").astype(float)


def image(folder, *options):
    done = folder.run("image", "model.h5", "--json", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_lists_its_cubes(made):
    names = ["model_front.fits", "model_front_error.fits", "model_side.fits", "model_side_error.fits"]
    assert made.summary["cubes"] == names
    assert all((made.path / name).exists() for name in names)
    again = made.run("run", "model.yaml", "-o", "sub.h5")
    assert "sub_side_error.fits" in again.stdout


def test_nothing_changed_gives_the_same_images(made, folder):
    summary = image(folder)
    assert summary["cubes"] == ["model_image_front.fits", "model_image_side.fits"]
    assert summary["source"] == "model.h5"
    for camera in ("front", "side"):
        expected = cube(made, f"model_{camera}")
        assert cube(folder, f"model_image_{camera}") == pytest.approx(expected, rel=1e-4, abs=1e-4 * expected.max())


def test_channels_are_merged_and_cropped(made, folder):
    image(folder, "--camera", "side", "--bin", "4", "--range=-30km/s,30km/s", "-o", "few")
    assert not (folder.path / "few_front.fits").exists()
    whole = cube(made, "model_side")[6:18]
    expected = whole.reshape(3, 4, 12, 12).mean(axis=1)
    assert cube(folder, "few_side") == pytest.approx(expected, rel=1e-4, abs=1e-4 * expected.max())
    header = fits.getheader(folder.path / "few_side.fits")
    assert header["CDELT3"] == pytest.approx(20e3) and header["CRVAL3"] == pytest.approx(-20e3)


def test_finer_pixels_show_the_same_light(made, folder):
    image(folder, "--pixels", "64", "--camera", "front", "-o", "fine")
    fine = cube(folder, "fine_front")
    assert fine.shape == (24, 64, 64)
    coarse = fine.reshape(24, 16, 4, 16, 4).mean(axis=(2, 4))
    expected = cube(made, "model_front")
    assert coarse == pytest.approx(expected, rel=0.05, abs=0.01 * expected.max())


def test_unit_beam_distance_field_and_centre(folder):
    view = ["--camera", "front", "--pixels", "20", "--field", "1pc", "--centre", "0.5pc,0pc,0pc", "--distance", "1kpc"]
    light = ["--beam", "200arcsec,100arcsec,10deg", "--unit", "Jy/beam", "--set", "image.peak=true"]
    image(folder, *view, *light, "-o", "far")
    header = fits.getheader(folder.path / "far_front.fits")
    assert header["BUNIT"] == "Jy/beam" and header["BPA"] == pytest.approx(10)
    assert header["CDELT2"] * 20 * np.pi / 180 == pytest.approx(1e-3)
    assert cube(folder, "far_front_peak").shape == (20, 20)


@pytest.mark.parametrize(
    "options, words",
    [
        (["--camera", "back"], ["model.h5", "'back'", "front, side"]),
        (["--bin", "5"], ["24 channels", "2, 3, 4, 6, 8, 12, 24"]),
        (["--range=-31km/s,30km/s"], ["96 of 1.25 km/s from -60 to 60 km/s"]),
        (["--range", "3km/s"], ["--range 3km/s", "two velocities"]),
        (["--set", "cameras.0.direction=+y"], ["'front'", "needs a new run"]),
        (["--set", "medium.temperature=1 K"], ["medium.temperature", "new run"]),
        (["--unit", "Jy"], ["--unit Jy", "Jy/sr"]),
        (["--unit", "Jy/beam"], ["beam"]),
        (["--beam", "1arcsec,2arcsec"], ["--beam", "major,minor,angle"]),
        (["-o", "maps.fits"], ["maps.fits", "such as maps"]),
        (["-o", "nowhere/maps"], ["nowhere"]),
        (["--pixel", "3"], ["'--pixel'", "'--pixels'"]),
        (["--device", "gpu"], ["'cuda'"]),
    ],
)
def test_bad_wishes_are_one_line(folder, options, words):
    before = folder.contents()
    line = error_line(folder.run("image", "model.h5", *options))
    assert all(word in line for word in words), line
    assert folder.contents() == before


def test_files_that_cannot_be_imaged(folder):
    with h5py.File(folder.path / "foreign.h5", "w") as file:
        file["density"] = np.ones(3)
    assert "not a linerad result" in error_line(folder.run("image", "foreign.h5"))
    folder.earlier_result("plain.h5")
    line = error_line(folder.run("image", "plain.h5"))
    assert "does not contain the gas and its emission" in line and "image.emissivity: true" in line
    assert "model.yaml" in error_line(folder.run("image", "model.yaml"))
    assert "gone.h5: No such file" in error_line(folder.run("image", "gone.h5"))
    data = (folder.path / "model.h5").read_bytes()
    (folder.path / "model.h5").write_bytes(data[: len(data) // 2])
    assert "truncated" in error_line(folder.run("image", "model.h5"))


def test_replacing_is_said_and_other_files_are_left_alone(folder):
    assert "replaced" not in folder.run("image", "model.h5").stderr
    done = folder.run("image", "model.h5")
    assert done.returncode == 0 and "2 earlier files were replaced" in done.stderr
    foreign = folder.path / "model_image_side.fits"
    fits.PrimaryHDU(np.ones((2, 2))).writeto(foreign, overwrite=True)
    before = foreign.read_bytes()
    assert "model_image_side.fits" in error_line(folder.run("image", "model.h5"))
    assert foreign.read_bytes() == before


def test_check_tells_the_time_of_ray_tracing(program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(MODEL)
    done = folder.run("check", "model.yaml")
    assert done.returncode == 0 and "s of ray tracing on" in done.stdout


def test_a_run_says_that_it_replaces(program, tmp_path):
    folder = Folder(program, tmp_path)
    assert "replaced" not in folder.run("run", "model.yaml", "--packets", "10").stderr
    again = folder.run("run", "model.yaml", "--packets", "10")
    assert again.returncode == 0 and "model.h5: the earlier result was replaced" in again.stderr


def test_a_run_that_fails_does_not_speak_of_replacing(program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(MODEL)
    assert folder.run("run", "model.yaml", "--packets", "10").returncode == 0
    fits.PrimaryHDU(np.ones((2, 2))).writeto(folder.path / "model_side.fits", overwrite=True)
    done = folder.run("run", "model.yaml", "--packets", "10")
    assert done.returncode == 2 and "model_side.fits" in done.stderr and "replaced" not in done.stderr.replace(
        "so it is not replaced", "")


def test_without_packets_nothing_is_made_up(made, program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(MODEL.replace("packets: 2000", "packets: 0"))
    done = folder.run("run", "model.yaml")
    assert done.returncode == 0, done.stderr
    assert "images show unscattered light" in done.stdout and "nan" not in done.stdout
    done = folder.run("run", "model.yaml", "--json", "--quiet")
    summary = json.loads(done.stdout)
    assert summary["packets"] == 0 and summary["f_esc"] is None and summary["quartiles_abs_x"] == [None, None]
    with h5py.File(folder.path / "model.h5") as file:
        assert "spectrum" not in file and "images/front/intensity" in file
        assert "f_esc" not in file["summary"].attrs


def test_the_result_file_describes_its_images(made):
    with h5py.File(made.path / "model.h5") as file:
        front = file["images/front"]
        assert front["intensity"].shape == (24, 16, 16)
        assert front["intensity"].attrs["units"] == "erg/(s cm2 Hz sr)"
        assert front["velocity_edges"][:] == pytest.approx(np.linspace(-60, 60, 25))
        assert len(front["x_edges"]) == 17
        assert front["intensity"][:] * 1e23 == pytest.approx(cube(made, "model_front"), rel=1e-6)
        assert list(file["scene/cameras"].attrs["names"]) == ["front", "side"]
        assert file["scene/cameras/side/emissivity"].shape == (8, 8, 8, 96)  # recorded in channels a quarter as wide
        assert file["scene"].attrs["refined"] == 4
        assert file["scene"].attrs["format"] == 2
        assert "cameras" in file["provenance/model_resolved"].asstr()[()]
        datasets = []
        file.visititems(lambda name, item: datasets.append(item) if isinstance(item, h5py.Dataset) else None)
        assert all({"units", "description"} <= set(item.attrs) for item in datasets)


GAS = """\
mesh: {cells: [6, 5, 4], size: [2 pc, 2 pc, 2 pc]}
line: {molecule: co}
medium:
  temperature: {default: 20 K, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 40 K}]}
  turbulence: 0.5 km/s
  density: {default: 1e-4 cm^-3, regions: [{slab: {axis: y, from: 0.1 pc, to: 1 pc}, value: 1e-3 cm^-3}]}
  velocity: [{default: 0 km/s, regions: [{slab: {axis: z, from: 0 pc, to: 1 pc}, value: 0.4 km/s}]}, 0.3 km/s, 0 km/s]
cameras: [CAMERA]
channels: CHANNELS
image: {background: cmb, spectrum: false, EMISSIVITY}
run: {device: cpu}
output: {populations: true}
"""
FRONT = "{name: one, direction: +z, pixels: 6}"
TURNED = "{name: one, direction: [1, 2, 3], offset: [0.2 pc, 0.1 pc], pixels: 7}"
WIDE, OTHER = "{number: 10, range: [-3 km/s, 3 km/s]}", "{number: 7, range: [-1.1 km/s, 2 km/s]}"


def gas_run(folder, name, camera, channels, emissivity="emissivity: true"):
    text = GAS.replace("CAMERA", camera).replace("CHANNELS", channels).replace("EMISSIVITY", emissivity)
    (folder.path / f"{name}.yaml").write_text(text)
    done = folder.run("run", f"{name}.yaml", "--quiet")
    assert done.returncode == 0, done.stderr


def test_cameras_and_channels_are_free_where_nothing_scatters(folder):
    """Stored gas, seen from another direction in other channels, gives the image of a run that had them from the
    start."""
    gas_run(folder, "model", FRONT, WIDE)
    gas_run(folder, "turned", TURNED, OTHER)
    image(folder, "--set", f"cameras=[{TURNED}]", "--set", f"channels={OTHER}", "-o", "again")
    assert cube(folder, "again_one") == pytest.approx(cube(folder, "turned_one"), rel=1e-5, abs=1e-6)
    more = f"cameras=[{FRONT}, {TURNED.replace('one', 'two')}]"
    assert image(folder, "--set", more, "-o", "both")["cubes"] == ["both_one.fits", "both_two.fits"]
    assert cube(folder, "both_one") == pytest.approx(cube(folder, "model_one"), rel=1e-5, abs=1e-6)


def test_a_column_density_belongs_to_the_run(folder):
    """New images of a run that mapped its column density have no such map."""
    gas_run(folder, "model", FRONT, WIDE, "emissivity: true, column: true")
    assert (folder.path / "model_one_column.fits").exists()
    assert image(folder, "-o", "again")["cubes"] == ["again_one.fits"]
    assert cube(folder, "again_one") == pytest.approx(cube(folder, "model_one"), rel=1e-5, abs=1e-6)
    assert not (folder.path / "again_one_column.fits").exists()


def test_light_from_outside_binds_the_channels(folder):
    """Also where it emits outside the stored channels, and nothing of it is stored."""
    external = "{external: {}, spectrum: {band: {from: 4 km/s, to: 8 km/s}}, luminosity: 1 Lsun}"
    text = GAS.replace("CAMERA", FRONT).replace("CHANNELS", WIDE).replace("EMISSIVITY", "emissivity: true")
    folder.model.write_text(f"{text}sources: [{external}]\n")
    done = folder.run("run", "model.yaml", "--quiet", "--set", "run.packets=0")
    assert done.returncode == 0, done.stderr
    done = folder.run("image", "model.h5", "--set", "channels={number: 8, range: [4 km/s, 8 km/s]}")
    assert done.returncode == 2 and "on these edges" in done.stderr



def test_a_result_without_its_gas_says_what_to_do(folder):
    gas_run(folder, "model", FRONT, WIDE, "emissivity: false")
    line = error_line(folder.run("image", "model.h5", "--set", "cameras.0.direction=+x"))
    assert "run the model again with 'image.emissivity: true' (needed even without packets)" in line
    assert "dataset: populations/fraction" in line


def test_pixels_inside_thick_cells_are_warned_of(folder):
    """Cells of 2/6, 2/5 and 2/4 pc; the image of side z is 2 pc wide. Thin gas and larger pixels are fine."""
    for density, pixels, warned in (("1 cm^-3", 12, True), ("1 cm^-3", 6, False), ("1e-4 cm^-3", 12, False)):
        text = GAS.replace("CAMERA", FRONT.replace("pixels: 6", f"pixels: {pixels}")).replace("CHANNELS", WIDE)
        folder.model.write_text(text.replace("1e-4 cm^-3", density).replace(", EMISSIVITY", ""))
        done = folder.run("run", "model.yaml", "-o", "thick.h5")
        assert done.returncode == 0, done.stderr
        assert ("image 'one': pixels are 0.5 cells wide, and cells have" in done.stderr) == warned, done.stderr
