"""Code is loaded from where linerad and the system keep it, never from the current directory."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]")
RUN_PATH = re.compile(r"\(R(?:UN)?PATH\).*\[(.*)\]")


def dynamic(file):
    if not shutil.which("readelf"):
        pytest.skip("readelf is not installed")
    return subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout


def spoil(path, files):
    """Puts a broken file for every library into a folder: the loader stops at one that it tries."""
    names = {name for file in files for name in NEEDED.findall(dynamic(file))}
    assert "libfyaml.so.0" in names
    for name in names | {"liblinerad_cuda.so"}:
        (path / name).write_text("not a library\n")


def without_memory(told):
    """What `linerad info` prints but for the free memory, which changes."""
    return re.sub(r"[0-9.]+ [A-Za-z]+ free", "", told)


def check_runs(folder, binary, library):
    for file in (binary, library):
        for entries in RUN_PATH.findall(dynamic(file)):
            assert all(entries.split(":")), entries
    spoil(folder.path, (binary, library))
    environment = {name: text for name, text in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([binary, "info"], cwd=folder.path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "invalid" not in done.stdout  # as dlopen would say of the backend
    # Of the library's own search, since the loader's path is the user's to set.
    environment["LD_LIBRARY_PATH"] = str(folder.path / "backend")
    (folder.path / "backend").mkdir()
    (folder.path / "backend" / "liblinerad_cuda.so").write_text("not a library\n")
    other = subprocess.run([binary, "info"], cwd=folder.path, capture_output=True, text=True, env=environment)
    assert without_memory(other.stdout) == without_memory(done.stdout)


def test_current_directory(folder, program):
    check_runs(folder, program, Path(program).parent / "liblinerad.so")


def test_current_directory_of_an_installed_command(folder, program, tmp_path_factory):
    build = Path(program).parent
    if not (build / "cmake_install.cmake").exists() or not shutil.which("cmake"):
        pytest.skip("not in a build folder")
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
    (library,) = prefix.glob("lib*/**/liblinerad.so")
    check_runs(folder, prefix / "bin" / "linerad", library)


def test_moved_build_folder(folder, program):
    moved = folder.path / "moved"
    moved.mkdir()
    shutil.copy(program, moved)
    for file in Path(program).parent.glob("liblinerad.so*"):
        shutil.copy(file, moved, follow_symlinks=False)
    done = subprocess.run(["ldd", moved / "linerad"], capture_output=True, text=True)
    assert str(moved / "liblinerad.so") in done.stdout, done.stdout
