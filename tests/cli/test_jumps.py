"""Jumps through deep gas: where their records are kept, and what a run and `check` say of them."""

import array
import os
import re
import signal
import struct
import subprocess
import time

import h5py
import numpy as np
import pytest

from conftest import Folder, error_line

SMALL = ["--set", "physics.acceleration=jumps", "--set", "physics.trials=1000", "--set", "output.fields=false"]


@pytest.fixture
def cache(tmp_path):
    path = tmp_path / "cache"
    path.mkdir()
    return path


@pytest.fixture(scope="module")
def records(program, tmp_path_factory):
    """The one table of SMALL."""
    path = tmp_path_factory.mktemp("records")
    folder = Folder(program, path)
    folder.run_json(*SMALL, env=environment(path / "cache"))
    (made,) = (path / "cache").iterdir()
    return made


def environment(cache):
    return os.environ | {"LINERAD_CACHE": str(cache)}


def measured(summary):
    return {key: summary[key] for key in ("median_abs_x", "mean_path", "scatterings_per_packet", "scatterings_skipped")}


def test_records_are_made_once(folder, cache):
    first = folder.run_json(*SMALL, env=environment(cache))
    assert first["scatterings_skipped"] > 0
    (made,) = cache.iterdir()
    before = made.stat().st_mtime_ns
    second = folder.run_json(*SMALL, env=environment(cache))
    assert [made] == list(cache.iterdir()) and made.stat().st_mtime_ns == before
    assert measured(second) == measured(first)


@pytest.mark.parametrize("damage", (lambda b: b[:1000], lambda b: b[:-5] + b"12345", lambda b: b"", lambda b: b[:8] * 99))
def test_a_check_sees_damage_and_writes_nothing(folder, cache, records, damage):
    made = cache / records.name
    made.write_bytes(damage(records.read_bytes()))
    before = made.stat().st_mtime_ns
    assert "records are not in the cache" in folder.run("check", "model.yaml", *SMALL, env=environment(cache)).stdout
    assert [made] == list(cache.iterdir()) and made.stat().st_mtime_ns == before
    made.write_bytes(records.read_bytes())
    assert "not in the cache" not in folder.run("check", "model.yaml", *SMALL, env=environment(cache)).stdout


def test_damaged_records_are_made_again(folder, cache, records):
    made, whole = cache / records.name, records.read_bytes()
    made.write_bytes(whole[:-5] + b"12345")
    folder.run_json(*SMALL, env=environment(cache))
    assert made.read_bytes() == whole and [made] == list(cache.iterdir())


def checksum(data):
    """That of ball_cache.c."""
    value = 0xCBF29CE484222325
    for word in array.array("Q", data):
        value = (value ^ word) * 0x100000001B3 % 2**64
    return value


@pytest.mark.parametrize("chances", ((0.5, 0.4), (float("nan"), 1.0), (1.5, 1.5), (0.5, 0.5)))
def test_chances_that_do_not_rise_to_one_are_refused(folder, cache, records, chances):
    """The last two of the first row, in a file whose checksum is right."""
    made = cache / records.name
    whole = bytearray(records.read_bytes())
    header, after_at, last_two = 104, 4, 6 * 4
    start = header + after_at + last_two
    whole[start : start + 8] = struct.pack("2f", *chances)
    whole[header - 8 : header] = struct.pack("Q", checksum(whole[header:]))
    made.write_bytes(whole)
    assert "records are not in the cache" in folder.run("check", "model.yaml", *SMALL, env=environment(cache)).stdout


def test_records_of_other_trials_are_kept(folder, cache, records):
    (cache / records.name).write_bytes(records.read_bytes())
    folder.run_json(*SMALL, "--set", "physics.trials=1023", env=environment(cache))
    assert len(list(cache.iterdir())) == 2


def test_others_may_read_the_records(folder, cache):
    before = os.umask(0o022)
    try:
        folder.run_json(*SMALL, env=environment(cache))
    finally:
        os.umask(before)
    (made,) = cache.iterdir()
    assert made.stat().st_mode & 0o777 == 0o644


