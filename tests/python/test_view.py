"""Pages of cubes: what is stored in them, from FITS files of any program and from results, and the command."""

import base64
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import astropy.units as u
import linerad as lr
import numpy as np
import pytest
from astropy.io import fits
from linerad import _view_pack
from linerad.__main__ import command_view
from small import cloud, slab

PACKAGE = Path(lr.__file__).parent
LIGHT = 299792.458  # km/s


def contents(page):
    """(description of a cube, its values, its errors) for each cube of a page, read as the page itself says."""
    text = page.html if isinstance(page, lr.Page) else Path(page).read_text("utf-8")
    told = json.loads(re.search(r'id="cubes">(.*?)</script>', text, re.S).group(1))
    blocks = re.findall(r'<script type="text/plain" id="block\d+">([^<]*)</script>', text)

    def layer(cube, name):
        if name not in cube:
            return None
        kept, count = cube[name], int(np.prod(cube["shape"]))
        raw = np.frombuffer(zlib.decompress(base64.b64decode(blocks[kept["block"]])), np.uint8)
        q = sum(part.astype(int) << 8 * k for k, part in enumerate(raw.reshape(-1, count))).reshape(cube["shape"])
        low, step = (np.array(kept[key])[:, None, None] for key in ("low", "step"))
        return np.where(q == 0, np.nan, low + step * (q - 1.0))

    return [(cube, layer(cube, "values"), layer(cube, "errors")) for cube in told]


def header(third=("VRAD", "m/s", -3000.0, 500.0), **more):
    """Of a cube with 0.5 arcsec pixels around (83.8, -5.4)."""
    made = fits.Header()
    axes = [("RA---TAN", "deg", 83.8, -0.5 / 3600), ("DEC--TAN", "deg", -5.4, 0.5 / 3600), third]
    for k, (kind, unit, value, step) in enumerate(axes, 1):
        made[f"CTYPE{k}"], made[f"CUNIT{k}"], made[f"CRVAL{k}"], made[f"CDELT{k}"] = kind, unit, value, step
        made[f"CRPIX{k}"] = 1.0
    made["RESTFRQ"], made["BUNIT"] = 115.2712018e9, "K"
    if third[0] == "VELO-LSR":
        made["VELREF"] = 257  # radio
    made.update(more)
    return made


def noise(*shape):
    return np.random.default_rng(3).normal(0.5, 1.0, shape)


# ---- numbers ----


@pytest.mark.parametrize("bits", [8, 9, 12, 16, 24])
def test_values_differ_by_no_more_than_the_page_says(bits, monkeypatch):
    monkeypatch.setattr(_view_pack, "_bits_to_try", lambda *_: [bits])
    values = noise(6, 9, 11) * np.logspace(-3, 2, 6)[:, None, None]
    values[2, 3:5, 4] = np.nan
    values[4] = np.nan
    values[5] = 7.25  # the same everywhere
    fits.writeto("cube.fits", values, header())
    [(told, found, _)] = contents(lr.view("cube.fits"))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    far = np.nanmax(np.abs(found - values))
    assert 0 < far <= told["values"]["accuracy"] and told["values"]["bits"] == bits
    span = np.nanmax(values[3]) - np.nanmin(values[3])
    assert told["values"]["accuracy"] < 1.01 * span / (2**bits - 2) / 2 + 3e-7 * np.nanmax(np.abs(values))
    np.testing.assert_allclose(found[5], 7.25)


def test_a_large_cube_of_noise_fits_into_15_megabytes():
    values = np.random.default_rng(1).normal(size=(128, 256, 256)).astype(np.float32)
    fits.writeto("noise.fits", values, header())
    lr.view("noise.fits").save("noise.html")
    assert os.path.getsize("noise.html") < 15e6
    [(told, found, _)] = contents("noise.html")
    assert told["values"]["accuracy"] < 0.01  # of the noise
    assert np.abs(found - values).max() <= told["values"]["accuracy"]


def test_pages_of_small_cubes_are_as_good_as_the_file():
    values = np.random.default_rng(2).uniform(0, 1e-15, (8, 6, 5)).astype(np.float32)
    fits.writeto("faint.fits", values, header(BUNIT="erg s-1 cm-2"))
    [(told, found, _)] = contents(lr.view("faint.fits"))
    assert told["unit"] == "10⁻¹⁸ erg s⁻¹ cm⁻²"  # the largest is a little less than 1e-15
    np.testing.assert_allclose(found, values.astype(float) * 1e18, rtol=0, atol=2e-7 * 1e3)


