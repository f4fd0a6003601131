"""`linerad run`: options, summary, JSON, progress and Ctrl-C."""

import json
import math
import os
import pty
import re
import select
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

from conftest import error_line

KEYS = """packets packets_requested emitted escaped escaped_error absorbed absorbed_error f_esc f_esc_error
scatterings_per_packet scatterings_per_packet_error mean_path mean_path_error median_abs_x median_abs_x_error
quartiles_abs_x quartiles_abs_x_error peak_abs_x peak_abs_x_error asymmetric mean_velocity red_blue_ratio seconds
scatterings scatterings_per_second device precision seed reference_b_cm_s version output cubes settings""".split()


def strict_json(text):
    """Standard JSON: Python by default also accepts NaN and Infinity."""

    def refuse(word):
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


def test_json_has_every_key(folder):
    done = folder.run("run", "model.yaml", "--json")
    assert done.returncode == 0, done.stderr
    summary = strict_json(done.stdout)
    assert not [key for key in KEYS if key not in summary]
    assert set(summary["seconds"]) == {"transport", "images", "total"}
    assert len(summary["quartiles_abs_x"]) == len(summary["quartiles_abs_x_error"]) == 2
    assert summary["packets"] == summary["packets_requested"] == 1000
    assert summary["output"] == "model.h5"
    assert summary["seed"] == 1
    lower, upper = summary["quartiles_abs_x"]
    assert lower < summary["median_abs_x"] < upper
    assert math.isclose(summary["escaped"] + summary["absorbed"], summary["emitted"], rel_tol=1e-6)
    assert math.isclose(summary["f_esc"], summary["escaped"] / summary["emitted"], rel_tol=1e-6)


def test_json_survives_strange_names(folder):
    name = 'a "b" \\ \u03b1 \t.h5'
    summary = strict_json(folder.run("run", "model.yaml", "--json", "-o", name).stdout)
    assert summary["output"] == name
    assert (folder.path / name).exists()


