"""Pages of cubes in a browser: they open from disk without complaints or requests, the controls do what they say, and the
numbers shown are those of the file. Skipped if there is no Chromium (tools/install-deps check installs one)."""

import base64
import io
import json
import re

import linerad as lr
import numpy as np
import pytest
from astropy.io import fits
from browser import Browser, find_browser
from small import cloud

N_V, N_Y, N_X = 16, 20, 24
STEP = 0.5  # km/s
VELOCITY = -3.5 + STEP * np.arange(N_V)
BOX = {"x0": 3, "y0": 4, "x1": 8, "y1": 9}


@pytest.fixture(scope="module")
def browser():
    program = find_browser()
    if not program:
        pytest.skip("no Chromium; tools/install-deps check installs one")
    started = Browser(program)
    yield started
    started.close()


@pytest.fixture(scope="module")
def cube():
    """A rotating blob with noise and a corner without values; the errors differ from pixel to pixel."""
    y, x = (np.arange(N_Y) - 9.5)[:, None] / 6, (np.arange(N_X) - 11.5) / 6
    v, random = VELOCITY[:, None, None], np.random.default_rng(5)
    values = 12 * np.exp(-0.5 * (x**2 + y**2)) * np.exp(-0.5 * ((v - 0.4 - x) / 0.7) ** 2)
    values = (values + random.normal(0, 0.05, values.shape)).astype(np.float32)
    values[:, -3:, :2] = np.nan
    return values, random.uniform(0.04, 0.06, values.shape).astype(np.float32)


@pytest.fixture
def page(browser, cube, tmp_path):
    """The cube as a page, shown in a small window."""
    header = fits.Header()
    for k, (kind, unit, at, step) in enumerate((("RA---TAN", "deg", 83.8, -2 / 3600), ("DEC--TAN", "deg", -5.4, 2 / 3600),
                                                ("VRAD", "m/s", -3500.0, 500.0)), 1):  # fmt: skip
        header[f"CTYPE{k}"], header[f"CUNIT{k}"], header[f"CRVAL{k}"], header[f"CDELT{k}"] = kind, unit, at, step
        header[f"CRPIX{k}"] = 1.0
    header["RESTFRQ"], header["BUNIT"], header["BMAJ"] = 115.2712018e9, "K", 6 / 3600
    fits.writeto(tmp_path / "cube.fits", cube[0], header)
    fits.writeto(tmp_path / "cube_error.fits", cube[1], header)
    lr.view(tmp_path / "cube.fits").save(tmp_path / "cube.html")
    browser.size(1000, 700)
    browser.open(tmp_path / "cube.html")
    yield browser
    assert browser.complaints() == []
    assert browser.requests() == [(tmp_path / "cube.html").as_uri()]  # the page itself, once


def change(page, event="change", **values):
    """Type into controls, by their names."""
    for name, value in values.items():
        page.run(f"(() => {{ const one = document.getElementById('{name}'); one.value = {json.dumps(value)};"
                 f" one.dispatchEvent(new Event('{event}')); }})()")  # fmt: skip
    page.drawn()


def at(page, name, expression):
    """A place in the window, from an expression that gives a place on the canvas `name`."""
    page.run(f"document.getElementById('{name}').scrollIntoView({{block: 'center'}})")
    page.drawn()
    return page.run(f"(() => {{ const box = document.getElementById('{name}').getBoundingClientRect();"
                    f" const [x, y] = {expression}; return [box.left + x, box.top + y]; }})()")  # fmt: skip


def pixel(page, x, y):
    return at(page, "map", f"linerad.map.screen({x}, {y})")


def click(page, selector):
    page.run(f"document.querySelector('{selector}').click()")
    page.drawn()


def numbers(page, expression):
    """An array of the page; JSON has no NaN."""
    found = page.run(f"Array.from({expression}, (v) => Number.isNaN(v) ? null : v)")
    return np.array([np.nan if v is None else v for v in found])


def accuracy(page, name="values"):
    return page.run(f"linerad.cube.told.{name}.accuracy")


