"""Models with groups of atomic lines: what check says of them, and one clear line for each mistake."""

import subprocess

import h5py
import pytest

MODEL = """\
mesh: {cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc]}
line: cii1335
medium: {temperature: 1e4 K, tau_centre: 10}
sources:
  - {point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}
run: {packets: 100}
"""
ONE = "frequency: 1e15 Hz, einstein_a: 1e8 1/s, degeneracies: [2, 4], mass: 12 u"


def check(program, folder, *settings):
    (folder / "model.yaml").write_text(MODEL)
    words = [word for setting in settings for word in ("--set", setting)]
    return subprocess.run([program, "check", "model.yaml", *words], cwd=folder, capture_output=True, text=True)


def test_check_lists_the_lines(program, tmp_path):
    done = check(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1334.53   1334.532300 A in vacuum, at +0 km/s, A 2.41e+08 1/s, 0.8351 of the decays of its level, opacity 1" \
        in done.stdout
    assert "0.1649 of the decays of its level, absorbs nothing" in done.stdout


def test_check_says_why_packets_do_not_jump(program, tmp_path):
    done = check(program, tmp_path, "line=mgii", "medium.tau_centre=1e5", "run.packets=1e7")
    assert "jumps         none: jumps are for a single line" in done.stdout, done.stderr


@pytest.mark.parametrize("settings, message", [
    (["line=mgi"], "'mgi' is not a known line"),
    (["line={group: mgi}"], "did you mean 'mgii'?"),
    (["line={group: mgii, deuterium: 1e-5}"], "'mgii' has no deuterium; only lyman_alpha_fine has"),
    (["line={group: []}"], "a group needs at least one line"),
    ([f"line={{group: [{{{ONE}}}], deuterium: 1e-5}}"], "this belongs to 'group: lyman_alpha_fine'"),
    ([f"line={{group: [{{{ONE}}}, {{{ONE.replace('1e15', '1.02e15')}}}]}}"],
     "this line is 6e+03 km/s from the first one; lines of a group lie within 3e+03 km/s of it"),
    ([f"line={{group: [{{{ONE}, upper: u}}, {{{ONE.replace('[2, 4]', '[2, 2]')}, upper: u}}]}}"],
     "lines 1 and 2 have the same upper level, but not the same mass and upper weight"),
    ([f"line={{group: [{{{ONE}, abundance: 2}}]}}"], "the abundance of the first line is 1"),
    ([f"line={{group: [{{{ONE}}}, {{einstein_a: 1e8 1/s}}]}}"], "'frequency' is missing"),
    (["physics.redistribution=complete"], "a group of lines needs 'redistribution: exact'"),
    (["physics.acceleration=jumps"], "in a group of lines every scattering is followed; use 'auto' or 'none'"),
    (["physics.acceleration=skip"], "in a group of lines every scattering is followed; use 'auto' or 'none'"),
    (["line={group: lyman_alpha_fine, deuterium: 3e-5}", "medium.turbulence={formula: '1 km/s * r / 1 pc'}"],
     "lines of atoms with different masses need one medium.turbulence for the whole mesh"),
    (["line={group: lyman_alpha_fine, deuterium: 3e-5}", "channels={number: 4, range: [-5 km/s, 5 km/s]}",
      "cameras=[{direction: +z}]"], "images need lines of atoms of one mass"),
    (["line={group: lyman_alpha_fine, deuterium: 3e-5}", "channels={number: 4, range: [-5 km/s, 5 km/s]}",
      "cameras=[{direction: +z}]", "run.packets=0"], "images need lines of atoms of one mass"),
    (["sources=[{thermal: {temperature: 1e4 K}}]", "medium.destruction=0.1"],
     "sources.0: thermal light is that of a single line, and the model has 3"),
    (["sources.0.spectrum=local", "channels={number: 4, range: [-5 km/s, 5 km/s]}", "cameras=[{direction: +z}]"],
     "sources.0: images show this source with the profile of a single line, and the model has 3"),
    (["sources=[{external: {}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}, {thermal: {temperature: 1e4 K}}]",
      "medium.destruction=0.1"], "sources.1: thermal light is that of a single line, and the model has 3"),
])
def test_bad_input_is_one_clear_line(program, tmp_path, settings, message):
    done = check(program, tmp_path, *settings)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("offset", [0.0099, -0.0099])
@pytest.mark.parametrize("speed", [0, 300])
def test_automatic_limits_hold_lines_far_away(program, tmp_path, offset, speed):
    """All light leaves the shells near one of two lines 0.99 % apart: (1 + offset) (1 +- speed / c) nu0."""
    c, b = 299792.458, 1
    lines = "[" + ", ".join(f"{{frequency: {1e15 * (1 + shift):.17g} Hz, einstein_a: 1e8 1/s, degeneracies: [2, 4], "
                            f"mass: 12 u, abundance: {number}, upper: u}}" for shift, number in ((0, 1), (offset, 0))) + "]"
    settings = ["mesh={shells: 4, outer: 1 pc}", f"line={{group: {lines}}}", "output={reference_b: 1 km/s}",
                f"medium={{b: {b} km/s, damping: 1e-6, tau_centre: 10, velocity: {speed} km/s}}",
                "sources=[{volume: {}, spectrum: local, luminosity: 1 photon/s}]"]
    (tmp_path / "model.yaml").write_text(MODEL)
    words = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([program, "run", "model.yaml", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "outside the spectrum" not in done.stderr
    with h5py.File(tmp_path / "model.h5") as result:
        edges = result["spectrum/x_edges"][:]
    reach = (1 + speed / c) * (1 + 4 * b / c) - 1
    assert edges[0] < c * ((1 + min(offset, 0)) * (1 - reach) - 1)
    assert edges[-1] > c * ((1 + max(offset, 0)) * (1 + reach) - 1)


def warnings(program, folder, *settings):
    done = check(program, folder, "cameras=[{direction: +z, pixels: 4}]", "sources.0.spectrum={monochromatic: 0}",
                 *settings)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "warning" in line]


def test_lines_outside_the_channels_are_named(program, tmp_path):
    """Mg II h is c (1 - 2796.352 / 2803.531) = 767.7 km/s to the red of k."""
    (line,) = warnings(program, tmp_path, "line=mgii", "channels={number: 40, range: [-200 km/s, 200 km/s]}")
    assert "1 of the 2 lines lies outside the channels, such as h at +767.7 km/s" in line
    assert warnings(program, tmp_path, "line=mgii", "channels={number: 100, range: [-200 km/s, 1000 km/s]}") == []


@pytest.mark.parametrize("abundance, cut", [(1, True), (1e-4, False)])
def test_lines_that_the_channels_cut_count_with_their_abundance(program, tmp_path, abundance, cut):
    """The channels end at the centre of the second line, 100 km/s to the red. One atom in 1e4 absorbs in it."""
    other = ONE.replace("1e15", repr(1e15 * (1 - 100 / 299792.458)))
    found = warnings(program, tmp_path, f"line={{group: [{{{ONE}}}, {{{other}, abundance: {abundance}}}]}}",
                     "medium.damping=1e-6", "channels={number: 60, range: [-20 km/s, 100.001 km/s]}")
    assert any("cut off the line" in line for line in found) == cut, found