def test_json_survives_names_that_are_not_utf8(folder):
    command = [os.fsencode(folder.program), b"run", b"model.yaml", b"--json", b"-o", b"\xff.h5"]
    done = subprocess.run(command, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert strict_json(done.stdout.decode())["output"] == "\ufffd.h5"


def test_one_packet_still_gives_valid_json(folder):
    done = folder.run("run", "model.yaml", "--json", "--packets", "1")
    assert done.returncode == 0, done.stderr
    assert strict_json(done.stdout)["packets"] == 1


def test_packets_may_be_written_as_1e3(folder):
    assert folder.run_json("--packets", "2e3")["packets"] == 2000


def test_set_and_the_options_that_stand_for_it(folder):
    assert folder.run_json("--set", "run.packets=300")["packets"] == 300
    assert folder.run_json("--packets", "200", "--set", "run.packets=300")["packets"] == 200
    assert folder.run_json("--set", "run.packets=300", "--set", "run.packets=400")["packets"] == 400
    assert folder.run_json("--seed", str(2**63 - 1))["seed"] == 2**63 - 1
    assert folder.run_json("--precision", "double")["precision"] == "double"
    assert folder.run_json("--device", "cpu", "--threads", "1")["device"].startswith("cpu")


def test_set_changes_the_physics(folder):
    thick = folder.run_json("--set", "medium.tau_mean=2000")
    thin = folder.run_json("--set", "medium.tau_mean=20")
    assert thick["scatterings_per_packet"] > 3 * thin["scatterings_per_packet"]


def test_results_depend_on_the_seed_and_not_on_the_threads(folder):
    keys = ["scatterings", "median_abs_x", "peak_abs_x"]
    runs = [
        folder.run_json("--device", "cpu", "--threads", threads, "--seed", seed)
        for threads, seed in ((1, 5), (2, 5), (1, 6))
    ]
    first, again, other = ([run[key] for key in keys] for run in runs)
    assert first == pytest.approx(again, rel=1e-9)
    assert first[0] != other[0]


def test_the_summary_for_people(folder):
    done = folder.run("run", "model.yaml")
    assert done.returncode == 0, done.stderr
    for text in ("packets", "1000", "\u00b1", "median |x|", "Doppler", "half-sizes", "scatterings/s", "model.h5"):
        assert text in done.stdout
    columns = {len(line) - len(line[24:]) for line in done.stdout.splitlines()}
    assert columns == {24}
    assert all(line[23] == " " for line in done.stdout.splitlines())


def test_quiet_is_quiet(folder):
    done = folder.run("run", "model.yaml", "--quiet")
    assert done.returncode == 0
    assert done.stdout == ""
    assert all(line.startswith("linerad: warning: ") for line in done.stderr.splitlines())
    assert (folder.path / "model.h5").exists()


def test_the_default_output_is_beside_the_user_not_the_model(folder):
    (folder.path / "models").mkdir()
    folder.model.rename(folder.path / "models" / "my.slab.yml")
    assert folder.run("run", "models/my.slab.yml").returncode == 0
    assert (folder.path / "my.slab.h5").exists()


def test_the_default_output_spares_what_the_model_reads(folder):
    """A result file that the model reads its packets from would be overwritten, a file of fields would be rejected."""
    with h5py.File(folder.path / "model.h5", "w") as file:
        file["t"] = np.full((16, 2, 2), 100.0)
        file["t"].attrs["units"] = "K"
        file.attrs["format"] = "linerad result"
    before = (folder.path / "model.h5").read_bytes()
    folder.change_model("temperature: 1e4 K", "temperature: {file: model.h5, dataset: t}")
    done = folder.run("run", "model.yaml", "--packets", "10")
    assert done.returncode == 0, done.stderr
    assert "the model reads model.h5, the default name of its result; the result goes to model_result.h5 instead" in done.stderr
    assert "model_result.h5" in done.stdout and (folder.path / "model_result.h5").exists()
    assert (folder.path / "model.h5").read_bytes() == before
    with h5py.File(folder.path / "model_result.h5", "a") as file:  # and the other name, if it reads that as well
        file["b"] = np.full((16, 2, 2), 5.0)
        file["b"].attrs["units"] = "km/s"
    before = (folder.path / "model_result.h5").read_bytes()
    done = folder.run("run", "model.yaml", "--packets", "10", "--set",
                      "medium.turbulence={file: model_result.h5, dataset: b}")
    assert done.returncode == 2 and "model_result.h5: the model reads this file" in done.stderr
    assert (folder.path / "model_result.h5").read_bytes() == before


def test_parts_of_a_run_have_names_of_their_own_beside_what_the_model_reads(folder):
    """model_1of2.h5, unless the model reads a file of that name."""
    with h5py.File(folder.path / "model_1of2.h5", "w") as file:
        file["t"] = np.full((16, 2, 2), 100.0)
        file["t"].attrs["units"] = "K"
    folder.change_model("temperature: 1e4 K", "temperature: {file: model_1of2.h5, dataset: t}")
    for part in ("1/2", "2/2"):
        done = folder.run("run", "model.yaml", "--packets", "10", "--share", part)
        assert done.returncode == 0, done.stderr
    assert (folder.path / "model_result_1of2.h5").exists() and (folder.path / "model_2of2.h5").exists()


def test_files_of_settings_are_beside_the_user_and_others_beside_the_model(folder):
    """The same name in both places: one value in the folder of the model, another in the current one."""
    (folder.path / "models").mkdir()
    for place, kelvin in (("models", 100.0), (".", 400.0)):
        with h5py.File(folder.path / place / "t.h5", "w") as file:
            file["t"] = np.full((16, 2, 2), kelvin)
            file["t"].attrs["units"] = "K"
    folder.change_model("temperature: 1e4 K", "temperature: {file: t.h5, dataset: t}")
    folder.model.rename(folder.path / "models" / "model.yaml")

    def doppler(*settings):
        done = folder.run("run", "models/model.yaml", "--json", "--quiet", "--packets", "10", *settings)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["reference_b_cm_s"]

    cold = doppler()
    assert doppler("--set", "medium.temperature.dataset=t") == cold
    for setting in ("medium.temperature.file=t.h5", "medium.temperature={file: t.h5, dataset: t}"):
        assert doppler("--set", setting) == pytest.approx(2 * cold)
    line = error_line(folder.run("check", "models/model.yaml", "--set", "medium.temperature.file=models/gone.h5"))
    assert "--set medium.temperature.file" in line and "models/gone.h5" in line


def test_molecules_of_settings_are_beside_the_user(folder):
    (folder.path / "models").mkdir()
    folder.change_model("line: lya", "line: {molecule: co}")
    folder.model.rename(folder.path / "models" / "model.yaml")
    line = error_line(folder.run("check", "models/model.yaml", "--set", "line.molecule=here.dat"))
    assert " here.dat: cannot open" in line
    line = error_line(folder.run("check", "models/model.yaml", "--set", "line.molecule=/no/where.dat"))
    assert " /no/where.dat: cannot open" in line


def test_an_earlier_result_is_replaced_by_the_new_one(folder):
    folder.earlier_result("model.h5")
    assert folder.run("run", "model.yaml").returncode == 0
    with h5py.File(folder.path / "model.h5") as file:
        assert "note" not in file.attrs
        assert file["summary"].attrs["packets"] == 1000
    assert sorted(folder.contents()) == ["model.h5", "model.yaml"]


class Terminal:
    """A run whose stderr is a terminal, so that it shows a progress line."""

    def __init__(self, folder, *arguments, env=None):
        try:
            self.side, other = pty.openpty()
        except OSError as error:
            pytest.skip(f"no pseudo-terminal here: {error}")
        command = [folder.program, "run", "model.yaml", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, cwd=folder.path, stdout=subprocess.PIPE, stderr=other, text=True, env=env
        )
        os.close(other)
        self.text = ""

    def read_while(self, condition, seconds=120):
        end = time.monotonic() + seconds
        while condition(self.text):
            ready, _, _ = select.select([self.side], [], [], max(0, end - time.monotonic()))
            assert ready, f"waited in vain: {self.text!r}"
            try:
                self.text += os.read(self.side, 4096).decode()
            except OSError:  # the program has closed its end
                assert not condition(self.text), self.text
        return self.text

    def read_until(self, words):
        return self.read_while(lambda text: not all(word in text for word in words))

    def read_packets(self):
        """Until some packets are finished, however long the first ones take, and some are not."""
        return self.read_while(lambda text: not re.search(r" [1-9]\d* of \d+ packets", text))

    def stop(self, number):
        """Sends a signal; returns the standard output and all that was written to the terminal."""
        self.process.send_signal(number)
        stdout, _ = self.process.communicate(timeout=120)
        try:
            while piece := os.read(self.side, 4096):
                self.text += piece.decode()
        except OSError:  # the program has closed its end
            pass
        os.close(self.side)
        return stdout, self.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_is_finished(folder, number):
    folder.earlier_result("out.h5")
    terminal = Terminal(folder, "--packets", "1e9", "--device", "cpu", "-o", "out.h5", "--json")
    terminal.read_until(["%", "packets", "per second", "ETA"])
    terminal.process.send_signal(number)
    stdout, _ = terminal.process.communicate(timeout=120)
    text = terminal.read_until(["result is complete for those"])
    os.close(terminal.side)
    assert terminal.process.returncode == 130
    summary = strict_json(stdout)
    assert 0 < summary["packets"] < summary["packets_requested"] == 10**9
    assert f"stopped after {summary['packets']} of 1000000000 packets" in text
    assert math.isclose(summary["escaped"] + summary["absorbed"], summary["emitted"], rel_tol=1e-6)
    with h5py.File(folder.path / "out.h5") as file:
        assert file["summary"].attrs["packets"] == summary["packets"]
        assert file["summary"].attrs["packets_requested"] == 10**9
    assert {"model.yaml", "out.h5"} <= set(folder.contents()) <= {"model.yaml", "out.h5", "out.h5.state"}


def test_progress_without_a_terminal_is_plain_lines(folder):
    done = folder.run("run", "model.yaml")
    assert "\r" not in done.stderr and "\033" not in done.stderr
    assert all(line.startswith("linerad: ") for line in done.stderr.splitlines())


def test_ctrl_c_while_numbers_of_images_are_found(folder):
    """The result and its images are there, the exit code indicates the stop, and the next line is not started."""
    folder.model.write_text(
        """\
mesh: {cells: [24, 24, 24], size: [1 pc, 1 pc, 1 pc]}
medium: {temperature: 20 K, turbulence: 0.3 km/s}
lines:
  - {name: first, molecule: co, transition: 1-0, medium: {density: 1e-5 cm^-3}}
  - {name: second, molecule: co, transition: 2-1, medium: {density: 1e-5 cm^-3}}
channels: {number: 16, range: [-2 km/s, 2 km/s]}
cameras: [{name: front, direction: [1, 2, 3], pixels: 700}]
image: {unit: K, distance: 100 pc}
"""
    )
    terminal = Terminal(folder, "--device", "cpu", "--json")
    terminal.read_until(["image 'front'", "traced in"])
    terminal.process.send_signal(signal.SIGINT)
    stdout, _ = terminal.process.communicate(timeout=120)
    terminal.read_until(["stopped after making the images"])
    os.close(terminal.side)
    assert terminal.process.returncode == 130
    lines = strict_json(stdout)["lines"]
    assert [line["line"] for line in lines] == ["first"]
    assert lines[0]["images"][0]["correlation_with_column"] is None
    assert lines[0]["images"][0]["depth"]["mean"] > 0
    assert (folder.path / "model_first_front.fits").exists()
    assert not (folder.path / "model_second.h5").exists()


def test_ctrl_c_while_images_are_traced_keeps_the_emissivity(folder):
    wide = ["--set", "cameras=[{name: front, direction: [1, 2, 3], pixels: 3000}]", "--set", "image.emissivity=true",
            "--set", "channels={number: 64, range: [-100 km/s, 100 km/s]}"]
    terminal = Terminal(folder, "--packets", "1000", "--device", "cpu", "-o", "out.h5", *wide)
    terminal.read_until(["rows of image 'front'"])
    terminal.process.send_signal(signal.SIGINT)
    terminal.process.communicate(timeout=120)
    terminal.read_until(["stopped while making images", "'linerad image'"])
    os.close(terminal.side)
    assert terminal.process.returncode == 130
    done = folder.run("image", "out.h5", "--pixels", "8", "--quiet")
    assert done.returncode == 0, done.stderr
    assert (folder.path / "out_image_front.fits").exists()
