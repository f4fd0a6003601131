"""Packets in groups of lines that overlap.

Expected: closed forms; published scatterings of the He I triplet; and an independent Monte Carlo, group_escape.c, which
is compiled here. Its lines are described in km/s by the constants below, which are typed in here and not taken from
linerad.
"""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import wofz

from harness import Measured, assert_agrees, fraction, weighted_mean
from imaging import cube

HERE = Path(__file__).parent
SLAB, SPHERE = HERE / "slab.yaml", HERE / "sphere.yaml"
C_KMS = 299792.458
BOLTZMANN, ATOMIC_MASS = 1.380649e-16, 1.66053907e-24


class Line(NamedTuple):
    """Wavelength in vacuum in A; kind is K or H in a pair, whose other line has the number `partner`."""

    wavelength: float
    a_ul: float
    g_lower: float
    g_upper: float
    mass: float
    upper: int
    abundance: float = 1
    kind: str = "-"
    partner: int = -1


HYDROGEN = [Line(1215.66824, 6.2649e8, 2, 4, 1.00782503, 0, 1, "K", 1),
            Line(1215.67364, 6.2649e8, 2, 2, 1.00782503, 1, 1, "H", 0)]
CARBON = [Line(1334.5323, 2.41e8, 2, 4, 12, 0), Line(1335.6627, 4.76e7, 4, 4, 12, 0, 0),
          Line(1335.7077, 2.88e8, 4, 6, 12, 1, 0)]


def doppler(mass, temperature):
    """b in km/s."""
    return 1e-5 * np.sqrt(2 * BOLTZMANN * temperature / (mass * ATOMIC_MASS))


def with_deuterium(ratio):
    return HYDROGEN + [line._replace(wavelength=line.wavelength / 1.0002721, mass=2.01410178, upper=line.upper + 2,
                                     abundance=ratio, partner=line.partner + 2) for line in HYDROGEN]


def rows(lines, temperature):
    """As group_escape.c reads them: centre, width, a, strength, upper level, branching ratio, kind, partner."""
    first = lines[0]
    b = doppler(first.mass, temperature)
    text = ""
    for line in lines:
        own = doppler(line.mass, temperature)
        gamma = sum(other.a_ul for other in lines if other.upper == line.upper)
        a = gamma * line.wavelength * 1e-13 / (4 * np.pi * own)
        weight = (line.g_upper * line.a_ul / line.g_lower) / (first.g_upper * first.a_ul / first.g_lower)
        strength = line.abundance * weight * (line.wavelength / first.wavelength) ** 3 * b / own
        text += (f"{C_KMS / b * np.log(first.wavelength / line.wavelength):.17g} {own / b:.17g} {a:.17g} "
                 f"{strength:.17g} {line.upper} {line.a_ul / gamma:.17g} {line.kind} {line.partner}\n")
    return text


