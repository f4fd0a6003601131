"""linerad radex: options, lists, formats, and bad input. The molecule is made up: two lines, rates for H2."""

import csv
import io
import json

import pytest

from conftest import error_line

MOLECULE = """\
!NAME
made-up, "quoted"
!WEIGHT
28.0
!LEVELS
3
!LEVEL + ENERGY + WEIGHT + J
1 0.0 1.0 0
2 4.0 3.0 1
3 12.0 5.0 2
!LINES
2
!LINE + UP + LOW + A + FREQUENCY + E_U
1 2 1 7e-8 119.9169832 5.75
2 3 2 7e-7 239.8339664 17.3
!PARTNERS
1
!PARTNER
1 made-up rates
!RATES
3
!TEMPERATURES
2
!TEMPERATURES
10.0 100.0
!RATES
1 2 1 3e-11 3e-11
2 3 1 5e-11 5e-11
3 3 2 7e-11 7e-11
"""

PARCEL = ("--temperature", "20", "--density", "H2=1e4", "--column", "1e15")


@pytest.fixture
def radex(folder):
    (folder.path / "made_up.dat").write_text(MOLECULE)

    def run(*arguments, molecule="made_up.dat"):
        return folder.run("radex", molecule, *arguments)

    return run


def rows_of(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_text_names_its_columns(radex):
    done = radex(*PARCEL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# T 20 K  n(H2) 10000 cm^-3  N 1e+15 cm^-2  width 1 km/s  background 2.725 K")
    assert "Tex" in done.stdout and "K km/s" in done.stdout
    assert sum(line.startswith(("1 - 0 ", "2 - 1 ")) for line in done.stdout.splitlines()) == 2


def test_units_and_plain_numbers_mean_the_same(radex):
    plain = radex(*PARCEL, "--width", "2", "--background", "3", "--csv")
    written = radex("--temperature", "20 K", "--density", "H2=1e10 m-3", "--column", "1e19 m-2", "--width", "2000 m/s",
                    "--background", "3 K", "--csv")
    for a, b in zip(rows_of(plain), rows_of(written), strict=True):
        assert a.keys() == b.keys()
        assert all(a[key] == b[key] or float(a[key]) == pytest.approx(float(b[key]), rel=1e-7) for key in a)


def test_grids_are_all_combinations_in_order(radex):
    rows = rows_of(radex("--temperature", "20:40:3", "--density", "H2=1e3:1e5:log3", "--column", "1e14,1e15", "--csv"))
    keys = [(float(r["temperature_K"]), float(r["density_H2_cm-3"]), float(r["column_cm-2"])) for r in rows[::2]]
    assert keys == [(t, pytest.approx(n), c) for t in (20, 30, 40) for n in (1e3, 1e4, 1e5) for c in (1e14, 1e15)]


def test_threads_do_not_change_the_answer(radex):
    grid = ("--temperature", "5:50:20", "--density", "H2=1e2:1e6:log20", "--column", "1e14,1e16", "--csv")
    one, four = radex(*grid, "--threads", "1"), radex(*grid, "--threads", "4")
    assert len(rows_of(one)) == 1600
    assert one.stdout == four.stdout


def test_json_is_valid_and_complete(radex):
    done = radex("--temperature", "20,200", "--density", "H2=1e4", "--column", "1e15", "--json", "--geometry", "slab")
    result = json.loads(done.stdout)
    assert result["geometry"] == "slab"
    assert [model["temperature_K"] for model in result["models"]] == [20, 200]
    assert "rates clamped" in result["models"][1]["warnings"]
    assert "rates clamped" not in result["models"][0]["warnings"]
    line = result["models"][0]["lines"][1]
    assert line["frequency_GHz"] == pytest.approx(239.8339664)
    assert line["upper_energy_K"] == pytest.approx(12 * 1.438777, rel=1e-6)
    assert "outside the temperature range" in done.stderr


def test_lines_by_number_and_by_frequency(radex):
    assert [r["line"] for r in rows_of(radex(*PARCEL, "--csv", "--lines", "1"))] == ["1"]
    assert [r["line"] for r in rows_of(radex(*PARCEL, "--csv", "--lines", "200:300"))] == ["2"]
    assert [r["line"] for r in rows_of(radex(*PARCEL, "--csv", "--lines", "0.1:0.2 THz"))] == ["1"]


def test_rates_of_another_partner(radex):
    done = radex("--temperature", "20", "--density", "H=1e4", "--column", "1e15", "--rates", "H=H2", "--csv")
    assert "collisions with H use the rates of H2" in done.stderr
    own = rows_of(radex(*PARCEL, "--csv"))
    assert [r["tau"] for r in rows_of(done)] == [r["tau"] for r in own]


@pytest.mark.parametrize("arguments, words", [
    ((), "--temperature is missing"),
    (("--temperature", "20"), "--density is missing"),
    (("--temperature", "20", "--density", "H2=1e4"), "--column is missing"),
    ((*PARCEL, "--temperature", "30"), "--temperature is given twice"),
    (("--temperature", "20 km", *PARCEL[2:]), "not a temperature"),
    (("--temperature", "warm", *PARCEL[2:]), "'warm' is not a finite number"),
    (("--temperature", "0", *PARCEL[2:]), "temperature 0 K (parcel 0): it must be finite and above zero"),
    (("--temperature", "20,-3", *PARCEL[2:]), "temperature -3 K (parcel 1)"),
    (("--temperature", "1:2", *PARCEL[2:]), "'1:2' is not a grid"),
    (("--temperature", "20", "--density", "1e4", "--column", "1e15"), "--density '1e4': write NAME=VALUE"),
    (("--temperature", "20", "--density", "H3=1e4", "--column", "1e15"), "one of H2, p-H2"),
    (("--temperature", "20", "--density", "H2=-1", "--column", "1e15"), "density -1 cm^-3"),
    (("--temperature", "20", "--density", "e=10", "--column", "1e15"), "no rates for collisions with e"),
    ((*PARCEL, "--density", "o-H2=10"), "give either the total H2"),
    ((*PARCEL, "--rates", "H=Xe"), "'Xe' is not one of"),
    ((*PARCEL, "--geometry", "spere"), "did you mean 'sphere'?"),
    ((*PARCEL, "--lines", "0"), "selects no lines"),
    ((*PARCEL, "--lines", "900:901"), "selects no lines"),
    ((*PARCEL, "--lines", "few"), "write a number of lines"),
    ((*PARCEL, "--width", "0"), "width 0 cm/s"),
    ((*PARCEL, "--error", "2"), "--error '2'"),
    ((*PARCEL, "--threads", "-1"), "--threads '-1'"),
    ((*PARCEL, "--colum", "1"), "did you mean '--column'?"),
])
def test_bad_input(radex, arguments, words):
    assert words in error_line(radex(*arguments))


def test_missing_molecule(radex):
    assert "nowhere.dat" in error_line(radex(*PARCEL, molecule="nowhere.dat"))


def test_molecule_without_rates(radex):
    assert "no collision rates" in error_line(radex(*PARCEL, molecule="co"))


def test_help_names_every_option(folder):
    done = folder.run("radex", "--help")
    assert done.returncode == 0
    for option in ("temperature", "density", "column", "width", "background", "geometry", "rates", "lines", "error",
                   "threads", "csv", "json", "quiet"):
        assert f"--{option}" in done.stdout
