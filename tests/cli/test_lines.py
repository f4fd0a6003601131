"""Models of several lines: each gives the same as a model of that line alone."""

import json

import h5py
import numpy as np
import pytest

from conftest import error_line

COMMON = """\
mesh: {cells: [4, 4, 4], size: [1 pc, 1 pc, 1 pc]}
medium: {temperature: 30 K, turbulence: 0.3 km/s, velocity: [0.2 km/s, 0 km/s, 0 km/s]}
channels: {number: 6, range: [-3 km/s, 3 km/s]}
cameras: [{name: front, direction: +x, pixels: 4}]
image: {unit: K, distance: 100 pc}
run: {seed: 3, threads: 1}
"""
BOTH = COMMON + """\
lines:
  - {name: co, molecule: co, transition: 2-1, medium: {density: 1e-4 cm^-3}}
  - name: lya
    line: lya
    medium: {tau_mean: 20, temperature: 100 K, turbulence: null}
    sources: [{thermal: {}}, {point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
    run: {packets: 400}
"""
CO = COMMON.replace("medium: {", "medium: {density: 1e-4 cm^-3, ") + "line: {molecule: co, transition: 2-1}\n"
LYA = (
    COMMON.replace("temperature: 30 K, turbulence: 0.3 km/s,", "temperature: 100 K, tau_mean: 20, destruction: 0.1,")
    .replace("run: {", "run: {packets: 400, ")
    + """\
line: lya
sources: [{thermal: {}}, {point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
"""
)
BOTH = BOTH.replace("turbulence: null", "turbulence: null, destruction: 0.1")


