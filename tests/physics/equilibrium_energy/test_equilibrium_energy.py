"""Energy: what the levels of a molecule gain from collisions leaves the cloud as line emission.

In equilibrium the levels of a cell neither gain nor lose energy, so the net energy from collisions, computed here from
the populations of the result and the rates of the molecule, is what the lines radiate from there and, summed over the
whole cloud, what escapes: the sum over lines of the light in images, 4 pi d^2 F. Line photons are absorbed and
re-emitted elsewhere many times on the way (8 to 99 % of what a line emits escapes), so neither cells nor lines balance
individually."""

from pathlib import Path

import numpy as np

from equilibrium import fractions, shell_means, shell_middles, shell_volumes, solve
from harness import assert_close
from imaging import BOLTZMANN, LIGHT_SPEED, PLANCK, cube
from molecules import rotor

MODEL = Path(__file__).with_name("model.yaml")
MOLECULE = rotor(8, b0=1.4875, a10=4.2e-5, k10=2e-10)  # much like HCO+
EDGES = np.geomspace(1e16, 3e17, 61)


def cooling(x, density, temperature):
    """erg/s that the molecules of each shell gain from collisions, per molecule."""
    power = np.zeros(len(x))
    for upper, lower, k in MOLECULE.rates:
        energy = (MOLECULE.energy[upper] - MOLECULE.energy[lower]) * PLANCK * LIGHT_SPEED
        up = k * MOLECULE.weight[upper] / MOLECULE.weight[lower] * np.exp(-energy / (BOLTZMANN * temperature))
        power += density * (x[:, lower] * up - x[:, upper] * k) * energy
    return power


def test_cooling_is_luminosity(linerad, tmp_path):
    middle = shell_middles(EDGES)
    density = shell_means(EDGES, lambda r: 1e6 * (r / 1e16) ** -1.5)
    temperature = 30 * (middle / 1e16) ** -0.3
    velocity = -1.0 * (middle / 1e16) ** -0.5
    fields = {"n": (density, "cm^-3"), "T": (temperature, "K"), "v": (velocity, "km/s")}
    molecule = MOLECULE.write(tmp_path)
    run = solve(linerad, MODEL, {"line.molecule": molecule}, fields={"gas.h5": fields})
    assert run.summary["populations"]["converged"]
    x = fractions(run)
    volume = shell_volumes(EDGES)
    given = np.sum(cooling(x, density, temperature) * volume * density * 3e-9)

    escaping = 0.0
    for line in range(len(MOLECULE.lines)):
        image = linerad.run(MODEL, {"line": {"molecule": str(molecule), "transition": line + 1},
                                    "populations": {"method": "given", "file": "x.h5", "dataset": "x"},
                                    "channels": {"number": 80, "range": ["-4 km/s", "4 km/s"]},
                                    "cameras": [{"name": "far", "direction": "+z", "pixels": 256}],
                                    "image": {"spectrum": False}},
                            packets=0, fields={"gas.h5": fields, "x.h5": {"x": (x, "1")}})
        photons = cube(image, "far").spectrum.sum()  # per second and steradian
        light = 4 * np.pi * photons * PLANCK * MOLECULE.frequency(line)
        upper, lower, a = MOLECULE.lines[line]
        emitted = np.sum(x[:, upper] * a * volume * density * 3e-9) * PLANCK * MOLECULE.frequency(line)
        print(f"  {upper}-{lower}: {light:.4e} erg/s escape, {light / emitted:.3f} of what is emitted")
        escaping += light
    assert_close("luminosity of all lines / energy given by collisions", escaping, given, 0.01)
