"""Snapshots in linerad's own format, as used by a user: the example of the documentation, runs that use every cell, the
inventory, and errors."""

import math
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import error_line
from test_bad_populations import RATES, TOY

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "model_format.md"
PC = 3.0856775814913673e18
U = 1.66053906660e-24
SUN = 1.988409871e33

SCENE = """\
line: {molecule: co}
medium: {MEDIUM}
channels: {number: 8, range: [-3 km/s, 3 km/s]}
cameras: [{direction: +x, pixels: 4}]
image: {emissivity: true}
run: {precision: double, device: cpu}
"""


def write(path, kind="uniform", n=(5, 4, 3), **fields):
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "linerad-model"
        file.attrs["version"] = 1
        mesh = file.create_group("mesh")
        mesh.attrs["kind"] = kind
        mesh["cells"] = n
        for name, corner in ("lower", (0, 0, 0)), ("upper", n):
            mesh[name] = np.array(corner, float)
            mesh[name].attrs["units"] = "pc"
        for name, (values, units) in fields.items():
            file[f"fields/{name}"] = values
            if units:
                file[f"fields/{name}"].attrs["units"] = units


@pytest.fixture
def cloud(folder):
    rng = np.random.default_rng(1)
    shape = (5, 4, 3)
    folder.fields = {
        "n_H2": (rng.uniform(1e3, 1e5, shape), "cm-3"),
        "n_CO": (rng.uniform(0.01, 1, shape).astype(">f4"), "cm-3"),
        "temperature": (rng.uniform(10, 50, shape), "K"),
        "velocity_x": (rng.uniform(-1, 1, shape), "km/s"),
        "velocity_y": (rng.uniform(-1, 1, shape), "km/s"),
        "velocity_z": (rng.uniform(-1, 1, shape).astype("f4"), "km/s"),
    }
    write(folder.path / "cloud.h5", **folder.fields)
    return folder


def scene_of(folder, head, medium, name):
    """The gas of all cells, as seen by a run."""
    (folder.path / f"{name}.yaml").write_text(head + SCENE.replace("{MEDIUM}", medium))
    done = folder.run("run", f"{name}.yaml", "-o", f"{name}.h5", "--quiet")
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / f"{name}.h5") as file:
        return {key: file[f"scene/gas/{key}"][:] for key in ("alpha0", "b", "velocity_x", "velocity_y", "velocity_z")}


def field(name):
    return f"{{file: cloud.h5, dataset: fields/{name}}}"


def test_the_same_gas_as_from_single_fields(cloud):
    """A snapshot is a short form of the same model, to the last bit."""
    whole = scene_of(cloud, "snapshot: cloud.h5\n", "{turbulence: 0.1 km/s}", "snap")
    vector = "[" + ", ".join(field(f"velocity_{axis}") for axis in "xyz") + "]"
    medium = f"{{temperature: {field('temperature')}, density: {field('n_CO')}, velocity: {vector}"
    medium += ", turbulence: 0.1 km/s}"
    head = "mesh: {cells: [5, 4, 3], size: [5 pc, 4 pc, 3 pc], origin: [0 pc, 0 pc, 0 pc]}\n"
    for name, values in scene_of(cloud, head, medium, "single").items():
        assert np.array_equal(whole[name], values), name


def test_parts_are_what_numpy_makes_of_them(cloud):
    head = "snapshot: {file: cloud.h5, roll: {x: 2 pc}, region: {x: [1 pc, 4 pc], z: [1 pc, 3 pc]}, axes: [y, z, x]}\n"
    gas = scene_of(cloud, head, "{}", "part")

    def expected(name):
        values = np.roll(cloud.fields[name][0].astype(float), 2, axis=0)[1:4, :, 1:3]
        return values.transpose(1, 2, 0)

    assert np.allclose(gas["velocity_x"], 1e5 * expected("velocity_y"), rtol=1e-12)
    assert np.allclose(gas["velocity_y"], 1e5 * expected("velocity_z"), rtol=1e-12)
    assert np.allclose(gas["velocity_z"], 1e5 * expected("velocity_x"), rtol=1e-12)
    assert np.allclose(gas["b"] ** 2, 2 * 1.380649e-16 * expected("temperature") / (27.9949146 * U), rtol=1e-12)


def test_inventory_is_that_of_the_arrays(cloud):
    (cloud.path / "m.yaml").write_text(
        "snapshot: {file: cloud.h5, region: {y: [0 pc, 2 pc]}}\nline: {molecule: co}\nmedium: {abundance: 1e-4}\n"
    )
    done = cloud.run("check", "m.yaml")
    assert done.returncode == 0, done.stderr
    h2 = cloud.fields["n_H2"][0][:, :2, :]
    temperature = cloud.fields["temperature"][0][:, :2, :]
    numbers = re.search(r"gas +(\S+) Msun: (\S+) H2", done.stdout)
    assert float(numbers[1]) == pytest.approx(h2.sum() * PC**3 * 2.8 * U / SUN, rel=1e-5)
    assert float(numbers[2]) == pytest.approx(h2.sum() * PC**3, rel=1e-5)
    weighted = re.search(r"temperature (\S+) K, mean over mass", done.stdout)
    assert float(weighted[1]) == pytest.approx((h2 * temperature).sum() / h2.sum(), rel=1e-4)
    along = "; ".join(rf"{axis}: mean (\S+), maximum (\S+)" for axis in "xyz")
    columns = re.search(rf"N\(H2\) +{along} ", done.stdout)
    for axis in range(3):
        column = h2.sum(axis=axis) * PC
        assert float(columns[2 * axis + 1]) == pytest.approx(column.mean(), rel=1e-4)
        assert float(columns[2 * axis + 2]) == pytest.approx(column.max(), rel=1e-4)
    assert "used        n_H2, temperature, velocity_x, velocity_y, velocity_z\n  not used    n_CO\n" in done.stdout
    assert "taken       cells 0 to 1 of 4 along y" in done.stdout


