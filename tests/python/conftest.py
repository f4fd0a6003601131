"""The Python package, from its sources, with the library named by LINERAD_LIBRARY. LINERAD_BIN is the command it is
compared with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
if not os.environ.get("LINERAD_LIBRARY"):
    pytest.skip("LINERAD_LIBRARY is not set", allow_module_level=True)
for module in ("cffi", "astropy"):
    pytest.importorskip(module)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    """Every test has its own current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command():
    """Runs the command `linerad` and returns its output."""
    path = os.environ.get("LINERAD_BIN")
    if not path:
        pytest.skip("LINERAD_BIN is not set")

    def run(*arguments):
        done = subprocess.run(
            [str(Path(path).resolve()), *map(str, arguments)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def in_process():
    """Runs a script in a separate Python process, for tests of memory and signals; returns its output."""

    def run(script, **options):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "2"}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=600, env=environment, **options
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