def colours(page, *pixels):
    """Of the map, in the middle of pixels (x, y)."""
    imread = pytest.importorskip("matplotlib.image").imread
    data = page.run("document.getElementById('map').toDataURL()").partition(",")[2]
    picture = 255 * imread(io.BytesIO(base64.b64decode(data)))[..., :3]
    places = page.run(f"{[list(pixel) for pixel in pixels]}.map(([x, y]) => linerad.map.screen(x, y))")
    return [picture[int(down), int(across)] for across, down in places]


def moments(values, first=0, last=N_V - 1):
    """By their definitions."""
    v, light = VELOCITY[first : last + 1, None, None], values[first : last + 1].astype(float)
    zero = light.sum(axis=0) * STEP
    one = (light * v).sum(axis=0) * STEP / zero
    with np.errstate(invalid="ignore"):
        return zero, one, np.sqrt((light * (v - one) ** 2).sum(axis=0) * STEP / zero)


def test_the_slider_changes_the_picture(page, cube):
    """Also its colours: those of matplotlib, between the ends of the scale."""
    matplotlib = pytest.importorskip("matplotlib")
    values, _ = cube
    pictures = []
    for channel in (4, 8):
        change(page, "input", slider=channel)
        pictures.append(page.run("document.getElementById('map').toDataURL()"))
        assert page.run("linerad.state.channel") == channel
        assert f"{VELOCITY[channel]:.2f}".replace("-", "\N{MINUS SIGN}") in page.run(
            "document.getElementById('velocity').textContent"
        )
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        assert -low > 0.01 * high  # less than that is black
        places = ((11, 15), (14, 4), (8, 13))
        *found, missing = colours(page, *places, (0, 18))
        for (x, y), one in zip(places, found):
            expected = matplotlib.colormaps["inferno"]((values[channel, y, x] - low) / (high - low), bytes=True)[:3]
            np.testing.assert_allclose(one, expected, atol=4)
        np.testing.assert_allclose(missing, [58, 62, 70], atol=1)  # no value
    assert pictures[0] != pictures[1]


def test_the_spectrum_under_the_pointer_is_that_of_the_file(page, cube):
    values, errors = cube
    for x, y in ((11, 9), (5, 16), (23, 0), (0, 19)):
        page.mouse(pixel(page, x, y), button="none")
        spectrum = numbers(page, "linerad.state.spectrum.mean")
        np.testing.assert_allclose(spectrum, values[:, y, x], atol=accuracy(page), rtol=0)
        expected = np.where(np.isnan(values[:, y, x]), np.nan, errors[:, y, x])
        found = numbers(page, "linerad.state.spectrum.error")
        np.testing.assert_allclose(found, expected, atol=accuracy(page, "errors"))
        assert f"pixel ({x + 1}, {y + 1})" in page.run("document.getElementById('spectrum-of').textContent")
    page.mouse(pixel(page, 11, 9), button="none")
    channel = page.run("linerad.state.channel")
    text = page.run("document.getElementById('value').textContent").replace("\N{MINUS SIGN}", "-")
    told = [float(number) for number in re.match(r"([-.\de]+) ± ([-.\de]+) K at ([-.\d]+) km/s", text).groups()]
    assert told == pytest.approx(
        [values[channel, 9, 11], errors[channel, 9, 11], VELOCITY[channel]], rel=0.05, abs=1e-3
    )
    stated = page.run("document.getElementById('accuracy').textContent").replace("\N{MINUS SIGN}", "-")
    stated = float(re.search(r"at most ([-.\de]+) K", stated).group(1))
    assert accuracy(page) <= stated < 1.1 * accuracy(page)


def test_a_click_holds_the_pixel(page):
    page.mouse(pixel(page, 7, 8))
    page.mouse(pixel(page, 15, 3), button="none")
    assert page.run("linerad.state.box.x0") == 7
    page.key("ArrowUp", shift=True)
    assert page.run("linerad.state.box.y0") == 9
    page.key("Escape")
    page.mouse(pixel(page, 15, 4), button="none")
    assert page.run("[linerad.state.box.x0, linerad.state.box.y0]") == [15, 4]