def test_the_documented_example_runs(folder):
    blocks = re.findall(r"```(python|yaml)\n(.*?)```", DOCUMENT.read_text(), re.S)
    script = next(text for kind, text in blocks if kind == "python")
    model = next(text for kind, text in blocks if kind == "yaml" and "channels" in text)
    done = subprocess.run([sys.executable, "-c", script], cwd=folder.path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder.model.write_text(model)
    done = folder.run("check", "model.yaml")
    assert done.returncode == 0, done.stderr
    assert "64 x 64 x 64" in done.stdout and "used        n_H2, temperature, velocity_x, velocity_y" in done.stdout
    # INT 1e4 exp(-r^2 / 0.2) dV and 10 over the box, from -1 to 1 pc; the sum over cells of 1/32 pc agrees to 1e-4
    along = math.sqrt(0.2 * math.pi) * math.erf(1 / math.sqrt(0.2))
    mass = (1e4 * along**3 + 80) * PC**3 * 2.8 * U / SUN
    assert float(re.search(r"gas +(\S+) Msun", done.stdout)[1]) == pytest.approx(mass, rel=1e-4)
    done = folder.run("run", "model.yaml")
    assert done.returncode == 0, done.stderr
    assert (folder.path / "model_side.fits").exists()


def test_errors_name_dataset_and_cell(cloud):
    values = cloud.fields["temperature"][0].copy()
    values[3, 2, 1] = np.nan
    write(cloud.path / "cloud.h5", **{**cloud.fields, "temperature": (values, "K")})
    (cloud.path / "m.yaml").write_text("snapshot: cloud.h5\nline: {molecule: co}\n")
    line = error_line(cloud.run("check", "m.yaml"))
    assert line.endswith("cloud.h5: 'fields/temperature': the value nan at cell [3, 2, 1] is not a finite number")
    write(cloud.path / "cloud.h5", **{**cloud.fields, "temperature": (np.abs(values), "km")})
    line = error_line(cloud.run("check", "m.yaml"))
    assert "'fields/temperature' has units 'km'; expected a temperature such as 'K'" in line


def test_colliders_are_those_that_have_rates(cloud):
    """Electrons in a file are not used by a molecule without rates for them, unless the model assigns it some."""
    fields = {**cloud.fields, "n_e": (np.float64(2.0), "cm-3"), "n_toy": cloud.fields["n_CO"]}
    write(cloud.path / "cloud.h5", **fields)
    (cloud.path / "toy.dat").write_text(TOY + RATES)
    text = "snapshot: cloud.h5\nline: {molecule: toy.dat}\npopulations: lvg\n"
    (cloud.path / "m.yaml").write_text(text)
    done = cloud.run("check", "m.yaml")
    assert done.returncode == 0, done.stderr
    assert "with H2 " in done.stdout and "with e " not in done.stdout and "not used    n_CO, n_e\n" in done.stdout
    (cloud.path / "m.yaml").write_text(text + "medium: {collider_rates: {e: H2}}\n")
    done = cloud.run("check", "m.yaml")
    assert done.returncode == 0, done.stderr
    assert "with e      2 1/cm3 everywhere" in done.stdout
    del fields["n_H2"]
    write(cloud.path / "cloud.h5", **fields)
    (cloud.path / "m.yaml").write_text(text)
    assert "the snapshot has no n_H2, gas_density, or another collider" in error_line(cloud.run("check", "m.yaml"))


def test_a_result_is_not_a_snapshot(folder):
    folder.earlier_result("out.h5")
    (folder.path / "m.yaml").write_text("snapshot: out.h5\nline: {molecule: co}\n")
    assert "its attribute 'format' is 'linerad result'" in error_line(folder.run("check", "m.yaml"))


def test_velocities_of_another_name_are_warned_of(cloud):
    """Misspelt velocities leave the gas at rest, or without one component; other fields give no warning."""
    cloud.model.write_text("snapshot: cloud.h5\nline: {molecule: co}\n")
    fields = {name.replace("velocity_", "v"): field for name, field in cloud.fields.items()}
    write(cloud.path / "cloud.h5", **fields, entropy=fields["vx"], velocity_dispersion=fields["vx"])
    rest = cloud.run("check", "model.yaml")
    assert rest.returncode == 0, rest.stderr
    assert "vx, vy, vz of the snapshot are not used, so the gas is at rest; velocities must be called velocity_x," in rest.stderr
    assert "  velocity    0: there is no velocity_x, velocity_y or velocity_z\n" in rest.stdout
    given = cloud.run("check", "model.yaml", "--set", "medium={velocity: [1 km/s, 0 km/s, 0 km/s]}")
    assert given.returncode == 0 and "not used, so" not in given.stderr and "there is no velocity" not in given.stdout
    fields = dict(cloud.fields, Velocity_Z=cloud.fields["velocity_z"])
    del fields["velocity_z"]
    write(cloud.path / "cloud.h5", **fields)
    part = cloud.run("check", "model.yaml")
    assert "Velocity_Z of the snapshot is not used, so that velocity component is 0" in part.stderr
    write(cloud.path / "cloud.h5", **cloud.fields)
    whole = cloud.run("check", "model.yaml")
    assert whole.returncode == 0 and "of the snapshot" not in whole.stderr