def test_wings_too_faint_for_equal_steps_are_kept():
    """A Gaussian line whose outer channels reach the least numbers that a computer has."""
    values = np.exp(-0.5 * ((np.arange(40.0) - 20) / 0.52) ** 2)[:, None, None] * np.linspace(0.5, 1, 12).reshape(3, 4)
    assert 0 < values[0].max() < 1e-315
    fits.writeto("wings.fits", values, header())
    [(told, found, _)] = contents(lr.view("wings.fits"))
    assert not np.isnan(found).any() and np.abs(found - values).max() <= told["values"]["accuracy"]
    fits.writeto("faint.fits", 1e-310 * values, header())
    assert contents(lr.view("faint.fits"))[0][0]["unit"] == "10⁻³⁰⁰ K"


def test_infinite_values_are_missing():
    values = noise(5, 4, 3)
    values[1, 2, 0], values[3, 0, 1], values[4, 1, 1] = np.inf, -np.inf, np.nan
    fits.writeto("cube.fits", values, header())
    [(told, found, _)] = contents(lr.view("cube.fits"))
    np.testing.assert_array_equal(np.isnan(found), ~np.isfinite(values))
    np.testing.assert_allclose(found, np.where(np.isfinite(values), values, np.nan), atol=told["values"]["accuracy"])


def test_too_many_numbers(monkeypatch):
    monkeypatch.setattr(_view_pack, "MOST", 100)
    fits.writeto("cube.fits", noise(5, 5, 5), header())
    with pytest.raises(lr.InputError, match="fewer pixels or channels"):
        lr.view("cube.fits")


# ---- FITS files ----


def velocities(third, number=7, **more):
    fits.writeto("axis.fits", noise(number, 4, 5), header(third, **more), overwrite=True)
    return contents(lr.view("axis.fits"))[0]


