"""linerad molecule: tables of line data from files and by name, and messages about corrupted files."""

import json
import os
import re
from pathlib import Path

import pytest

from conftest import error_line

FILE = """\
!MOLECULE
XY
!MASS
30.0
!LEVELS
3
!LEVEL + ENERGY + WEIGHT + LABEL
1  5.0 1.0 "0 0"
2 15.0 3.0 "1 0"
3 35.0 5.0 "2 0"
!LINES
2
!LINE + UP + LOW + A + GHZ
1 2 1 1.5e-06 299.792458
2 3 2 2.5e-05 599.584916
!PARTNERS
1
!PARTNER
3 XY-oH2 of nobody (2020)
!TRANSITIONS
2
!TEMPERATURES
2
!TEMPERATURES
10.0 100.0
!RATES
1 2 1 1.0e-11 2.0e-11
2 3 1 3.0e-12 4.0e-12
"""
NAMES = "co 13co c18o hco+ cs sio hcn oh18cm lya cii hi21".split()


def reference_files():
    folder = os.environ.get("LINERAD_REFERENCE")
    return sorted([*Path(folder).glob("lamda/*.dat"), *Path(folder).glob("vz2002/*.dat")]) if folder else []


def section(text, name):
    """Rows of a table after its two header lines."""
    lines = text.split(f"\n{name} ")[1].split("\n\n")[0].splitlines()
    return lines[2:]


def test_without_argument_the_names_are_listed(folder):
    done = folder.run("molecule")
    assert done.returncode == 0 and done.stderr == ""
    assert [line.split()[0] for line in done.stdout.splitlines()] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_a_report(folder, name):
    done = folder.run("molecule", name)
    assert done.returncode == 0 and done.stderr == ""
    assert f"{name}, mass" in done.stdout and "partners      none" in done.stdout


def test_tables_of_a_file(folder):
    (folder.path / "xy.dat").write_text(FILE)
    done = folder.run("molecule", "xy.dat")
    assert done.returncode == 0 and done.stderr == ""
    levels, lines = section(done.stdout, "levels"), section(done.stdout, "lines")
    assert [row.split() for row in levels] == [
        ["1", "0", "0", "5.000000000", "7.19388", "1"],
        ["2", "1", "0", "15.000000000", "21.58165", "3"],
        ["3", "2", "0", "35.000000000", "50.35719", "5"],
    ]
    # n_crit at 20 K: 1.5e-6 / 1.1111e-11; for level 3 only the listed 3-1: 2.5e-5 / 3.1111e-12
    assert lines[0].split() == "1 1 0 - 0 0 299.792458 1 mm 1.5000e-06 21.58165 1.350e+05".split()
    assert lines[1].split() == "2 2 0 - 1 0 599.584916 0.5 mm 2.5000e-05 50.35719 8.036e+06".split()
    assert "o-H2  2 transitions at 2 temperatures from 10 to 100 K: XY-oH2 of nobody (2020)" in done.stdout


def test_temperature_of_critical_densities(folder):
    (folder.path / "xy.dat").write_text(FILE)
    done = folder.run("molecule", "xy.dat", "--temperature", "55")
    assert section(done.stdout, "lines")[0].split()[-1] == "1.000e+05"
    assert "at 55 K" in done.stdout and "outside" not in done.stdout
    done = folder.run("molecule", "xy.dat", "--temperature=500")
    assert section(done.stdout, "lines")[0].split()[-1] == "7.500e+04"
    assert "500 K is out of range: n_crit is given at 100 K" in done.stdout


def test_json_has_the_same_tables(folder):
    (folder.path / "xy.dat").write_text(FILE)
    done = folder.run("molecule", "xy.dat", "--json", "--temperature", "20")
    assert done.returncode == 0 and done.stderr == ""
    table = json.loads(done.stdout)
    kelvin = 1.438776877  # h c / k of 1 cm^-1
    assert table["name"] == "XY" and table["mass_u"] == pytest.approx(30) and table["temperature_K"] == 20
    assert [row["energy_K"] for row in table["levels"]] == pytest.approx([0, 10 * kelvin, 30 * kelvin], abs=1e-6)
    assert [row["label"] for row in table["levels"]] == ["0 0", "1 0", "2 0"]
    first, second = table["lines"]
    assert (first["upper"], first["lower"]) == (2, 1) and (second["upper"], second["lower"]) == (3, 2)
    assert second["frequency_Hz"] == pytest.approx(599.584916e9) and second["einstein_a_per_s"] == 2.5e-5
    assert first["critical_density_cm3"]["o-H2"] == pytest.approx(1.5e-6 / (1e-11 + 1e-11 / 9))
    assert table["partners"] == [{"name": "o-H2", "reference": "XY-oH2 of nobody (2020)", "rates": 2,
                                  "temperatures": 2, "coldest_K": 10, "hottest_K": 100}]
    assert json.loads(folder.run("molecule", "co", "--json").stdout)["partners"] == []
    assert "--json needs a molecule" in error_line(folder.run("molecule", "--json"))