@pytest.fixture(scope="module")
def escape(tmp_path_factory):
    """Runs group_escape.c; a mapping of names to numbers with their errors."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("escape") / "group_escape"
    subprocess.run([compiler, "-O2", HERE.parent / "group_escape.c", "-lcerf", "-lm", "-o", program], check=True)

    def run(lines, temperature, shape, depth, photons, place="central", spectrum="x=0", phase="isotropic"):
        found = subprocess.run([program, shape, place, spectrum, str(depth), str(photons), "11", phase],
                               input=rows(lines, temperature), capture_output=True, text=True, check=True)
        number = [float(word) for word in found.stdout.split()]
        names = {"scatterings": Measured(*number[0:2]), "path": Measured(*number[2:4]), "shift": Measured(*number[4:6])}
        return names | {"quantiles": number[6:11], "direct": fraction(number[11], 1)._replace(
            error=np.sqrt(number[11] * (1 - number[11]) / photons)),
            "last": [Measured(p, np.sqrt(p * (1 - p) / photons)) for p in number[12::2]]}

    return run


def logarithmic(run):
    """Shifts of escaped packets, c ln(nu / nu0) in units of b."""
    b = run.summary["reference_b_cm_s"] * 1e-5
    return C_KMS / b * np.log1p(run.packets["x"] * b / C_KMS)


def compare(run, expected, photons):
    """The distribution of shifts through the parts below each quantile of the reference."""
    x = logarithmic(run)
    assert_agrees("scatterings", weighted_mean(run.packets["scatterings"]), expected["scatterings"])
    assert_agrees("path", weighted_mean(run.packets["path"] / 3.0856775814913673e18), expected["path"])
    assert_agrees("mean shift", weighted_mean(x), expected["shift"])
    for part, quantile in zip([0.1, 0.25, 0.5, 0.75, 0.9], expected["quantiles"]):
        if quantile == 0:  # of photons that never scattered
            continue
        error = np.sqrt(part * (1 - part) / photons)
        assert_agrees(f"part below x = {quantile:.4f}", fraction(np.sum(x < quantile), len(x)), Measured(part, error))


def settings_of(line, temperature, depth, **more):
    return {"line": line, "medium.temperature": f"{temperature} K", "medium.tau_centre": depth} | more


def custom(lines):
    return {"group": [{"frequency": f"{C_KMS * 1e13 / line.wavelength:.17g} Hz", "einstein_a": f"{line.a_ul} 1/s",
                       "degeneracies": [line.g_lower, line.g_upper], "mass": f"{line.mass} u",
                       "upper": f"level {line.upper}", "abundance": line.abundance} for line in lines]}


# ---- what a single line does ----


def test_a_group_of_one_line_is_the_line_bit_for_bit(linerad):
    line = custom(HYDROGEN[:1])["group"][0]
    alone = {key: line[key] for key in ("frequency", "einstein_a", "degeneracies", "mass")}
    runs = [linerad.run(SLAB, settings_of(which, 1e4, 100), packets=2000) for which in (alone, {"group": [line]})]
    for name in ("shift", "path", "scatterings", "direction"):
        assert np.array_equal(runs[0].packets[name], runs[1].packets[name])


@pytest.mark.parametrize("split", ["halves", "with one that absorbs nothing"])
def test_lines_at_one_frequency_are_one_line(linerad, split):
    """The code of groups against that of a single line; the frequencies of both are drawn by the same sampler."""
    line = HYDROGEN[0]
    depth = 300
    lines = [line, line._replace(upper=1)] if split == "halves" else [line, line._replace(upper=1, abundance=0,
                                                                                          wavelength=1217)]
    single = linerad.run(SLAB, settings_of(custom([line]), 1e4, depth, **{"medium.damping": 0.01}), packets=2e4)
    group = linerad.run(SLAB, settings_of(custom(lines), 1e4, depth / 2 if split == "halves" else depth,
                                          **{"medium.damping": 0.01}), packets=2e4, seed=2)
    for name in ("median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x", "scatterings_per_packet", "mean_path"):
        assert_agrees(name, group[name], single[name])


def test_lyman_alpha_without_splitting_is_the_exact_slab(linerad):
    """reference.SLAB, a = 0.149: two thirds of the opacity in K, one third in H."""
    from reference import SLAB as TRUTH
    mean = 200
    lines = [HYDROGEN[0], HYDROGEN[1]._replace(wavelength=HYDROGEN[0].wavelength)]
    depth = mean / np.sqrt(np.pi) * 2 / 3
    run = linerad.run(SLAB, settings_of(custom(lines), 1e4, depth, **{"medium.damping": 0.149}), packets=4e4, seed=5)
    for name in ("median_abs_x", "lower_quartile_abs_x", "upper_quartile_abs_x"):
        assert_agrees(name, run[name], TRUTH[mean][name])
    assert_agrees("scatterings", run["scatterings_per_packet"] / (mean / np.sqrt(np.pi)),
                  TRUTH[mean]["scatterings_per_depth"])


# ---- against the independent program ----


@pytest.mark.parametrize("shape", ["slab", "sphere"])
def test_lyman_alpha_with_deuterium(linerad, escape, shape):
    """b = 1.3 km/s, as wide as the fine structure; deuterium at 64 b, with a depth of 30, in light up to 80 b."""
    lines, temperature, depth, photons = with_deuterium(0.1), 100, 200, 20000
    b = doppler(lines[0].mass, temperature)
    expected = escape(lines, temperature, shape, depth, photons, spectrum=f"flat:-10:{80}")
    source = {"band": {"from": f"{10 * b} km/s", "to": f"{-80 * b} km/s"}}
    sources = [({"plane": {"axis": "x", "at": "0 pc", "emission": "isotropic"}} if shape == "slab" else
                {"point": {"position": ["0 pc"] * 3}}) | {"spectrum": source, "luminosity": "1 photon/s"}]
    run = linerad.run(SLAB if shape == "slab" else SPHERE,
                      settings_of({"group": "lyman_alpha_fine", "deuterium": 0.1}, temperature, depth,
                                  sources=sources), packets=photons, seed=3)
    compare(run, expected, photons)


@pytest.mark.parametrize("depth", [3, 100])
def test_fine_structure_scatters_as_a_pair(linerad, escape, depth):
    lines, temperature, photons = HYDROGEN, 10, 20000
    expected = escape(lines, temperature, "sphere", depth, photons, phase="pair")
    run = linerad.run(SPHERE, settings_of("lyman_alpha_fine", temperature, depth, **{"physics.phase": "dipole"}),
                      packets=photons, seed=4)
    compare(run, expected, photons)


@pytest.mark.parametrize("x", [-97, -30.9, 60])
def test_angles_of_a_pair(linerad, x):
    """Far from both lines scattering is that of a dipole; between them E1 is negative, down to -1/2, and at other
    places what Stenflo's formula says: <g^2> = 1/3 + E1 / 15. A beam in thin gas, and packets that scattered once."""
    temperature = 0.05
    b = doppler(1.00782503, temperature)
    apart = C_KMS * np.log(1215.67364 / 1215.66824) / b
    k, h = x, x + apart
    e1 = (2 * k * h + h * h) / (k * k + 2 * h * h)
    run = linerad.run(SLAB, {
        "mesh": {"cells": [1, 1, 1], "size": ["2 pc", "2 pc", "2 pc"]},
        "line": "lyman_alpha_fine", "medium.temperature": f"{temperature} K", "medium.damping": 0.01,
        "medium.tau_centre": 2e3, "physics.phase": "dipole",
        "sources": [{"point": {"position": ["0 pc"] * 3, "emission": "beam", "direction": "+z"},
                     "spectrum": {"monochromatic": x}, "luminosity": "1 photon/s"}]}, packets=4e5)
    once = run.packets["scatterings"] == 1
    g = run.packets["direction"][once][:, 2]
    print(x, apart, e1, once.sum())
    assert once.sum() > 1000
    assert_agrees(f"<g^2> at {x}", weighted_mean(g * g), 1 / 3 + e1 / 15)


