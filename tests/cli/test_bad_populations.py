"""Invalid molecules and level populations: each gives one error line of `linerad check` that names the position and
what to do."""

import h5py
import numpy as np
import pytest

from conftest import error_line

TOY = """!MOLECULE
toy
!MASS
28
!LEVELS
3
!LEVEL ENERGY WEIGHT J
1 0.0 1 0
2 3.845 3 1
3 11.535 5 2
!LINES
2
!LINE UPPER LOWER A GHZ K
1 2 1 7.2e-8 115.27 5.53
2 3 2 6.9e-7 230.54 16.6
"""
RATES = """!PARTNERS
1
!PARTNER
1 toy with H2
!RATES
3
!TEMPERATURES
2
!TEMPERATURES
10 100
!RATE UPPER LOWER
1 2 1 3e-11 3e-11
2 3 1 2e-11 2e-11
3 3 2 4e-11 4e-11
"""
MODEL = {
    "mesh": "{cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}",
    "line": "{molecule: toy.dat, transition: 1-0}",
    "medium": "{temperature: 20 K, b: 1 km/s, density: 1e-4 cm^-3, colliders: {H2: 1e4 cm^-3}}",
}


def text_of(sections):
    return "".join(f"{name}: {value}\n" for name, value in sections.items() if value is not None)


@pytest.fixture
def toy(folder):
    """Writes the molecule and a model with sections changed (None leaves one out), and checks it."""

    def check(rates=True, command=("check",), **sections):
        folder.model.write_text(text_of(MODEL | sections))
        (folder.model.parent / "toy.dat").write_text(TOY + (RATES if rates else ""))
        return folder.run(command[0], "model.yaml", *command[1:])

    return check


@pytest.fixture
def fails(toy):
    """The error line; it must name the line of the file where this section is."""

    def check(section, **options):
        done = toy(**options)
        line = error_line(done)
        changed = {name: value for name, value in options.items() if name not in ("rates", "command")}
        sections = [name for name, value in (MODEL | changed).items() if value is not None]
        assert f"model.yaml:{sections.index(section) + 1}:" in line, line
        assert done.returncode == 2
        return line

    return check


@pytest.mark.parametrize("method", ["lte", "lvg", "{method: escape-probability, length: 1 pc}", "two-level"])
def test_the_model_of_these_tests_is_good_when_left_alone(toy, method):
    done = toy(populations=method)
    assert done.returncode == 0, done.stderr
    assert "toy: 3 levels, 2 lines" in done.stdout and "partition function" in done.stdout
    assert "with stimulated emission" in done.stdout and "without (factor" in done.stdout


# ---- the molecule and its line ----


def test_no_such_molecule(fails):
    line = fails("line", line="{molecule: xyz.dat}")
    assert "line.molecule" in line and "xyz.dat" in line and "LAMDA" in line


def test_no_such_transition(fails):
    line = fails("line", line="{molecule: toy.dat, transition: 5-4}")
    assert "no line '5-4'" in line and "1-0, 2-1" in line


@pytest.mark.parametrize("number", [0, 3, -1])
def test_number_of_a_line_that_is_not_there(fails, number):
    assert "between 1 and 2" in fails("line", line=f"{{molecule: toy.dat, transition: {number}}}")


def test_key_of_a_line_without_a_molecule(fails):
    assert "unknown key" in fails("line", line="{molecule: toy.dat, frequency: 115 GHz}")


ROTOR = "b: 57.635968 GHz, d: 183.5 kHz, dipole: 0.11011 debye, mass: 28 u"


def test_rotor_is_good(toy):
    done = toy(line=f"{{rotor: {{{ROTOR}, highest_j: 20}}, transition: 1-0}}")
    assert done.returncode == 0, done.stderr
    assert "rotor: 21 levels, 20 lines" in done.stdout and "115.27" in done.stdout


def test_molecule_and_rotor(fails):
    line = fails("line", line=f"{{molecule: toy.dat, rotor: {{{ROTOR}}}}}")
    assert "line.rotor" in line and "'molecule' is also given" in line
    assert "model.yaml:2:27:" in line