def test_the_spectrum_of_a_box_is_the_mean(page, cube):
    values, errors = cube
    click(page, "[data-tool=box]")
    page.mouse(pixel(page, BOX["x0"], BOX["y0"]), pixel(page, 5, 5), pixel(page, BOX["x1"], BOX["y1"]))
    assert page.run("linerad.state.box") == BOX
    inside = np.s_[:, BOX["y0"] : BOX["y1"] + 1, BOX["x0"] : BOX["x1"] + 1]
    mean = values[inside].mean(axis=(1, 2), dtype=float)
    np.testing.assert_allclose(numbers(page, "linerad.state.spectrum.mean"), mean, atol=accuracy(page))
    error = np.sqrt((errors[inside].astype(float) ** 2).sum(axis=(1, 2))) / 36
    np.testing.assert_allclose(numbers(page, "linerad.state.spectrum.error"), error, atol=accuracy(page, "errors"))
    click(page, "#whole")  # pixels without a value are left out
    np.testing.assert_allclose(
        numbers(page, "linerad.state.spectrum.mean"), np.nanmean(values, axis=(1, 2)), atol=accuracy(page)
    )


def test_moments(page, cube):
    values, _ = cube
    for order, expected in enumerate(moments(values)):
        click(page, f"[data-mode=moment{order}]")
        found = numbers(page, "linerad.state.shown.values").reshape(N_Y, N_X)
        share = page.run("linerad.state.mask") if order else -1.0
        bright = np.abs(moments(values)[0]) > share * np.nanmax(np.abs(moments(values)[0]))
        assert bright.sum() > 60
        np.testing.assert_allclose(found[bright], expected[bright], atol=2e-5, rtol=2e-6)
        assert np.isnan(found[~bright]).all()


def test_moments_over_some_channels(page, cube):
    values, _ = cube
    change(page, **{"from": -0.6, "to": 1.6})
    click(page, "[data-mode=moment0]")
    found = numbers(page, "linerad.state.shown.values").reshape(N_Y, N_X)
    np.testing.assert_allclose(found, moments(values, 6, 10)[0], atol=2e-5)  # centres from -0.5 to 1.5 km/s
    click(page, "[data-mode=peak]")
    found = numbers(page, "linerad.state.shown.values").reshape(N_Y, N_X)
    np.testing.assert_allclose(found, values[6:11].max(axis=0), atol=accuracy(page))


def test_red_recedes_about_the_systemic_velocity(browser, tmp_path):
    """Not known to a FITS file, where white is the mean velocity; a result says it."""
    result = cloud().run()
    result.view("front").save(tmp_path / "cloud.html")
    browser.size(1000, 700)
    browser.open(tmp_path / "cloud.html")
    click(browser, "[data-mode=moment1]")
    low, high = (browser.run(f"Number(document.getElementById('{end}').value)") for end in ("low", "high"))
    assert 0.5 * (low + high) == pytest.approx(10, abs=5e-3) and browser.complaints() == []


def test_a_cut(page, cube):
    """Along a row, the row itself; in between, interpolated; the mean of several."""
    values, _ = cube
    click(page, "[data-tool=cut]")
    page.mouse(pixel(page, 4, 12), pixel(page, 9, 12), pixel(page, 18, 12))
    drawn = page.run("linerad.state.cut")
    assert [drawn[end] for end in ("x0", "y0", "x1", "y1")] == pytest.approx([4, 12, 18, 12], abs=0.1)  # a screen pixel
    page.run("linerad.state.cut = {x0: 4, y0: 12, x1: 18, y1: 12}")
    page.key("Home")
    diagram = numbers(page, "linerad.state.diagram.values").reshape(N_V, -1)
    np.testing.assert_allclose(diagram, values[:, 12, 4:19], atol=accuracy(page))
    assert page.run("linerad.state.diagram.length") == pytest.approx(14 * 2)  # arcsec
    page.run("linerad.state.cut = {x0: 4, y0: 11.5, x1: 18, y1: 11.5}")
    page.key("End")
    diagram = numbers(page, "linerad.state.diagram.values").reshape(N_V, -1)
    np.testing.assert_allclose(diagram, values[:, 11:13, 4:19].mean(axis=1), atol=2 * accuracy(page))
    change(page, across=4)
    diagram = numbers(page, "linerad.state.diagram.values").reshape(N_V, -1)
    np.testing.assert_allclose(diagram, values[:, 10:14, 4:19].mean(axis=1), atol=2 * accuracy(page))


