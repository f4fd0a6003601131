"""The pages do what they say: their code blocks are run one after the other, as by a reader."""

import re
import runpy
import shutil
import sys
from pathlib import Path

import astropy.units as u
import linerad as lr
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_blocks(name):
    """What the blocks of a page leave behind."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    text = (ROOT / "docs" / name).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        line = text[: text.index(block)].count("\n")
        exec(compile("\n" * line + block, str(ROOT / "docs" / name), "exec"), names)
    return names


def test_the_tutorial_runs(capsys):
    Path("examples").symlink_to(ROOT / "examples")  # the page is read in the checkout
    names = run_blocks("python.md")
    shown = capsys.readouterr().out
    assert "cells" in shown and "packets" in shown
    assert "new pass: the first one" in shown and "same light: only image.velocity changed" in shown
    cold = names["levels"].excitation_temperature.value
    assert names["levels"].converged and cold.min() < 5 and 12 < cold.max() < 15.5
    for path in ("cloud.h5", "quicklook.png", "cloud_front.fits"):
        assert Path(path).stat().st_size > 0


def test_the_grid_in_the_tutorial_runs():
    """With line data of the examples, whose partner has another name."""
    shutil.copy(ROOT / "examples" / "data" / "co_demo.dat", "co.dat")
    block = re.search(r"```py\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), flags=re.S).group(1)
    names = {"lr": lr, "np": np, "u": u}
    exec(block.replace("p-H2", "H2"), names)
    assert names["grid"].flux[..., 0].shape == (50, 40) and names["grid"].flux.unit == u.K * u.km / u.s
    assert names["co"].partners["H2"].reference == "made up, with H2"


def test_the_page_of_yt_runs(command, capsys):
    """The model file on it reads the snapshot that the code writes."""
    run_blocks("yt.md")
    text = (ROOT / "docs" / "yt.md").read_text()
    shown = capsys.readouterr().out
    assert "120 bricks of 4^3 cells on 2 levels" in shown and "16 x 16 x 16 cells" in shown
    Path("model.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, flags=re.S).group(1))
    assert "used        n_CO, temperature, velocity_x" in command("check", "model.yaml")


def test_the_page_of_fits_runs(capsys):
    pytest.importorskip("emcee")
    np.random.seed(1)  # that of emcee
    names = run_blocks("fit.md")
    shown = capsys.readouterr().out
    assert "'systemic': 'same light'" in shown and "same light: only image.velocity changed" in shown
    chain, truth = names["chain"], [14, -1.7, 5.23]
    assert (abs(chain.mean(axis=0) - truth) < 3.5 * chain.std(axis=0)).all()
    assert names["residual"].std() == pytest.approx(0.05, rel=0.06) and Path("best.fits").stat().st_size > 0


def test_the_example_of_a_fit_runs(monkeypatch, capsys):
    pytest.importorskip("emcee")
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "argv", ["fit.py", "--steps", "10"])
    runpy.run_path(str(ROOT / "examples" / "fit.py"), run_name="__main__")
    assert Path("fit.png").stat().st_size > 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "+-" in line]
    assert [row[0] for row in rows] == ["temperature", "density", "infall", "systemic"]
    assert all(abs(float(row[5])) < 5 for row in rows)  # ten steps are not a posterior yet


def test_the_example_of_a_wind_is_plotted(command, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    shutil.copy(ROOT / "examples" / "wind.yaml", "wind.yaml")
    monkeypatch.syspath_prepend(ROOT / "examples")
    monkeypatch.setattr(sys, "argv", ["wind.py", "--cells", "16", "-o", "wind_gas.h5"])
    runpy.run_path(str(ROOT / "examples" / "wind.py"), run_name="__main__")
    shutil.copy(ROOT / "examples" / "wind_spectrum.yaml", "wind_spectrum.yaml")
    thin = ("--packets", "2000", "--set", "medium.tau_centre=300")  # little gas, in which few scatterings are followed
    for name in ("wind", "wind_spectrum"):
        command("run", f"{name}.yaml", *thin)
        monkeypatch.setattr(sys, "argv", ["wind_plot.py", f"{name}.h5", "-o", f"{name}.png"])
        runpy.run_path(str(ROOT / "examples" / "wind_plot.py"), run_name="__main__")
        assert Path(f"{name}.png").stat().st_size > 1e4