def test_oddities_of_real_files_are_read_with_a_warning(folder):
    """Levels exchanged, a pair repeated, a row too many, a frequency in another unit: each is named with its line."""
    odd = FILE.replace("1 2 1 1.5e-06 299.792458", "1 1 2 1.5e-06 299.792458e6")
    odd += "3 2 1 9e-11 9e-11\n"
    (folder.path / "xy.dat").write_text(odd)
    done = folder.run("molecule", "xy.dat")
    assert done.returncode == 0
    warnings = [line.removeprefix("linerad: warning: xy.dat:") for line in done.stderr.splitlines()]
    assert [line.split(":")[0] for line in warnings] == ["14", "14", "29", "29"], warnings
    for line, words in zip(warnings, ["contradict the energies", "lies below", "but 2 are stated", "appear again"]):
        assert words in line
    (folder.path / "xy.dat").write_text(FILE)
    assert done.stdout == folder.run("molecule", "xy.dat").stdout


@pytest.mark.parametrize("value", ["0", "-3", "cold", "nan", "1e999", "20K", ""])
def test_bad_temperature(folder, value):
    assert "--temperature" in error_line(folder.run("molecule", "co", "--temperature", value))


def test_spoiled_file_is_named_with_its_line(folder):
    (folder.path / "xy.dat").write_text(FILE.replace("1.5e-06", "1.5e-06x"))
    line = error_line(folder.run("molecule", "xy.dat"))
    assert "xy.dat:14: '1.5e-06x' is not a number; expected the Einstein coefficient A" in line
    (folder.path / "xy.dat").write_text(FILE[: FILE.index("2 3 1")])
    assert "xy.dat:27: unexpected end of file; expected collisional transition 2 of 2" in error_line(
        folder.run("molecule", "xy.dat")
    )


def test_warnings_of_a_file_that_can_be_used(folder):
    (folder.path / "xy.dat").write_text(FILE.replace("299.792458", "250.0").rstrip("\n"))
    done = folder.run("molecule", "xy.dat")
    assert done.returncode == 0
    warnings = done.stderr.splitlines()
    assert len(warnings) == 2 and all(line.startswith("linerad: warning: xy.dat:") for line in warnings)
    assert "xy.dat:14: 1 of 2 frequencies" in warnings[0] and "no newline" in warnings[1]


def test_neither_a_name_nor_a_file(folder):
    line = error_line(folder.run("molecule", "unobtainium"))
    assert "cannot open" in line and all(name in line for name in NAMES)
    assert "only one" in error_line(folder.run("molecule", "co", "cs"))
    assert "did you mean '--temperature'" in error_line(folder.run("molecule", "co", "--temprature", "3"))


@pytest.mark.parametrize("path", reference_files() or [None], ids=lambda path: path.name if path else "none")
def test_published_files(folder, path):
    """Every number in the tables against the file, read here by position."""
    if not path:
        pytest.skip("LINERAD_REFERENCE names no folder with lamda/")
    done = folder.run("molecule", path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    rows = path.read_text().splitlines()
    n_level = int(rows[5].split()[0])
    n_line = int(rows[8 + n_level].split()[0])
    levels, lines = section(done.stdout, "levels"), section(done.stdout, "lines")
    assert len(levels) == n_level and len(lines) == n_line
    for row, text in zip(rows[7 : 7 + n_level], levels):
        number, energy, weight = row.split()[:3]
        got = text.split()
        assert int(got[0]) == int(number) and float(got[-3]) == float(energy) and float(got[-1]) == float(weight)
        assert float(got[-2]) == pytest.approx(float(energy) * 1.438776877, abs=1e-5)
    at = 10 + n_level
    for row, text in zip(rows[at : at + n_line], lines):
        a, frequency = map(float, row.split()[3:5])
        got = re.search(r"(\S+)\s+(\S+) (cm|mm|um|nm)\s+(\S+)\s+(\S+)", text)
        assert float(got[1]) == pytest.approx(frequency, rel=1e-9)
        assert float(got[2]) * {"cm": 1, "mm": 0.1, "um": 1e-4}[got[3]] == pytest.approx(29.9792458 / frequency, rel=1e-5)
        assert float(got[4]) == pytest.approx(a, rel=1e-4)
    at += n_line + 1
    n_partner = int(rows[at].split()[0])
    partners = done.stdout.split("\npartners ")[1].splitlines()
    found = [line for line in partners if " transitions at " in line]
    assert int(partners[0]) == n_partner == len(found)
    at += 1
    for line in found:
        n_rate, n_temperature = int(rows[at + 3].split()[0]), int(rows[at + 5].split()[0])
        low, high = (float(rows[at + 7].split()[i]) for i in (0, n_temperature - 1))
        reference = " ".join(rows[at + 1].split()[1:])
        assert f"{n_rate} transitions at {n_temperature} temperatures from {low:g} to {high:g} K: {reference}" in line
        at += 9 + n_rate


def test_critical_density_of_published_co(folder):
    """CO 1-0 with p-H2 at 20 K in the file of Yang et al.: A over the one downward rate of level 2 (tabulated at 20
    K)."""
    path = next((p for p in reference_files() if p.name == "co_yang2010.dat"), None)
    if not path:
        pytest.skip("LINERAD_REFERENCE names no folder with lamda/")
    rows = path.read_text().splitlines()
    temperatures = [float(word) for word in rows[100].split()]
    rate = float(rows[102].split()[3 + temperatures.index(20.0)])
    got = section(folder.run("molecule", path).stdout, "lines")[0].split()
    assert float(got[-2]) == pytest.approx(7.203e-8 / rate, rel=1e-3)
