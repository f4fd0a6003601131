"""tools/build-wheels refuses wheels that would look outside of themselves."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from wheels import inspection, licences  # noqa: E402


@pytest.fixture
def wheel(tmp_path):
    """A function that makes an unpacked wheel: a library `liba.so`, which needs `libb.so`, with a run path."""
    if not shutil.which("gcc") or not shutil.which("readelf"):
        pytest.skip("gcc or readelf is not installed")

    def make(run_path):
        folder = tmp_path / "wheel"
        (folder / "a").mkdir(parents=True)
        (folder / "b").mkdir()
        (tmp_path / "b.c").write_text("int b(void) { return 1; }\n")
        (tmp_path / "a.c").write_text("int b(void); int a(void) { return b(); }\n")
        build = ["gcc", "-shared", "-fPIC", "-Wl,--enable-new-dtags"]
        subprocess.run([*build, "b.c", "-o", folder / "b" / "libb.so", "-Wl,-soname,libb.so"], cwd=tmp_path, check=True)
        subprocess.run([*build, "a.c", "-o", folder / "a" / "liba.so", folder / "b" / "libb.so",
                        f"-Wl,-rpath,{run_path}"], cwd=tmp_path, check=True)
        return folder

    return make


def refused(folder, wanted=(), built_in="/nowhere/at/all"):
    with pytest.raises(SystemExit) as failure:
        inspection.check(folder, built_in, wanted)
    return str(failure.value)


def test_a_good_one(wheel, capsys):
    inspection.check(wheel("$ORIGIN/../b"), "/nowhere/at/all", ["a/liba.so"])
    assert "checked 2" in capsys.readouterr().out


def test_missing_file(wheel):
    assert "udunits2.xml: missing" in refused(wheel("$ORIGIN/../b"), ["udunits2.xml"])


def test_missing_library(wheel):
    assert "a/liba.so: needs libb.so, which is not in the wheel" in refused(wheel("$ORIGIN"))


def test_empty_entry(wheel):
    assert "the current directory" in refused(wheel("$ORIGIN/../b::$ORIGIN"))


def test_folder_of_this_machine(wheel):
    assert "'/opt/somewhere'" in refused(wheel("$ORIGIN/../b:/opt/somewhere"))


def test_folder_outside(wheel):
    assert "outside the package" in refused(wheel("$ORIGIN/../b:$ORIGIN/../.."))


def test_path_of_the_build(wheel):
    folder = wheel("$ORIGIN/../b")
    (folder / "a" / "settings.json").write_text('{"made": "/made/up/linerad/build"}')
    assert "settings.json: contains the path /made/up/linerad" in refused(folder, built_in="/made/up/linerad")


def test_names_of_carried_libraries(tmp_path):
    (tmp_path / "linerad.libs").mkdir()
    for name in ("libldap-2-062bb940.5.so.0.1.8", "libhdf5_serial-8768aa43.so.103.3.1"):
        (tmp_path / "linerad.libs" / name).touch()
    assert licences.carried(tmp_path) == {"libldap-2.5.so.0.1.8", "libhdf5_serial.so.103.3.1"}
