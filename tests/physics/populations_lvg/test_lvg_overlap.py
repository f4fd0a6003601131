"""Lines that overlap, in gas with a velocity gradient and in spheres of given size, cell by cell: against plain iteration
with the light integrated over frequency on a fine grid, against one line for a multiplet without splitting, and against
`radex --overlap`."""

import csv
import io
import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM
from imaging import BOLTZMANN, KM, LIGHT_SPEED, PLANCK
from molecules import divided, rotor
from test_populations_lvg import H2, MODEL, TEMPERATURE, check, depths, expansion

B = 0.2  # km/s, of the model
SPEED = 20 * KM / PARSEC_CM


def run(linerad, tmp_path, molecule, density, gradient, **options):
    """Fractions in a cell, with dv_i / dx_j = gradient[i][j] SPEED."""
    x = ((np.arange(6) + 0.5) / 6 - 0.5) * PARSEC_CM
    velocity = SPEED * np.tensordot(gradient, np.array(np.meshgrid(x, x, x, indexing="ij")), 1)
    settings = {"line.molecule": molecule.write(tmp_path), "run.batches": 2, "medium.density": f"{density} cm^-3",
                "medium.velocity": {"file": "v.h5", "dataset": "v"}} | options
    return linerad.run(MODEL, settings, packets=0, fields={"v.h5": {"v": (velocity, "cm/s")}}).data(
        "populations/fraction")


def triplet(split):
    """A rotor whose first level is divided into three, `split` Doppler widths from each other in the line 1-0, and
    collisions that prefer one of them."""
    molecule, first = divided(rotor(3), ((1.0,), (1.0, 2 / 3, 4 / 3), (5.0,)))
    energy = np.array(molecule.energy)
    energy[first[1]:first[2]] *= 1 + np.array([-1, 0, 1]) * split * B * KM / LIGHT_SPEED
    rates = tuple((u, l, k * (3.0 if u == first[1] else 0.5 if l == first[1] else 1.0)) for u, l, k in molecule.rates)
    return molecule._replace(energy=tuple(energy), rates=rates)


def iterated(molecule, column_per_speed, expanding, overlap=True, background=2.725, step=0.02):
    """Populations with the light of all lines along frequency, from blue to red where the gas expands."""
    n_line = len(molecule.lines)
    upper, lower, a = (np.array(column) for column in zip(*molecule.lines))
    weight = np.array(molecule.weight)
    frequency = np.array([molecule.frequency(m) for m in range(n_line)])
    ratio = weight[upper] / weight[lower]
    kappa = a * (LIGHT_SPEED / frequency)**3 / (8 * np.pi) * column_per_speed
    outside = 1 / np.expm1(PLANCK * frequency / BOLTZMANN / background)
    apart = (frequency[None, :] / frequency[:, None] - 1) * LIGHT_SPEED / (B * KM)
    collisions = np.zeros((len(weight),) * 2)
    for u, l, k in molecule.rates:
        gap = (molecule.energy[u] - molecule.energy[l]) * PLANCK * LIGHT_SPEED / BOLTZMANN / TEMPERATURE
        collisions[u, l] += H2 * k
        collisions[l, u] += H2 * k * weight[u] / weight[l] * np.exp(-gap)

    def light(i, x, side):
        """Mean over the profile of line i."""
        group = np.flatnonzero(np.abs(apart[i]) < 11) if overlap else np.array([i])
        offset = side * apart[i, group]
        edge = np.arange(max(offset.max(), 0) + 5, -5 - step, -step)  # from blue to red
        middle = 0.5 * (edge[1:] + edge[:-1])
        parts = kappa[group][:, None] * np.exp(-(middle - offset[:, None])**2) / np.sqrt(np.pi) * step
        depth = (parts * (ratio * x[lower] - x[upper])[group][:, None]).sum(axis=0)
        source = (parts * x[upper[group]][:, None]).sum(axis=0) / depth
        total = np.concatenate([[0], np.cumsum(depth)])
        # n e^T = outside + SUM S (e^T1 - e^T0); in the middle of a step
        grown = outside[i] + np.concatenate([[0], np.cumsum(source * np.diff(np.exp(total)))])
        n = grown * np.exp(-total)
        profile = np.exp(-middle**2)
        return (profile * 0.5 * (n[1:] + n[:-1])).sum() / profile.sum()

    x = molecule.boltzmann(TEMPERATURE)
    for _ in range(4000):
        rates = collisions.copy()
        for i in range(n_line):
            mean = expanding * light(i, x, 1) + ((1 - expanding) * light(i, x, -1) if expanding < 1 else 0)
            rates[upper[i], lower[i]] += a[i] * (1 + mean)
            rates[lower[i], upper[i]] += a[i] * ratio[i] * mean
        matrix = rates.T - np.diag(rates.sum(axis=1))
        matrix[-1] = 1
        new = np.linalg.solve(matrix, np.eye(len(x))[-1])
        change = np.max(np.abs(new / x - 1))
        x = new
        if change < 1e-8:
            return x
    raise AssertionError("did not converge")