def test_keys_and_playing(page):
    page.key("Home")
    page.key("ArrowRight")
    assert page.run("linerad.state.channel") == 1
    page.key("End")
    assert page.run("linerad.state.channel") == N_V - 1
    for key, mode in zip("123456", ("channel", "moment0", "moment1", "moment2", "peak", "error")):
        page.key(key)
        assert page.run("linerad.state.mode") == mode
    page.key("s")
    assert page.run("linerad.state.stretch") == "sqrt"
    page.key("Home")
    page.key(" ")
    page.wait("linerad.state.channel > 2")
    page.key(" ")
    stopped = page.run("linerad.state.channel")
    page.run("new Promise((done) => setTimeout(done, 300))")
    assert page.run("linerad.state.channel") == stopped and page.run("linerad.state.film") is None


def test_errors_have_their_map(page, cube):
    _, errors = cube
    click(page, "[data-mode=error]")
    channel = page.run("linerad.state.channel")
    shown = numbers(page, "linerad.state.shown.values").reshape(N_Y, N_X)
    np.testing.assert_allclose(shown, errors[channel], atol=accuracy(page, "errors"))


def test_limits_and_stretch(page, cube):
    """Half-way between limits given by hand, with a square root: 0.7071 of the colour scale."""
    values, _ = cube
    page.run("linerad.state.channel = 8")
    middle = float(values[8, 9, 11])
    change(page, low=0, high=2 * middle, stretch="sqrt", colours="grey")
    np.testing.assert_allclose(colours(page, (11, 9))[0], 255 * np.sqrt(0.5), atol=2)
    assert page.run("document.getElementById('limits').value") == "hand"


def test_the_volume_is_drawn_and_turns(page):
    if page.run("document.getElementById('volume-note').hidden") is False:
        pytest.skip("this Chromium has no WebGL2")
    shot = "document.getElementById('volume').toDataURL()"
    before, angles = page.run(shot), page.run("linerad.volume.angles")
    colours = page.run("""(() => { const gl = linerad.volume.gl, n = 4 * gl.drawingBufferWidth * gl.drawingBufferHeight;
        const bytes = new Uint8Array(n), size = [gl.drawingBufferWidth, gl.drawingBufferHeight];
        gl.readPixels(0, 0, ...size, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        return new Set(new Uint32Array(bytes.buffer)).size; })()""")
    assert colours > 50
    middle = at(page, "volume-frame", "[box.width / 2, box.height / 2]")
    page.mouse(middle, [middle[0] + 40, middle[1] + 10], [middle[0] + 90, middle[1] + 30])
    turned = page.run("linerad.volume.angles")
    assert (
        page.run(shot) != before
        and turned[0] - angles[0] == pytest.approx(0.75)
        and turned[1] - angles[1] == pytest.approx(0.25)
    )


def test_the_volume_is_not_mirrored(browser, tmp_path):
    """A bright spot at the upper right: seen from the front it is there, and where the frame puts it after a turn."""
    values = np.zeros((16, 24, 24))
    values[12:14, 17:19, 20:22] = 1.0
    header = fits.Header({"CTYPE3": "VRAD", "CUNIT3": "km/s", "CDELT3": 1.0, "CRPIX3": 1.0, "CRVAL3": 0.0})
    fits.writeto(tmp_path / "spot.fits", values, header)
    lr.view(tmp_path / "spot.fits").save(tmp_path / "spot.html")
    browser.size(1000, 700)
    browser.open(tmp_path / "spot.html")
    if browser.run("document.getElementById('volume-note').hidden") is False:
        pytest.skip("this Chromium has no WebGL2")
    spot = np.array([21 / 24, 18 / 24, 13 / 16]) - 0.5  # right, up, to high velocities; the box is a cube of size 1
    for turn, tilt in ((0, 0), (0.7, 0), (0.5, -0.6)):
        w, h, right, up = (
            browser.run(f"""(() => {{ const v = linerad.volume, gl = v.gl; v.angles = [{turn}, {tilt}]; v.draw();
            const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, bytes = new Uint8Array(4 * w * h);
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
            let n = 0, x = 0, y = 0; // the middle of all that is bright
            for (let i = 0; i < w * h; i++) if (bytes[4 * i] > 200) {{ n++; x += i % w; y += Math.floor(i / w); }}
            return [w, h, x / n, y / n]; }})()""")
        )
        # velocity points away from the viewer; the box turns about the upward axis, then about the horizontal one
        x = spot[0] * np.cos(turn) + spot[2] * np.sin(turn)
        depth = -spot[0] * np.sin(turn) + spot[2] * np.cos(turn)
        y = spot[1] * np.cos(tilt) + depth * np.sin(tilt)
        unit = min(w, h) / (2 * 0.92)
        assert (right - w / 2, up - h / 2) == pytest.approx((x * unit, y * unit), abs=3)


