"""`linerad check` measures what a run will cost, with the first packets of the run itself."""

import os
import re
import resource
import time

import pytest

from conftest import Folder

SLAB = """
mesh: {cells: [16, 1, 1], size: [2 pc, 1 pc, 1 pc], faces: {y: periodic, z: periodic}}
line: lya
medium: {temperature: 1e4 K, damping: 0.149, tau_mean: 2000}
sources: [{plane: {axis: x, at: 0 pc}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
run: {packets: 20000}
"""

# Clumps that move through thin gas faster than their thermal speed, and dust.
CLUMPS = """
mesh: {cells: [16, 16, 16], size: [2 pc, 2 pc, 2 pc]}
line: lya
medium:
  b: 10 km/s
  damping: 0.01
  opacity:
    default: 30 1/pc
    regions:
      - {sphere: {centre: [0.5 pc, 0.2 pc, 0.3 pc], radius: 0.4 pc}, value: 3000 1/pc}
      - {sphere: {centre: [-0.4 pc, -0.3 pc, 0 pc], radius: 0.5 pc}, value: 1000 1/pc}
  velocity:
    - {default: 0 km/s, regions: [{sphere: {centre: [0.5 pc, 0.2 pc, 0.3 pc], radius: 0.4 pc}, value: 60 km/s}]}
    - {default: 0 km/s, regions: [{sphere: {centre: [-0.4 pc, -0.3 pc, 0 pc], radius: 0.5 pc}, value: -40 km/s}]}
    - 0 km/s
  absorption: 0.01 1/pc
sources: [{volume: {}, spectrum: local, luminosity: 1 photon/s}]
run: {packets: 200000}
"""

# Some packets escape at once; the others are trapped between the walls of the shell.
SHELLS = """
mesh: {shells: 10, inner: 9 kpc, outer: 10 kpc}
line: lya
medium: {b: 40 km/s, density: 0.00032 cm^-3, velocity: 200 km/s}
sources: [{point: {position: [0 kpc, 0 kpc, 0 kpc]}, spectrum: {gaussian: {sigma: 100 km/s}}, luminosity: 1 photon/s}]
run: {packets: 20000}
"""

UNITS = {"s": 1, "min": 60, "hours": 3600, "days": 86400}


def told(folder, *arguments, env=None):
    """What `check` prints, with the scatterings and seconds in it."""
    done = folder.run("check", "model.yaml", *arguments, env=env)
    assert done.returncode == 0, done.stderr
    scatterings = re.search(r"^scatterings   (about|more than) (\S+) per packet", done.stdout, re.M)
    seconds = re.search(r"^time          (about|more than) (\S+) (s|min|hours|days) on ", done.stdout, re.M)
    return done.stdout, scatterings, seconds


@pytest.mark.parametrize("model", [SLAB, CLUMPS, SHELLS], ids=["slab", "clumps", "shells"])
def test_the_cost_of_a_run_is_told(program, tmp_path, model):
    """Scatterings within a factor of 1.6. Times depend on what else the machine does: a factor of 3. They are told for a
    hundred times as many packets as are run, which take a hundred times as long."""
    folder = Folder(program, tmp_path)
    folder.model.write_text(model)
    packets = int(re.search(r"packets: (\d+)", model)[1])
    text, scatterings, seconds = told(folder, "--set", f"run.packets={100 * packets}")
    summary = folder.run_json()
    assert scatterings[1] == seconds[1] == "about", text
    assert 1 / 1.6 < float(scatterings[2]) / summary["scatterings_per_packet"] < 1.6
    expected, real = float(seconds[2]) * UNITS[seconds[3]], 100 * summary["seconds"]["transport"]
    print(f"  {expected:.3g} s told, {real:.3g} s real")
    assert real / 3 < expected < 3 * real, text


def test_a_run_that_is_over_in_a_second_is_known(program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(SLAB)
    small = ("--set", "run.packets=200")
    text, scatterings, _ = told(folder, *small)
    summary = folder.run_json(*small)
    assert "first packets of the run" not in text
    assert float(scatterings[2]) == pytest.approx(summary["scatterings_per_packet"], rel=0.01)


def test_histories_longer_than_a_check_give_a_lower_limit(program, tmp_path):
    """1e9 scatterings per packet would take hours."""
    folder = Folder(program, tmp_path)
    folder.model.write_text(SLAB)
    start = time.time()
    text, scatterings, seconds = told(folder, "--set", "medium={temperature: 1e4 K, tau_centre: 6e8}", "--set",
                                      "physics.acceleration=none")
    assert time.time() - start < 20  # and not hours, on any machine
    assert scatterings[1] == seconds[1] == "more than", text
    assert 10 < float(scatterings[2]) < 1e9


def test_a_model_that_cannot_run_here_is_still_valid(program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(SLAB)
    done = folder.run("check", "model.yaml", "--set", "run.memory=1e-6")
    assert done.returncode == 0 and "time          not known: " in done.stdout


def test_missing_records_are_announced_and_not_made(program, tmp_path):
    folder = Folder(program, tmp_path)
    folder.model.write_text(SLAB)
    cache = tmp_path / "cache"
    env = os.environ | {"LINERAD_CACHE": str(cache)}
    jumps = ("--set", "physics={acceleration: jumps, trials: 1000}", "--set", "output.fields=false")
    text, scatterings, seconds = told(folder, *jumps, env=env)
    missing = re.search(r"^time          records are not in the cache: about (\S+) s, once, on (\d+) CPU core", text, re.M)
    assert missing, text
    assert not scatterings and not seconds and not cache.exists()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    summary = folder.run_json(*jumps, "--set", "run.packets=1", env=env)
    core_seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert core_seconds / 3 < float(missing[1]) * int(missing[2]) < 3 * core_seconds
    summary = folder.run_json(*jumps, env=env)
    text, scatterings, seconds = told(folder, *jumps, env=env)
    assert "not in the cache" not in text and seconds[1] == "about"
    assert float(scatterings[2]) == pytest.approx(summary["scatterings_per_packet"], rel=0.3)
    assert "are followed and the others skipped in jumps" in text