@pytest.mark.parametrize("third, radio", [
    (("VRAD", "m/s", -3000.0, 500.0), lambda at: at / 1e3),
    (("VRAD", "km/s", -3.0, 0.5), lambda at: at),
    (("VELO-LSR", "m/s", -3000.0, 500.0), lambda at: at / 1e3),  # of AIPS, with VELREF
    (("FREQ", "Hz", 115.27e9, 1e5), lambda at: LIGHT * (1 - at / 115.2712018e9)),
    (("FREQ", "GHz", 115.273, -1e-4), lambda at: LIGHT * (1 - at / 115.2712018)),
    (("WAVE", "m", 2.6007e-3, 1e-8), lambda at: LIGHT * (1 - 299792458 / at / 115.2712018e9)),
    (("VOPT", "m/s", 2e7, 5e3), lambda at: LIGHT * (1 - 1 / (1 + at / 299792458))),
])  # fmt: skip
def test_axes_become_radio_velocities_that_increase(third, radio):
    told, found, _ = velocities(third)
    expected = radio(third[2] + third[3] * np.arange(7.0))
    order = np.argsort(expected)
    np.testing.assert_allclose(told["velocity"], expected[order], rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(found, noise(7, 4, 5)[order], atol=told["values"]["accuracy"])
    widths = np.abs(np.diff(radio(third[2] + third[3] * (np.arange(8.0) - 0.5))))
    np.testing.assert_allclose(told["width"], widths[order], rtol=1e-6)


def test_one_channel_has_its_width():
    told, _, _ = velocities(("VRAD", "m/s", 2000.0, 250.0), 1)
    assert told["velocity"] == pytest.approx([2.0]) and told["edges"] == pytest.approx([1.875, 2.125])


@pytest.mark.parametrize("order", [(2, 1, 0), (1, 0, 2), (0, 2, 1)])
def test_axes_in_any_order(order):
    """Header and numbers exchanged alike: the same page."""
    values, plain = noise(7, 4, 5), header()
    turned = fits.Header()
    for k, axis in enumerate(order, 1):  # the k-th of the header is that of the plain one
        for key in ("CTYPE", "CUNIT", "CRVAL", "CDELT", "CRPIX"):
            turned[f"{key}{k}"] = plain[f"{key}{axis + 1}"]
    turned["RESTFRQ"], turned["BUNIT"] = plain["RESTFRQ"], plain["BUNIT"]
    fits.writeto("turned.fits", np.transpose(values, [2 - axis for axis in order[::-1]]), turned)
    told, found, _ = contents(lr.view("turned.fits"))[0]
    assert told["shape"] == [7, 4, 5] and told["step"] == pytest.approx([-0.5, 0.5]) and told["sky_unit"] == "arcsec"
    np.testing.assert_allclose(found, values, atol=told["values"]["accuracy"])


@pytest.mark.parametrize("stokes", [3, 4])
def test_an_axis_of_polarisation_is_dropped(stokes):
    made, values = header(), noise(7, 4, 5)
    if stokes == 3:
        for key in ("CTYPE", "CUNIT", "CRVAL", "CDELT", "CRPIX"):
            made[f"{key}4"] = made.pop(f"{key}3")
    made[f"CTYPE{stokes}"], made[f"CRVAL{stokes}"], made[f"CDELT{stokes}"], made[f"CRPIX{stokes}"] = (
        "STOKES",
        1.0,
        1.0,
        1.0,
    )
    fits.writeto("iquv.fits", values[:, None] if stokes == 3 else values[None], made)
    told, found, _ = contents(lr.view("iquv.fits"))[0]
    np.testing.assert_allclose(found, values, atol=told["values"]["accuracy"])


def test_sky_and_beam():
    told, _, _ = velocities(("VRAD", "m/s", 0.0, 500.0), BMAJ=3.0 / 3600, BPA=20.0)
    assert told["labels"] == ["R.A. offset", "Dec. offset"] and told["beam"] == pytest.approx([3.0, 3.0, 20.0])
    assert told["north"][1] > 0 > told["east"][0]
    made = header()
    angle = np.radians(30)
    made["PC1_1"], made["PC1_2"], made["PC2_1"], made["PC2_2"] = (
        np.cos(angle),
        -np.sin(angle),
        np.sin(angle),
        np.cos(angle),
    )
    fits.writeto("turned.fits", noise(7, 4, 5), made)
    told, _, _ = contents(lr.view("turned.fits"))[0]
    # east and north of a pixel step (x, y): R d = (dE, dN) with R = 0.5" times the matrix, x toward the west
    north, east = np.array(told["north"]), np.array(told["east"])
    assert north @ east == pytest.approx(0, abs=1e-6 * (north @ north))
    assert np.degrees(np.arctan2(north[0], north[1])) == pytest.approx(30)
    assert told["labels"] == ["offset to the right", "offset up"] and told["step"] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("keys, beam", [
    ({"BMAJ": "3 arcsec"}, None), ({"BMAJ": None}, None), ({"BMAJ": 0.0}, None),
    ({"BMAJ": 3 / 3600, "BMIN": None, "BPA": None}, [3, 3, 0]), ({"BMAJ": 3 / 3600, "BMIN": 0.0, "BPA": "N"}, [3, 3, 0]),
])  # fmt: skip
def test_beams_of_careless_programs(keys, beam):
    told, _, _ = velocities(("VRAD", "m/s", 0.0, 500.0), **keys)
    assert told["beam"] == (beam and pytest.approx(beam))


@pytest.mark.parametrize("size, kept, shown", [
    (5.0, "10**(-20)*erg/s/cm**2/Angstrom", "10⁻²⁰ erg/s/cm²/Angstrom"),  # of MUSE
    (5e3, "10^-20 erg s-1 cm-2", "10⁻¹⁷ erg s⁻¹ cm⁻²"),
    (5e3, "1e-3 K", "K"),
    (5e3, "1e-3", ""),
    (5e-3, "JY/BEAM", "10⁻³ JY/BEAM"),
])  # fmt: skip
def test_units_that_begin_with_a_power_of_ten(size, kept, shown):
    fits.writeto("cube.fits", np.full((3, 4, 5), size), header(BUNIT=kept))
    told, found, _ = contents(lr.view("cube.fits"))[0]
    assert told["unit"] == shown and found[0, 0, 0] == pytest.approx(5)


def test_names_that_are_no_text_and_headers_that_are_html():
    """A name in Latin-1, and words that would end or swallow the scripts of the page."""
    name = os.fsdecode(b"caf\xe9.fits")
    fits.writeto(name, noise(3, 4, 5), header(LINE="</script><!--<script>"))
    done = subprocess.run([sys.executable, "-m", "linerad", "view", name], capture_output=True, check=True)
    assert done.stdout == b"caf\xe9.html\n"
    text = Path(os.fsdecode(b"caf\xe9.html")).read_text("utf-8")
    inside = text.split('id="cubes">')[1].split("</script>")[0]
    assert "<" not in inside and "</script><!--<script>" in json.loads(inside)[0]["title"]
    assert "<title>caf?.fits · &lt;/script&gt;" in text


def test_errors_of_a_cube_lie_beside_it():
    values = noise(7, 4, 5)
    fits.writeto("cube.fits", values, header(RUNID="a"))
    fits.writeto("cube_error.fits", np.abs(values) * 0.1, header(RUNID="a"))
    told, _, errors = contents(lr.view("cube.fits"))[0]
    np.testing.assert_allclose(errors, np.abs(values) * 0.1, atol=told["errors"]["accuracy"])
    fits.writeto("cube_error.fits", np.abs(values), header(RUNID="another run"), overwrite=True)
    assert contents(lr.view("cube.fits"))[0][2] is None


def test_files_that_are_no_cubes():
    fits.writeto("map.fits", noise(4, 5), header())
    fits.writeto("plain.fits", noise(3, 4, 5), fits.Header())
    fits.writeto("four.fits", noise(2, 3, 4, 5), header())
    fits.writeto("norest.fits", noise(3, 4, 5), header(("FREQ", "Hz", 1e11, 1e6), RESTFRQ=0.0))
    fits.writeto("felo.fits", noise(3, 4, 5), header(("FELO-HEL", "m/s", 1e6, 1e3), RESTFRQ=0.0))
    Path("text.fits").write_text("not FITS at all")
    for name, said in (
        ("map.fits", "not a cube"),
        ("plain.fits", "no axis is a velocity"),
        ("gone.fits", "No such file"),
        ("four.fits", "5 x 4 x 3 x 2 values"),
        ("norest.fits", "RESTFRQ"),
        ("text.fits", "cannot read"),
        ("felo.fits", "rest frequency"),
    ):
        with pytest.raises(lr.Error, match=said) as failure:
            lr.view(name)
        assert str(failure.value).startswith(name) and "\n" not in str(failure.value)


# ---- results ----


def test_a_result_and_its_files_make_the_same_page(command):
    """The cubes of a result, and the FITS files that the command writes from the same model."""
    scattered = cloud(
        line="lya",
        medium=lr.Medium(temperature=1e4 * u.K, density=2e-2 / u.cm**3),
        sources=lr.Point(position=[0, 0, 0] * u.pc, luminosity=1e50 * u.ph / u.s),
        channels=lr.Channels(6, [-60, 60] * u.km / u.s),
        image=lr.Image(unit="photon", distance=140 * u.pc, errors=True),
        run=lr.Run(packets=500, seed=1, threads=1),
    )
    result = scattered.run()
    Path("model.yaml").write_text(scattered.yaml)
    command("run", "model.yaml", "-o", "model.h5", "--quiet")
    both = contents(result.view()), contents(lr.view("model_front.fits", "model_corner.fits"))
    for (told, values, errors), (other, same, same_errors) in zip(*both):
        for key in ("velocity", "edges", "step", "shape", "north", "east", "centre"):
            assert told[key] == pytest.approx(other[key], abs=1e-9), key
        assert (told["unit"], told["sky_unit"]) == (other["unit"], other["sky_unit"])
        np.testing.assert_allclose(values, same, rtol=1e-5, atol=2 * told["values"]["accuracy"])
        np.testing.assert_allclose(errors, same_errors, rtol=1e-5, atol=2 * told["errors"]["accuracy"])
    assert [told["name"] for told, _, _ in both[0]] == ["Lyα · front", "Lyα · corner"]
    assert both[0][0][0]["title"] == "Lyα · 121.567 nm · camera front"


def test_a_result_says_what_its_header_cannot():
    told, values, errors = contents(cloud().run().view("front"))[0]
    assert told["title"] == "CO 1-0 · 115.271 GHz · camera front" and errors is None
    assert told["systemic"] == 10.0 and told["distance"] == pytest.approx(140) and told["beam"][2] == pytest.approx(30)
    cube = cloud().run().cube("front")
    [(other, same, _)] = contents(lr.view(cube))
    np.testing.assert_array_equal(values, same)
    assert told["title"] == other["title"]
    factor = {"mJy/beam": 1e3, "µJy/beam": 1e6, "Jy/beam": 1.0}[told["unit"]]
    np.testing.assert_allclose(values, factor * cube.data.value, atol=told["values"]["accuracy"])


@pytest.mark.parametrize(
    "size, unit", [(30 * u.au, "au"), (0.3 * u.pc, "pc"), (600 * u.pc, "pc"), (30 * u.kpc, "kpc"), (4 * u.Mpc, "Mpc")]
)
def test_images_without_a_distance_have_lengths(size, unit):
    mesh = lr.Mesh.uniform((8, 8, 8), [1, 1, 1] * size)
    [(told, _, _)] = contents(
        cloud(mesh=mesh, image=lr.Image(), cameras=lr.Camera("front", "+z", pixels=10)).run().view()
    )
    assert told["sky_unit"] == unit and told["step"] == pytest.approx([size.to_value(unit) / 10] * 2)
    assert told["labels"] == ["offset to the right", "offset up"] and not told["angles"] and told["distance"] is None


def test_pages_are_written_whole_or_not_at_all():
    page = cloud().run().view("front")
    Path("page.html").write_text("before")
    assert page.save("page.html") == "page.html" and Path("page.html").read_text("utf-8") == page.html
    assert os.listdir() == ["page.html"]
    with pytest.raises(lr.InputError, match="ending in .html"):
        page.save("page.txt")
    with pytest.raises(lr.FileError, match="no/such"):
        page.save("no/such/page.html")
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown and "MB" in repr(page)


def test_a_page_contains_all_parts_and_asks_for_nothing_else():
    text = cloud().run().view("front").html
    names = sys.modules["linerad.view"]._SCRIPTS  # the name linerad.view is the function
    assert sorted(names) == sorted(path.stem for path in (PACKAGE / "viewer").glob("*.js"))
    for path in (PACKAGE / "viewer").glob("*.*s"):
        assert path.read_text("utf-8") in text
    assert not re.search(r"https?://|<link|<script[^>]*src|@import|url\(", text) and "@DATA@" not in text


# ---- the command ----


def test_command(command, capsys):
    cloud().run().save("cloud.h5")
    slab().run().save("slab.h5")
    fits.writeto("cube.fits", noise(7, 4, 5), header())
    assert command("view", "cloud.h5", "cube.fits") == "cloud.html\n"
    assert [told["name"] for told, _, _ in contents("cloud.html")] == [
        "cloud · CO 1-0 · front", "cloud · CO 1-0 · corner", "cube.fits"]  # fmt: skip
    for arguments, said in (
        (["gone.h5"], "gone.h5: No such file"),
        (["."], ".: Is a directory"),
        (["slab.h5"], "slab.h5: this result has no images"),
        (["cloud.h5", "--camera", "back"], "no camera 'back'; there are front, corner"),
        (["cube.fits", "--camera", "front"], "--camera is for results"),
        (["cloud.h5", "-o", "page.png"], "page.png: pages are HTML"),
    ):
        assert command_view(arguments) == 2
        told = capsys.readouterr()
        assert told.out == "" and said in told.err and len(told.err.splitlines()) == 1, told.err
    for arguments, said in ((["cloud.h5", "--zoom"], "--zoom"), ([], "required: source")):
        with pytest.raises(SystemExit):
            command_view(arguments)
        assert said in capsys.readouterr().err
    assert not Path("page.png").exists() and not Path("slab.html").exists()


def test_open_hands_the_page_to_the_browser(monkeypatch):
    fits.writeto("cube.fits", noise(7, 4, 5), header())
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert command_view(["cube.fits", "--open"]) == 0
    assert opened == [Path("cube.html").resolve().as_uri()]
