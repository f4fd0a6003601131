"""tools/validate itself: it runs cases, stores them, skips what it cannot run, and reports failures."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = "| shape | tau_mean 32000, peak \\|x\\| | 4000 |"


def validate(program, results, *arguments, reference=None):
    environment = {k: v for k, v in os.environ.items() if k not in ("LINERAD_REFERENCE", "LINERAD_DEVICE")}
    environment |= {"LINERAD_BIN": program} | ({"LINERAD_REFERENCE": str(reference)} if reference else {})
    command = [sys.executable, ROOT / "tools" / "validate", "--results", results, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


def test_cases_run_alone_and_are_kept(program, tmp_path):
    done = validate(program, tmp_path, "--quick", "shape", "moving", "radmc3d", "parity")
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "quick" / "validation.md").read_text()
    assert ROW in page and "**no**" not in page
    assert "| radmc3d | skipped: no reference data |" in page
    assert "| parity | skipped: needs a GPU" in page
    assert "| neufeld | not run |" in page
    row = json.loads((tmp_path / "quick" / "shape.json").read_text())["rows"][-1]
    assert row["reference"][0] > 14 and row["passed"]

    again = validate(program, tmp_path, "--quick", "shape", "radmc3d")
    assert again.returncode == 0 and "shape: finished before" in again.stdout
    assert "radmc3d: skipped" in again.stdout  # what was skipped is tried again
    assert "== shape" in validate(program, tmp_path, "--quick", "--again", "shape").stdout


def test_another_build_runs_again(program, tmp_path):
    assert validate(program, tmp_path, "--quick", "moving").returncode == 0
    assert "moving: finished before" in validate(program, tmp_path, "--quick", "moving").stdout
    path = tmp_path / "quick" / "moving.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"build": "of yesterday"}))
    assert "== moving" in validate(program, tmp_path, "--quick", "moving").stdout


def test_a_failed_comparison_is_an_error(program, tmp_path):
    """A result as if the program were off by ten per cent."""
    assert validate(program, tmp_path, "--quick", "moving").returncode == 0
    path = tmp_path / "quick" / "moving.json"
    result = json.loads(path.read_text())
    result["rows"][0] |= {"measured": [0.1, 0.0], "passed": False}
    path.write_text(json.dumps(result))
    done = validate(program, tmp_path, "--quick", "--report")
    assert done.returncode == 1 and "1 failed" in done.stdout
    assert "**no**" in (tmp_path / "quick" / "validation.md").read_text()


def test_a_case_that_breaks_is_an_error(tmp_path):
    """The program responds, but does nothing."""
    done = validate("/bin/false", tmp_path, "--quick", "moving")
    assert done.returncode == 1 and "cases that broke: moving" in done.stdout


def test_unknown_case_is_an_error(program, tmp_path):
    done = validate(program, tmp_path, "slabs")
    assert done.returncode == 2 and "no case 'slabs'" in done.stderr
