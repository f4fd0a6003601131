"""What does not depend on the number of threads, nor on chance: level populations and the list of packets, bit by bit."""

import h5py
import numpy as np
import pytest

from test_bad_populations import RATES, TOY

LEVELS = """\
mesh: MESH
line: {molecule: toy.dat, transition: 1-0}
medium:
  temperature: 20 K
  b: 0.3 km/s
  velocity: VELOCITY
  density: {file: gas.h5, dataset: /density}
  colliders: {H2: 1e4 cm^-3}
populations: {method: equilibrium, directions: 12, iterations: 12}
output: {populations: true}
cameras: [{name: front, direction: +z, pixels: 2}]
channels: {number: 4, range: [-2 km/s, 2 km/s]}
run: {packets: 0, device: cpu, precision: PRECISION}
"""


def everything(folder, group, threads, *options):
    done = folder.run("run", "model.yaml", "--quiet", "--threads", threads, "-o", "out.h5", *options)
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / "out.h5") as file:
        return {name: np.asarray(data) for name, data in file[group].items()}


def compare(folder, group, *options):
    first = everything(folder, group, 1, *options)
    for threads in (2, 2, 4, 3):
        other = everything(folder, group, threads, *options)
        assert first.keys() == other.keys()
        for name, values in first.items():
            assert values.tobytes() == other[name].tobytes(), (name, threads)
    return first


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("mesh", ["cells", "shells"])
def test_level_populations(folder, mesh, precision):
    (folder.path / "toy.dat").write_text(TOY + RATES)
    shells = mesh == "shells"
    text = LEVELS.replace("PRECISION", precision)
    text = text.replace("MESH", "{shells: 40, outer: 1 pc}" if shells else "{cells: [12, 10, 11], size: [1 pc, 1 pc, 1 pc]}")
    folder.model.write_text(text.replace("VELOCITY", "0.5 km/s" if shells else "[0.5 km/s, 0 km/s, 0 km/s]"))
    with h5py.File(folder.path / "gas.h5", "w") as file:
        shape = (40,) if shells else (12, 10, 11)
        file["density"] = 1e-3 * 10 ** np.random.default_rng(2).random(shape)
        file["density"].attrs["units"] = "cm^-3"
    found = compare(folder, "populations")
    assert np.all(np.isfinite(found["fraction"])) and len(found["history_change"]) > 5


def test_list_of_packets(folder):
    packets = compare(folder, "packets", "--set", "output.packets=true", "--set", "run.packets=3000")
    assert len(packets["id"]) == 3000
    assert np.all(np.diff(packets["id"]) > 0)