def test_carbon_fluoresces(linerad, escape):
    """Each scattering sends A(1335.66) / (A(1334.53) + A(1335.66)) = 0.165 of the light to 1335.66, in which the gas
    does not absorb; after many scatterings nearly all is there. Photons are conserved."""
    share = CARBON[1].a_ul / (CARBON[0].a_ul + CARBON[1].a_ul)
    line = C_KMS * (CARBON[0].wavelength / CARBON[1].wavelength - 1)
    for depth, photons in ((0.3, 40000), (30, 20000)):
        run = linerad.run(SPHERE, settings_of("cii1335", 1e4, depth), packets=photons, seed=9)
        shift = run.packets["x"] * run.summary["reference_b_cm_s"] * 1e-5
        red = shift < 0.5 * line
        assert run["f_esc"].value == 1
        assert_agrees("fluorescence of one scattering", fraction(np.sum(red), np.sum(run.packets["scatterings"])),
                      share)
        expected = escape(CARBON, 1e4, "sphere", depth, photons)
        assert_agrees("fluorescence", fraction(np.sum(red), len(red)), expected["last"][1])
        compare(run, expected, photons)
    assert np.mean(red) > 0.8


# ---- published ----


@pytest.mark.parametrize("place, depth, scatterings, packets", [
    ("central", 100, 338.0, 3e4), ("uniform", 100, 186.4, 4e4),
    pytest.param("central", 1000, 4098, 3e4, marks=pytest.mark.long),
    pytest.param("uniform", 1000, 2307, 4e4, marks=pytest.mark.long)])
