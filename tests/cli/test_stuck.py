"""Packets that hardly ever end: the user is told at the start, they are given up and counted, and one of them can be
looked at. `run --packet ID --trace` shows the same history that the packet has in the run."""

import re
import signal

import h5py
import numpy as np
import pytest
from conftest import error_line
from test_run import Terminal

PC = 3.0856775814913673e18
CLOSED = """\
mesh: {cells: [2, 2, 2], size: [2 pc, 2 pc, 2 pc], faces: reflecting}
line: lya
medium: {temperature: 1e4 K, tau_mean: 10, damping: 0.149, absorption: 1e-12 1/pc}
sources: [{volume: {}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
run: {packets: 200, seed: 1, device: cpu}
"""
SHELLS = """\
mesh: {shells: 4, inner: 0.5 pc, outer: 1 pc}
line: lya
medium: {temperature: 1e4 K, tau_mean: 30, damping: 0.149, velocity: 20 km/s}
sources: [{volume: {}, spectrum: local, luminosity: 1 photon/s}]
run: {packets: 1000, seed: 1, device: cpu}
output: {packets: true}
"""
HOPELESS = {
    "depth": ["--set", "medium.tau_mean=1e12", "--set", "physics.acceleration=none"],
    "aspect": ["--set", "mesh.size=[2 pc, 1e-9 pc, 1 pc]"],
    "closed": ["--set", "mesh.faces=reflecting", "--set", "medium.absorption=1e-12 1/pc"],
}
ADVICE = {"depth": "physics.acceleration: jumps", "aspect": "crossings of faces", "closed": "open a face"}


def trace(folder, packet, *arguments):
    """The rows of a table, as lists of words; the event is one of them."""
    done = folder.run("run", "model.yaml", "--packet", packet, "--trace", *arguments)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("event"))
    return [re.split(r" {2,}| (?=-)", line.replace(", ", ",")) for line in lines[head + 1 :]]


@pytest.mark.parametrize("case", HOPELESS)
def test_check_warns_of_a_hopeless_run(folder, case):
    done = folder.run("check", "model.yaml", "--set", "run.device=cpu", *HOPELESS[case])
    assert done.returncode == 0
    warning = [line for line in done.stderr.splitlines() if "a packet needs about" in line]
    assert len(warning) == 1 and ADVICE[case] in warning[0] and "given up as stuck" in warning[0]
    # Of the scatterings only the order of magnitude is claimed: 1.612 tau_c, tau_c = tau_mean / 2 / sqrt(pi) to a face
    if case == "depth":
        scatterings = float(re.search(r"about (\S+) scatterings", warning[0])[1])
        assert scatterings == pytest.approx(1.612 * 1e12 / 1.7725, rel=0.1)


def test_a_hopeless_run_says_so_at_its_start_and_then_how_far_it_is(folder):
    terminal = Terminal(folder, "--device", "cpu", "--packets", "200", *HOPELESS["depth"])
    text = terminal.read_until(["a packet needs about", "none of 200 packets, ", "scatterings so far"])
    assert "ETA" not in text and "--:--" not in text
    terminal.stop(signal.SIGINT)
    assert terminal.process.returncode == 130


def test_a_run_that_takes_seconds_is_not_warned_of(folder):
    done = folder.run("run", "model.yaml", "--device", "cpu")
    assert done.returncode == 0 and "warning" not in done.stderr


@pytest.mark.parametrize("medium", ["opacity: 0 1/pc, destruction: 0.1", "tau_mean: 10"])
def test_a_closed_box_in_which_nothing_is_absorbed_is_refused(folder, medium):
    """Gas that would destroy photons does not, where there is none."""
    folder.model.write_text(re.sub(r"medium: .*", f"medium: {{temperature: 1e4 K, damping: 0.149, {medium}}}", CLOSED))
    line = error_line(folder.run("run", "model.yaml"))
    assert "model.yaml:1:" in line and "no face is open and nothing absorbs" in line


@pytest.mark.parametrize("precision", ["mixed", "double"])
@pytest.mark.parametrize("absorption", ["continuous", "analog"])
def test_stuck_packets_are_part_of_the_balance(folder, absorption, precision):
    folder.model.write_text(CLOSED)
    summary = folder.run_json("--set", "run.max_steps=20000", "--set", "medium.absorption=1e-4 1/pc",
                              "--set", f"physics.absorption={absorption}", "--precision", precision, "-o", "out.h5")
    assert summary["packets"] == 200 and 0 < summary["packets_stuck"] <= 200
    assert summary["escaped"] == 0 < summary["absorbed"] and 0 < summary["stuck"] < 1
    total = summary["absorbed"] + summary["stuck"]
    assert total == pytest.approx(summary["emitted"], rel=1e-6 if precision == "mixed" else 1e-12)
    if absorption == "analog":  # a packet is absorbed as a whole
        assert summary["stuck"] == pytest.approx(summary["packets_stuck"] / 200, rel=1e-12)
    with h5py.File(folder.path / "out.h5") as file:
        attributes = file["summary"].attrs
        assert attributes["packets_stuck"] == summary["packets_stuck"]
        assert attributes["stuck"] == summary["stuck"] and attributes["stuck_error"] == summary["stuck_error"]


def escaped(folder, name, *arguments):
    """Of each escaped packet: scatterings and path."""
    summary = folder.run_json("--device", "cpu", "--set", "output.packets=true", "-o", name, *arguments)
    with h5py.File(folder.path / name) as file:
        packets = file["packets"]
        return summary, dict(zip(packets["id"][:], zip(packets["scatterings"][:], packets["path"][:])))


