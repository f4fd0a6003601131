"""Images of lines that overlap: opacities and emission are sums over the lines, in closed form along a column.

Nothing here is random. Molecules are small: two or three upper levels 1.5 km/s apart in frequency and a common lower
level, unless a test says otherwise."""

from pathlib import Path

import numpy as np
import pytest

from harness import EXAMPLES, PARSEC_CM
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK, cube, hjerting, planck
from molecules import Molecule

MODEL = Path(__file__).with_name("model.yaml")
B = KM
HC = PLANCK * LIGHT_SPEED
WAVENUMBER = 3.0
APART = WAVENUMBER * 1.5 * KM / LIGHT_SPEED  # 1/cm between lines 1.5 km/s apart
PAIR = Molecule((0.0, WAVENUMBER, WAVENUMBER + APART), (3.0, 5.0, 3.0), ((1, 0, 2.4e-5), (2, 0, 3.1e-5)), mass=27.0)
RATES = ((1, 0, 2e-11), (2, 0, 1e-11), (2, 1, 3e-11))


@pytest.fixture
def toy(linerad, tmp_path):
    def run(molecule, settings=None, precision="double", **options):
        path = molecule.write(tmp_path)
        settings = {"line.molecule": path} | (settings or {})
        return linerad.run(MODEL, settings, packets=0, precision=precision, **options)

    return run


def assert_same(name, value, expected, tolerance=1e-5):
    """Everywhere, relative to the largest expected value."""
    error = np.max(np.abs(value - expected)) / np.max(np.abs(expected))
    print(f"  {name}: largest difference {error:.1e} of the peak, {tolerance:.0e} allowed")
    assert error <= tolerance, name


class Group:
    """The lines of a molecule on the frequency axis of one of them."""

    def __init__(self, molecule, lines=(0, 1), first=0, density=1e-4, stimulated=True):
        self.molecule, self.lines, self.density, self.stimulated = molecule, lines, density, stimulated
        self.nu0 = molecule.frequency(lines[first])

    def gas(self, velocities, x, speed=0.0):
        """alpha in 1/cm, and j in photon/(s cm3 sr) per cm/s of the first line, at radio velocities; of gas with the
        fractions x that moves toward the observer. Inverted lines do not absorb."""
        alpha, light = np.zeros_like(velocities), np.zeros_like(velocities)
        nu = self.nu0 * (1 - velocities / LIGHT_SPEED)
        for line in self.lines:
            upper, lower, a_ul = self.molecule.lines[line]
            centre = self.molecule.frequency(line)
            profile = hjerting(0, ((nu / centre - 1) * LIGHT_SPEED - speed) / B)
            ratio = self.molecule.weight[lower] / self.molecule.weight[upper] if self.stimulated else 0.0
            excess = max(x[lower] - ratio * x[upper], 0)
            alpha += self.density * excess * self.molecule.cross_section(B, line) * profile
            light += (self.density * x[upper] * a_ul / (4 * np.pi) * profile / (np.sqrt(np.pi) * B) *
                      self.nu0 / centre)
        return alpha, light

    def lte(self, temperature):
        return self.molecule.boltzmann(temperature)


def photons_of(run, camera="top"):
    image = cube(run, camera)
    return image.velocity, image.photons[:, 0, 0]


# ---- LTE --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision, tolerance", [("double", 1e-5), ("mixed", 3e-5)])
@pytest.mark.parametrize("density", [1e-6, 1e-4, 1e-1])
@pytest.mark.parametrize("stimulated", [True, False])
def test_two_lines_of_a_column(toy, density, precision, tolerance, stimulated):
    """I = j / alpha (1 - exp(-alpha L)) with both summed over the lines, from thin to thick, and the depth itself."""
    run = toy(PAIR, {"medium.density": f"{density} cm^-3", "line.reference": 1, "populations":
                     {"stimulated": stimulated}}, precision)
    velocity, photons = photons_of(run)
    group = Group(PAIR, density=density, stimulated=stimulated)
    alpha, light = group.gas(velocity, group.lte(20.0))
    depth = alpha * 2 * PARSEC_CM
    print(f"  largest depth {depth.max():.3g}")
    assert_same("intensity", photons, light / alpha * -np.expm1(-depth), tolerance)
    assert_same("optical depth", run.data("images/top/optical_depth")[:, 0, 0].astype(float), depth, tolerance)


