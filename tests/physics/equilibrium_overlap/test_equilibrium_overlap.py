"""Level populations with lines that overlap: against a dense solution of two lines in layers at rest and in motion, and
in limits that are known: a multiplet without splitting is one line, components blended by wide profiles share one
excitation temperature, thin gas and LTE do not know of overlap, lines far apart do not meet."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from blended_layer import source_functions
from equilibrium import fractions, reference, solve
from harness import assert_close
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK
from molecules import Molecule, divided, rotor

MODEL = Path(__file__).with_name("model.yaml")
BOX = Path(__file__).parents[1] / "equilibrium_limits" / "model.yaml"
TEMPERATURE = 20.0
UNIT = 1e15  # cm, where the depth of the first line is 1


# ---- two lines in a layer ----

GAP = 10.0  # h nu / k T: no stimulated emission
EPS = (0.003, 0.1)
RATIO = 0.5  # of the opacities


def two_lines(apart):
    """A ground level and two upper ones, whose lines are `apart` km/s from each other."""
    energy = GAP * TEMPERATURE * BOLTZMANN / (PLANCK * LIGHT_SPEED)
    a = (1e-4, 1e-4 * RATIO)
    rates = [1e-10 * a_ul / a[0] * eps / (1 - eps) for a_ul, eps in zip(a, EPS)]
    return Molecule((0.0, energy, energy * np.exp(apart * KM / LIGHT_SPEED)), (1.0, 3.0, 3.0),
                    ((1, 0, a[0]), (2, 0, a[1])), ((1, 0, rates[0]), (2, 0, rates[1])))


def sources(linerad, tmp_path, apart, depth, speed, n=120, **settings):
    """S / B of both lines in n cells, their middles, and their velocities (km/s, from -speed to speed)."""
    molecule = two_lines(apart)
    x = molecule.boltzmann(TEMPERATURE)
    density = 1 / (UNIT * molecule.cross_section(KM) * (x[0] - x[1] / 3))
    half = np.concatenate([[0], np.geomspace(1e-2, 1, n // 2) if speed == 0 else np.linspace(0, 1, n // 2 + 1)[1:]])
    half *= depth / 2 * UNIT
    edges = np.concatenate([half, 2 * half[-1] - half[-2::-1]])
    middles = 0.5 * (edges[1:] + edges[:-1])
    velocity = speed * (2 * middles / edges[-1] - 1)
    fields = {"edges": (edges, "cm"), "v": (velocity[:, None, None], "km/s"),
              "rest": (np.zeros((len(velocity), 1, 1)), "km/s")}
    run = solve(linerad, MODEL, {
        "line.molecule": molecule.write(tmp_path), "medium.density": f"{density:.17g} cm^-3",
        "medium.velocity": [{"file": "gas.h5", "dataset": name} for name in ("v", "rest", "rest")],
        "medium.colliders": {"H2": f"{1e-4 / 1e-10 / -np.expm1(-GAP):.17g} cm^-3"}} | settings,
        fields={"gas.h5": fields}, threads=1)
    assert run.summary["populations"]["converged"]
    x = fractions(run)[:, 0, 0]
    return middles / UNIT, velocity, [np.expm1(GAP) / (3 * x[:, 0] / x[:, m] - 1) for m in (1, 2)]


@pytest.mark.parametrize("apart, depth, speed", [(1.0, 20.0, 0.0), (2.5, 20.0, 0.0), (3.0, 20.0, 4.0), (-3.0, 20.0, 4.0)],
                         ids=["overlap", "wings", "expansion", "expansion-other-order"])
def test_two_lines_in_a_layer(linerad, tmp_path, apart, depth, speed):
    """In gas that expands, light of the blue line meets gas in which it is in the red line, and not the other way
    round: the order of the lines matters, and profiles need not overlap."""
    z, v, found = sources(linerad, tmp_path, apart, depth, speed)
    grid = np.concatenate([[0], z, [depth]])
    together, alone = (source_functions(grid, (1.0, RATIO), (0.0, apart), EPS, np.interp(grid, z, v), overlap=overlap)
                       for overlap in (True, False))
    inside = slice(8, -8)
    effect = [np.max(np.abs(together[m] / alone[m] - 1)[1:-1][inside]) for m in (0, 1)]
    for m in (0, 1):
        error = np.max(np.abs(found[m] / together[m, 1:-1] - 1)[inside])
        print(f"  line {m + 1}: largest difference {error:.3%}; effect of overlap {effect[m]:.1%}")
        assert error < 0.008
    assert max(effect) > 0.1


def test_without_overlap_each_line_is_alone(linerad, tmp_path):
    z, v, found = sources(linerad, tmp_path, 1.0, 20.0, 0.0, **{"populations.overlap": False})
    alone = source_functions(np.concatenate([[0], z, [20.0]]), (1.0, RATIO), (0.0, 1.0), EPS, np.zeros(len(z) + 2),
                             overlap=False)
    for m in (0, 1):
        assert np.max(np.abs(found[m] / alone[m, 1:-1] - 1)[8:-8]) < 0.015


# ---- a multiplet without splitting is one line ----

ROTOR = rotor(4)
DIVIDED, FIRST = divided(ROTOR, ((1.0,), (1.0, 2.0), (2.0, 3.0), (7.0,)))
MOVING = {"medium.velocity": {"file": "v.h5", "dataset": "v"}}
DUST = {"medium.absorption": "1 1/pc", "medium.dust_temperature": "35 K"}
STAR = {"sources": [{"gas": {}}, {"star": {"position": ["0.1 pc", "0.2 pc", "0.3 pc"], "radius": "1000 Rsun",
                                           "temperature": "3000 K"}}]}
SHELLS = {"mesh": {"shells": 20, "outer": "1 pc"}, "medium.velocity": {"file": "v.h5", "dataset": "radial"}}


@pytest.mark.parametrize("settings", [{}, MOVING, MOVING | DUST, {"medium.density": "1 cm^-3"}, MOVING | STAR, SHELLS,
                                      {"medium.temperature": "300 K", "populations.inversion_limit": 0.1}],
                         ids=["rest", "moving", "dust", "thick", "star", "shells", "warm"])
def test_a_multiplet_without_splitting_is_one_line(linerad, tmp_path, settings):
    rng = np.random.default_rng(3)
    fields = {"v.h5": {"v": (rng.uniform(-2, 2, (3, 4, 4, 4)), "km/s"), "radial": (np.linspace(0, 5, 20), "km/s")}}

    def populations(molecule):
        common = {"line.molecule": molecule.write(tmp_path), "medium.density": "1e-3 cm^-3", "populations.error": 1e-5,
                  "populations.iterations": 2000, "populations.directions": 24}
        run = solve(linerad, BOX, common | settings, fields=fields, threads=1, precision="double")
        assert run.summary["populations"]["converged"]
        x = fractions(run)
        return x.reshape(-1, x.shape[-1])

    one = populations(ROTOR)
    many = populations(DIVIDED)
    assert np.max(np.abs(np.add.reduceat(many, FIRST, axis=1) / one - 1)) < 3e-5
    assert np.max(np.abs(many[:, 2] / (2 * many[:, 1]) - 1)) < 3e-5


# ---- limits ----

def excitation(molecule, x, m):
    """Temperature of line m from fractions (..., level)."""
    u, l, _ = molecule.lines[m]
    return PLANCK * molecule.frequency(m) / BOLTZMANN / np.log(
        molecule.weight[u] / molecule.weight[l] * x[..., l] / x[..., u])


def triplet(split):
    """A rotor whose level 1 has three parts, `split` km/s from each other in the line 1-0, and made-up collisions that
    prefer one of them."""
    molecule, first = divided(rotor(3), ((1.0,), (1.0, 2 / 3, 4 / 3), (5.0,)))
    energy = np.array(molecule.energy)
    energy[first[1]:first[2]] *= 1 + np.array([-1, 0, 1]) * split * KM / LIGHT_SPEED
    rates = tuple((u, l, k * (3.0 if u == first[1] else 0.5 if l == first[1] else 1.0)) for u, l, k in molecule.rates)
    return molecule._replace(energy=tuple(energy), rates=rates)


def box(linerad, tmp_path, molecule, settings):
    run = solve(linerad, BOX, {"line.molecule": molecule.write(tmp_path)} | settings, threads=1)
    x = fractions(run)
    return x.reshape(-1, x.shape[-1])


def test_blended_components_share_one_excitation_temperature(linerad, tmp_path):
    """Components much closer than their width, in gas so thick that light decides."""
    molecule = triplet(0.01)
    thick = {"medium.density": "0.3 cm^-3", "medium.colliders": {"H2": "30 cm^-3"}, "populations.iterations": 2000}
    for overlap in (True, False):
        x = box(linerad, tmp_path, molecule, thick | {"populations.overlap": overlap})
        found = np.array([excitation(molecule, x, m) for m in range(3)])
        spread = np.max(found.max(axis=0) / found.min(axis=0) - 1)
        print(f"  overlap {overlap}: excitation temperatures differ by {spread:.1%}")
        assert spread < 0.02 if overlap else spread > 0.05


@pytest.mark.parametrize("settings", [{"medium.density": "1e-12 cm^-3"},
                                      {"medium.density": "1 cm^-3", "medium.colliders": {"H2": "1e12 cm^-3"}}],
                         ids=["thin", "dense"])
def test_thin_gas_and_lte_do_not_change(linerad, tmp_path, settings):
    molecule = triplet(0.5)
    x, alone = (box(linerad, tmp_path, molecule, settings | {"populations.overlap": overlap})
                for overlap in (True, False))
    matters = alone > 1e-6
    assert np.max(np.abs(x / alone - 1)[matters]) < 1e-4


def test_lines_far_apart_are_solved_as_before(linerad, tmp_path):
    """Not a bit may differ."""
    molecule = triplet(50.0)
    x, alone = (box(linerad, tmp_path, molecule, {"medium.density": "1e-3 cm^-3", "populations.overlap": overlap})
                for overlap in (True, False))
    assert np.array_equal(x, alone)


def test_without_collisions_levels_have_the_background(linerad, tmp_path):
    molecule = triplet(0.7)
    x = box(linerad, tmp_path, molecule, {"medium.density": "1e-3 cm^-3", "medium.colliders": {"H2": "0 cm^-3"},
                                          "populations.background": "15 K"})
    assert np.max(np.abs(x / molecule.boltzmann(15.0) - 1)) < 1e-4


# ---- meshes ----

def test_box_and_layer_agree(linerad, tmp_path):
    """A layer as a three-dimensional mesh, periodic along two axes."""
    molecule = triplet(1.0)
    common = {"line.molecule": molecule.write(tmp_path), "medium.density": "1e-3 cm^-3",
              "medium.colliders": {"H2": "1000 cm^-3"}, "populations.background": "2.725 K",
              "populations.directions": 48}
    edges = np.linspace(0, 3.0857e18, 9)
    fields = {"gas.h5": {"edges": (edges, "cm")}}
    layer = fractions(solve(linerad, MODEL, common, fields=fields, threads=1))[:, 0, 0]
    mesh = {"edges": {"x": {"file": "gas.h5", "dataset": "edges"}}, "faces": {"x": "open", "y": "periodic",
                                                                              "z": "periodic"}}
    side = [f"{i * 3.857e17:.6g} cm" for i in range(3)]
    mesh["edges"] |= {"y": side, "z": side}
    cube = fractions(solve(linerad, MODEL, common | {"mesh": mesh}, fields=fields)).mean(axis=(1, 2))
    rms = np.sqrt(np.mean((cube / layer - 1)**2))
    print(f"  rms difference {rms:.2%}")
    assert rms < 0.012


# ---- hyperfine structure ----

def hyperfine(tmp_path):
    """A molecule like HCN, from tools/make_rotor.py."""
    tool = Path(__file__).parents[3] / "tools" / "make_rotor.py"
    path = tmp_path / "hyperfine.dat"
    path.write_text(subprocess.run(
        [sys.executable, tool, *("--name HCN --b 44315.97545 --d 0.0872168 --dipole 2.985 --mass 27 --levels 4 --rate "
                                 "1e-11 --spin 1 --quadrupole -4.70783 --spin-rotation 0.01013").split()],
        capture_output=True, text=True, check=True).stdout)
    return path


@pytest.mark.parametrize("lamda", [None, "hcn@hfs.dat"], ids=["rotor", "lamda"])
def test_hyperfine_layer_and_one_zone(linerad, tmp_path, lamda):
    """`radex --overlap` has one source function in the whole layer and the mean intensity averaged over it, while the
    layer itself has both at every depth. The mean populations of the layer have nearly the excitation temperatures of
    the one zone, which change by 5 to 15 % if lines do not overlap."""
    path = reference("lamda", lamda) if lamda else hyperfine(tmp_path)
    b, column, n = 1.0, 2e13, 32
    arguments = ["--temperature", "25", "--density", "H2=1e5", "--column", f"{column}", "--geometry", "layer", "--csv",
                 "--width", f"{2 * np.sqrt(np.log(2)) * b:.8g}", "--lines", "9", "--quiet"]
    fields = {"gas.h5": {"edges": (np.linspace(0, 1e17, n + 1), "cm")}}
    found = {}
    for overlap in (True, False):
        table = subprocess.run([linerad.program, "radex", str(path), *arguments, *["--overlap"] * overlap],
                               capture_output=True, text=True, check=True).stdout
        rows = list(csv.DictReader(io.StringIO(table)))
        run = solve(linerad, MODEL, {
            "line.molecule": path, "medium.temperature": "25 K", "medium.density": f"{column / 1e17} cm^-3",
            "medium.colliders": {"H2": "1e5 cm^-3"}, "populations.background": "2.725 K",
            "populations.overlap": overlap}, fields=fields, threads=1)
        x = fractions(run)[:, 0, 0].mean(axis=0)
        level = {str(name).strip('" '): i for i, name in enumerate(run.attribute("level_labels", "populations"))}
        weight = run.data("populations/level_weight")
        zone, layer = [], []
        for row in rows:
            u, l = level[row["upper"]], level[row["lower"]]
            gap = PLANCK * float(row["frequency_GHz"]) * 1e9 / BOLTZMANN
            zone.append(float(row["Tex_K"]))
            layer.append(gap / np.log(weight[u] / weight[l] * x[l] / x[u]))
        found[overlap] = np.array(zone), np.array(layer)
    effect = np.max(np.abs(found[True][0] / found[False][0] - 1))
    for i, row in enumerate(rows):
        zone, layer = found[True][0][i], found[True][1][i]
        assert_close(f"Tex of {row['upper']} - {row['lower']} (effect of overlap up to {effect:.0%})", layer, zone, 0.015)
    assert effect > 0.04