def fits_data(path):
    """The numbers of a floating-point FITS image, 32 bits or (if very faint) 64, without a library."""
    raw = path.read_bytes()
    end = next(i for i in range(0, len(raw), 80) if raw[i : i + 80].rstrip() == b"END")
    start = (end // 2880 + 1) * 2880
    cards = {raw[i : i + 8].rstrip(): raw[i + 10 : i + 30].strip() for i in range(0, end, 80)}
    shape = [int(cards[b"NAXIS%d" % axis]) for axis in (3, 2, 1)]
    return np.frombuffer(raw, {b"-32": ">f4", b"-64": ">f8"}[cards[b"BITPIX"]], int(np.prod(shape)), start).reshape(shape)


def same(first, second, where=""):
    """All datasets of two HDF5 groups are equal."""
    assert set(first) == set(second), where
    for key in first:
        if isinstance(first[key], h5py.Group):
            same(first[key], second[key], f"{where}/{key}")
        elif key not in ("model", "model_resolved"):
            assert np.array_equal(first[key][()], second[key][()], equal_nan=first[key].dtype.kind == "f"), where + key


def test_a_rotor_is_a_line_of_a_list(folder):
    """Lines of one rotor, in a list and alone: `check` finds the same depths."""
    rotor = "rotor: {b: 57.635968 GHz, dipole: 0.11011 debye, mass: 28 u, highest_j: 9}"
    medium = "medium: {density: 1e-4 cm^-3}"
    entries = f"[{{name: low, {rotor}, {medium}}}, {{name: high, {rotor}, transition: 3-2, {medium}}}]"
    (folder.path / "list.yaml").write_text(COMMON + f"lines: {entries}\n")
    gas = COMMON.replace("medium: {", "medium: {density: 1e-4 cm^-3, ")
    (folder.path / "alone.yaml").write_text(gas + f"line: {{{rotor}, transition: 3-2}}\n")
    both, alone = (folder.run("check", name) for name in ("list.yaml", "alone.yaml"))
    assert both.returncode == 0 and alone.returncode == 0, both.stderr + alone.stderr
    line = next(text for text in alone.stdout.splitlines() if "rotor 3-2" in text)
    assert line in both.stdout and "rotor 1-0" in both.stdout


def test_two_lines_are_two_single_runs(folder):
    folder.model.write_text(BOTH)
    done = folder.run("run", "model.yaml", "-o", "both.h5", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    for name, text in (("co", CO), ("lya", LYA)):
        (folder.path / "single.yaml").write_text(text)
        single = folder.run("run", "single.yaml", "-o", f"single_{name}.h5", "--device", "cpu")
        assert single.returncode == 0, single.stderr
        with h5py.File(folder.path / f"both_{name}.h5") as a, h5py.File(folder.path / f"single_{name}.h5") as b:
            same(a, b)
            assert a["provenance"].attrs["line"] == name and "line" not in b["provenance"].attrs
            assert f"# line: {name}" in a["provenance/model"].asstr()[()]
            assert '"lines"' not in a["provenance/model_resolved"].asstr()[()]
        cubes = [fits_data(folder.path / f"{stem}_{name}_front.fits") for stem in ("both", "single")]
        assert np.array_equal(*cubes) and cubes[0].max() > 0
    assert not (folder.path / "both.h5").exists()
    assert done.stdout.count("\nresult ") == 2 and done.stdout.startswith("line                    co\n")


def test_each_line_warns_once(folder):
    folder.model.write_text(BOTH)
    done = folder.run("run", "model.yaml", "--quiet", "--packets", 0, "--set", "channels.range=[100 km/s, 106 km/s]")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the channels miss the line as seen by camera 'front'") == 2, done.stderr


def test_json_lists_the_lines(folder):
    folder.model.write_text(BOTH)
    done = folder.run("run", "model.yaml", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    lines = json.loads(done.stdout)["lines"]
    assert [line["line"] for line in lines] == ["co", "lya"]
    assert [line["output"] for line in lines] == ["model_co.h5", "model_lya.h5"]
    assert "model_lya_front.fits" in lines[1]["cubes"] and lines[1]["packets"] == 400


def test_settings_reach_all_lines_and_single_ones(folder):
    folder.model.write_text(BOTH)
    done = folder.run("run", "model.yaml", "--json", "--quiet", "--packets", 0, "--set", "lines.0.medium.density=1e-5 cm^-3")
    assert done.returncode == 0, done.stderr
    assert [line["packets_requested"] for line in json.loads(done.stdout)["lines"]] == [0, 0]
    check = folder.run("check", "model.yaml", "--set", "lines.0.medium.density=1e-5 cm^-3").stdout
    assert "1e-05" in check


def test_check_reports_each(folder):
    folder.model.write_text(BOTH)
    done = folder.run("check", "model.yaml")
    assert done.returncode == 0, done.stderr
    assert "== line co ==" in done.stdout and "== line lya ==" in done.stdout
    assert "230.538" in done.stdout


def test_images_of_one_line_can_be_made_again(folder):
    folder.model.write_text(BOTH.replace("image: {", "image: {emissivity: true, "))
    assert folder.run("run", "model.yaml", "-o", "both.h5").returncode == 0
    done = folder.run("image", "both_lya.h5", "--pixels", 8, "-o", "again")
    assert done.returncode == 0, done.stderr
    assert fits_data(folder.path / "again_front.fits").shape == (6, 8, 8)


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("lines:", "line: lya\nlines:", "'line' is also given"),
        ("{name: co,", "{", "needs a 'name'"),
        ("name: lya", "name: co", "the name 'co' is already used"),
        ("name: lya", "name: a/b", "'a/b' is not a valid name"),
        ("name: lya", "name: lya\n    mash: {}", "lines.1.mash: unknown key; did you mean 'mass'?"),
        ("line: lya", "line: lya\n    molecule: co", "'line' is also given"),
        ("density: 1e-4", "density: -1e-4", "line 'co': model.yaml:8:"),
        ("tau_mean: 20", "tau_mean: -20", "line 'lya': model.yaml:11:"),
        ("line: lya", "line: lyb", "line 'lya': model.yaml:10:"),
    ],
)
def test_errors_name_the_line(folder, old, new, words):
    assert old in BOTH
    folder.model.write_text(BOTH.replace(old, new))
    before = folder.contents()
    for command in ("run", "check"):
        done = folder.run(command, "model.yaml")
        if command == "run":  # all lines are checked before the first one is run
            assert words in error_line(done)
        else:
            assert done.returncode == 2 and words in done.stderr
    assert folder.contents() == before


def test_an_empty_list_is_an_error(folder):
    folder.model.write_text(COMMON + "lines: []\n")
    assert "the list of lines is empty" in error_line(folder.run("check", "model.yaml"))


def test_warnings_of_a_run_name_the_line(folder):
    """Gas at two speeds: narrow lines shift abruptly from cell to cell, the wide one does not. `check` and `run` say
    the same."""
    step = "velocity: [{default: 0 km/s, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 1 km/s}]}, 0 km/s, 0 km/s]"
    text = BOTH.replace("velocity: [0.2 km/s, 0 km/s, 0 km/s]", step)
    folder.model.write_text(text.replace("temperature: 100 K, turbulence: null", "temperature: 1e4 K, turbulence: null"))
    for command in ("check", "run"):
        done = folder.run(command, "model.yaml")
        assert done.returncode == 0, done.stderr
        steps = [line for line in done.stderr.splitlines() if "velocity changes" in line]
        assert len(steps) == 1, done.stderr
        assert steps[0].startswith("linerad: warning: line 'co': the velocity changes by more than b between 11 % of")
        assert "along x after cell [1, 0, 0]: images interpolate" in steps[0]


def test_one_line_alone(folder):
    """--line: the same file as when all lines are run, and no other; and a name that does not exist."""
    folder.model.write_text(BOTH)
    done = folder.run("run", "model.yaml", "-o", "all.h5", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    done = folder.run("run", "model.yaml", "-o", "one.h5", "--device", "cpu", "--line", "lya", "--json")
    assert done.returncode == 0, done.stderr
    assert [line["line"] for line in json.loads(done.stdout)["lines"]] == ["lya"]
    assert sorted(p.name for p in folder.path.glob("one*.h5")) == ["one_lya.h5"]
    with h5py.File(folder.path / "all_lya.h5") as first, h5py.File(folder.path / "one_lya.h5") as second:
        same(first["spectrum"], second["spectrum"])
    done = folder.run("check", "model.yaml", "--line", "co")
    assert done.returncode == 0 and "== line co ==" in done.stdout and "lya" not in done.stdout
    for command in ("check", "run"):
        assert "its lines are: co lya" in error_line(folder.run(command, "model.yaml", "--line", "c"))
    folder.model.write_text(CO)
    assert "model.yaml has only one line" in error_line(folder.run("run", "model.yaml", "--line", "co"))