@pytest.mark.parametrize("change, told", [
    (("b: 57.635968 GHz", "b: 57 km"), "line.rotor.b"),
    (("dipole: 0.11011 debye", "dipole: 0.11011"), "write for example '0.11011 debye'"),
    (("mass: 28 u", "highest_j: 3"), "'mass' is missing"),
    (("d: 183.5 kHz", "d: 183.5 GHz"), "does not lie above"),
    (("d: 183.5 kHz", "dd: 183.5 kHz"), "unknown key"),
])
def test_bad_rotor(fails, change, told):
    assert told in fails("line", line=f"{{rotor: {{{ROTOR.replace(*change)}}}}}")


def test_rotor_has_no_rates(fails):
    text = fails("line", line=f"{{rotor: {{{ROTOR}}}}}", populations="lvg")
    assert "no collision rates" in text and "(LAMDA), line: {molecule: FILE.dat}, or 'populations: lte'" in text


# ---- the medium ----


@pytest.mark.parametrize("key", ["opacity: 1 1/pc", "tau_mean: 5", "tau_centre: 5", "upper_density: 1 cm^-3"])
def test_opacity_of_a_molecule_is_not_given(fails, key):
    line = fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, %s}" % key)
    assert f"medium.{key.split(':')[0]}" in line and "follows from" in line


@pytest.mark.parametrize("key", ["abundance: 1e-4", "colliders: {H2: 1 cm^-3}", "collider_rates: {H: H2}",
                                 "dust_temperature: 20 K"])
def test_keys_that_only_a_molecule_has(fails, key):
    line = fails("medium", line="co10", medium="{temperature: 20 K, opacity: 1 1/pc, %s}" % key,
                 sources="[{volume: {}, spectrum: {local: {}}, luminosity: 1 photon/s}]")
    assert f"medium.{key.split(':')[0]}" in line and "only a molecule" in line


def test_no_temperature(fails):
    assert "'temperature' is missing" in fails("medium", medium="{b: 1 km/s, density: 1 cm^-3}")


def test_no_density(fails):
    assert "'density' or 'abundance'" in fails("medium", medium="{temperature: 20 K}")


def test_density_twice(fails):
    assert "is also given" in fails(
        "medium", medium="{temperature: 20 K, density: 1 cm^-3, abundance: 1e-4, colliders: {H2: 1 cm^-3}}")


@pytest.mark.parametrize("colliders", ["", ", colliders: {e: 1 cm^-3}"])
def test_abundance_of_nothing(fails, colliders):
    assert "relative to H2" in fails("medium", medium="{temperature: 20 K, abundance: 1e-4%s}" % colliders)


def test_h2_twice(fails):
    assert "not both" in fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, colliders: {H2: 1 cm^-3, "
                                                "p-H2: 1 cm^-3}}")


def test_unknown_collider(fails):
    line = fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, colliders: {H3: 1 cm^-3}}")
    assert "medium.colliders.H3" in line and "unknown key" in line


def test_no_collider(fails):
    assert "no collider" in fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, colliders: {}}")


def test_rates_for_a_collider_that_is_not_there(fails):
    assert "no 'He'" in fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, colliders: {H2: 1 cm^-3}, "
                                               "collider_rates: {He: H2}}")


def test_dust_without_absorption(fails):
    assert "needs 'absorption'" in fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, "
                                                          "dust_temperature: 20 K}")


def test_destruction_of_gas_that_shines(fails):
    assert "part of the level populations" in fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, destruction: 0.5}")


# ---- methods ----


@pytest.mark.parametrize("method", ["lvg", "equilibrium", "two-level", "{method: escape-probability, length: 1 pc}"])
def test_rates_are_missing(fails, method):
    line = fails("line", rates=False, populations=method)
    assert "no collision rates" in line


def test_lte_needs_no_rates(toy):
    assert toy(rates=False).returncode == 0


def test_colliders_are_missing(fails):
    line = fails("medium", medium="{temperature: 20 K, density: 1 cm^-3}", populations="lvg")
    assert "'colliders' is missing" in line and "lvg" in line


