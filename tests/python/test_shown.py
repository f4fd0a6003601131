"""What Python shows of objects fits on a screen, and includes only what was measured; messages name arguments."""

import re
import warnings
from pathlib import Path

import astropy.units as u
import linerad as lr
import numpy as np
import pytest
from small import SLAB, cloud, field, slab

DATA = Path(__file__).resolve().parents[2] / "examples" / "data" / "hco+_demo.dat"


def test_nothing_shown_is_longer_than_a_screen():
    big = field((16, 2, 2)) * 1e4 * u.K
    gas = lr.Medium(temperature=big, tau_mean=200, damping=0.149)
    many = [lr.Camera(f"camera_{i}", "+z", pixels=2) for i in range(30)]
    model = slab(medium=gas)
    images = cloud(cameras=many, image=lr.Image(unit="K"))
    result = images.run()
    grid = lr.radex(DATA, np.linspace(10, 50, 9)[:, None] * u.K, np.geomspace(1e3, 1e5, 8) / u.cm**3, 1e14 / u.cm**2,
                    1 * u.km / u.s)  # fmt: skip
    assert repr(grid) == "<linerad.Parcels: HCO+, 72 parcels of shape (9, 8), 11 lines>"
    shown = (gas, model, images, model.run(), result, result.arrays, result.cube(), result.populations, lr.cloud(8),
             lr.molecule("co"), model.run().spectrum, model.run().fields, model.run().summary, result.mesh)  # fmt: skip
    for thing in shown:
        text = repr(thing)
        assert len(text.splitlines()) <= 40 and max(map(len, text.splitlines())) <= 200, text
    assert "temperature=array (16, 2, 2) K" in repr(gas) and "None" not in repr(gas)
    assert "medium: {temperature: {array: medium.temperature}" in repr(model)
    assert "camera_0" in repr(result) and "and 24 more cubes" in repr(result)
    assert "levels" in repr(lr.molecule("co"))


def test_what_was_not_measured_is_none():
    summary = cloud().run().summary
    assert summary.packets == 0
    for name in ("escaped", "f_esc", "mean_path", "median_abs_x", "scatterings", "population_iterations", "line"):
        assert getattr(summary, name) is None, name
        assert not re.search(rf"^{name} ", repr(summary), re.M)
    assert summary.populations == "lte"
    summary = slab().run().summary
    assert summary.f_esc.value == 1 and summary.populations is None and summary.populations_converged is None
    assert re.search(r"^f_esc +1 \+- 0$", repr(summary), re.M)
    assert re.search(r"^emitted +1 s-1$", repr(summary), re.M)
    result = lr.Model(
        mesh=lr.Mesh.shells(number=4, inner=0.01 * u.pc, outer=0.1 * u.pc),
        line=lr.Molecule(DATA, "1-0"),
        medium=lr.Medium(
            temperature=15 * u.K, turbulence=0.2 * u.km / u.s, abundance=1e-9, colliders={"H2": 1e5 / u.cm**3}
        ),
        populations="equilibrium",
    ).run()
    assert result.summary.population_iterations > 0 and result.summary.f_esc is None
    assert "by equilibrium" in repr(result) and "iterations" in repr(result)


def test_an_empty_result_is_told():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = cloud(cameras=None, channels=None, image=None).run()
    assert result.empty and len(told) == 1 and told[0].category is lr.LineradWarning
    assert "without cameras or packets this run has no result" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not cloud().run().empty
        assert not slab().run().empty
        kept = cloud(cameras=None, channels=None, image=None, output=lr.Output(populations=True)).run()
        assert not kept.empty


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: cloud(medium=lr.Medium(temperature=-20 * u.K)), "medium.temperature: '-20.0 K' is negative"),
        (lambda: slab(medium={"temprature": "1 K"}), "medium.temprature: unknown key; did you mean 'temperature'"),
        (lambda: slab(sources=lr.Plane(axis="w", at=0 * u.pc, luminosity=1 / u.s)), r"sources\[0\].plane.axis: 'w' is"),
        (lambda: cloud(cameras=[lr.Camera("a", "+z"), {"name": "b", "direction": "+q"}]),
         r"cameras\[1\].direction: '\+q' is not"),
        (lambda: lr.Camera("b", "+q"), r"Camera.direction: '\+q' is not"),
        (lambda: slab(line="lyb"), "line: 'lyb' is not a known line"),
        (lambda: slab(line="lyb", name="mine"), "mine: line: 'lyb' is not a known line"),
        (lambda: slab(medium=None), "model: the key 'medium' is missing"),
    ],
)
def test_messages_name_arguments(make, message):
    with pytest.raises(lr.InputError) as failure:
        make().run()
    assert re.match(message, str(failure.value)), failure.value
    assert not re.search(r":\d+:\d+:", str(failure.value))


def test_messages_of_files_keep_their_place():
    Path("bad.yaml").write_text(SLAB.replace("lya", "lyb"))
    with pytest.raises(lr.InputError, match=r"bad.yaml:2:7: line: 'lyb'"):
        lr.Model.load("bad.yaml")


def test_partners_and_critical_densities():
    """In the file: rates with H2 at 5 and 500 K. n_crit = A_ul / SUM_j k_uj, with the numbers of the file."""
    found = lr.molecule(DATA)
    assert list(found.partners) == ["H2"]
    partner = found.partners["H2"]
    assert partner.coldest == 5 * u.K and partner.hottest == 500 * u.K and partner.temperatures == 2
    lines = DATA.read_text().splitlines()
    start = lines.index("! RATE, UPPER, LOWER, cm^3/s") + 1
    rates = np.array([[float(word) for word in row.split()[:5]] for row in lines[start : start + partner.transitions]])
    for kelvin, column in ((5, 3), (500, 4)):
        for line in (0, 4):
            down = rates[rates[:, 1] == found.upper[line] + 1, column].sum()
            density = found.critical_density(kelvin * u.K, "H2")[line].to_value(u.cm**-3)
            assert density == pytest.approx(found.einstein_a[line].value / down, rel=1e-9)
    several = found.critical_density([5, 20, 500] * u.K)
    assert set(several) == {"H2"} and several["H2"].shape == (3, len(found.label))
    assert lr.molecule("co").partners == {} and lr.molecule("co").critical_density(20 * u.K) == {}
    with pytest.raises(KeyError, match="no collision rates with 'He'; it has them with H2"):
        found.critical_density(20 * u.K, "He")
    with pytest.raises(lr.UnitsError, match="temperature"):
        found.critical_density(20, "H2")
    with pytest.raises(lr.InputError, match="above zero"):
        found.critical_density(0 * u.K, "H2")
