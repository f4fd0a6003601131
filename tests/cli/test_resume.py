"""Runs that are killed or stopped go on from their statepoints, and end as if nothing had happened: the history of a
packet depends only on the seed and its number, so that all sums are the same but for the order of additions."""

import json
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import error_line
from test_run import Terminal

CAMERA = """\
channels: {range: [-100 km/s, 100 km/s], number: 8}
cameras: [{name: side, theta: 60 deg, phi: 30 deg, pixels: 8, field: 3 pc}]
image: {errors: true, emissivity: true}
"""
ABSORBING = "tau_mean: 2e4, damping: 0.0149, absorption: 0.1 1/pc"
# Statepoints every 0.06 s: many in a run of seconds.
OPTIONS = ["--device", "cpu", "--precision", "double", "--threads", "2", "--set", "run.checkpoint=0.001"]
# Images are made of sums in single precision; times and names differ from run to run.
NOT_COMPARED = ("seconds", "date", "run_id", "model", "threads", "scatterings_per_second")


def prepare(folder, cameras=True, medium=ABSORBING):
    text = folder.model.read_text().replace("tau_mean: 200, damping: 0.149", medium)
    if cameras:
        text = text.replace("faces: {x: open, y: periodic, z: periodic}", "faces: {x: open, y: open, z: open}") + CAMERA
    folder.model.write_text(text + "output: {packets: true, directions: {mu: 4}}\n")


def command(folder, *arguments):
    return [folder.program, "run", "model.yaml", "-o", "out.h5", *OPTIONS, *map(str, arguments)]


def numbers_of(path):
    """Every number of a result, by name."""
    found = {}

    def add(name, node):
        for key, value in node.attrs.items():
            if np.issubdtype(np.asarray(value).dtype, np.number):
                found[f"{name}/{key}"] = np.asarray(value)
        if isinstance(node, h5py.Dataset) and np.issubdtype(node.dtype, np.number):
            found[name] = node[()]

    with h5py.File(path) as file:
        add("", file)
        file.visititems(add)
    return {k: v for k, v in found.items() if not any(word in k for word in NOT_COMPARED)}