def test_collider_without_rates(fails):
    line = fails("medium", medium="{temperature: 20 K, density: 1 cm^-3, colliders: {e: 1 cm^-3}}", populations="lvg")
    assert "medium.colliders" in line


def test_populations_without_a_molecule(fails):
    assert "only a molecule" in fails("populations", line="co10", medium="{temperature: 20 K, opacity: 1 1/pc}",
                                      sources="[{volume: {}, spectrum: {local: {}}, luminosity: 1 photon/s}]",
                                      populations="lte")


def test_unknown_method(fails):
    line = fails("populations", populations="magic")
    assert "lte, given, two-level, lvg, escape-probability, equilibrium" in line


@pytest.mark.parametrize("method, key", [("lte", "error: 1e-3"), ("lte", "background: 3 K"), ("lvg", "length: 1 pc"),
                                         ("lvg", "directions: 8"), ("lvg", "file: x.h5"), ("two-level", "length: 1 pc"),
                                         ("two-level", "overlap: true")])
def test_keys_of_other_methods(fails, method, key):
    line = fails("populations", populations=f"{{method: {method}, {key}}}")
    assert f"populations.{key.split(':')[0]}" in line and f"does not apply to 'populations: {method}'" in line


@pytest.mark.parametrize("value, text", [("error: 0", "between"), ("iterations: 0", "between"),
                                         ("background: -1 K", "negative"), ("background: 3", "no unit"),
                                         ("inversion_limit: -1", "between")])
def test_bad_numbers(fails, value, text):
    assert text in fails("populations", populations=f"{{method: lvg, {value}}}")


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("mesh, number, told", [
    ("{cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}", 5, "between 6 and 100000"),
    ("{cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}", 100001, "between 6 and 100000"),
    ("{cells: [4, 1, 1], size: [1 pc, 1 pc, 1 pc], faces: {x: open, y: periodic, z: periodic}}", 1, "between 2 and 128"),
    ("{cells: [4, 1, 1], size: [1 pc, 1 pc, 1 pc], faces: {x: open, y: periodic, z: periodic}}", 129, "between 2 and 128"),
    ("{shells: 3, outer: 1 pc}", 65, "between 1 and 64"),
    ("{shells: 3, outer: 1 pc}", -1, "between 1 and"),
    ("{shells: 3, outer: 1 pc}", "many", "number"),
])
def test_number_of_directions(fails, command, mesh, number, told):
    line = fails("populations", command=(command,), mesh=mesh,
                 populations=f"{{method: equilibrium, directions: {number}}}")
    assert "model.yaml:4:" in line and "populations.directions" in line and told in line


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("faces, told", [("{x-: reflecting}", "not reflecting"), ("periodic", "rays have no starting point")])
def test_faces_that_equilibrium_cannot_have(fails, command, faces, told):
    line = fails("mesh", command=(command,), mesh=f"{{cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc], faces: {faces}}}",
                 populations="equilibrium")
    assert "mesh.faces" in line and told in line


@pytest.mark.parametrize("method", ["lvg", "escape-probability, length: 1 pc", "equilibrium", "two-level"])
def test_rates_and_opacities_agree_on_stimulated_emission(fails, toy, method):
    line = fails("populations", populations=f"{{method: {method}, stimulated: false}}")
    assert "populations.stimulated" in line and "always includes stimulated emission" in line
    assert toy(populations=f"{{method: {method}, stimulated: true}}").returncode == 0


@pytest.mark.parametrize("populations", ["escape-probability", "{method: escape-probability}"])
def test_length_is_missing(fails, populations):
    assert "length" in fails("populations", populations=populations)


# ---- given populations ----


def give(folder, values, units=None):
    with h5py.File(folder.model.parent / "x.h5", "w") as file:
        file["x"] = values
        if units:
            file["x"].attrs["units"] = units


GIVEN = "{method: given, file: x.h5, dataset: x}"


def test_given_needs_a_file(fails):
    assert "needs a file" in fails("populations", populations="given")