def test_the_first_line_is_the_strongest_or_the_one_named(toy):
    """The frequency axis begins at its centre: spectra of different references differ by the shift between them."""
    settings = {"channels": {"number": 64, "range": ["-6 km/s", "6 km/s"], "samples": 1}}
    for first, choice in ((0, {}), (0, {"line.reference": 1}), (1, {"line.reference": 2})):
        run = toy(PAIR, settings | choice)
        velocity, photons = photons_of(run)
        group = Group(PAIR, first=first)
        alpha, light = group.gas(velocity, group.lte(20.0))
        assert_same(f"{choice}", photons, light / alpha * -np.expm1(-alpha * 2 * PARSEC_CM))


def test_lines_far_apart_in_fast_gas(toy):
    """Lines 0.3 % or 900 km/s apart, in gas that moves at 200 km/s: every line has its own Doppler shift and width."""
    wide = PAIR._replace(energy=(0.0, WAVENUMBER, 1.003 * WAVENUMBER))
    run = toy(wide, {"line.reference": 1, "medium.velocity": ["0 km/s", "0 km/s", "200 km/s"], "medium.density": "1e-5 cm^-3",
                     "channels": {"number": 3000, "range": ["-1150 km/s", "-150 km/s"], "samples": 1}})
    velocity, photons = photons_of(run)
    group = Group(wide, density=1e-5)
    alpha, light = group.gas(velocity, group.lte(20.0), 200 * KM)
    depth = alpha * 2 * PARSEC_CM
    source = np.divide(light, alpha, out=np.zeros_like(light), where=depth > 1e-9)
    assert np.count_nonzero(photons > 0.1 * photons.max()) > 10
    assert_same("wide pair", photons, source * -np.expm1(-depth))


@pytest.mark.parametrize("speed", [2.0, -7.0])
def test_moving_gas_before_a_background(toy, speed):
    """I = B(T_sky) exp(-tau) + S (1 - exp(-tau)), shifted as a whole."""
    run = toy(PAIR, {"medium.velocity": ["0 km/s", "0 km/s", f"{speed} km/s"], "image.background": "8 K",
                     "channels": {"number": 160, "range": ["-12 km/s", "12 km/s"], "samples": 1}})
    velocity, photons = photons_of(run)
    group = Group(PAIR)
    alpha, light = group.gas(velocity, group.lte(20.0), speed * KM)
    depth = alpha * 2 * PARSEC_CM
    nu = group.nu0 * (1 - velocity / LIGHT_SPEED)
    sky = planck(nu, 8.0) / HC * group.nu0 / nu
    assert_same(f"v = {speed} km/s", photons, sky * np.exp(-depth) +
                np.divide(light, alpha, out=np.zeros_like(light), where=alpha > 0) * -np.expm1(-depth), 3e-5)


def test_temperature_that_differs_from_cell_to_cell(toy):
    """Levels of different energy share their populations differently in every cell. Two lines of a ladder whose
    frequencies happen to meet; cells of constant source function."""
    ladder = Molecule((0.0, WAVENUMBER, 2 * WAVENUMBER + APART), (1.0, 3.0, 5.0), ((1, 0, 2e-5), (2, 1, 9e-5)), mass=27.0)
    temperature = np.array([4.0, 15.0, 60.0, 9.0])
    run = toy(ladder, {"medium.temperature": "{file: gas.h5, dataset: t}", "image.subcell": False, "line.reference": 1},
              fields={"gas.h5": {"t": (temperature.reshape(1, 1, 4), "K")}})
    velocity, photons = photons_of(run)
    group = Group(ladder)
    expected = np.zeros_like(velocity)
    for t in temperature:
        alpha, light = group.gas(velocity, group.lte(t))
        depth = alpha * 0.5 * PARSEC_CM
        expected = expected * np.exp(-depth) + light / alpha * -np.expm1(-depth)
    assert_same("ladder", photons, expected)


