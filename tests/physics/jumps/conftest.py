"""Records of jumps are made for the tests of one file, which share them, and for nothing else."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINERAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