def test_given_shape(fails, folder):
    give(folder, np.ones((2, 2, 2, 4)) / 4)
    assert "(2, 2, 2, 4)" in (line := fails("populations", populations=GIVEN)) and "(2, 2, 2, 3)" in line


@pytest.mark.parametrize("cell, text", [([0.5, 0.4, 0.2], "add up to 1"), ([1.5, -0.5, 0], "negative"),
                                        ([np.nan, 0, 1], "not finite")])
def test_given_fractions(fails, folder, cell, text):
    x = np.full((2, 2, 2, 3), 1 / 3)
    x[1, 0, 1] = cell
    give(folder, x)
    assert text in (line := fails("populations", populations=GIVEN)) and "[1, 0, 1]" in line


def test_given_densities_say_the_density(fails, folder):
    give(folder, np.ones((2, 2, 2, 3)), "cm^-3")
    assert "holds densities" in fails("medium", populations=GIVEN)


def test_given_in_a_wrong_unit(fails, folder):
    give(folder, np.ones((2, 2, 2, 3)), "K")
    assert "units 'K'" in fails("populations", populations=GIVEN)


# ---- sources and packets ----


def test_packets_of_gas_that_shines(fails):
    line = fails("run", run="{packets: 1000}")
    assert "run.packets" in line and "contain all scattering already" in line


def test_packets_are_needed_for_two_levels(fails):
    assert "run.packets is 0" in fails("populations", populations="two-level", run="{packets: 0}")


def test_core_skipping_of_two_levels(fails):
    line = fails("physics", populations="two-level", physics="{acceleration: skip}")
    assert "physics.acceleration" in line and "'populations: two-level'" in line


def test_gas_of_a_named_line(fails):
    assert "only a molecule" in fails("sources", line="co10", medium="{temperature: 20 K, opacity: 1 1/pc}",
                                      sources="[{gas: {}}]")


def test_gas_twice(fails):
    assert "only one 'gas' source" in fails("sources", sources="[{gas: {}}, {gas: {}}]")


def test_gas_and_two_levels(fails):
    assert "use 'thermal'" in fails("sources", sources="[{gas: {}}]", populations="two-level")


def test_two_levels_colder_than_their_surroundings(fails):
    line = fails("populations", populations="{method: two-level, background: 50 K}")
    assert "colder than the background" in line


def test_destruction_of_two_levels(fails):
    assert "from collisions" in fails("medium", populations="two-level", medium="{temperature: 20 K, density: 1 cm^-3, "
                                      "colliders: {H2: 1 cm^-3}, destruction: 0.5}")


def test_background_behind_two_levels(fails):
    assert "excess over populations.background" in fails(
        "image", populations="two-level", cameras="[{direction: +z}]",
        channels="{number: 1, range: [-1 km/s, 1 km/s]}", image="{background: cmb}")


def test_no_sources_of_a_named_line(toy):
    line = error_line(toy(line="co10", medium="{temperature: 20 K, opacity: 1 1/pc}"))
    assert "the key 'sources' is missing" in line


def test_levels_of_a_named_line(fails):
    assert "this needs a molecule" in fails("output", line="co10", medium="{temperature: 20 K, opacity: 1 1/pc}",
                                                 sources="[{volume: {}, spectrum: {local: {}}, luminosity: 1 photon/s}]",
                                                 output="{populations: true}")


# ---- warnings ----


def test_missing_stimulated_emission_is_said(toy):
    done = toy(populations="{stimulated: false}")
    assert done.returncode == 0 and "by a factor of 4.13" in done.stderr and "it is left out" in done.stdout


def test_temperatures_beyond_the_rates_are_said(toy):
    done = toy(populations="lvg", medium="{temperature: 500 K, b: 1 km/s, density: 1 cm^-3, colliders: {H2: 1 cm^-3}}")
    assert done.returncode == 0 and "exceeds the temperature range" in done.stderr


def test_summary_of_a_run(toy):
    done = toy(populations="lvg", command=("run", "-o", "result.h5"))
    assert done.returncode == 0, done.stderr
    assert "level populations       lvg, " in done.stdout and "estimated error" in done.stdout


# ---- stars, and sources that excite nothing ----