@pytest.mark.parametrize("precision, tolerance", [("double", 1e-5), ("mixed", 3e-5)])
@pytest.mark.parametrize("energy", [600, 700, 9000])
@pytest.mark.parametrize("reference", [1, 2])
def test_cold_gas_shows_the_line_from_the_lower_level(toy, reference, energy, precision, tolerance):
    """The other line is from a level so high that 10 K leave exp(-86), exp(-101) and exp(-1295) of it in its lower
    level; one cell is hot enough for both. Neither the choice of the reference nor rounding matters."""
    hot = Molecule((0.0, WAVENUMBER, energy, energy + WAVENUMBER + APART), (1.0, 3.0, 11.0, 13.0),
                   ((1, 0, 1e-5), (3, 2, 1e-4)), mass=27.0)
    temperature = np.array([10.0, 2000.0, 10.0, 7.0])
    run = toy(hot, {"medium.temperature": "{file: gas.h5, dataset: t}", "image.subcell": False, "image.report": True,
                    "line.reference": reference},
              precision, fields={"gas.h5": {"t": (temperature.reshape(1, 1, 4), "K")}})
    velocity, photons = photons_of(run)
    group = Group(hot, first=reference - 1)
    cells = [group.lte(t) for t in temperature]
    depth = sum(group.gas(velocity, x)[0] for x in cells) * 0.5 * PARSEC_CM
    assert depth.max() > 1
    assert_same("intensity", photons, column_of(group, velocity, cells), tolerance)
    assert_same("optical depth", run.data("images/top/optical_depth")[:, 0, 0].astype(float), depth, tolerance)
    bare = Group(hot, first=reference - 1, stimulated=False)
    without = max(sum(bare.gas(velocity, x)[0] for x in cells)) * 0.5 * PARSEC_CM
    found = run.summary["images"][0]["depth_without_stimulated_emission"]["largest"]
    assert found == pytest.approx(without, rel=tolerance)
    emitted = 1e-4 * 2 * PARSEC_CM**3 * sum(x[upper] * a for x in cells for upper, _, a in hot.lines)
    assert run.summary["emitted"] == pytest.approx(emitted, rel=1e-6)


def test_dust_absorbs_and_shines_between_the_lines(toy):
    """alpha = SUM alpha_l H_l + kappa, j = SUM j_l H_l + kappa B(T_dust)."""
    run = toy(PAIR, {"medium.absorption": "0.4 1/pc", "medium.dust_temperature": "35 K", "medium.density": "3e-5 cm^-3"})
    velocity, photons = photons_of(run)
    group = Group(PAIR, density=3e-5)
    alpha, light = group.gas(velocity, group.lte(20.0))
    kappa = 0.4 / PARSEC_CM
    both = alpha + kappa
    source = (light + kappa * planck(group.nu0, 35.0) / HC) / both
    assert_same("dust and two lines", photons, source * -np.expm1(-both * 2 * PARSEC_CM), 3e-5)


def test_hyperfine_components_of_hcn(toy):
    """HCN 1-0 in LTE: F = 1-1, 2-1, 0-1 at 88.6304156, 88.6318475 and 88.6339357 GHz (Ahrens et al. 2002) with equal A.
    Thin gas shows them in the ratio 3:5:1 of their weights, thick gas all equally bright."""
    lines = 1e9 * np.array([88.6304156, 88.6318475, 88.6339357]) / LIGHT_SPEED
    hcn = Molecule((0.0, *lines), (3.0, 3.0, 5.0, 1.0), tuple((i, 0, 2.407e-5) for i in (1, 2, 3)), mass=27.0)
    centres = LIGHT_SPEED * (1 - lines / lines[1])
    settings = {"line.transition": [1, 2, 3], "medium.b": "0.2 km/s", "medium.temperature": "10 K",
                "channels": {"number": 400, "range": ["-10 km/s", "10 km/s"], "samples": 1}}
    peaks, areas = {}, {}
    for density in (1e-9, 1.0):
        velocity, photons = photons_of(toy(hcn, settings | {"medium.density": f"{density} cm^-3"}))
        near = np.abs(velocity[:, None] - centres) < 0.7 * KM
        areas[density] = np.array([photons[near[:, i]].sum() for i in range(3)])
        peaks[density] = np.array([photons[near[:, i]].max() for i in range(3)])
    print(f"  areas {areas[1e-9]}, peaks {peaks}")
    assert np.allclose(areas[1e-9] / areas[1e-9].sum() * 9, [3, 5, 1], rtol=1e-3)
    assert np.allclose(peaks[1.0] / (planck(lines[1] * LIGHT_SPEED, 10.0) / HC), 1, rtol=2e-4)