def test_a_spectrum_can_be_saved(page, cube):
    values, errors = cube
    page.mouse(pixel(page, 11, 9))
    page.run(
        "HTMLAnchorElement.prototype.click = function () { window.saved = fetch(this.href).then((r) => r.text()); }"
    )
    click(page, "#save-spectrum")
    table = np.genfromtxt(page.run("window.saved").splitlines(), delimiter=",")
    np.testing.assert_allclose(table, np.stack([VELOCITY, values[:, 9, 11], errors[:, 9, 11]], axis=1), atol=1e-5)
    page.events = [event for event in page.events if "blob:" not in str(event)]  # the test's own request


def test_on_a_phone(page, cube):
    values, _ = cube
    page.size(390, 844, phone=True)
    page.open("cube.html")
    assert page.run("document.documentElement.scrollWidth") <= 390  # nothing sticks out
    page.touch(pixel(page, 11, 9))
    np.testing.assert_allclose(numbers(page, "linerad.state.spectrum.mean"), values[:, 9, 11], atol=accuracy(page))
    click(page, "[data-tool=box]")
    page.touch(pixel(page, 3, 4), pixel(page, 5, 6), pixel(page, 8, 9))
    assert page.run("linerad.state.box") == BOX
    way = "getComputedStyle(document.getElementById('map')).touchAction"
    assert page.run(way) == "none"  # a finger draws the box
    click(page, "[data-tool=pixel]")
    assert page.run(way) == "pan-y"  # it scrolls the page


def test_several_cubes_and_a_notebook(browser, tmp_path):
    """The page inside the frame that a notebook shows, with the two cameras of a result."""
    result = cloud().run()
    page = result.view()
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><meta charset='utf-8'><body>{page._repr_html_()}</body>", "utf-8"
    )
    browser.size(1000, 700)
    browser.events.clear()
    browser.call("Page.navigate", url=(tmp_path / "notebook.html").as_uri())
    browser.wait("document.readyState === 'complete' && frames[0].linerad !== undefined")
    inside = "frames[0].document.getElementById"
    assert "camera front" in browser.run(f"{inside}('title').textContent")
    browser.run(f"(() => {{ const c = {inside}('cube'); c.value = 1; c.dispatchEvent(new Event('change')); }})()")
    browser.wait(f"{inside}('title').textContent.includes('camera corner')")
    shown = np.array(browser.run("Array.from(frames[0].linerad.cube.data)")).reshape(result.cube("corner").shape)
    unit = browser.run("frames[0].linerad.cube.unit")
    data = result.cube("corner").data.value * {"µJy/beam": 1e6, "mJy/beam": 1e3, "Jy/beam": 1}[unit]
    np.testing.assert_allclose(shown, data, atol=browser.run("frames[0].linerad.cube.told.values.accuracy"))
    assert browser.complaints() == [] and len(browser.requests()) == 1


