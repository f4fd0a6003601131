"""The turbulent cloud from Python: the arrays of the file that the command writes, and the requested properties."""

import astropy.units as u
import h5py
import linerad as lr
import numpy as np
import pytest


def test_arrays_are_those_of_the_command(command):
    command("cloud", "--cells", "16", "--seed", "5", "--size", "1 pc", "--mach", "3", "-o", "gas.h5", "--quiet")
    mine = lr.cloud(16, 5, size=1 * u.pc, mach=3)
    with h5py.File("gas.h5") as file:
        stored = {name: (value[()], value.attrs["units"]) for name, value in file["fields"].items()}
    assert set(mine.arrays) == set(stored)
    for name, (values, units) in stored.items():
        np.testing.assert_array_equal(mine.arrays[name].value, values, err_msg=name)
        assert mine.arrays[name].unit == u.Unit(units.decode() if isinstance(units, bytes) else units)
    mine.save("mine.h5")
    with h5py.File("mine.h5") as file:
        np.testing.assert_array_equal(file["fields/n_CO"][()], mine.co.value)


def test_options():
    found = lr.cloud(16, sigma_v=2 * u.km / u.s, mean_density=300 / u.cm**3, mean_temperature=20 * u.K)
    assert found.density.mean(dtype=float).to_value(u.cm**-3) == pytest.approx(300, rel=1e-5)
    assert found.temperature.mean(dtype=float).to_value(u.K) == pytest.approx(20, rel=1e-5)
    squares = sum((part.astype(float) ** 2).mean() for part in found.velocity)
    assert squares.to_value(u.km**2 / u.s**2) == pytest.approx(3 * 2**2, rel=1e-5)
    assert found.statistics["density"][1] == pytest.approx(300, rel=1e-5)
    assert not found.co.value.flags.owndata and not found.co.value.flags.writeable
    assert repr(found) == "<linerad.Cloud: 16^3 cells, 0.04 pc, seed 1>"


def test_it_is_a_model():
    gas = lr.cloud(16)
    camera = {"channels": lr.Channels(3, [-1.5, 1.5] * u.km / u.s), "cameras": lr.Camera("x", "+x", pixels=16)}
    line = lr.Molecule("co", transition="1-0")
    medium = gas.medium(gas.co, turbulence=0.1 * u.km / u.s)
    image = lr.Model(mesh=gas.mesh, line=line, medium=medium, **camera).run().cube().data.value
    gas.save("gas.h5")
    stored = lr.Model(snapshot="gas.h5", line=line, medium=lr.Medium(turbulence=0.1 * u.km / u.s), **camera)
    np.testing.assert_allclose(image, stored.run().cube().data.value, rtol=1e-5, atol=1e-6 * image.max())


@pytest.mark.parametrize(
    "options, message",
    [
        ({"cells": 15}, "cells"),
        ({"cells": 16.0}, "cells: expected a whole number"),
        ({"size": 3 * u.K}, "size: 'K' is not a length"),
        ({"mean_co": 1}, "mean_co: has no unit"),
        ({"sigma": 1 * u.km / u.s}, "sigma: a cloud has no such option; the options are size, sigma_v"),
        ({"mach": 3, "density_width": 1}, "either mach or density_width"),
        ({"mean_oh": [1, 2] / u.cm**3}, "mean_oh: expected one value"),
        ({"cells": -64}, "cells: -64 is not between"),
        ({"cells": 2**40}, "cells: .* is not between"),
        ({"seed": "x"}, "seed: expected a whole number, found 'x'"),
        ({"seed": 1.5}, "seed: expected a whole number, found 1.5"),
        ({"seed": True}, "seed: expected a whole number, found True"),
        ({"seed": -1}, "seed: -1 is not between 0 and 18446744073709551615"),
        ({"seed": 2**64}, "seed: 18446744073709551616 is not between"),
        ({"mach": -3}, "mach: expected a non-negative number, found -3"),
        ({"mach": np.nan}, "mach: expected a non-negative number"),
        ({"mach": 3 * u.K}, "mach: 'K' is not a plain number"),
        ({"mach": "fast"}, "mach: 'fast' is not a plain number"),
    ],
)
def test_errors(options, message):
    with pytest.raises(lr.InputError, match=message):
        lr.cloud(**options)