STAR = "{star: {position: [0 pc, 0 pc, 0 pc], radius: 1 Rsun, temperature: 5000 K}}"
POINT = "{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}"
OTHERS = {
    "point": POINT,
    "plane": "{plane: {axis: x, at: 0 pc}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}",
    "volume": "{volume: {}, spectrum: {local: {}}, luminosity: 1 photon/s}",
    "external": "{external: {}, spectrum: {band: {from: -1, to: 1}}, luminosity: 1 photon/s}",
}


@pytest.fixture
def fails_at(fails):
    """The error line of a model with bad sources; it must name this position."""

    def check(place, **options):
        line = fails("sources", **options)
        assert f" {place}: " in line, line
        return line

    return check


def test_a_star(toy):
    done = toy(populations="equilibrium", sources=f"[{{gas: {{}}}}, {STAR}]")
    assert done.returncode == 0, done.stderr
    assert "star of 5000 K and radius 1 Rsun at [0, 0, 0] pc" in done.stdout


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("gas", ["", "{gas: {}}, "])
def test_sources_that_do_not_excite(fails_at, kind, gas):
    line = fails_at(f"sources.{1 if gas else 0}", populations="equilibrium", sources=f"[{gas}{OTHERS[kind]}]")
    assert "would not excite the levels" in line and "Make it a 'star'" in line


@pytest.mark.parametrize("method", ["lvg", "{method: escape-probability, length: 1 pc}"])
@pytest.mark.parametrize("source", [STAR, POINT])
def test_sources_with_escape_probability(fails_at, method, source):
    line = fails_at("sources.1", populations=method, sources=f"[{{gas: {{}}}}, {source}]")
    assert "only populations.background excites the levels" in line


def test_point_source_behind_levels_that_are_known(toy):
    assert toy(populations="lte", sources=f"[{{gas: {{}}}}, {POINT}]").returncode == 0


def test_star_without_gas(fails_at):
    assert "add '- gas: {}'" in fails_at("sources.0", populations="equilibrium", sources=f"[{STAR}]")


def test_star_of_a_named_line(fails_at):
    assert "use a 'point'" in fails_at("sources.0", line="co10", medium="{temperature: 20 K, opacity: 1 1/pc}",
                                       sources=f"[{STAR}]")


def test_star_with_a_spectrum(fails_at):
    star = STAR.replace("}}", "}, spectrum: local}")
    assert "temperature of the star already sets this" in fails_at(
        "sources.1.spectrum", populations="equilibrium", sources=f"[{{gas: {{}}}}, {star}]")


@pytest.mark.parametrize("old, new, where, words", [
    ("radius: 1 Rsun", "radius: 0 Rsun", "radius", "must be above zero"),
    ("radius: 1 Rsun", "radius: 0.3 pc", "radius", "half the size of its cell"),
    ("radius: 1 Rsun, ", "", None, "'radius' is missing"),
    ("5000 K", "0 K", "temperature", "must be above zero"),
    ("5000 K", "5000 pc", "temperature", "temperature"),
    (", temperature: 5000 K", "", None, "'temperature' is missing"),
    ("[0 pc, 0 pc, 0 pc]", "[0 pc, 0 pc, 2 pc]", "position", "outside the mesh"),
    ("5000 K", "5000 K, colour: red", "colour", "unknown key"),
])
def test_impossible_stars(fails_at, old, new, where, words):
    place = "sources.1.star" + (f".{where}" if where else "")
    assert words in fails_at(place, populations="equilibrium", sources=f"[{{gas: {{}}}}, {STAR.replace(old, new)}]")


def test_star_in_a_periodic_mesh(fails_at):
    assert "make all faces open" in fails_at(
        "sources.1.star", populations="equilibrium", sources=f"[{{gas: {{}}}}, {STAR}]",
        mesh="{cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc], faces: {x: periodic}}")


