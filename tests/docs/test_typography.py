"""Numbers and units on the site are printed as in a paper, and nothing else is touched."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "site"))
typography = pytest.importorskip("typography")


@pytest.mark.parametrize(
    "plain, printed",
    [
        ("3e-5 cm^-3 and 1e18 cm^-2", "3 × 10⁻⁵ cm⁻³ and 10¹⁸ cm⁻²"),
        ("1.5e+6 packets on 64^3 cells at 10^4 K", "1.5 × 10⁶ packets on 64³ cells at 10⁴ K"),
        ("power k^-11/3, T ~ n^-0.6", "power k^-11/3, T ~ n^-0.6"),
        ("13CO, C18O and n(H2); p-H2", "¹³CO, C¹⁸O and n(H₂); p-H2"),
        ("version 1e2f3, x2e5, file_1e5.h5, 0.1e5.2", "version 1e2f3, x2e5, file_1e5.h5, 0.1e5.2"),
    ],
)
def test_prose_is_printed_as_in_a_paper(plain, printed):
    assert typography.printed(plain) == printed
