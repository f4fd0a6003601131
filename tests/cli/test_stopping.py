"""Runs that are stopped, or whose output cannot be written, keep what they have computed."""

import json
import os
import shutil
import signal
import subprocess
import time

import h5py
import pytest
from conftest import error_line
from test_run import Terminal

DEEP = ["--set", "physics.acceleration=none", "--set", "medium.tau_mean=1e6", "--packets", "1e6", "--device", "cpu", "-o", "out.h5", "--json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_stop_takes_about_a_second_at_any_depth(folder, number):
    """Packets that would take minutes are left, and the result says so."""
    terminal = Terminal(folder, *DEEP)
    terminal.read_packets()
    start = time.monotonic()
    stdout, text = terminal.stop(number)
    assert time.monotonic() - start < 30, "packets that were in flight have minutes to go"
    assert "long histories are missing" in text
    assert terminal.process.returncode == 130
    summary = json.loads(stdout)
    assert 0 < summary["packets"] < summary["packets_requested"] and summary["packets_left"] > 0
    assert summary["partial"] == f"{summary['packets']} of 1000000 packets"
    assert f"stopped after {summary['partial']}; {summary['packets_left']} more" in text
    assert summary["escaped"] == pytest.approx(1)
    with h5py.File(folder.path / "out.h5") as file:
        assert file.attrs["partial"] == summary["partial"]
        assert file["summary"].attrs["packets_left"] == summary["packets_left"]


def test_finished_packets_balance_when_others_are_left(folder):
    """Escaped and absorbed photons add up to those emitted, although roulette has changed packets that were left."""
    terminal = Terminal(folder, *DEEP, "--set", "medium.absorption=0.1 1/pc")
    terminal.read_packets()
    stdout, _ = terminal.stop(signal.SIGTERM)
    summary = json.loads(stdout)
    assert summary["packets_left"] > 0
    assert summary["escaped"] + summary["absorbed"] == pytest.approx(summary["emitted"], rel=1e-6)


def test_a_complete_result_is_not_partial(folder):
    summary = folder.run_json("-o", "out.h5")
    assert summary["partial"] == "" and summary["packets_left"] == 0
    with h5py.File(folder.path / "out.h5") as file:
        assert "partial" not in file.attrs


def test_nohup_still_works(folder):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        terminal = Terminal(folder, "--packets", "1e5", "-o", "out.h5", "--device", "cpu")
    finally:
        signal.signal(signal.SIGHUP, before)
    terminal.read_packets()
    terminal.stop(signal.SIGHUP)
    assert terminal.process.returncode == 0


def test_a_reader_that_leaves_does_not_cost_the_result(folder):
    """As in 'linerad run ... | head -1'."""
    model = folder.path / "model.yaml"
    model.write_text(model.read_text().replace("line: lya\n", "").replace("tau_mean: 200, ", "").replace(
        "medium: {temperature: 1e4 K, damping: 0.149}",
        "medium: {temperature: 1e4 K}\nlines:\n  - {name: a, line: lya, medium: {tau_mean: 200}}\n"
        "  - {name: b, line: lya, medium: {tau_mean: 300}}"))
    reading, writing = os.pipe()
    os.close(reading)
    done = folder.run("run", "model.yaml", stdout=writing, capture_output=False, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 2 and "cannot write to standard output" in done.stderr
    assert (folder.path / "model_a.h5").exists() and (folder.path / "model_b.h5").exists()


POPULATIONS = """\
mesh: {cells: [20, 20, 20], size: [1 pc, 1 pc, 1 pc]}
line: {molecule: co_demo.dat, transition: 1-0}
medium: {temperature: 20 K, turbulence: 0.3 km/s, abundance: 1e-4, colliders: {H2: 1e4 cm^-3}}
populations: {method: equilibrium, background: 2.725 K, error: 1e-9}
channels: {number: 4, range: [-2 km/s, 2 km/s]}
cameras: [{name: front, direction: +z, pixels: 8}]
image: {distance: 140 pc}
"""


def test_a_stop_keeps_level_populations(folder):
    data = os.path.join(os.path.dirname(__file__), "../../examples/data/co_demo.dat")
    (folder.path / "co_demo.dat").write_bytes(open(data, "rb").read())
    folder.model.write_text(POPULATIONS)
    terminal = Terminal(folder, "-o", "out.h5", "--json", "--device", "cpu")
    terminal.read_until(["iterations of level populations"])
    stdout, text = terminal.stop(signal.SIGINT)
    assert "stopped while solving for level populations: those after" in text
    assert terminal.process.returncode == 130
    summary = json.loads(stdout)
    iterations = summary["populations"]["iterations"]
    assert iterations > 0 and not summary["populations"]["converged"]
    with h5py.File(folder.path / "out.h5") as file:
        assert file.attrs["partial"] == f"level populations after {iterations} iterations"
        assert any(item.size >= 8000 for item in file["populations"].values() if hasattr(item, "size"))
        assert "images" not in file
    assert not (folder.path / "out_front.fits").exists()


def test_a_result_that_cannot_be_written_goes_elsewhere(folder):
    """Here because its folder has gone; a full disk is the more common case."""
    place, spare = folder.path / "place", folder.path / "spare"
    place.mkdir()
    spare.mkdir()
    terminal = Terminal(
        folder, "--packets", "1e9", "--device", "cpu", "-o", "place/out.h5", env={**os.environ, "TMPDIR": str(spare)}
    )
    terminal.read_packets()
    shutil.rmtree(place)
    _, text = terminal.stop(signal.SIGTERM)
    assert terminal.process.returncode == 2
    (saved,) = spare.glob("linerad-*/out.h5")
    assert "place/out.h5: the output directory 'place' cannot be used" in text
    assert f"all files are in {saved.parent} instead" in text
    with h5py.File(saved) as file:
        assert file.attrs["partial"].endswith(" of 1000000000 packets")


def test_output_larger_than_the_disk_is_an_error_at_the_start(folder):
    free = shutil.disk_usage(folder.path).free
    channels = 1000 + free // (8 * 16384**2)
    line = error_line(folder.run(
        "run", "model.yaml", "--quiet", "--set", f"channels={{number: {channels}, range: [-100 km/s, 100 km/s]}}",
        "--set", "cameras=[{name: a, direction: +x, pixels: 16384}]", "--set", "image.distance=1 pc"))
    assert "MiB are free there; choose another place with -o" in line
