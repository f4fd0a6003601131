"""The tutorial does what it says: its blocks of code are run one after the other, as a reader would."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_page(page):
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        line = text[: text.index(block)].count("\n")
        exec(compile("\n" * line + block, str(ROOT / "docs" / page), "exec"), names)
    return text


def test_the_tutorial_runs(capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    run_page("python.md")
    shown = capsys.readouterr().out
    assert "cells" in shown and "packets" in shown
    for path in ("cloud.h5", "quicklook.png", "cloud_front.fits"):
        assert Path(path).stat().st_size > 0


def test_the_page_of_yt_runs(command, capsys):
    """And the model file on it takes the snapshot that the code writes."""
    text = run_page("yt.md")
    shown = capsys.readouterr().out
    assert "120 bricks of 4^3 cells on 2 levels" in shown and "16 x 16 x 16 cells" in shown
    Path("model.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, flags=re.S).group(1))
    assert "used        n_CO, temperature, velocity_x" in command("check", "model.yaml")