def test_a_folder_that_cannot_be_written_is_only_a_warning(folder, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder")
    done = folder.run("run", "model.yaml", *SMALL, env=environment(blocked))
    assert done.returncode == 0
    assert "LINERAD_CACHE" in done.stderr and blocked.read_text() == "not a folder"


def test_a_stop_while_records_are_made_leaves_nothing(folder, cache):
    command = [folder.program, "run", "model.yaml", *SMALL[:2], "--set", "physics.trials=1e8", "--set", "output.fields=false"]
    process = subprocess.Popen(command, cwd=folder.path, env=environment(cache), stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(60) != 0
    finally:
        process.kill()
    assert "stopped while making records" in process.stderr.read()
    assert not list(cache.iterdir())
    assert not (folder.path / "model.h5").exists()


def test_check_announces_jumps(folder):
    assert "jumps " in folder.run("check", "model.yaml", *SMALL).stdout
    assert "jumps " not in folder.run("check", "model.yaml").stdout


# ---- what is planned ------------------------------------------------------------------------------------------------


def planned(folder, cache, *settings, acceleration="jumps", trials=65536):
    """Seconds of a core to make all records, and their tables."""
    given = [f"physics={{acceleration: {acceleration}, trials: {trials}}}", "output.fields=false", "run.threads=1",
             *settings]
    done = folder.run("check", "model.yaml", *(word for setting in given for word in ("--set", setting)),
                      env=environment(cache))
    assert done.returncode == 0, done.stderr
    tables = re.search(r"^jumps .* in (\d+) tables?,", done.stdout, re.M)
    time = re.search(r"^time          records are not in the cache: about (\S+) (s|min|hours|days), once", done.stdout, re.M)
    assert tables and time, done.stdout
    return float(time[1]) * {"s": 1, "min": 60, "hours": 3600, "days": 86400}[time[2]], int(tables[1])


def gas(a, depth):
    return f"medium={{temperature: 1e4 K, damping: {a}, tau_centre: {depth}}}"


@pytest.mark.parametrize("a, depth, seconds", ((4.7e-5, 4e3, 4.2), (4.7e-5, 1.6e4, 6.0), (4.7e-5, 6e4, 9.2),
                                               (4.7e-4, 1e8, 8.4), (0.149, 3e3, 2.0)))
def test_the_cost_of_records_is_known(folder, cache, a, depth, seconds):
    """As measured on one core, with 1000 trials."""
    told, tables = planned(folder, cache, "mesh.cells=[1, 1, 1]", gas(a, depth), trials=1000)
    assert seconds / 1.6 < told < 1.6 * seconds and tables == (1 if a > 0.01 else 2)


def test_auto_makes_what_is_worth_its_time(folder, cache):
    """What is saved, on the same core, is 0.2 s for a packet."""
    told = [planned(folder, cache, "mesh.cells=[1, 1, 1]", gas(4.7e-5, 1e7), f"run.packets={packets}",
                    acceleration="auto")[0] for packets in (1e3, 1e5, 1e7)]
    assert told[0] < 0.28 * 1e3 and told[0] < told[1] < told[2] / 3
    everything, _ = planned(folder, cache, "mesh.cells=[1, 1, 1]", gas(4.7e-5, 1e7))
    assert told[2] <= everything


def test_gas_gets_balls_of_its_own_size(folder, cache):
    """Hot gas of depth 40 does not need large balls because cold gas beside it does."""
    def two(hot):
        return (f"mesh={{cells: [2, 1, 1], size: [2 pc, 100 pc, 100 pc]}}",
                "medium={temperature: {default: 1e4 K, regions: [{box: {min: [-1 pc, -50 pc, -50 pc], max: [0 pc, 50 pc, "
                "50 pc]}, value: 1e6 K}]}, opacity: {default: 1e6 1/pc, regions: [{box: {min: [-1 pc, -50 pc, -50 pc], "
                f"max: [0 pc, 50 pc, 50 pc]}}, value: {hot} 1/pc}}]}}}}")
    shallow, deep = (planned(folder, cache, *two(hot))[0] for hot in (80, 1e6))
    assert shallow < 0.5 * deep


def test_tables_are_few(folder, cache):
    """Dampings of 4.7e-5 to 0.021: quarter powers for two of them, powers of two if all between are there."""
    def slab(n, temperature):
        with h5py.File(folder.path / "gas.h5", "w") as file:
            file["temperature"] = np.reshape(temperature, (n, 1, 1))
            file["temperature"].attrs["units"] = "K"
        _, tables = planned(folder, cache, f"mesh={{cells: [{n}, 1, 1], size: [{n} pc, 100 pc, 100 pc]}}",
                            "medium={temperature: {file: gas.h5, dataset: temperature}, opacity: 1000 1/pc}")
        return tables

    assert slab(2, [5, 1e6]) == 4
    assert 10 <= slab(64, np.geomspace(5, 1e6, 64)) <= 16


@pytest.mark.parametrize("settings, why", (
    (("physics.recoil=true", "medium.temperature=50 K"), "no cell that is deep enough has b large enough for weak recoil"),
    (("physics.absorption=analog",), "jumps need 'absorption: continuous'"),
    (("physics.redistribution=complete",), "jumps need 'redistribution: exact'"),
    (("medium.tau_mean=20",), "no cell is deep enough"),
    (("medium.tau_mean=20", "physics.recoil=true"), "no cell is deep enough"),
    (("medium.damping=1e-6",), "jumps need a damping parameter a of 1e-5 or more"),
))
def test_those_who_cannot_jump_are_told_why(folder, settings, why):
    given = [word for setting in ("physics.acceleration=jumps", "run.packets=10", *settings) for word in ("--set", setting)]
    assert f"\njumps         none: {why}" in folder.run("check", "model.yaml", *given).stdout
    assert f"packets do not jump: {why}" in folder.run("run", "model.yaml", *given).stderr


def test_gas_without_end_has_no_depth(folder):
    told = folder.run("check", "model.yaml", *SMALL, "--set", "mesh.faces=periodic", "--set", "medium.absorption=1 1/pc").stdout
    assert re.search("^jumps .* in gas more than 1e.10 free paths deep", told, re.M)


def test_shells_that_flow_are_named(folder):
    folder.model.write_text("""
mesh: {shells: 4, inner: 0 pc, outer: 1 pc}
line: lya
medium: {b: 10 km/s, damping: 0.01, tau_centre: 1000, velocity: 20 km/s}
sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
physics: {acceleration: jumps}
run: {packets: 10}
""")
    told = folder.run("check", "model.yaml").stdout
    assert "jumps         none: no shell is deep enough for balls over which the velocity" in told


@pytest.mark.parametrize("camera, settings, why", (
    ("{name: far, direction: +x}", "{acceleration: jumps}", None),
    ("{name: far, direction: +x}", "{acceleration: jumps, phase: dipole}", "with cameras, jumps need isotropic scattering"),
    ("{name: near, position: [0.9 pc, 0 pc, 0 pc], field: 20 deg}", "{acceleration: jumps}",
     "there is an observer inside the mesh"),
), ids=("far", "dipole", "inside"))
def test_cameras(folder, camera, settings, why):
    """Outside dense gas they see jumps; the observer here is in a thin cell beside a deep one."""
    folder.model.write_text(f"""
mesh: {{cells: [2, 1, 1], size: [2 pc, 2 pc, 2 pc]}}
line: lya
medium:
  b: 10 km/s
  damping: 0.1
  opacity: {{default: 1 1/pc, regions: [{{box: {{min: [-9 pc, -9 pc, -9 pc], max: [0 pc, 9 pc, 9 pc]}}, value: 5000 1/pc}}]}}
sources: [{{point: {{position: [-0.5 pc, 0 pc, 0 pc]}}, spectrum: {{monochromatic: 0}}, luminosity: 1 photon/s}}]
physics: {settings}
channels: {{number: 4, range: [-20, 20]}}
cameras: [{camera}]
run: {{packets: 10}}
""")
    told = folder.run("check", "model.yaml").stdout
    if why:
        assert f"jumps         none: {why}" in told
    else:
        assert "jumps         over the core of the line" in told


def test_auto_tells_that_it_is_not_worth_it(folder):
    """auto is the default; of short runs, which have nothing to gain, it says nothing."""
    told = [folder.run("check", "model.yaml", "--set", "output.fields=false", "--set", f"run.packets={packets}").stdout
            for packets in ("1000", "5e7")]  # 150 s on a core, less than the records take
    assert "jumps " not in told[0]
    assert "jumps         none: following every scattering takes no longer" in told[1]


@pytest.mark.parametrize("loss", ("medium.absorption=100 1/pc", "medium.destruction=0.1"))
@pytest.mark.parametrize("deep", ("mesh.faces=periodic", "medium.tau_mean=1e7"))
def test_auto_knows_that_absorption_ends_packets(folder, loss, deep):
    """Without end or nearly so: records would take minutes, the packets seconds."""
    told = folder.run("check", "model.yaml", "--set", loss, "--set", deep, "--set", "output.fields=false")
    assert told.returncode == 0, told.stderr
    assert "jumps " not in told.stdout


@pytest.mark.parametrize("setting", ("physics.acceleration=fast", "physics.trials=10", "physics.trials=many"))
def test_bad_settings(folder, setting):
    done = folder.run("run", "model.yaml", "--set", setting)
    assert done.returncode != 0 and setting.split("=")[0] in error_line(done)
