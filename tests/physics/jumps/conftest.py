"""Records of jumps are shared by the tests of one build, and by nothing else: they are kept next to the program, in a folder
named after what is in its library, so that a program that has changed makes its own."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="module")
def cache():
    program, library = (os.environ.get(name) for name in ("LINERAD_BIN", "LINERAD_LIBRARY"))
    if not program:
        pytest.skip("LINERAD_BIN is not set")
    digest = hashlib.sha256(Path(library or program).read_bytes()).hexdigest()[:16]
    records = Path(program).resolve().parent / "tests" / "records"
    (records / digest).mkdir(parents=True, exist_ok=True)
    for older in records.iterdir():
        if older.name != digest:
            shutil.rmtree(older, ignore_errors=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINERAD_CACHE", str(records / digest))
        yield