@pytest.mark.parametrize("inner, words", [("0.1 pc", "the inner radius of the shells"), ("0 pc", "half of the first shell")])
def test_star_larger_than_its_place_in_shells(fails_at, inner, words):
    star = STAR.replace("1 Rsun", "0.2 pc")
    assert words in fails_at("sources.1.star.radius", populations="equilibrium", sources=f"[{{gas: {{}}}}, {star}]",
                             mesh=f"{{shells: 4, inner: {inner}, outer: 1 pc}}")


# ---- gas that cannot be meant ----

BOX = "regions: [{box: {min: [0 pc, 0 pc, 0 pc], max: [1 pc, 1 pc, 1 pc]}"  # cell [1, 1, 1]
ZERO = f"temperature: {{default: 20 K, {BOX}, value: 0 K}}]}}, b: 1 km/s"


@pytest.mark.parametrize("method", ["lte", "lvg"])
def test_gas_needs_a_temperature_above_zero(toy, fails, method):
    medium = f"{{{ZERO}, density: 1e-4 cm^-3, colliders: {{H2: 1e4 cm^-3}}}}"
    line = fails("medium", medium=medium, populations=method)
    assert "the temperature is 0 K at cell [1, 1, 1], which contains gas" in line
    empty = medium.replace("density: 1e-4 cm^-3", f"density: {{default: 1e-4 cm^-3, {BOX}, value: 0 cm^-3}}]}}")
    done = toy(medium=empty, populations=method)
    assert done.returncode == 0, done.stderr


def test_more_of_a_molecule_than_of_hydrogen_is_warned_of(toy):
    abundance = f"abundance: {{default: 1e-4, {BOX}, value: 2.5}}]}}"
    medium = f"{{temperature: 20 K, b: 1 km/s, {abundance}, colliders: {{H2: 1e4 cm^-3}}}}"
    done = toy(medium=medium)
    assert done.returncode == 0, done.stderr
    assert "the abundance of toy relative to H2 is 2.5 at cell [1, 1, 1]" in done.stderr
    done = toy(medium=medium.replace("2.5", "1"))
    assert done.returncode == 0 and "as much" not in done.stderr
    atoms = toy(medium=medium.replace("b: 1 km/s, ", ""), line="{molecule: hi21}")
    assert atoms.returncode == 0 and "as much" not in atoms.stderr


@pytest.mark.parametrize("speed, warned", [(0.08, True), (0.03, False)])
def test_gas_nearly_as_fast_as_light_is_warned_of(toy, speed, warned):
    """|v| = sqrt(0.08^2 + 0.06^2) c = 0.1 c, for which v^2 / 2 c^2 is 0.005; the other is 0.0375 c."""
    x, y = speed * 299792.458, 0.75 * speed * 299792.458
    done = toy(medium=f"{{temperature: 20 K, b: 1 km/s, density: 1e-4 cm^-3, velocity: [{x} km/s, {y} km/s, 0 km/s]}}")
    assert done.returncode == 0, done.stderr
    text = "moves at 0.1 of the speed of light; Doppler shifts are non-relativistic, v / c, and off by about 0.005 c"
    assert (text in done.stderr) == warned and ("of the speed of light" in done.stderr) == warned


# ---- what `check` can say before levels are known ----


@pytest.mark.parametrize("method, before", [("lte", False), ("lvg", True), ("equilibrium", True), ("two-level", True)])
def test_numbers_of_lte_are_called_so(toy, method, before):
    done = toy(populations=method)
    assert done.returncode == 0, done.stderr
    for text in ("the opacity is for LTE", "depths        in LTE: through", "solved first; its time"):
        assert (text in done.stdout) == before
    assert ("erg/s in LTE)" in done.stdout) == (before and method != "two-level")


def test_a_run_without_a_result_is_warned_of(toy):
    """LTE levels without a camera give a warning; not levels found by the run, nor those to be stored."""
    camera = {"cameras": "[{direction: +z}]", "channels": "{number: 4, range: [-2 km/s, 2 km/s]}"}
    kept = {"output": "{populations: true}"}
    for sections, warned in (({}, True), (kept, False), ({"populations": "lvg"}, False), (camera, False)):
        done = toy(**sections)
        assert done.returncode == 0, done.stderr
        assert ("this run has no result; for images add" in done.stderr) == warned
