"""Bad cameras, channels and images: each gives one error line of `linerad check` that names the position and what to
do."""

import pytest

from conftest import MODEL, error_line

CHECK = ("check", "model.yaml")
OPEN = MODEL.replace("faces: {x: open, y: periodic, z: periodic}", "faces: open")
CHANNELS = "channels: {number: 64, range: [-50 km/s, 50 km/s]}"
CAMERA = "cameras: [{direction: +x}]"
N_LINE = len(MODEL.splitlines())


def write(folder, *lines, model=OPEN):
    folder.model.write_text(model + "\n".join(lines) + "\n")


@pytest.fixture
def fails(folder):
    """The error of a model with these lines added; it must name the added line `line`, from 1, or 0 for the mesh."""

    def check(*lines, line, model=OPEN, arguments=()):
        write(folder, *lines, model=model)
        text = error_line(folder.run(*CHECK, *arguments))
        assert f"model.yaml:{N_LINE + line if line else 1}:" in text
        return text

    return check


def with_camera(fails, camera, **options):
    return fails(CHANNELS, f"cameras: [{camera}]", line=2, **options)


def with_image(fails, image, camera=CAMERA, **options):
    return fails(CHANNELS, camera, f"image: {{{image}}}", line=3, **options)


def test_the_model_of_these_tests_is_good_when_left_alone(folder):
    write(folder, CHANNELS.replace("50", "150"), CAMERA)
    done = folder.run(*CHECK)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "64 channels" in done.stdout and "camera1" in done.stdout


# ---- sections ----


def test_cameras_without_channels(fails):
    text = fails(CAMERA, line=1)
    assert "'channels' is missing" in text and "number: 64" in text


@pytest.mark.parametrize("section", [CHANNELS, "image: {unit: K}"])
def test_no_camera_to_see_it(fails, section):
    assert "cameras" in fails(section, line=1)


def test_empty_list_of_cameras(fails):
    assert "cameras" in fails(CHANNELS, "cameras: []", line=2)


@pytest.mark.parametrize("number", ["0", "-3", "1e9", "2.5"])
def test_number_of_channels(fails, number):
    assert "channels.number" in fails(f"channels: {{number: {number}, range: [0 km/s, 1 km/s]}}", CAMERA, line=1)


def test_empty_range_of_channels(fails):
    assert "empty" in fails("channels: {number: 4, range: [1 km/s, 1 km/s]}", CAMERA, line=1)


def test_channels_that_miss_the_line_are_a_warning(folder):
    write(folder, "channels: {number: 4, range: [100 km/s, 200 km/s]}", CAMERA)
    done = folder.run(*CHECK)
    assert done.returncode == 0
    assert done.stderr.startswith(f"linerad: warning: model.yaml:{N_LINE + 1}:")
    assert "miss the line" in done.stderr and "-38.54 to 38.54 km/s" in done.stderr


# ---- cameras ----


@pytest.mark.parametrize("camera, words", [
    ("{name: a}", ["'direction'", "'position'"]),
    ("{direction: +x, theta: 3 deg}", ["theta", "'direction' is also given"]),
    ("{direction: +x, field: 1}", ["field", "no unit", "1 pc"]),
    ("{direction: +x, field: 0 pc}", ["field", "above zero"]),
    ("{direction: +x, pixels: 0}", ["pixels", "between 1"]),
    ("{direction: +x, pixels: [4, 4, 4]}", ["pixels", "found 3"]),
    ("{direction: +x, field: [2 pc, 1 pc], pixels: [64, 64]}", ["not square", "[2 pc, 2 pc]"]),
    ("{direction: +x, rays: 0}", ["rays", "between 1 and 16"]),
    ("{direction: +x, centre: [0 pc, 3 pc, 0 pc], field: 1 pc}", ["field", "does not meet the mesh"]),
    ("{position: [3 pc, 0 pc, 0 pc], centre: [4 pc, 0 pc, 0 pc]}", ["does not meet the mesh", "'position'"]),
    ("{position: [0 pc, 0 pc, 0 pc]}", ["are the same point"]),
    ("{position: [3 pc, 0 pc, 0 pc], direction: +x}", ["looks at its 'centre'"]),
    ("{position: [3 pc, 0 pc, 0 pc], field: 1 pc}", ["field", "not an angle"]),
    ("{position: [3 pc, 0 pc, 0 pc], field: 175 deg}", ["field", "170 deg"]),
    ("{direction: +x, name: a b}", ["name", "'a b'", "letters, digits"]),
    ("{direction: +x, name: a_mom0}", ["name", "a_mom0"]),
    ("{direction: +x, name: a}, {direction: +y, name: a}", ["cameras.1", "'a'", "camera 0"]),
    ("{direction: +x, feild: 1 pc}", ["feild", "'field'"]),
])
def test_camera(fails, camera, words):
    text = with_camera(fails, camera)
    assert all(word in text for word in words), text


def test_more_cameras_than_fit(fails):
    assert "257 cameras" in with_camera(fails, ", ".join(["{direction: +x}"] * 257))


def test_observer_in_an_opaque_cell(fails):
    thick = OPEN.replace("tau_mean: 200", "tau_mean: 2e4")
    text = with_camera(fails, "{position: [0.5 pc, 0.1 pc, 0.1 pc]}", model=thick)
    assert "[12, 1, 1]" in text and "optical depth" in text


# ---- faces ----


def test_reflecting_faces(fails):
    mirror = OPEN.replace("faces: open", "faces: {x-: reflecting}")
    text = fails(CHANNELS, CAMERA, line=0, model=mirror)
    assert "reflecting" in text and "whole object" in text


def test_periodic_along_all_axes(fails):
    endless = OPEN.replace("faces: open", "faces: periodic").replace("damping: 0.149", "destruction: 0.1")
    assert "periodic along all axes" in fails(CHANNELS, CAMERA, line=0, model=endless)


