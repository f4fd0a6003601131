"""`make install`: other programs find the library by pkg-config and by CMake, also if it was staged and then moved."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import error_line

PROGRAM = """\
#include <stdio.h>
#include <string.h>

#include <linerad.h>

int main(void)
{
    printf("%s\\n", lr_version());
    return strcmp(lr_version(), LINERAD_VERSION) != 0;
}
"""
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(linerad {version} REQUIRED CONFIG)
add_executable(user user.c)
target_link_libraries(user PRIVATE linerad::linerad)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(program, tmp_path_factory):
    """An installation, staged with DESTDIR for /opt/linerad and then put somewhere else."""
    build = Path(program).parent
    if not (build / "cmake_install.cmake").exists() or not shutil.which("cmake"):
        pytest.skip("not in a build folder")
    stage, place = tmp_path_factory.mktemp("stage"), tmp_path_factory.mktemp("place") / "linerad"
    run("cmake", "--install", build, "--prefix", "/opt/linerad", env={**os.environ, "DESTDIR": str(stage)})
    assert [path.name for path in stage.iterdir()] == ["opt"]
    shutil.move(stage / "opt" / "linerad", place)
    return place


@pytest.fixture
def user(tmp_path):
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    (tmp_path / "user.c").write_text(PROGRAM)
    return tmp_path


def version_of(program):
    return run(program, "--version").split()[1]


def test_command(prefix, program):
    assert version_of(prefix / "bin" / "linerad") == version_of(program)


def test_no_path_is_written_down(prefix):
    """Files that other builds read name no folder, neither of the build nor of the installation."""
    for name in ("linerad.pc", "linerad-config.cmake", "linerad-config-release.cmake"):
        (file,) = prefix.rglob(name)
        for folder in ("/opt/", str(prefix), str(Path(__file__).resolve().parents[2])):
            assert folder not in file.read_text(), (name, folder)


def test_pkg_config(prefix, program, user):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    (description,) = prefix.rglob("linerad.pc")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(description.parent)}
    assert run("pkg-config", "--modversion", "linerad", env=environment).strip() == version_of(program)
    flags = run("pkg-config", "--cflags", "--libs", "linerad", env=environment).split()
    run("cc", "-Wall", "-Werror", "user.c", "-o", "user", *flags, cwd=user)
    library = run("pkg-config", "--variable=libdir", "linerad", env=environment).strip()
    assert run(user / "user", env={**os.environ, "LD_LIBRARY_PATH": library}).strip() == version_of(program)


def test_cmake(prefix, program, user):
    (user / "CMakeLists.txt").write_text(PROJECT.format(version=version_of(program)))
    run("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", user / "build")
    assert run(user / "build" / "user").strip() == version_of(program)


def test_another_version_is_refused(prefix, user):
    """Before 1.0 a minor version may change the interface."""
    (user / "CMakeLists.txt").write_text(PROJECT.format(version="0.99"))
    done = subprocess.run(["cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "0.99" in done.stderr


def database_of_the_system():
    for folder in ("/usr/share/xml/udunits", "/usr/share/udunits", "/usr/local/share/udunits"):
        if Path(folder, "udunits2.xml").exists():
            return Path(folder)
    pytest.skip("the database of units is not in a usual place")


def test_units_next_to_the_library(prefix, folder, tmp_path_factory):
    """A wheel carries the database of units; UDUNITS2_XML_PATH comes before it."""
    installed = tmp_path_factory.mktemp("carried") / "linerad"
    shutil.copytree(prefix, installed, symlinks=True)
    (library,) = installed.rglob("liblinerad.so")
    carried = library.parent / "udunits"
    environment = {name: text for name, text in os.environ.items() if name != "UDUNITS2_XML_PATH"}

    def check(**more):
        command = [installed / "bin" / "linerad", "check", folder.model]
        return subprocess.run(command, capture_output=True, text=True, env={**environment, **more})

    carried.mkdir()
    (carried / "udunits2.xml").write_text("not a database\n")
    assert "UDUNITS-2 database" in error_line(check())
    system = database_of_the_system()
    assert check(UDUNITS2_XML_PATH=str(system / "udunits2.xml")).returncode == 0
    shutil.copytree(system, carried, dirs_exist_ok=True)
    done = check()
    assert done.returncode == 0, done.stderr