def test_packets_with_shorter_histories_are_what_they_were(folder):
    """A limit removes long histories and changes no other; those that it removes are counted."""
    _, all_of_them = escaped(folder, "all.h5", "--set", "medium.tau_mean=5000")
    summary, short = escaped(folder, "short.h5", "--set", "medium.tau_mean=5000", "--set", "run.max_steps=10000")
    assert 0 < summary["packets_stuck"] < 1000
    assert summary["packets_stuck"] == len(all_of_them) - len(short)
    assert all(all_of_them[packet] == history for packet, history in short.items())
    assert summary["f_esc"] == pytest.approx(1 - summary["packets_stuck"] / 1000, rel=1e-12)
    # A scattering takes one draw at least, and it is looked at after every 4096.
    assert max(scatterings for scatterings, _ in short.values()) < 10000 + 4096


def test_the_user_is_told_of_stuck_packets(folder):
    done = folder.run("run", "model.yaml", "--device", "cpu", "--set", "medium.tau_mean=5000",
                      "--set", "run.max_steps=1000")
    assert done.returncode == 0
    assert re.search(r"warning: \d+ of 1000 packets, with [\d.]+ % of the photons, were stuck after 1e\+03 steps",
                     done.stderr)
    assert re.search(r"^packets +1000, of which \d+ were stuck and given up$", done.stdout, re.M)
    assert re.search(r"^stuck +.*photons/s, neither escaped nor absorbed \(run.max_steps\)$", done.stdout, re.M)
    assert re.search(r"^escaped fraction +.*; up to 1 if those that are stuck would escape$", done.stdout, re.M)


TRACED = {
    "plain": [],
    "dust": ["--set", "medium.absorption=0.1 1/pc"],
    "moving": ["--set", "medium.velocity=[{default: 0 km/s, regions: [{sphere: {centre: [1 pc, 0 pc, 0 pc], radius: "
                        "0.5 pc}, value: 9 km/s}]}, 0 km/s, 5 km/s]"],
    "double": ["--precision", "double"],
    "cameras": ["--set", "cameras=[{name: a, direction: [1, 1, 1], pixels: 8}]",
                "--set", "channels={number: 20, range: [-100 km/s, 100 km/s]}"],
}


@pytest.mark.parametrize("case", TRACED)
def test_a_trace_ends_as_the_packet_of_the_run(folder, case):
    """To the last digit that is printed, which hundreds of scatterings with any difference would not allow."""
    arguments = ["--device", "cpu", "--set", "output.packets=true", *TRACED[case]]
    summary = folder.run_json(*arguments, "-o", "out.h5")
    with h5py.File(folder.path / "out.h5") as file:
        packets = {name: data[:] for name, data in file["packets"].items()}
    for row in (0, 17, len(packets["id"]) - 1):
        rows = trace(folder, packets["id"][row], *arguments)
        assert rows[0][0] == "born" and rows[0][1:3] == ["0", "0"] and rows[-1][0] == "escapes"
        scatterings, _, _, *numbers = rows[-1][1:]
        numbers = np.array(numbers, float)
        assert int(scatterings) == packets["scatterings"][row]
        assert numbers[:3] * PC == pytest.approx(packets["position"][row], rel=1e-6, abs=1e-9 * PC)
        assert numbers[4] == pytest.approx(packets["shift"][row] / summary["reference_b_cm_s"], rel=1e-6, abs=1e-7)
        assert numbers[5:8] == pytest.approx(packets["direction"][row], abs=1.1e-8)
        assert numbers[8] == pytest.approx(packets["weight"][row] * 1000, rel=1e-5)


def test_a_trace_through_shells_ends_as_in_the_run(folder):
    folder.model.write_text(SHELLS)
    folder.run_json("-o", "out.h5")
    with h5py.File(folder.path / "out.h5") as file:
        packets = {name: data[:] for name, data in file["packets"].items()}
    rows = trace(folder, 5)
    scatterings, _, shell, radius, _, _, mu, *_ = rows[-1][1:]
    assert packets["id"][5] == 5 and int(scatterings) == packets["scatterings"][5] and shell == "3"
    assert float(radius) == pytest.approx(1, abs=1e-7)
    assert float(mu) == pytest.approx(packets["direction"][5][2], abs=1.1e-8)


def test_a_trace_counts_every_event_once(folder):
    rows = trace(folder, 3, "--device", "cpu", "--events", "1e6")
    events = [row[0] for row in rows]
    assert events.count("scatters") == int(rows[-1][1]) and events.count("crosses") == int(rows[-1][2])
    assert len(rows) == 2 + events.count("scatters") + events.count("crosses")


def test_a_trace_shows_how_a_packet_gets_stuck(folder):
    folder.model.write_text(CLOSED)
    rows = trace(folder, 0, "--set", "run.max_steps=1000", "--events", "3")
    assert [row[0] for row in rows[:1]] == ["born"] and rows[-1][0] == "is stuck" and len(rows) == 5
    assert "more events" in " ".join(rows[3])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--packet", "3"], "'--packet' needs --trace; did you mean '--packets'?"),
        (["--events", "3"], "'--events' needs --trace"),
        (["--trace"], "--trace needs the packet to trace"),
        (["--trace", "--packet", "1000"], "there is no packet 1000: the run has 1000, counted from 0"),
        (["--trace", "--packet", "x"], "--packet x: expected a whole number"),
        (["--trace", "--packet", "1", "--json"], "leave out --json"),
        (["--set", "run.max_steps=5e9"], "max_steps"),
    ],
)
def test_bad_options(fails, arguments, message):
    assert message in fails("run", "model.yaml", "--set", "run.device=cpu", *arguments)