@pytest.mark.parametrize("camera", ["{direction: +y}", "{direction: [0, 1, 2]}", "{theta: 90 deg, phi: 90 deg}"])
def test_direction_that_never_leaves_a_periodic_mesh(fails, camera):
    assert "never leaves" in with_camera(fails, camera, model=MODEL)


# ---- image ----


@pytest.mark.parametrize("image, words", [
    ("unit: Jy", ["unit", "'Jy'", "Jy/beam"]),
    ("unit: Jy/pixel", ["Jy/pixel", "'distance'"]),
    ("unit: Jy/beam, distance: 1 kpc", ["Jy/beam", "'beam'"]),
    ("unit: Jy/beam, beam: 5 arcsec", ["'distance'"]),
    ("beam: 5 arcsec", ["'distance'"]),
    # 1 pc in 128 pixels at 1 kpc is 1.611 arcsec
    ("beam: 1.5 arcsec, distance: 1 kpc", ["beam of 1.5 arcsec", "1.611 arcsec"]),
    ("beam: {major: 5 arcsec, minor: 1 arcsec}, distance: 1 kpc", ["beam of 1 arcsec", "1.611 arcsec"]),
    ("beam: {major: 1 arcsec, minor: 5 arcsec}, distance: 1 kpc", ["wider than the major axis"]),
    ("beam: -1 arcsec, distance: 1 kpc", ["beam", "above zero"]),
    ("distance: -1 pc", ["distance", "above zero"]),
    ("position: {ra: 1 deg, dec: -91 deg}", ["dec", "-90 and 90"]),
    ("position: {ra: 400 deg, dec: 0 deg}", ["ra", "360"]),
    ("velocity: 3e6 km/s", ["velocity", "speed of light"]),
    ("background: -1 K", ["background", "cmb"]),
    ("background: warm", ["background", "'warm'", "cmb"]),
    ("subcell: maybe", ["subcell", "'maybe'"]),
    ("moments: 3", ["moments", "true"]),
    ("method: ray", ["method", "peel-off"]),
    ("method: peel-off, emissivity: true", ["emissivity", "two-step"]),
    ("beem: 3 arcsec", ["beem", "'beam'"]),
])
def test_image(fails, image, words):
    text = with_image(fails, image)
    assert all(word in text for word in words), text


def test_peel_off_with_an_observer_nearby(fails):
    camera = "cameras: [{position: [5 pc, 0 pc, 0 pc], name: near}]"
    text = with_image(fails, "method: peel-off", camera=camera)
    assert "peel-off" in text and "'near'" in text


@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_peel_off_on_a_gpu(fails, device):
    text = with_image(fails, "method: peel-off", arguments=("--set", f"run.device={device}"))
    assert "peel-off" in text and "CPU" in text


# ---- run and sources ----


def test_no_packets_without_cameras(folder):
    folder.change_model("packets: 1000", "packets: 0")
    text = error_line(folder.run(*CHECK))
    assert "model.yaml:5:" in text and "between 1 and" in text


def test_no_packets_with_cameras(folder):
    write(folder, CHANNELS, CAMERA, model=OPEN.replace("packets: 1000", "packets: 0"))
    done = folder.run(*CHECK)
    assert done.returncode == 0 and "no packets" in done.stdout, done.stderr


@pytest.mark.parametrize("medium, source, words", [
    ("temperature: 1e4 K", "{thermal: {}}", ["thermal", "'medium.destruction'"]),
    ("b: 1 km/s, destruction: 0.1", "{thermal: {}}", ["thermal", "no temperature", "20 K"]),
    ("b: 1 km/s, destruction: 0.1", "{thermal: {temperature: 9 K}, spectrum: local}", ["spectrum", "the gas already"]),
    ("b: 1 km/s, destruction: 0.1", "{thermal: {temperature: 9 K}, flux: 1}", ["flux", "the gas already"]),
    ("b: 1 km/s, destruction: 0.1", "{thermal: {temperature: 9}}", ["temperature", "9 K"]),
])
def test_thermal_source(folder, medium, source, words):
    lines = OPEN.splitlines()
    lines[2] = f"medium: {{{medium}, tau_mean: 200}}"
    lines[3] = f"sources: [{source}]"
    folder.model.write_text("\n".join(lines) + "\n")
    text = error_line(folder.run(*CHECK))
    assert "model.yaml:4:" in text and all(word in text for word in words), text


PERIODIC = "mesh: {cells: [4, 2, 2], size: [2 pc, 1 pc, 1 pc], faces: {y: periodic, z: periodic}}"


@pytest.mark.parametrize("camera, image, words", [
    ("{position: [3 pc, 0 pc, 0 pc]}", "{}", ["position", "open faces"]),
    ("{direction: [0.0005, 1, 0]}", "{}", ["never leaves the periodic mesh"]),
    ("{direction: +x}", "{method: peel-off}", ["peel-off", "periodic"]),
])
def test_periodic_mesh(folder, camera, image, words):
    write(folder, CHANNELS, CAMERA)
    done = folder.run("check", "model.yaml", "--set", PERIODIC.replace("mesh: ", "mesh="), "--set", f"cameras=[{camera}]",
                      "--set", f"image={image}")
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr


def test_cubes_that_do_not_fit(folder):
    """Rejected before the packets are run, not after."""
    write(folder, CHANNELS, CAMERA)
    done = folder.run("run", "model.yaml", "--set", "cameras=[{name: huge, direction: +x, pixels: 4096}]", "--set",
                      "run.memory=0.01")
    assert done.returncode == 2
    assert "huge" in done.stderr and "fewer" in done.stderr and not list(folder.path.glob("*.h5"))
