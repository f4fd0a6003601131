"""The shape of the line in the summary: velocities and peaks of lines that differ on the two sides, |x| of others; and
the settings in JSON."""

import json
import math

import h5py
import numpy as np
import pytest

# Thin gas that moves along x, and a beam along x emitted by it: a Gaussian centred at -5 km/s, approaching.
BEAM = """\
mesh: {cells: [4, 1, 1], size: [2 pc, 1 pc, 1 pc]}
line: lya
medium: {b: 12 km/s, opacity: 1e-6 1/pc, damping: 1e-4, velocity: [5 km/s, 0 km/s, 0 km/s]}
sources: [{point: {position: [-1 pc, 0 pc, 0 pc], emission: beam, direction: +x}, spectrum: {gaussian: {fwhm: 20 km/s},
           frame: gas}, luminosity: 1 photon/s}]
run: {packets: 40000, seed: 3}
"""
SIGMA = 20 / math.sqrt(8 * math.log(2))  # km/s
NAMES = ("mean_velocity", "red_blue_ratio", "red_peak_velocity", "blue_peak_velocity")


def test_a_moving_source_has_the_velocity_it_was_given(folder):
    folder.model.write_text(BEAM)
    told = folder.run_json()
    assert told["asymmetric"] is True
    error = SIGMA / math.sqrt(40000)
    assert abs(told["mean_velocity"] + 5) < 4 * error
    assert told["mean_velocity_error"] == pytest.approx(error, rel=0.5)
    side = 5 / SIGMA / math.sqrt(2)
    ratio = math.erfc(side) / math.erfc(-side)
    assert abs(told["red_blue_ratio"] - ratio) < 4 * told["red_blue_ratio_error"]
    assert told["red_blue_ratio_error"] < 0.03 * ratio
    assert abs(told["blue_peak_velocity"] + 5) < max(5 * told["blue_peak_velocity_error"], 0.2)
    assert told["blue_peak_velocity_error"] < 1
    assert told["red_peak_velocity"] is None


def test_text_json_and_file_agree(folder):
    folder.model.write_text(BEAM)
    text = folder.run("run", "model.yaml", "--json", "-o", "out.h5")
    told = json.loads(text.stdout)
    with h5py.File(folder.path / "out.h5") as file:
        stored = dict(file["summary"].attrs)
        spectrum = file["spectrum/total"][:]
        edges = file["spectrum/velocity_edges"][:]
    for name in (*NAMES, "peak_abs_x"):
        for key in (name, f"{name}_error"):
            assert stored[key] == told[key] or (told[key] is None and np.isnan(stored[key]))
    assert stored["asymmetric"] == 1
    assert stored["mean_velocity_units"] == "km/s"
    centres = 0.5 * (edges[1:] + edges[:-1])
    assert told["mean_velocity"] == pytest.approx((spectrum * centres).sum() / spectrum.sum(), abs=1e-3)


def test_asymmetric_lines_are_told_in_velocities(folder):
    folder.model.write_text(BEAM)
    text = folder.run("run", "model.yaml").stdout
    lines = dict(line.split("  ", 1) for line in text.splitlines() if "  " in line)
    assert "km/s, positive = receding" in lines["mean velocity"]
    assert "±" in lines["red / blue photons"] and "±" in lines["blue peak"]
    assert "red peak" not in lines and "median |x|" not in lines and "peak |x|" not in lines


def test_symmetric_lines_are_told_in_x(folder):
    text = folder.run("run", "model.yaml", "--packets", "20000").stdout
    lines = dict(line.split("  ", 1) for line in text.splitlines() if "  " in line)
    assert "±" in lines["median |x|"] and "±" in lines["peak |x|"]
    assert "mean velocity" not in lines


def test_a_peak_within_the_noise_is_not_told(folder):
    """20 packets: hardly any two in one bin."""
    told = folder.run_json("--packets", 20)
    assert told["peak_abs_x"] is None and told["peak_abs_x_error"] is None
    assert "peak |x|" not in folder.run("run", "model.yaml", "--packets", "20").stdout


def test_unscattered_light_at_line_centre_is_symmetric(folder):
    told = folder.run_json("--set", "medium={b: 10 km/s, opacity: 1e-6 1/pc, damping: 1e-4}")
    assert told["asymmetric"] is False
    assert told["red_blue_ratio"] == pytest.approx(1)
    assert told["mean_velocity"] == pytest.approx(0, abs=1e-9)


# ---- JSON ----


def test_json_has_the_settings(folder):
    told = folder.run_json("--set", "medium.tau_mean=300", "--seed", 9)
    settings = told["settings"]
    assert settings["medium.tau_mean"] == "300" and settings["run.seed"] == "9"
    assert settings["mesh.cells.0"] == "16" and settings["sources.0.plane.at"] == "0 pc"
    assert settings["run.batches"] == "32" and settings["run.precision"] == "mixed"  # defaults
    assert settings["physics.acceleration"] == "auto"
    again = [option for key, value in settings.items() for option in ("--set", f"{key}={value}")]
    assert folder.run_json(*again)["scatterings"] == told["scatterings"]


def test_json_can_be_one_line(folder):
    done = folder.run("run", "model.yaml", "--json=line", "--quiet")
    assert done.returncode == 0 and done.stdout.count("\n") == 1
    several = folder.run("run", "model.yaml", "--json", "--quiet").stdout
    assert several.count("\n") > 20
    drop = ("seconds", "scatterings_per_second")
    one, other = ({k: v for k, v in json.loads(text).items() if k not in drop} for text in (done.stdout, several))
    assert one == other


def test_json_has_no_other_forms(fails):
    line = fails("run", "model.yaml", "--json=xml")
    assert "--json=xml: write --json, or --json=line for a single line" in line