def assert_same(one, other, single=False):
    """To the order of additions; what is a difference of sums, like an error, loses some digits more."""
    one, other = numbers_of(one), numbers_of(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        light = single or "image" in name or "scene" in name
        scale = np.nanmax(np.abs(value)) if np.size(value) and np.isfinite(value).any() else 0
        tolerance = 1e-5 if light else 1e-7 if "error" in name or "balance" in name else 1e-12
        np.testing.assert_allclose(other[name], value, rtol=tolerance, atol=tolerance * scale, err_msg=name)


def kill_until_done(folder, rng, most, *arguments, longest=0.6):
    """Starts a run anew; returns how often it was killed before it ended by itself: not once, perhaps, if it is fast."""
    for path in folder.path.glob("out*"):
        path.unlink()
    for kills in range(most + 1):
        process = subprocess.Popen(command(folder, "--resume", "--quiet", *arguments), cwd=folder.path)
        try:
            assert process.wait(120 if kills == most else rng.uniform(0.05, longest)) == 0
            return kills
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    raise AssertionError("unreachable")


def states(folder):
    return sorted(path.name for path in folder.path.iterdir() if "state" in path.name or "part-" in path.name)


def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(folder):
    prepare(folder)
    subprocess.run(command(folder, "--packets", 3000, "-o", "whole.h5"), cwd=folder.path, check=True, timeout=120)
    rng, kills = random.Random(1), 0
    while kills < 3:
        kills += kill_until_done(folder, rng, 12, "--packets", 3000)
        assert_same(folder.path / "whole.h5", folder.path / "out.h5")
        assert states(folder) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_says_so_and_goes_on(folder, number):
    """The result of the stop is partial, and packets in flight, some of which it has finished, are not counted twice."""
    prepare(folder, cameras=False, medium="tau_mean: 5e4, damping: 0.0149")
    size = ["--packets", 1500, "--set", "run.checkpoint=auto"]
    subprocess.run(command(folder, *size, "-o", "whole.h5"), cwd=folder.path, check=True, timeout=120)
    terminal = Terminal(folder, *command(folder, *size)[3:])
    terminal.read_packets()
    _, text = terminal.stop(number)
    assert terminal.process.returncode == 130 and "repeat the command with --resume" in text
    assert states(folder) == ["out.h5.state"]
    with h5py.File(folder.path / "out.h5") as file:
        assert "partial" in file.attrs and file["summary"].attrs["packets"] < 1500
    done = folder.run(*command(folder, "--resume", *size)[1:])
    assert done.returncode == 0 and "continuing from a statepoint" in done.stderr
    assert_same(folder.path / "whole.h5", folder.path / "out.h5")
    assert states(folder) == []


def test_a_signal_asks_for_a_statepoint_and_the_run_goes_on(folder):
    prepare(folder, cameras=False, medium="tau_mean: 5e4, damping: 0.0149")
    terminal = Terminal(folder, *command(folder, "--packets", 1500, "--set", "run.checkpoint=auto")[3:])
    terminal.read_packets()
    terminal.process.send_signal(signal.SIGUSR1)
    while "out.h5.state" not in states(folder):
        assert terminal.process.poll() is None
    terminal.read_until(["1500 of 1500 packets"])
    assert terminal.process.wait(120) == 0
    assert states(folder) == []


def test_a_time_limit_stops_before_it_is_over(folder):
    prepare(folder, cameras=False, medium="tau_mean: 1e6, damping: 0.0149")
    given = ["--packets", "1e6", "--time-limit", "2s", "--set", "physics.acceleration=none"]
    done = folder.run(*command(folder, *given)[1:])
    assert done.returncode == 130
    assert "out.h5.state" in states(folder)


def rounding(name, numbers):
    """Five standard deviations of a sum whose n terms are each rounded at random by up to a quantum, as chosen in
    src/solve/transport/quanta.c: 2^-52 of a power of two above a bound of the sum of a batch or group."""
    packets = float(numbers["summary/packets"])
    per_batch = np.ceil(packets / 32)

    def quantum(bound):
        return 2.0 ** (np.ceil(np.log2(bound)) - 52)

    if name == "spectrum/total":  # weights of up to `packets` escaping packets, as a part of them all
        return 5 * np.sqrt(packets) * quantum(8 * per_batch) / packets
    if name == "fields/mean_intensity":  # paths in mean chords of a cell, of one term for each scattering
        total = numbers["fields/mean_intensity"]
        chords = float(numbers["summary/mean_path"]) * packets  # at least so many in all cells
        terms = packets * float(numbers["summary/scatterings_per_packet"])
        return 5 * np.sqrt(terms) * quantum(4096 * per_batch) / chords * total.sum()
    return 0


@pytest.mark.parametrize("cameras", [True, False])
def test_packets_are_added_to_a_complete_run(folder, cameras):
    """Sums are those of one run, to rounding. Batches are dealt as for the smaller number, so that errors are not quite
    the same. Terms are rounded to a quantum that depends on the number of packets (src/kernel/exact_sum.h)."""
    prepare(folder, cameras)
    rarely = ["--set", "run.checkpoint=auto"]
    subprocess.run(command(folder, "--packets", 2000, "-o", "whole.h5"), cwd=folder.path, check=True, timeout=120)
    subprocess.run(command(folder, "--packets", 700, "--keep-state", *rarely), cwd=folder.path, check=True, timeout=120)
    done = folder.run(*command(folder, "--resume", "--packets", 2000, *rarely)[1:])
    assert done.returncode == 0 and "continuing from a statepoint: 700 of 2000" in done.stderr, done.stderr
    one, other = numbers_of(folder.path / "whole.h5"), numbers_of(folder.path / "out.h5")
    assert other["summary/packets"] == 2000
    for name in ["spectrum/total", "fields/mean_intensity", "packets/id", "summary/f_esc", "summary/median_abs_x"]:
        np.testing.assert_allclose(other[name], one[name], rtol=1e-12, atol=rounding(name, one), err_msg=name)
    ratio = other["summary/median_abs_x_error"] / one["summary/median_abs_x_error"]
    assert 0.5 < ratio < 2


def test_a_complete_run_is_not_run_again(folder):
    first = folder.run_json("-o", "out.h5", "--resume")
    before = (folder.path / "out.h5").read_bytes()
    done = folder.run("run", "model.yaml", "-o", "out.h5", "--resume")
    assert first["packets"] == 1000 and done.returncode == 0 and "nothing to do" in done.stderr
    assert (folder.path / "out.h5").read_bytes() == before


DEMO = Path(__file__).resolve().parents[2] / "examples" / "data" / "co_demo.dat"
CO = """\
mesh: {cells: [2, 2, 2], size: [0.1 pc, 0.1 pc, 0.1 pc]}
line: {molecule: co_demo.dat, transition: 1-0}
medium: {temperature: 20 K, colliders: {H2: 1e4 cm^-3}, abundance: 1e-4, turbulence: 0.3 km/s}
populations: {method: equilibrium, directions: 24}
channels: {range: [-2 km/s, 2 km/s], number: 8}
cameras: [{name: top, direction: +z, pixels: 4}, {name: side, direction: +x, pixels: 4}]
image: {unit: K, distance: 100 pc, moments: true, optical_depth: true}
run: {packets: 0}
"""


def changed_for(folder, what):
    """A model of every kind of numbers that a summary has."""
    if what == "packets":
        prepare(folder)
    elif what != "plain":
        shutil.copy(DEMO, folder.path)
        folder.model.write_text(CO.replace("equilibrium, directions: 24", what) if what == "lte" else CO)


@pytest.mark.parametrize("what", ["plain", "packets", "equilibrium", "lte"])
def test_the_summary_of_a_complete_run_is_told_again(folder, what):
    """A command that is repeated until it is done prints the same JSON each time."""
    changed_for(folder, what)
    first = folder.run_json("-o", "out.h5", "--resume")
    assert folder.run_json("-o", "out.h5", "--resume") == first
    assert len(first["cubes"]) == {"plain": 0, "packets": 3, "equilibrium": 12, "lte": 12}[what]
    text = folder.run("run", "model.yaml", "-o", "out.h5", "--resume")
    assert "nothing to do" in text.stderr and f"packets                 {first['packets']}" in text.stdout
    assert folder.run("run", "model.yaml", "-o", "out.h5", "--resume", "--quiet").stdout == ""


def test_the_summary_of_a_complete_run_has_the_accuracy_that_was_reached(folder):
    until = ["--packets", "1e5", "--set", "run.until={quantity: median_abs_x, error: 5 %}", "-o", "out.h5", "--resume"]
    first = folder.run("run", "model.yaml", *until)
    again = folder.run("run", "model.yaml", *until)
    assert "as asked for" in first.stdout and again.stdout == first.stdout, again.stderr


def test_a_cube_that_is_gone_is_not_told_again(folder):
    prepare(folder)
    first = folder.run_json("-o", "out.h5", "--resume")
    gone = folder.path / first["cubes"][0]
    gone.unlink()
    assert folder.run_json("-o", "out.h5", "--resume")["cubes"] == first["cubes"][1:]
    assert not gone.exists()


def test_lines_that_are_complete_are_in_the_list(folder):
    text = folder.model.read_text().replace("line: lya\n", "")
    folder.model.write_text(text + "lines: [{name: one, line: lya}, {name: two, line: lya, run: {seed: 7}}]\n")
    first = folder.run_json("--resume", "--line", "one")["lines"]
    both = folder.run_json("--resume")["lines"]
    assert [line["line"] for line in both] == ["one", "two"] and both[0] == first[0]
    assert folder.run_json("--resume")["lines"] == both


def test_a_result_without_a_statepoint_is_not_replaced_in_silence(folder):
    def resume(*arguments):
        done = folder.run("run", "model.yaml", "-o", "out.h5", "--resume", "--quiet", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert resume("--packets", "500") == ""
    assert "500 packets, not 800; there is no statepoint" in resume("--packets", "800")
    warm = resume("--packets", "800", "--set", "medium.temperature=2e4 K")
    assert "medium.temperature is '2e4 K' here and '1e4 K' there" in warm and warm.count("\n") == 1


def test_what_killed_runs_left_of_statepoints_is_removed(folder):
    left = folder.path / "out.h5.state.part-abcdef"
    left.mkdir()
    (left / "out.h5.state").write_bytes(b"half of it")
    folder.run_json("-o", "out.h5", "--keep-state")
    assert states(folder) == ["out.h5.state"] and not left.exists()


def test_a_result_of_other_packets_is_not_taken_for_this_share(folder):
    def resume(share):
        done = folder.run("run", "model.yaml", "-o", "out.h5", "--resume", "--quiet", "--share", share)
        assert done.returncode == 0, done.stderr
        with h5py.File(folder.path / "out.h5") as file:
            return file["sums/parts"][1], file["provenance"].attrs["first_packet"]

    assert resume("2/2") == (500, 500) and resume("1/2") == (0, 0)
    assert folder.run("run", "model.yaml", "-o", "out.h5", "--packets", "500", "--quiet").returncode == 0
    assert resume("1/1") == (0, 0)  # the plain result has no sums


@pytest.mark.parametrize("text", ["2h-30min", "-1h", "10:00", "0.5", "nan"])
def test_a_time_limit_that_makes_no_sense_is_refused(folder, text):
    assert "such as 23h" in error_line(folder.run("run", "model.yaml", f"--time-limit={text}"))


def test_of_two_time_limits_the_later_counts(folder):
    start = time.monotonic()
    given = ["--time-limit", "1h", "--time-limit", "2s", "--packets", "1e9", "--quiet"]
    assert folder.run("run", "model.yaml", *given).returncode == 130
    assert time.monotonic() - start < 60


def stop_soon(folder, *arguments):
    """When there are two statepoints."""
    process = subprocess.Popen(command(folder, "--packets", "1e5", "--quiet", *arguments), cwd=folder.path)
    while "out.h5.state.old" not in states(folder):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 130


def test_a_changed_model_is_refused_and_the_change_is_named(folder):
    prepare(folder, cameras=False)
    stop_soon(folder)
    done = folder.run(*command(folder, "--resume", "--packets", "1e5", "--set", "medium.temperature=2e4 K")[1:])
    assert done.returncode == 2
    assert "medium.temperature is '2e4 K' here and '1e4 K' there" in error_line(done)
    done = folder.run(*command(folder, "--resume", "--packets", "1e5", "--seed", "2")[1:])
    assert done.returncode == 2 and "run.seed" in error_line(done)
    done = folder.run(*command(folder, "--resume", "--packets", "1e3")[1:])
    assert done.returncode == 2 and "as many or more" in error_line(done)
    assert "out.h5.state" in states(folder)


def test_a_changed_input_file_is_refused(folder):
    prepare(folder, cameras=False, medium="tau_mean: 2e4, damping: 0.0149, temperature_file: x")
    text = folder.model.read_text().replace(", temperature_file: x", "")
    text = text.replace("temperature: 1e4 K", "temperature: {file: gas.h5, dataset: t}")
    folder.model.write_text(text)

    def write(value):
        with h5py.File(folder.path / "gas.h5", "w") as file:
            file["t"] = np.full((16, 2, 2), value)
            file["t"].attrs["units"] = "K"

    write(1e4)
    stop_soon(folder)
    write(1.1e4)
    done = folder.run(*command(folder, "--resume", "--packets", "1e5")[1:])
    assert done.returncode == 2 and "file that the model reads has changed" in error_line(done)


def test_a_complete_run_is_run_again_if_an_input_file_has_changed(folder):
    folder.change_model("temperature: 1e4 K", "temperature: {file: gas.h5, dataset: t}")

    def resume(value):
        with h5py.File(folder.path / "gas.h5", "w") as file:
            file["t"] = np.full((16, 2, 2), value)
            file["t"].attrs["units"] = "K"
        return folder.run("run", "model.yaml", "-o", "out.h5", "--resume").stderr

    resume(1e4)
    assert "nothing to do" in resume(1e4)
    assert "nothing to do" not in resume(1.1e4)


def test_sums_that_a_run_has_no_place_for_are_not_dropped(folder):
    prepare(folder, cameras=False)
    stop_soon(folder)
    with h5py.File(folder.path / "out.h5.state", "r+") as file:
        file["state/emissivity"] = np.zeros((1, 64, 8), np.float32)
    done = folder.run(*command(folder, "--resume", "--packets", "1e5")[1:])
    assert done.returncode == 2 and "has 'emissivity', which this run cannot use" in error_line(done)


def test_the_statepoint_before_is_used_if_the_newest_is_damaged(folder):
    prepare(folder, cameras=False)
    stop_soon(folder)
    assert states(folder) == ["out.h5.state", "out.h5.state.old"]
    newest = folder.path / "out.h5.state"
    contents = bytearray(newest.read_bytes())
    for at in range(len(contents) // 2, len(contents) - 8, 997):
        contents[at] ^= 0x55
    newest.write_bytes(contents)
    done = folder.run(*command(folder, "--resume", "--packets", "1e5", "--time-limit", "3s")[1:])
    assert done.returncode == 130, done.stderr
    assert "continuing from the one before it" in done.stderr and "continuing from a statepoint" in done.stderr


def prepare_levels(folder):
    shutil.copy(DEMO, folder.path)
    folder.model.write_text(
        """\
mesh: {cells: [8, 8, 8], size: [0.1 pc, 0.1 pc, 0.1 pc]}
line: {molecule: co_demo.dat, transition: 1-0}
medium: {temperature: 20 K, colliders: {H2: 1e4 cm^-3}, abundance: 1e-4, turbulence: 0.3 km/s}
populations: {method: equilibrium, error: 1e-4, directions: 24}
run: {packets: 0}
"""
    )
    check = folder.run("check", "model.yaml")
    assert check.returncode == 0, check.stderr
    options = ["run", "model.yaml", "--device", "cpu", "--set", "run.checkpoint=0.001"]
    whole = folder.run(*options, "-o", "whole.h5")
    assert whole.returncode == 0, whole.stderr
    return options


def assert_populations_agree(folder):
    with h5py.File(folder.path / "whole.h5") as one, h5py.File(folder.path / "out.h5") as other:
        np.testing.assert_allclose(
            other["populations/fraction"][..., :4], one["populations/fraction"][..., :4], rtol=1e-3
        )
    assert states(folder) == []


def test_level_populations_go_on_after_a_stop(folder):
    """A stop in their search keeps populations that the search then starts from; both ends agree within the error."""
    options = prepare_levels(folder)
    process = subprocess.Popen([folder.program, *options, "-o", "out.h5"], cwd=folder.path)
    end = time.monotonic() + 60
    while "out.h5.state" not in states(folder) and time.monotonic() < end:
        time.sleep(0.01)
    process.kill()
    process.wait()
    done = folder.run(*options, "-o", "out.h5", "--resume")
    assert done.returncode == 0 and "continuing from the level populations" in done.stderr, done.stderr
    assert_populations_agree(folder)


@pytest.mark.long
def test_kills_in_the_search_for_populations_leave_nothing_broken(folder):
    options = prepare_levels(folder)
    resume = [folder.program, *options, "--quiet", "-o", "out.h5", "--resume"]
    rng, kills = random.Random(3), 0
    while kills < 60:
        (folder.path / "out.h5").unlink(missing_ok=True)
        for attempt in range(12):
            process = subprocess.Popen(resume, cwd=folder.path)
            try:
                assert process.wait(120 if attempt == 11 else rng.uniform(0.05, 0.6)) == 0
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        assert_populations_agree(folder)


@pytest.mark.long
def test_two_hundred_kills_leave_nothing_broken(folder):
    """Over packets, images and writing: always resumes, never a damaged file, nothing left behind."""
    prepare(folder)
    rng = random.Random(2)
    subprocess.run(command(folder, "--packets", 3000, "-o", "whole.h5"), cwd=folder.path, check=True, timeout=120)
    kills = 0
    while kills < 200:
        kills += kill_until_done(folder, rng, 60, "--packets", 3000, longest=1.0)
        assert_same(folder.path / "whole.h5", folder.path / "out.h5")
        assert states(folder) == []
    assert json.loads(folder.run("run", "model.yaml", "--json", "--quiet").stdout)["packets"] == 1000
