"""Where decimals have a comma, in a program that follows the language of its user."""

import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import locale
import astropy.units as u
import linerad as lr
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.str(1.5) == "1,5"
model = lr.Model(
    mesh=lr.Mesh.uniform((2, 2, 2), [1.5, 1.25, 1] * u.pc), line="lya",
    medium=lr.Medium(temperature=1.5e4 * u.K, density={"formula": "0.25 cm^-3 * exp(-r / 2.5 pc)"}),
    sources=lr.Point(position=[0, 0, 0] * u.pc, luminosity=1.5e50 * u.ph / u.s), run=lr.Run(packets=100, threads=1))
model.run().save("result.h5")
assert lr.Result.load("result.h5").summary.emitted.value == 1.5e50
assert abs(lr.molecule("co").frequency[0].value / 115.2712018e9 - 1) < 1e-8
assert locale.str(1.5) == "1,5"  # that of the program is as before
"""


@pytest.fixture
def german(tmp_path):
    """A folder with this locale, for LOCPATH."""
    if not shutil.which("localedef"):
        pytest.skip("no localedef to make a locale with")
    (tmp_path / "locales").mkdir()
    done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "locales" / "de_DE.UTF-8"],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"no sources of locales: {done.stderr}")
    return tmp_path / "locales"


def test_a_decimal_comma_changes_nothing(german):
    subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | {"LOCPATH": str(german)}, check=True)