def test_oh_at_18_cm(linerad):
    """In LTE the optical depths of 1612, 1665, 1667 and 1720 MHz are as 1:5:9:1; the main lines, 352 km/s apart, are seen
    in one cube. Rounded A of the satellite lines are off by 4 %."""
    settings = {"line": {"molecule": "oh18cm", "transition": [2, 3]}, "medium.density": "1e-8 cm^-3",
                "channels": {"number": 1600, "range": ["-20 km/s", "380 km/s"], "samples": 1}}
    depth = linerad.run(MODEL, settings, packets=0).data("images/top/optical_depth")[:, 0, 0].astype(float)
    apart = LIGHT_SPEED * (1 - 1665.4018 / 1667.3590) / KM
    velocity = -20 + 0.25 * (np.arange(1600) + 0.5)
    main = [depth[np.abs(velocity - centre) < 5].sum() for centre in (apart, 0.0)]
    satellites = []
    for line in (1, 4):
        settings["line"] = {"molecule": "oh18cm", "transition": line}
        satellites.append(linerad.run(MODEL, settings, packets=0).data("images/top/optical_depth").sum(dtype=float))
    print(f"  1612 1665 1667 1720: {satellites[0]:.4g} {main[0]:.4g} {main[1]:.4g} {satellites[1]:.4g}")
    assert main[0] / main[1] == pytest.approx(5 / 9, rel=5e-3)
    for satellite in satellites:
        assert satellite / sum(main) == pytest.approx(1 / 14, rel=0.05)


def test_light_from_behind_is_absorbed_by_both_lines(toy):
    """A plane of flat continuum at the bottom of cold gas that does not emit at that brightness."""
    settings = {"sources": [{"plane": {"axis": "z", "at": "-1 pc", "emission": "isotropic"},
                             "spectrum": {"band": {"from": "-9 km/s", "to": "9 km/s"}}, "luminosity": "1e60 photon/s"}],
                "medium.density": "3e-5 cm^-3"}
    velocity, photons = photons_of(toy(PAIR, settings))
    empty = photons_of(toy(PAIR, settings | {"medium.density": "1e-30 cm^-3"}))[1]
    group = Group(PAIR, density=3e-5)
    alpha, _ = group.gas(velocity, group.lte(20.0))
    assert np.min(empty) > 0
    assert_same("absorption", photons / empty, np.exp(-alpha * 2 * PARSEC_CM), 3e-5)


# ---- other populations --------------------------------------------------------------------------------------------


def column_of(group, velocity, cells, speeds=None):
    """Through cells 0.5 pc deep with fractions x, from the far side on."""
    light = np.zeros_like(velocity)
    for i, x in enumerate(cells):
        alpha, j = group.gas(velocity, x, 0.0 if speeds is None else speeds[i])
        depth = alpha * 0.5 * PARSEC_CM
        step = np.divide(-np.expm1(-depth), alpha, out=np.full_like(alpha, 0.5 * PARSEC_CM), where=depth > 1e-12)
        light = light * np.exp(-depth) + j * step
    return light


