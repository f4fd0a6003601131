"""Libraries that came without a file for pkg-config, as in conda and in modules of clusters, are found by header and name."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pkg_config(*words):
    done = subprocess.run(["pkg-config", *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


@pytest.fixture
def prefix(tmp_path):
    """Descriptions of everything except HDF5 in pc/; HDF5 itself in include/ and lib/."""
    name = "hdf5-serial" if pkg_config("--exists", "hdf5-serial") is not None else "hdf5"
    headers = next(Path(word[2:]) for word in pkg_config("--cflags-only-I", "--keep-system-cflags", name).split())
    folder, library = pkg_config("--libs", "--keep-system-libs", name).split()[:2]
    for part in ("pc", "lib"):
        (tmp_path / part).mkdir()
    for place in pkg_config("--variable=pc_path", "pkg-config").split(":"):
        for file in Path(place).glob("*.pc"):
            if not file.name.startswith("hdf5"):
                shutil.copy(file, tmp_path / "pc")
    (tmp_path / "include").symlink_to(headers)
    (tmp_path / "lib" / "libhdf5.so").symlink_to(Path(folder[2:]) / f"lib{library[2:]}.so")
    return tmp_path


def configure(prefix, *options):
    return subprocess.run(["cmake", "-S", ROOT, "-B", prefix / "build", "-DLINERAD_TESTS=OFF", "-DLINERAD_CUDA=OFF",
                           "-DLINERAD_MPI=OFF", *options], capture_output=True, text=True,
                          env={**os.environ, "PKG_CONFIG_LIBDIR": str(prefix / "pc")})  # fmt: skip


def test_a_library_in_a_folder_of_its_own(prefix):
    done = configure(prefix, f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode == 0, done.stderr
    assert f"Found hdf5: {prefix}/lib/libhdf5.so" in done.stdout
    commands = (prefix / "build" / "compile_commands.json").read_text()
    assert f"{prefix}/include" in commands


def test_a_missing_library_is_named(prefix):
    (prefix / "lib" / "libhdf5.so").unlink()
    done = configure(prefix, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF")
    assert done.returncode != 0
    assert "hdf5 was not found: neither by pkg-config (hdf5-serial or hdf5) nor as" in " ".join(done.stderr.split())
