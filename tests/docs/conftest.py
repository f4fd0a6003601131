"""Tests of the documentation against the program, which LINERAD_BIN names."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("LINERAD_BIN")
    if not path:
        pytest.skip("LINERAD_BIN is not set")
    return str(Path(path).resolve())
