"""The program under test. LINERAD_BIN names it; see harness.py."""

import itertools
import os
from pathlib import Path

import pytest

from harness import Linerad


@pytest.fixture(scope="session")
def linerad(tmp_path_factory):
    path = os.environ.get("LINERAD_BIN")
    if not path:
        pytest.skip("LINERAD_BIN is not set")
    numbers = itertools.count()
    return Linerad(str(Path(path).resolve()), lambda: tmp_path_factory.mktemp(f"run{next(numbers)}"))