def test_helium_triplet(linerad, place, depth, scatterings, packets):
    """Scatterings per photon in a uniform sphere at 1e4 K. The depth is that of J = 1-2, the strongest line, at its
    centre; light is emitted with the sum of the profiles, 5:3:1. 1 % is allowed for what was published."""
    source = {"volume": {}} if place == "uniform" else {"point": {"position": ["0 pc"] * 3}}
    run = linerad.run(SPHERE, {"medium.tau_centre": depth,
                               "sources": [source | {"spectrum": "local", "luminosity": "1 photon/s"}]},
                      packets=packets, seed=6)
    found = run["scatterings_per_packet"]
    assert abs(found.value / scatterings - 1) < 0.01 + 2 * found.error / scatterings
    assert found.error < 0.01 * scatterings


# ---- closed forms ----


def absorbed_velocity(depth, temperature, kms):
    """Equivalent widths of the Mg II lines in km/s in light that crosses half the slab along its normal."""
    b = doppler(23.98504170, temperature)
    widths = []
    for wavelength, a_ul, g in ((2796.352, 2.60e8, 4), (2803.531, 2.57e8, 2)):
        a = a_ul * wavelength * 1e-13 / (4 * np.pi * b)
        tau = depth * g * a_ul * wavelength**3 / (4 * 2.60e8 * 2796.352**3)
        v = np.linspace(-kms, kms, 40001)
        widths.append(trapezoid(1 - np.exp(-tau * wofz(v / b + 1j * a).real), v))
    return widths


@pytest.mark.parametrize("depth", [0.1, 30])
def test_magnesium_doublet_absorbs_two_to_one_or_one_to_one(linerad, depth):
    """A flat continuum in a beam: direct light against the exact curve of growth of each line."""
    kms, packets, temperature = 60, 2e5, 1e5
    split = -C_KMS * (2796.352 / 2803.531 - 1)
    widths = absorbed_velocity(depth, temperature, kms)
    found = []
    for centre, width in zip((0, split), widths):
        run = linerad.run(SLAB, {
            "medium.tau_centre": depth, "medium.temperature": f"{temperature} K",
            "sources": [{"plane": {"axis": "x", "at": "0 pc", "emission": "beam", "direction": "+x"},
                         "luminosity": "1 photon/s",
                         "spectrum": {"band": {"from": f"{centre - kms} km/s", "to": f"{centre + kms} km/s"}}}]},
            packets=packets, seed=8)
        scattered = fraction(np.sum(run.packets["scatterings"] > 0), packets)
        found.append(scattered * (2 * kms))
        assert_agrees(f"equivalent width at {centre:.0f} km/s", found[-1], width)
    ratio = found[0].value / found[1].value
    assert 1.85 < ratio < 2.1 if depth < 1 else 1 < ratio < 1.15


def test_moving_gas_carries_all_lines_along(linerad):
    """Gas at 500 km/s with a source in its frame: nu / nu0 of all photons is 1 + v n / c times that of gas at rest."""
    runs = [linerad.run(SLAB, {"medium.tau_centre": 2, "medium.velocity": [f"{v} km/s", "0 km/s", "0 km/s"],
                               "sources": [{"plane": {"axis": "x", "at": "0 pc", "emission": "isotropic"},
                                            "luminosity": "1 photon/s",
                                            "spectrum": {"monochromatic": "769.7 km/s", "frame": "gas"}}]},
                        packets=5000, seed=12, precision="double") for v in (0, 500)]
    still, moves = (logarithmic(run) for run in runs)
    b = runs[0].summary["reference_b_cm_s"] * 1e-5
    along = runs[0].packets["direction"][:, 0]
    assert np.array_equal(runs[0].packets["scatterings"], runs[1].packets["scatterings"])
    assert np.max(np.abs(moves - still - 500 / b * along)) < 1e-6
    assert np.mean(runs[0].packets["scatterings"] > 0) > 0.3