def test_a_star_does_not_hide_the_gas_around_it(browser, tmp_path):
    """One pixel a thousand times brighter than the others: the scale and the mask of moments are those of the others."""
    values = np.exp(-0.5 * (VELOCITY[:, None, None] - np.linspace(-1, 1, 30)) ** 2) * np.ones((1, 25, 1))
    values[:, 12, 15] *= 1000
    header = fits.Header({"CTYPE3": "VRAD", "CUNIT3": "km/s", "CDELT3": STEP, "CRPIX3": 1.0, "CRVAL3": VELOCITY[0]})
    fits.writeto(tmp_path / "star.fits", values, header)
    lr.view(tmp_path / "star.fits").save(tmp_path / "star.html")
    browser.open(tmp_path / "star.html")
    assert 0.5 < browser.run("Number(document.getElementById('high').value)") < 2
    click(browser, "[data-mode=moment1]")
    found = numbers(browser, "linerad.state.shown.values").reshape(25, 30)
    np.testing.assert_allclose(found, moments(values)[1], atol=1e-4)
    assert browser.complaints() == []


def test_velocities_far_from_zero_keep_their_digits(browser, tmp_path):
    """A galaxy at 2500 km/s in channels of 0.1 km/s: numbers, and moments over all channels whatever is typed."""
    header = fits.Header({"CTYPE3": "VRAD", "CUNIT3": "km/s", "CDELT3": 0.1, "CRPIX3": 1.0, "CRVAL3": 2500.7})
    fits.writeto(tmp_path / "far.fits", np.ones((30, 4, 5)), header)
    lr.view(tmp_path / "far.fits").save(tmp_path / "far.html")
    browser.open(tmp_path / "far.html")
    assert browser.run("document.getElementById('velocity').textContent") == "2500.70 km/s"
    browser.run("document.getElementById('to').dispatchEvent(new Event('change'))")
    click(browser, "[data-mode=moment0]")
    np.testing.assert_allclose(numbers(browser, "linerad.state.shown.values"), 3.0, rtol=1e-6)
    click(browser, "[data-mode=moment1]")
    np.testing.assert_allclose(numbers(browser, "linerad.state.shown.values"), 2500.7 + 1.45, rtol=1e-7)
    assert browser.complaints() == []


def test_headers_of_other_programs(browser, tmp_path):
    """Words that would end or swallow the scripts of the page, and pixels that are not square."""
    header = fits.Header({"CTYPE3": "VRAD", "CUNIT3": "km/s", "CDELT3": 1.0, "CRPIX3": 1.0, "CRVAL3": 0.0, "CUNIT1": "pc",
                          "CUNIT2": "pc", "CDELT1": 2.0, "CDELT2": 0.5, "LINE": "</script><!--<script>"})  # fmt: skip
    fits.writeto(tmp_path / "cube.fits", np.ones((3, 40, 20)), header)
    lr.view(tmp_path / "cube.fits").save(tmp_path / "cube.html")
    browser.open(tmp_path / "cube.html")
    assert browser.run("document.getElementById('title').textContent") == "cube.fits · </script><!--<script>"
    assert "20 × 40 pixels of 2 × 0.5 pc" in browser.run("document.getElementById('facts').textContent")
    assert browser.complaints() == []


ODD = (
    np.full((1, 5, 4), 2.0),
    np.full((4, 1, 1), 2.0),
    np.full((3, 4, 5), np.nan),
    np.zeros((3, 4, 5)),
    -np.ones((3, 40, 2)),
)


@pytest.mark.parametrize("values", ODD, ids=("channel", "pixel", "nothing", "dark", "strip"))
def test_odd_cubes(browser, tmp_path, values):
    """A single channel, a single pixel, nothing known, no light, everything absorbed in a strip."""
    header = fits.Header({"CTYPE3": "VRAD", "CUNIT3": "km/s", "CDELT3": 1.0, "CRPIX3": 1.0, "CRVAL3": 0.0})
    fits.writeto(tmp_path / "odd.fits", values, header)
    lr.view(tmp_path / "odd.fits").save(tmp_path / "odd.html")
    browser.open(tmp_path / "odd.html")
    for mode in ("channel", "moment0", "moment1", "moment2", "peak"):
        click(browser, f"[data-mode={mode}]")
    assert browser.complaints() == []
    n_v, n_y, n_x = values.shape
    box = {"x0": n_x // 2, "x1": n_x // 2, "y0": n_y // 2, "y1": n_y // 2}
    assert browser.run("linerad.state.box") == box
    np.testing.assert_allclose(numbers(browser, "linerad.state.spectrum.mean"), values[:, n_y // 2, n_x // 2])