FLOWS = {"expansion": (np.eye(3), 1.0, 1.0), "contraction": (-np.eye(3), 1.0, 0.0),
         "shear": ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], 2 / (3 * np.pi), 0.5)}  # mean |n_x n_y|


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("split", [0.5, 3.0])
def test_lines_in_a_flow(linerad, tmp_path, flow, split):
    """Light reaches redder lines in gas that expands, and bluer ones in gas that contracts; a shear has both."""
    gradient, mean, expanding = FLOWS[flow]
    tolerance = 5e-4 if flow != "shear" else 0.02  # the mean gradient is an average over directions
    molecule = triplet(split)
    density = 1e-2
    found = run(linerad, tmp_path, molecule, density, gradient)[3, 3, 3]
    wanted = iterated(molecule, density / (mean * SPEED), expanding)
    alone = iterated(molecule, density / (mean * SPEED), expanding, overlap=False)
    effect = np.max(np.abs(alone / wanted - 1))
    print(f"  effect of overlap {effect:.1%}")
    check(flow, found, wanted, tolerance)
    check("without overlap", run(linerad, tmp_path, molecule, density, gradient,
                                 **{"populations.overlap": False})[3, 3, 3], alone, tolerance)
    assert effect > 0.05


@pytest.mark.parametrize("density", [1e-4, 1e-2, 1.0])
def test_a_multiplet_without_splitting_is_one_line(linerad, tmp_path, density):
    one = rotor(4)
    many, first = divided(one, ((1.0,), (1.0, 2.0), (2.0, 3.0), (7.0,)))
    wanted = one.boltzmann(TEMPERATURE)
    for _ in range(3000):
        beta = [expansion(tau) for tau in depths(wanted, density / SPEED, one)]
        wanted = 0.5 * (wanted + one.equilibrium(TEMPERATURE, H2, beta, 2.725))
    found = run(linerad, tmp_path, many, density, np.eye(3))
    check(f"n = {density}", np.add.reduceat(found, first, axis=-1), wanted)


def test_sphere_of_given_size(linerad, tmp_path):
    """`radex --overlap` for the column through the sphere, at the same width."""
    molecule = triplet(1.0)
    path = molecule.write(tmp_path)
    run = linerad.run(MODEL, {"line.molecule": path, "run.batches": 2, "medium.density": "1e-2 cm^-3", "populations": {
        "method": "escape-probability", "length": "0.3 pc", "error": 1e-8}}, packets=0)
    x = run.data("populations/fraction")[0, 0, 0]
    table = subprocess.run(
        [linerad.program, "radex", str(path), "--temperature", f"{TEMPERATURE}", "--density", f"H2={H2}", "--column",
         f"{1e-2 * 0.3 * PARSEC_CM:.17g}", "--width", f"{2 * np.sqrt(np.log(2)) * B:.17g}", "--background", "2.725",
         "--overlap", "--csv", "--quiet"], capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    for row, (u, l, _) in zip(rows, molecule.lines):
        assert x[u] == pytest.approx(float(row["x_upper"]), rel=1e-5)
        assert x[l] == pytest.approx(float(row["x_lower"]), rel=1e-5)