def test_given_populations(toy):
    """Any fractions of levels, among them a cell without the upper level of the first line and one without its lower
    level, where this line cannot absorb."""
    other = Molecule((0.0, 1.0, WAVENUMBER, 1.0 + WAVENUMBER + APART), (1.0, 2.0, 3.0, 4.0),
                     ((2, 0, 2e-5), (3, 1, 4e-5)), mass=27.0)
    x = np.array([[0.5, 0.3, 0.1, 0.1], [0.6, 0.4, 0.0, 0.0], [0.0, 0.8, 0.0, 0.2], [0.2, 0.7, 0.05, 0.05]])
    run = toy(other, {"populations": {"method": "given", "file": "x.h5", "dataset": "x"}, "image.subcell": False,
                      "line.reference": 1},
              fields={"x.h5": {"x": (x.reshape(1, 1, 4, 4), None)}})
    velocity, photons = photons_of(run)
    assert_same("given fractions", photons, column_of(Group(other), velocity, x))


def test_inverted_lines_do_not_amplify(toy):
    """The second line is a maser in one cell: its opacity there is zero, it still shines, and the result counts it."""
    x = np.array([[0.7, 0.2, 0.1], [0.15, 0.05, 0.8], [0.7, 0.2, 0.1], [0.7, 0.2, 0.1]])
    run = toy(PAIR, {"populations": {"method": "given", "file": "x.h5", "dataset": "x"}, "image.subcell": False,
                     "line.reference": 1}, fields={"x.h5": {"x": (x.reshape(1, 1, 4, 3), None)}})
    velocity, photons = photons_of(run)
    assert_same("capped maser", photons, column_of(Group(PAIR), velocity, x))
    assert run.attribute("inverted_cells", "populations") == 1
    assert run.attribute("inversion", "populations") == pytest.approx(0.8 / 0.15, rel=1e-12)


@pytest.mark.parametrize("method", ["lvg", "equilibrium"])
def test_populations_that_are_solved_for(toy, method):
    """The image is that of the populations in the result."""
    populations = {"method": method, "background": "2.725 K"}
    settings = {"populations": populations, "medium.colliders": {"H2": "1e5 cm^-3"}, "output.populations": True,
                "image.subcell": False, "image.background": "0 K", "line.reference": 1,
                "medium.density": "2e-5 cm^-3"}
    if method == "lvg":
        settings["medium.velocity"] = ["0 km/s", "0 km/s", {"default": "0 km/s", "regions": [
            {"slab": {"axis": "z", "from": "0 pc", "to": "1 pc"}, "value": "0.4 km/s"}]}]
    run = toy(PAIR._replace(rates=RATES), settings)
    velocity, photons = photons_of(run)
    x = run.data("populations/fraction").reshape(4, 3)
    speeds = [0.0, 0.0, 0.4 * KM, 0.4 * KM] if method == "lvg" else None
    lte = Group(PAIR).lte(20.0)
    assert np.max(np.abs(x - lte)) > 0.02
    assert_same(method, photons, column_of(Group(PAIR, density=2e-5), velocity, x, speeds), 3e-5)


def test_photons_and_depths_of_the_summary_are_those_of_all_lines(toy):
    """In LTE, and for the same levels given: photons emitted, and depths with and without stimulated emission."""
    x = PAIR.boltzmann(20.0)
    for populations in ({}, {"populations": {"method": "given", "file": "x.h5", "dataset": "x"}}):
        run = toy(PAIR, populations | {"line.reference": 1, "image.report": True}, fields={"x.h5": {"x": (np.tile(x, (1, 1, 4, 1)), None)}})
        volume = (2 * PARSEC_CM) ** 3
        emitted = 1e-4 * volume * sum(x[upper] * a for upper, _, a in PAIR.lines)
        assert run.summary["emitted"] == pytest.approx(emitted, rel=1e-6)
        velocity, _ = photons_of(run)
        depth = run.summary["images"][0]["depth"]["largest"]
        bare = run.summary["images"][0]["depth_without_stimulated_emission"]["largest"]
        stimulated = Group(PAIR).gas(velocity, x)[0].max() * 2 * PARSEC_CM
        without = Group(PAIR, stimulated=False).gas(velocity, x)[0].max() * 2 * PARSEC_CM
        assert depth == pytest.approx(stimulated, rel=1e-5)
        assert bare == pytest.approx(without, rel=1e-5)


