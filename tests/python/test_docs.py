"""The tutorial does what it says: its blocks of code are run one after the other, as a reader would."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_tutorial_runs(capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        line = text[: text.index(block)].count("\n")
        exec(compile("\n" * line + block, str(ROOT / "docs" / "python.md"), "exec"), names)
    shown = capsys.readouterr().out
    assert "cells" in shown and "packets" in shown
    for path in ("cloud.h5", "quicklook.png", "cloud_front.fits"):
        assert Path(path).stat().st_size > 0
