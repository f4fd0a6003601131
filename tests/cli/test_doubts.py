"""`linerad check` warns of models that are valid but hardly meant."""

import pytest

MODEL = """\
mesh: {cells: [8, 8, 8], size: [2 pc, 2 pc, 2 pc]}
line: {molecule: co, transition: 1-0}
medium: {temperature: 20 K, turbulence: 0.5 km/s, density: 1e-4 cm^-3, velocity: [0 km/s, 0 km/s, 2 km/s]}
channels: {number: 20, range: [-4 km/s, 4 km/s]}
cameras: [{name: top, direction: +z, pixels: 8}]
image: {distance: 100 pc}
run: {packets: 0}
"""


def warnings(folder, *settings):
    folder.model.write_text(MODEL)
    options = [word for setting in settings for word in ("--set", setting)]
    done = folder.run("check", "model.yaml", *options)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "warning" in line]


def test_a_good_model_has_none(folder):
    assert warnings(folder) == []


def test_channels_that_cut_the_line(folder):
    """Seen from above, the gas approaches at 2 km/s: half of the line is below -2 km/s."""
    (line,) = warnings(folder, "channels.range=[-2 km/s, 4 km/s]")
    assert "the channels, -2 to 4 km/s, cut off the line: as seen by camera 'top'" in line
    assert "about 50 % of it is outside" in line
    (line,) = warnings(folder, "channels.range=[1 km/s, 4 km/s]")
    assert "the channels miss the line" in line
    assert warnings(folder, "channels.range=[1 km/s, 4 km/s]", "cameras.0.direction=-z") == []


def test_channels_that_cut_a_broadened_line(folder):
    """Scattering makes the line of deep gas wider than its Doppler profile."""
    lya = "medium={temperature: 1e4 K, tau_mean: 1e4}"
    source = "sources=[{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: local, luminosity: 1 photon/s}]"
    common = ("line=lya", source, "run.packets=10")
    assert warnings(folder, *common, lya, "channels.range=[-200 km/s, 200 km/s]") == []
    (line,) = warnings(folder, *common, lya, "channels.range=[-30 km/s, 30 km/s]")
    assert "cut off the line" in line


def test_a_beam_larger_than_the_image(folder):
    (line,) = warnings(folder, "image.beam=3 deg")
    assert "the beam of 1.08e+04 arcsec is larger than the image of camera 'top', 4125 arcsec" in line


def test_memory_that_is_not_there(folder):
    (line,) = warnings(folder, "channels.number=100000", "cameras.0.pixels=16384")
    assert "the run needs about 1e+05 GiB of memory" in line and "this machine has" in line


@pytest.mark.parametrize("direction", ["+x", "+y"])
def test_only_the_velocity_along_the_line_of_sight_counts(folder, direction):
    assert warnings(folder, f"cameras.0.direction={direction}", "channels.range=[-1.6 km/s, 1.6 km/s]") == []