# ---- every mesh ----------------------------------------------------------------------------------------------------

MESHES = {
    "cartesian": {"mesh": {"cells": [6, 6, 6], "size": ["2 pc", "2 pc", "2 pc"]},
                  "medium.velocity": [{"formula": "2 km/s * x / 1 pc"}, "0 km/s", {"formula": "3 km/s * z / 1 pc"}]},
    "refined": {"mesh": {"cells": [4, 4, 4], "size": ["2 pc", "2 pc", "2 pc"],
                         "refine": [{"sphere": {"centre": ["0 pc", "0 pc", "0 pc"], "radius": "0.5 pc"}, "levels": 1}]},
                "medium.velocity": [{"formula": "2 km/s * x / 1 pc"}, "0 km/s", {"formula": "3 km/s * z / 1 pc"}]},
    "shells": {"mesh": {"shells": 12, "inner": "0.2 pc", "outer": "1 pc"},
               "medium.velocity": {"formula": "3 km/s * r / 1 pc"}},
}


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("mesh", MESHES)
def test_a_line_split_in_two_is_the_line(toy, mesh, precision):
    """Two upper levels of equal energy and weight, with the same A, are one level of twice the weight."""
    whole = Molecule((0.0, WAVENUMBER), (3.0, 8.0), ((1, 0, 2.4e-5),), mass=27.0)
    parts = Molecule((0.0, WAVENUMBER, WAVENUMBER), (3.0, 4.0, 4.0), ((1, 0, 2.4e-5), (2, 0, 2.4e-5)), mass=27.0)
    settings = MESHES[mesh] | {"cameras": [{"name": "top", "direction": [0.6, 0.0, 0.8], "pixels": 6}],
                               "image.background": "3 K", "medium.absorption": "0.1 1/pc",
                               "medium.dust_temperature": "30 K",
                               "medium.temperature": {"formula": "10 K + 20 K * r / 1 pc"}}
    one = cube(toy(whole, settings | {"line.transition": 1}, precision), "top").intensity
    two = cube(toy(parts, settings | {"line.transition": [1, 2]}, precision), "top").intensity
    assert np.ptp(one) > 0.1 * np.max(one)
    assert_same(mesh, two, one, 2e-6 if precision == "double" else 2e-5)


# ---- the data of the example ----------------------------------------------------------------------------------------


def test_hyperfine_file_of_hcn():
    """Frequencies of 1-0 measured by Ahrens et al. 2002, and the sum rule: all hyperfine levels of a J decay at the rate
    of a rotor, 64 pi^4 nu^3 mu^2 / (3 h c^3) (J + 1) / (2 J + 3), but for the small differences of nu."""
    rows = (EXAMPLES / "data" / "hcn_hfs.dat").read_text().splitlines()
    n_level = int(rows[5])
    labels = [row.split()[3] for row in rows[7:7 + n_level]]
    n_line = int(rows[8 + n_level])
    lines = [row.split() for row in rows[10 + n_level:10 + n_level + n_line]]
    frequencies = {(labels[int(row[1]) - 1], labels[int(row[2]) - 1]): float(row[4]) for row in lines}
    for upper, measured in (("01_01", 88.6304156), ("01_02", 88.6318475), ("01_00", 88.6339357)):
        assert frequencies[upper, "00_01"] == pytest.approx(measured, abs=1.2e-6), upper
    for level, label in enumerate(labels):
        j = int(label[:2])
        if j == 0:
            continue
        decay = sum(float(row[3]) for row in lines if int(row[1]) == level + 1)
        nu = 1e9 * np.mean([float(row[4]) for row in lines if int(row[1]) == level + 1])
        rotor = 64 * np.pi**4 * nu**3 * (2.985e-18) ** 2 / (3 * PLANCK * LIGHT_SPEED**3) * j / (2 * j + 1)
        assert decay == pytest.approx(rotor, rel=1e-4), label
