"""Several lines of a molecule in one model: which are meant, what `check` says about them, and what is refused."""

import pytest
from astropy.io import fits

# Two rotational levels with hyperfine structure: labels J_F. Lines 1 to 3 are 4.8 and 7.1 km/s apart.
HFS = """\
!
HXN test
!
27.0
!
6
!
1 0.000000000 3.0 00_01
2 2.956392439 3.0 01_01
3 2.956440202 5.0 01_02
4 2.956509857 1.0 01_00
5 8.869146454 5.0 02_02
6 8.869197913 7.0 02_03
!
5
!
1 2 1 2.407e-05 88.63041560
2 3 1 2.407e-05 88.63184750
3 4 1 2.408e-05 88.63393570
4 5 3 5.778e-05 177.25967930
5 6 3 2.311e-04 177.26122200
"""
MODEL = """\
mesh: {cells: [4, 4, 4], size: [1 pc, 1 pc, 1 pc]}
line: {molecule: hxn.dat, transition: 1-0}
medium: {temperature: 20 K, density: 1e-3 cm^-3}
cameras: [{name: z, direction: +z, pixels: 4}]
channels: {range: [-12 km/s, 12 km/s], number: 48}
"""


@pytest.fixture
def model(folder):
    (folder.path / "hxn.dat").write_text(HFS)
    folder.model.write_text(MODEL)
    return folder


def changed(model, *settings):
    return model.run("check", "model.yaml", *(word for setting in settings for word in ("--set", setting)))


@pytest.mark.parametrize("transition", ["1-0", "01-00", "[1, 2, 3]", "[01_01-00_01, 2, 01_00-00_01]",
                                        "all, line.range=[88.6 GHz, 88.7 GHz]"])
def test_check_lists_the_lines(model, transition):
    first, *more = transition.split(", line.")
    done = changed(model, f"line.transition={first}", *(f"line.{m}" for m in more))
    assert done.returncode == 0, done.stderr
    assert "lines       3 seen together; velocities and tau_c are those of the first" in done.stdout
    rows = [line for line in done.stdout.splitlines() if "% of all g_u A" in line]
    assert [row.split()[0] for row in rows] == ["2", "1", "3"]  # the strongest first
    assert "01_01-00_01, 88.630416 GHz, at +4.843 km/s" in rows[1]
    assert "33.3 %" in rows[1] and "55.6 %" in rows[0] and "11.1 %" in rows[2]
    assert "left out" not in done.stderr


def test_parts_of_a_multiplet(model):
    """What is given of a label may be as much as is needed: of J = 1 only one level has F = 2."""
    done = changed(model, "line.transition=1_2-0")
    assert done.returncode == 0, done.stderr
    assert "seen together" not in done.stdout
    assert "2 other lines of HXN test lie within the channels and are left out" in done.stderr


def test_reference_sets_the_frequency_axis(model):
    done = model.run("run", "model.yaml", "-o", "out.h5", "--set", "line.reference=3", "--quiet")
    assert done.returncode == 0, done.stderr
    names = list(model.path.glob("*z*.fits"))
    assert names, list(model.path.iterdir())
    assert fits.getheader(names[0])["RESTFRQ"] == pytest.approx(88.63393570e9, rel=1e-12)


@pytest.mark.parametrize("settings, message", [
    (["line.transition=[1, 4]"], "lines 4 and 1 of HXN test do not overlap: 177.259679 and 88.630416 GHz are more than "
                                 "1 % apart; list them in 'lines' as separate lines"),
    (["line.transition=5-4"], "HXN test has no line '5-4'; it has 01_01-00_01, "),
    (["line.transition=[1, 2, 1-0]"], "line 1 of HXN test is given twice"),
    (["line.transition=[1, 9]"], "'9' must lie between 1 and 5, the number of lines of HXN test"),
    (["line.transition=[]"], "the list is empty"),
    (["line.transition=all"], "all lines of which frequencies? Add for example range: [88.6 GHz, 88.7 GHz]"),
    (["line.range=[88 GHz, 89 GHz]"], "range: this goes with 'transition: all'"),
    (["line.transition=all", "line.range=[90 GHz, 91 GHz]"], "HXN test has no line from 90 to 91 GHz"),
    (["line.transition=all", "line.range=[90 GHz]"], "expected two frequencies [from, to], found 1"),
    (["line.transition=all", "line.range=[90 km/s, 91 GHz]"], "'90 km/s'"),
    (["line.reference=4"], "line 4 is not one of those in 'transition'"),
    (["line.reference=1-0"], "'1-0' means 3 lines; name one of them, or give its number"),
    (["sources=[{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]"], "packets are followed through a single line of a molecule, and these are 3; choose one, or a run "
                                "without packets"),
    (["image={emissivity: true}"], "a stored emissivity is that of a single line, and the model has 3"),
])
def test_bad_input_is_one_clear_line(model, settings, message):
    done = changed(model, *settings)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_lines_outside_the_channels_are_named(model):
    done = changed(model, "channels.range=[-1 km/s, 6 km/s]")
    assert done.returncode == 0, done.stderr
    assert "1 of the 3 lines lies outside the channels, such as 01_00-00_01 at -7.063 km/s" in done.stderr


def test_channels_need_not_show_the_reference(model):
    """One component alone: nothing is cut off, and the others are said to be outside."""
    done = changed(model, "channels.range=[-8 km/s, -6 km/s]")
    assert done.returncode == 0, done.stderr
    assert "miss the line" not in done.stderr and "cut off" not in done.stderr
    assert "2 of the 3 lines lie outside the channels" in done.stderr
    done = changed(model, "channels.range=[-7.1 km/s, -6 km/s]")
    assert "cut off the line" in done.stderr


def test_populations_without_overlap_are_said_to_be(model):
    (model.path / "hxn.dat").write_text(HFS + "!\n1\n!\n1 made up\n!\n1\n!\n1\n!\n10\n!\n1 2 1 1e-10\n")
    for overlap in (True, False):
        done = changed(model, f"populations={{method: lvg, overlap: {str(overlap).lower()}}}",
                       "medium.colliders={H2: 1e5 cm^-3}",
                       "medium.velocity=[0 km/s, 0 km/s, {formula: '1 km/s * z / 1 pc'}]")
        assert done.returncode == 0, done.stderr
        assert ("as if the lines did not overlap" in done.stderr) != overlap


def test_lines_that_excite_each_other_are_listed(model):
    (model.path / "hxn.dat").write_text(HFS + "!\n1\n!\n1 made up\n!\n1\n!\n1\n!\n10\n!\n1 2 1 1e-10\n")
    gas = ["medium.colliders={H2: 1e5 cm^-3}", "medium.velocity=[0 km/s, 0 km/s, {formula: '10 km/s * z / 1 pc'}]"]
    done = changed(model, "populations=equilibrium", *gas)
    assert done.returncode == 0, done.stderr
    assert "lines see each other's light" in done.stdout
    done = changed(model, "populations={method: equilibrium, overlap: false}", *gas)
    assert done.returncode == 0 and "see each other" not in done.stdout
