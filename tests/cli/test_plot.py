"""linerad plot: hands over to the Python package, and says what to do if that is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from conftest import error_line

pytest.importorskip("matplotlib")


@pytest.fixture
def plot(folder):
    """Runs the command with this Python, without anything that points to the package: it must find it by itself."""

    def run(*arguments, **environment):
        inherited = {name: text for name, text in os.environ.items() if name not in ("LINERAD_LIBRARY", "PYTHONPATH")}
        return folder.run("plot", *arguments, env={**inherited, "LINERAD_PYTHON": sys.executable, **environment})

    return run


@pytest.fixture
def draws(plot):
    """The same, for tests that need the modules of the package."""
    for module in ("astropy", "cffi"):
        pytest.importorskip(module)
    return plot


def test_picture(folder, draws):
    assert folder.run("run", "model.yaml").returncode == 0
    done = draws("model.h5")
    assert done.returncode == 0 and done.stdout == "model.png\n" and done.stderr == "", done.stderr
    assert (folder.path / "model.png").read_bytes().startswith(b"\x89PNG")
    done = draws("model.h5", "--kind", "spectrum", "-o", "spectrum.pdf")
    written = (folder.path / "spectrum.pdf").read_bytes()
    assert done.returncode == 0 and written.startswith(b"%PDF")
    assert b"/TrueType" in written or b"/CIDFontType2" in written  # embedded outlines, not drawn letters (Type 3)
    assert b"/Type3" not in written


def test_a_folder_of_that_name_is_no_package(folder, draws):
    assert folder.run("run", "model.yaml").returncode == 0
    (folder.path / "linerad").mkdir()
    (folder.path / "linerad" / "__init__.py").write_text("raise SystemExit('the wrong one')\n")
    assert draws("model.h5").returncode == 0


def test_errors_are_one_line(folder, draws):
    with h5py.File(folder.path / "other.h5", "w") as file:
        file["density"] = 1.0
    assert "other.h5" in error_line(draws("other.h5"))
    assert "gone.h5" in error_line(draws("gone.h5"))
    assert "--knd" in error_line(draws("gone.h5", "--knd", "spectrum"))
    assert "sketch" in error_line(draws("gone.h5", "--kind", "sketch"))
    assert folder.run("run", "model.yaml").returncode == 0
    assert "no images" in error_line(draws("model.h5", "--kind", "channels"))
    assert "with several results" in error_line(draws("model.h5", "model.h5", "--kind", "spectrum"))
    assert "no/such/folder.png" in error_line(draws("model.h5", "-o", "no/such/folder.png"))
    assert "txt" in error_line(draws("model.h5", "-o", "picture.txt"))


def test_a_figure_that_cannot_be_written_is_one_line(folder, draws):
    """Also where writing ends early: matplotlib's PDF then fails a second time."""
    assert folder.run("run", "model.yaml").returncode == 0
    for name in ("full.png", "full.pdf", "full.svg"):
        (folder.path / name).symlink_to("/dev/full")
        line = error_line(draws("model.h5", "-o", name))
        assert f"{name}: cannot write the figure: No space left on device; give it another name or place" in line


def test_a_folder_that_cannot_be_written_to_is_named(folder, draws):
    assert folder.run("run", "model.yaml").returncode == 0
    line = error_line(draws("model.h5", "-o", "no/such.png"))
    assert f"there is no folder {folder.path}/no; give it another name or place (-o" in line
    (folder.path / "locked").mkdir(mode=0o555)
    if os.access(folder.path / "locked", os.W_OK):
        pytest.skip("this user may write everywhere")
    line = error_line(draws("model.h5", "-o", "locked/model.png"))
    assert f"locked/model.png: cannot write the figure: no permission to write to the folder {folder.path}/locked" in line


def test_nothing_given(folder):
    assert "no result given" in error_line(folder.run("plot"))


def test_python_or_package_is_missing(folder, plot):
    line = error_line(plot("model.h5", LINERAD_PYTHON="/no/python"))
    assert "/no/python" in line and "pip install '.[plot]'" in line
    # a Python that finds only its standard library
    bare = folder.path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    line = error_line(plot("model.h5", LINERAD_PYTHON=str(bare)))
    assert "pip install '.[plot]'" in line and "LINERAD_PYTHON" in line


def test_environments_are_found(folder, plot):
    """$VIRTUAL_ENV is used if LINERAD_PYTHON is not set."""
    (folder.path / "env" / "bin").mkdir(parents=True)
    python = folder.path / "env" / "bin" / "python"
    python.write_text("#!/bin/sh\necho this one\n")
    python.chmod(0o755)
    done = plot("model.h5", LINERAD_PYTHON="", VIRTUAL_ENV=str(folder.path / "env"))
    assert done.returncode == 0 and done.stdout == "this one\n"


@pytest.fixture
def tree(folder, program):
    """A source tree with a build folder, whose Python says that it was started; a function that plots with it."""
    root = Path(__file__).resolve().parents[2]
    tree = folder.path / "tree"
    for name in ("CMakeLists.txt", "include/linerad.h", "python/linerad/__init__.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tree / name)
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho started with $PYTHONPATH\n")
    (tree / ".venv" / "bin" / "python").chmod(0o755)
    (tree / "build").mkdir()
    shutil.copy(program, tree / "build")
    for file in Path(program).parent.glob("liblinerad.so*"):
        shutil.copy(file, tree / "build", follow_symlinks=False)
    (folder.path / "path").mkdir()
    (folder.path / "path" / "python3").write_text("#!/bin/sh\necho python3 with $PYTHONPATH\n")
    (folder.path / "path" / "python3").chmod(0o755)

    def run():
        environment = {"PATH": str(folder.path / "path")}
        command = [tree / "build" / "linerad", "plot", "model.h5"]
        return subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, text=True).stdout

    run.path = tree
    return run


def test_python_of_a_checkout(tree):
    assert tree() == f"started with {tree.path}/build/../python\n"


@pytest.mark.parametrize("name", ["CMakeLists.txt", "include/linerad.h", "python/linerad/__init__.py"])
def test_python_beside_some_other_folder(tree, name):
    (tree.path / name).unlink()
    assert tree() == "python3 with\n"


def test_python_of_another_project(tree):
    (tree.path / "CMakeLists.txt").write_text("project(other LANGUAGES C)\n")
    assert tree() == "python3 with\n"


def test_python_in_a_folder_that_anybody_can_fill(tree):
    tree.path.chmod(0o1777)
    assert tree() == "python3 with\n"


@pytest.mark.skipif(os.getuid() != 0, reason="needs the right to give files away")
def test_python_of_somebody_else(tree):
    os.chown(tree.path, 12345, -1)
    assert tree() == "python3 with\n"


def test_help_names_every_option(folder, draws, program):
    """The help of the command, which needs no Python, and the options read by the package."""
    told = folder.run("plot", "--help", env={"PATH": "/nowhere"})
    assert told.returncode == 0 and told.stdout.startswith("linerad plot")
    script = "from linerad.__main__ import KINDS, plot_parser; print(*KINDS, *plot_parser()._option_string_actions)"
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root / "python"),
                   "LINERAD_LIBRARY": str(Path(program).with_name("liblinerad.so"))}  # fmt: skip
    words = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    for word in words.stdout.split():
        assert word in told.stdout, word