# ---- images ----

PAIR = [Line(2796.352, 2.6e8, 2, 4, 24, 0), Line(2796.352 * (1 + 30 / C_KMS), 2.6e8, 2, 2, 24, 1)]
IMAGE = {"line": custom(PAIR), "output": {"packets": False, "fields": False}, "physics.phase": "dipole",
         "channels": {"number": 60, "range": ["-130 km/s", "170 km/s"]},
         "image": {"errors": True, "spectrum": False, "report": False}}
BAND = {"spectrum": {"band": {"from": "-40 km/s", "to": "70 km/s"}}, "luminosity": "1e50 photon/s"}


@pytest.mark.parametrize("mesh, medium", [
    ({"cells": [12, 12, 12], "size": ["2 pc"] * 3}, {"velocity": ["0 km/s", "5 km/s", "8 km/s"], "tau_centre": 1}),
    ({"cells": [12, 12, 12], "size": ["2 pc"] * 3}, {"tau_centre": 2, "absorption": "0.3 1/pc"}),
    ({"cells": [8, 8, 8], "size": ["2 pc"] * 3, "refine": [
        {"sphere": {"centre": ["0.2 pc", "0 pc", "0 pc"], "radius": "0.5 pc"}, "levels": 1}]}, {"tau_centre": 1}),
    ({"shells": 32, "outer": "1 pc"}, {"velocity": "20 km/s", "tau_centre": 3})])
def test_images_have_the_light_that_escapes(linerad, mesh, medium):
    """The flux of an image of two lines 3 b apart is that of the packets that leave toward the camera."""
    shells = "shells" in mesh
    run = linerad.run(SLAB, IMAGE | {
        "mesh": mesh, "medium": {"b": "10 km/s", "damping": 0.001} | medium,
        "sources": [{"volume": {}} | BAND], "cameras": [{"name": "a", "direction": "+z", "pixels": 8 if shells else 12}]},
        packets=1e5 if shells else 2e5, seed=13)
    found = run.summary["images"][0]["check"]
    print(found)
    assert abs(found["deviation"]) < 3.5
    assert found["image_flux_error"] < 0.05 * found["image_flux"]
    assert found["packet_flux_error"] < 0.2 * found["packet_flux"]


def test_images_of_fluorescence_have_its_spectrum(linerad):
    """A flowing sphere in which light leaves by another line: all directions are equivalent, so that 4 pi times the
    spectrum of the image is the escaped one."""
    lines = [PAIR[0], PAIR[1]._replace(upper=0, g_upper=4, abundance=0)]
    run = linerad.run(SPHERE, IMAGE | {
        "line": custom(lines), "mesh": {"shells": 32, "outer": "1 pc"},
        "medium": {"b": "10 km/s", "damping": 0.01, "tau_centre": 5, "velocity": "30 km/s"},
        "sources": [{"point": {"position": ["0 pc"] * 3}} | BAND],
        "cameras": [{"name": "far", "direction": "+z", "pixels": 32}],
        "output": {"reference_b": "10 km/s", "bins": 60, "range": ["-130 km/s", "170 km/s"], "fields": False}},
        packets=1e5, seed=14)
    edges = run.data("spectrum/x_edges")
    escaped, error = (run.data(f"spectrum/{name}").reshape(-1, edges.size - 1).sum(axis=0)[::-1] * abs(edges[1] - edges[0])
                      for name in ("total", "total_error"))
    image = 4 * np.pi * cube(run, "far").spectrum
    used = escaped > 0.02 * escaped.max()
    chi2 = np.mean((image - escaped)[used] ** 2 / (error**2 + (0.01 * escaped) ** 2)[used])
    print(image.sum() / escaped.sum(), chi2, used.sum())
    assert image.sum() == pytest.approx(escaped.sum(), rel=0.005)
    assert chi2 < 1.6
