"""Plots: every function draws what the result has, with units on its labels, and says so if there is nothing."""

import subprocess
import sys
import warnings
from pathlib import Path

import astropy.constants as constants
import astropy.units as u
import linerad as lr
import numpy as np
import pytest
from small import cloud, slab

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from linerad import plot  # noqa: E402


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


def labels(figure):
    found = [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel(), axes.get_title())]
    return " | ".join(text for text in found if text)


def save(figure):
    figure.savefig("picture.png")
    picture = matplotlib.image.imread("picture.png")
    assert picture[..., :3].std() > 0.01  # something is drawn
    return labels(figure)


def texts(figure):
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)


def maps_of(figure):
    return [axes for axes in figure.axes if axes.images]


def tick_labels(axis):
    """Those that are visible."""
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    seen = [tick for tick in ticks if low - room <= tick.get_loc() <= high + room]
    return [label for tick in seen for label in (tick.label1, tick.label2)]


def overlap(figure):
    """Pairs of texts that overlap as drawn, and texts that are cut off at the edge."""
    figure.canvas.draw()
    found = [
        text
        for axes in figure.axes
        for text in (*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label, *tick_labels(axes.xaxis),
                     *tick_labels(axes.yaxis))
        if text.get_text() and text.get_visible() and axes.get_visible()
    ]  # fmt: skip
    found += figure.texts
    boxes = [text.get_window_extent() for text in found]
    pairs = [(i, j) for i in range(len(found)) for j in range(i) if boxes[i].overlaps(boxes[j])]
    width = figure.bbox.width
    cut = [text.get_text() for text, box in zip(found, boxes) if box.x0 < 0 or box.x1 > width + 1 or box.y0 < 0]
    return [(found[i].get_text(), found[j].get_text()) for i, j in pairs] + cut


def test_spectrum():
    result = slab().run()
    shown = save(plot.spectrum(result).figure)
    assert "[km/s]" in shown and "receding > 0" in shown and "photons [" in shown
    assert "blue > 0" in save(plot.spectrum(result, against="x").figure)
    axes = plot.spectrum(result, against="x")
    band, line = axes.patches
    values, edges, _ = line.get_data()
    factor = values.max() / result.spectrum.flux.value.max()
    assert np.log10(factor) == pytest.approx(round(np.log10(factor)), abs=1e-9)  # said in the label
    assert f"10^{{{-round(np.log10(factor))}}}" in axes.get_ylabel() if factor != 1 else True
    np.testing.assert_allclose(values, factor * result.spectrum.flux.value)
    np.testing.assert_array_equal(edges, result.spectrum.x_edges)
    np.testing.assert_allclose(band.get_data()[0] - values, factor * result.spectrum.error.value, atol=1e-12)
    with pytest.raises(ValueError, match="'velocity' or 'x'"):
        plot.spectrum(result, against="frequency")
    assert plot.spectrum(result, log=True).get_yscale() == "log"


@pytest.mark.parametrize("low", [-20, 0])
def test_the_upper_axis_of_a_spectrum_is_the_other_of_the_two(low):
    """x = -v / b, with b = (2 k T / m)^1/2 of hydrogen at 1e4 K; also where the spectrum starts in the middle."""
    result = slab(output=lr.Output(range=[low, 20], bins=40)).run()
    assert result.spectrum.x_edges[0] == low
    b = np.sqrt(2 * constants.k_B * 1e4 * u.K / (1.00784 * u.u)).to_value(u.km / u.s)
    for against, factor in (("velocity", -1 / b), ("x", -b)):
        axes = plot.spectrum(result, against=against)
        axes.figure.canvas.draw()
        for at in axes.get_xlim():
            below = axes.transData.transform((at, 0))[0]
            above = axes.child_axes[0].transData.transform((factor * at, 0))[0]
            assert above == pytest.approx(below, abs=0.1)  # pixels


def test_maps():
    cube = cloud().run().cube("front")
    for figure in (plot.channel_maps(cube), plot.moments(cube), plot.optical_depth(cube, 4)):
        shown = save(figure)
        assert "R.A. offset [" in shown and "Dec. offset [" in shown
        assert figure.get_size_inches()[0] == pytest.approx(7.1)
        assert not overlap(figure)
    assert "Jy/beam" in save(plot.channel_maps(cube)) and "km/s" in save(plot.moments(cube))
    assert "km/s" in texts(plot.channel_maps(cube))


def test_scale_bar_and_beam():
    """0.2 pc at 140 pc is 294.7 arcsec; the beam is 90 x 70 arcsec at 30 degrees."""
    cube = cloud().run().cube("front")
    figure = plot.channel_maps(cube)
    corner = [axes for axes in maps_of(figure) if axes.lines][0]
    unit = u.Unit(corner.get_ylabel().split("[")[1].split("]")[0])
    beams = [patch for axes in figure.axes for patch in axes.patches if isinstance(patch, matplotlib.patches.Ellipse)]
    assert len(beams) == 1
    assert beams[0].height * unit.to(u.arcsec) == pytest.approx(90)
    assert beams[0].width * unit.to(u.arcsec) == pytest.approx(70)
    # its upper end points 30 degrees east of north, and east is where x increases
    assert corner.get_xlim()[0] > corner.get_xlim()[1]
    end = beams[0].get_patch_transform().transform((0, 1)) - beams[0].get_center()
    assert np.degrees(np.arctan2(*end)) == pytest.approx(30)
    length = abs(np.diff(corner.lines[0].get_xdata())[0]) * unit.to(u.rad) * 140 * u.pc
    said = [text.get_text() for text in corner.texts if "," in text.get_text()][0]
    value, name, angle, angle_unit = said.replace(",", "").split()
    assert (float(value) * u.Unit(name.replace("au", "AU"))).to_value(u.pc) == pytest.approx(length.value, rel=1e-6)
    assert (float(angle) * u.Unit(angle_unit)).to_value(u.rad) == pytest.approx(length.value / 140, rel=0.01)
    assert float(value) / 10 ** np.floor(np.log10(float(value))) in (1, 2, 5)


def test_lengths_without_a_distance():
    cube = cloud(image=lr.Image(unit="K")).run().cube()
    shown = save(plot.channel_maps(cube))
    assert "offset to the right [pc]" in shown and "brightness temperature [" in shown


def test_channels_are_those_with_light_in_equal_steps():
    """A line of 0.5 km/s in a band of 20."""
    cube = cloud(channels=lr.Channels(200, [-10, 10] * u.km / u.s), image=lr.Image(unit="K", velocity=3 * u.km / u.s))
    cube = cube.run().cube("front")
    for number in (1, 4, 9):
        figure = plot.channel_maps(cube, number)
        shown = [text.get_text() for axes in maps_of(figure) for text in axes.texts if "km/s" in text.get_text()]
        at = np.array([float(text.split()[0].replace("\N{MINUS SIGN}", "-")) for text in shown])
        assert 1 <= len(at) <= number and np.all(np.abs(at - 3) < 1)
        np.testing.assert_allclose(np.diff(np.diff(at)), 0, atol=1e-9)
    # the channel drawn is the one named in the label
    axes = maps_of(figure)[0]
    factor = 1e3 if "[mK]" in labels(figure) else 1
    channel = int(np.argmin(np.abs(cube.velocity.value - at[0])))
    np.testing.assert_allclose(axes.images[0].get_array(), factor * cube.data.value[channel], rtol=1e-5)
    figure = plot.channel_maps(cube, velocities=[2.9, 3.1])
    assert len(maps_of(figure)) == 2
    # a channel is named by its central velocity, not by another one inside it
    asked = texts(plot.channel_maps(cube, velocities=[2.92, 3.14]))
    assert "2.95 km/s" in asked and "3.15 km/s" in asked
    # with units, in km/s without; also a single one
    for same in ([2920, 3140] * u.m / u.s, [2.92 * u.km / u.s, 3140 * u.m / u.s]):
        assert texts(plot.channel_maps(cube, velocities=same)) == asked
    assert len(maps_of(plot.channel_maps(cube, velocities=2.92 * u.km / u.s))) == 1
    with pytest.raises(u.UnitsError):
        plot.channel_maps(cube, velocities=[3] * u.K)
    for bad in ([20], [np.nan], [3, np.inf], [-1e308], []):
        with warnings.catch_warnings(), pytest.raises(ValueError, match="from -7 to 13 km/s"):
            warnings.simplefilter("error")
            plot.channel_maps(cube, velocities=bad)
    with pytest.raises(ValueError, match="at least one"):
        plot.channel_maps(cube, 0)
    with pytest.raises(ValueError, match="'linear' or 'log'"):
        plot.channel_maps(cube, stretch="root")


def test_odd_images():
    """One channel, one pixel, strips, absorption, darkness."""
    for options in (
        {"channels": lr.Channels(1, [-1, 1] * u.km / u.s)},
        {"cameras": lr.Camera("p", "+z", pixels=1)},
        {"cameras": lr.Camera("strip", "+z", pixels=[60, 1], field=[0.18, 0.003] * u.pc)},
        {"cameras": lr.Camera("tower", "+z", pixels=[1, 60], field=[0.003, 0.18] * u.pc)},
        {"medium": lr.Medium(temperature=20 * u.K, turbulence=0.2 * u.km / u.s, density=0 / u.cm**3)},
        {"image": lr.Image(unit="K", background=80 * u.K, subtract_background=True)},
    ):
        result = cloud(**{"image": lr.Image(unit="K", distance=140 * u.pc, optical_depth=True), **options}).run()
        for figure in (plot.quicklook(result), plot.channel_maps(result.cube())):
            assert save(figure) and not overlap(figure), options
    # in absorption, zero is the middle of the colours
    low, high = maps_of(figure)[0].images[0].get_clim()
    assert low == -high < 0


def test_maps_of_a_result_are_those_of_its_first_camera():
    result = cloud().run()
    for draw in (plot.channel_maps, plot.moments):
        one, other = draw(result), draw(result.cube())
        pairs = zip(maps_of(one), maps_of(other), strict=True)
        assert all((a.images[0].get_array() == b.images[0].get_array()).all() for a, b in pairs)


def test_faint_pixels_have_no_velocity():
    """A beam spreads light into empty regions: the mean velocity is not shown there."""
    size = lr.Mesh.uniform((8, 8, 8), [0.2, 0.2, 0.2] * u.pc)
    dense = np.zeros((8, 8, 8))
    dense[3:5, 3:5, :] = 1e-2
    medium = lr.Medium(temperature=20 * u.K, turbulence=0.2 * u.km / u.s, density=dense / u.cm**3)
    cube = cloud(mesh=size, medium=medium, cameras=lr.Camera("front", "+z", pixels=32)).run().cube()
    axes = plot.moment(cube, 1)
    shown = np.ma.filled(axes.images[0].get_array(), np.nan)
    bright = cube.moment(0).value
    assert np.isnan(shown[bright < 0.019 * bright.max()]).all()
    assert np.isfinite(shown[bright > 0.021 * bright.max()]).all()
    # blue approaches: the colours are symmetric about the middle, and the lower end is blue
    assert axes.images[0].cmap(0.0)[2] > axes.images[0].cmap(0.0)[0]


def rotating(systemic, drift=0.2):
    """A cloud seen from the side that rotates and drifts (km/s) relative to the systemic velocity."""
    y = np.broadcast_to((np.arange(8) - 3.5)[None, :, None] / 4, (8, 8, 8))
    velocity = np.stack([drift + 0.5 * y, 0 * y, 0 * y]) * u.km / u.s
    medium = lr.Medium(
        temperature=20 * u.K, turbulence=0.1 * u.km / u.s, density=1e-2 / u.cm**3, velocity=velocity
    )
    image = lr.Image(unit="K", velocity=systemic, emissivity=True)
    cameras = lr.Camera("side", "+x", pixels=8)
    return cloud(medium=medium, cameras=cameras, image=image, channels=lr.Channels(60, [-3, 3] * u.km / u.s)).run()


def white(cube):
    """The middle of the colours of moment 1."""
    return np.mean(plot.moment(cube, 1).images[0].get_clim())


def test_white_is_the_systemic_velocity():
    """The cloud drifts, so that the median differs."""
    result = rotating(5 * u.km / u.s)
    median = np.median(result.moment(1).value)
    assert abs(median - 5) > 0.1 and white(result.cube()) == pytest.approx(5, abs=1e-6)
    assert white(rotating(None).cube()) == pytest.approx(0, abs=1e-6)  # that of a model without one
    other = result.image({"image.velocity": 7000 * u.m / u.s})
    assert other.cube().systemic_velocity == 7 * u.km / u.s and white(other.cube()) == pytest.approx(7, abs=1e-6)
    result.save("rotating.h5")
    assert white(lr.Result.load("rotating.h5").cube()) == pytest.approx(5, abs=1e-6)


def test_gas_that_only_recedes_is_red():
    """Also the slowest of it, in the palest red; gas that only approaches is blue."""
    for drift, first, last in ((-1.5, 0, 2), (1.5, 2, 0)):  # toward the observer is positive; red, green and blue
        cube = rotating(5 * u.km / u.s, drift=drift).cube()
        shown = plot.moment(cube, 1).images[0]
        speeds = np.array(cube.moment(1).value)
        assert (speeds > 5).all() if drift < 0 else (speeds < 5).all()
        colours = shown.cmap(shown.norm(speeds))[..., :3]
        assert (colours[..., first] >= colours[..., last]).all()
        saturation = colours.max(axis=-1) - colours.min(axis=-1)
        slow, fast = np.argmin(np.abs(speeds - 5)), np.argmax(np.abs(speeds - 5))
        brightness = colours.sum(axis=-1).ravel()
        assert saturation.ravel()[slow] < 0.1 and brightness[fast] < 1.5 < brightness[slow]


def test_the_scale_bar_is_seen_on_any_colour():
    """White on white: the bar has a dark outline."""
    figure = plot.channel_maps(cloud(image=lr.Image(unit="K")).run().cube("front"), 1)
    axes = maps_of(figure)[0]
    axes.images[0].set_cmap("gray")
    axes.images[0].set_clim(-2, -1)  # all of it is white
    figure.canvas.draw()
    bar = axes.lines[0]
    middle = bar.get_transform().transform((np.mean(bar.get_xdata()), bar.get_ydata()[0]))
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1, :, 0].astype(int)
    column = pixels[int(middle[1]) - 6 : int(middle[1]) + 7, int(middle[0])]
    dark = np.flatnonzero(column < 128)
    assert len(dark) >= 2 and column[dark[0] : dark[-1]].max() > 200 and column[[0, -1]].min() > 200


def test_lines_of_one_object():
    results = [cloud().run(), cloud(line=lr.Molecule("13co", transition="1-0")).run()]
    figure = plot.lines(results, velocities=[9.75, 10, 10.25])
    shown = save(figure)
    assert "CO 1-0, 115.271 GHz" in " ".join(axes.get_title(loc="left") for axes in figure.axes)
    assert len(maps_of(figure)) == 6 and "flux density [" in shown and not overlap(figure)


def test_spectra_of_rows_share_their_velocities():
    """Lines of different widths: the last axis, the only one with numbers, is right for all."""
    narrow = cloud().run()
    medium = lr.Medium(temperature=20 * u.K, turbulence=0.5 * u.km / u.s, density=1e-2 / u.cm**3)
    wide = cloud(medium=medium, channels=lr.Channels(30, [-3, 3] * u.km / u.s)).run()
    alone = [plot.image_spectrum(result.cube()).get_xlim() for result in (narrow, wide)]
    assert alone[0][1] < alone[1][1] - 0.3
    figure = plot.lines([wide, narrow], velocities=[9.75, 10.25])
    drawn = [axes for axes in figure.axes if "flux density" in axes.get_ylabel()]
    ends = min(low for low, _ in alone), max(high for _, high in alone)
    assert [axes.get_xlim() for axes in drawn] == [pytest.approx(ends)] * 2
    assert [axes.get_xlabel() for axes in drawn] == ["", "radio velocity [km/s]"]
    figure.canvas.draw()
    assert {axes.get_position().x0 for axes in drawn} == {drawn[0].get_position().x0}  # one below the other


def test_maps_of_different_sizes_all_have_their_numbers():
    near, far = (cloud(image=lr.Image(unit="K", distance=distance * u.pc)).run() for distance in (140, 200))
    for results, labelled in (([near, far], 2), ([near, near], 1)):
        figure = plot.lines(results, velocities=[0.05])
        rows = [axes for axes in maps_of(figure) if axes.get_ylabel().startswith("Dec")]
        assert len(rows) == 2 and sum(bool(axes.get_xlabel()) for axes in rows) == labelled and not overlap(figure)


def test_spectra_of_several_lines_in_one_diagram():
    results = [cloud().run(), cloud(line=lr.Molecule("13co", transition="1-0")).run()]
    axes = plot.line_spectra(results)
    save(axes.figure)
    assert [text.get_text() for text in axes.figure.legends[0].get_texts()] == [
        "CO 1-0, 115.271 GHz", "13CO 1-0, 110.201 GHz"]  # fmt: skip
    assert axes.get_xlabel() == "radio velocity [km/s], receding > 0"
    assert "flux density [" in axes.get_ylabel() and not overlap(axes.figure)
    factors = []
    for result, drawn in zip(results, axes.patches):
        expected = plot.image_spectrum(result.cube()).patches[0].get_data()
        factors.append(drawn.get_data().values.max() / expected.values.max())
        np.testing.assert_allclose(drawn.get_data().edges, expected.edges)
    assert np.log10(factors) == pytest.approx(np.round(np.log10(factors)))  # only prefixes
    # a line a hundred times weaker is seen all the same
    thin = lr.Medium(temperature=20 * u.K, turbulence=0.2 * u.km / u.s, density=1e-4 / u.cm**3)
    axes = plot.line_spectra([results[0], cloud(medium=thin).run()])
    assert "relative to its peak" in axes.get_ylabel() and "peak" in axes.figure.legends[0].get_texts()[1].get_text()
    assert [drawn.get_data().values.max() for drawn in axes.patches] == pytest.approx([1, 1])
    with pytest.raises(ValueError, match="different units"):
        plot.line_spectra([results[0], cloud(image=lr.Image(unit="K")).run()])


def test_position_velocity():
    """A cloud that turns like a solid body, seen from the side: the mean velocity along the cut is that of moment 1."""
    cube = rotating(5 * u.km / u.s).cube()
    axes = plot.pv(cube, width=2)
    assert "offset" in save(axes.figure) and axes.get_ylabel() == "radio velocity [km/s]"
    assert not overlap(axes.figure)
    shown = axes.images[0]
    values, (left, right, low, high) = np.array(shown.get_array()), shown.get_extent()
    assert (low, high) == pytest.approx((2, 8)) and values.shape == (60, 8)  # -3 to 3 about 5 km/s
    speeds = low + (np.arange(60) + 0.5) * (high - low) / 60
    mean = (values * speeds[:, None]).sum(axis=0) / values.sum(axis=0)
    expected = np.array(cube.moment(1).value)[3:5].mean(axis=0)
    np.testing.assert_allclose(mean, expected, atol=2e-3)
    slope = np.polyfit(np.arange(8), mean, 1)[0]
    assert abs(slope) == pytest.approx(0.125, rel=0.02)  # 0.5 km/s per 4 cells
    assert right == pytest.approx(-left) == pytest.approx(0.1) and "[pc]" in axes.get_xlabel()
    assert axes.lines[0].get_ydata()[0] == pytest.approx(5)  # the systemic velocity
    assert "P.A. 30°" in plot.pv(cloud().run().cube("front"), angle=30).get_xlabel()
    with pytest.raises(ValueError, match="more than one channel"):
        plot.pv(cloud(channels=lr.Channels(1, [-1, 1] * u.km / u.s)).run().cube("front"))


@pytest.mark.parametrize("size, unit", [(30 * u.au, "au"), (0.3 * u.pc, "pc"), (600 * u.pc, "pc"), (30 * u.kpc, "kpc"),
                                        (4 * u.Mpc, "Mpc")])  # fmt: skip
def test_lengths_have_units_that_fit(size, unit):
    axes = plot.pv(cloud(mesh=lr.Mesh.uniform((8, 8, 8), [1, 1, 1] * size), image=lr.Image()).run().cube("front"))
    assert axes.get_xlabel() == f"offset to the right [{unit}]"
    assert 0.04 < max(axes.get_xlim()) < 1000


def test_hyperfine_lines_have_their_quantum_numbers():
    result = cloud(line=lr.Molecule("oh18cm", transition="F=2+-F=2-")).run()
    assert plot.quicklook(result).texts[0].get_text().startswith("OH F=2+-F=2-, 1667.36 MHz")


def test_flux_of_an_image():
    """The same light in Jy/beam, Jy/sr and Jy/pixel: the same flux density."""
    peaks = []
    for unit in ("Jy/beam", "Jy/sr", "Jy/pixel"):
        image = lr.Image(unit=unit, distance=140 * u.pc, beam=60 * u.arcsec)
        axes = plot.image_spectrum(cloud(image=image, cameras=lr.Camera("front", "+z", pixels=24)).run().cube())
        prefix = axes.get_ylabel().split("[")[1].rstrip("]")
        peaks.append(axes.patches[0].get_data()[0].max() * u.Unit(prefix.replace("\N{MICRO SIGN}", "u")).to(u.Jy))
    np.testing.assert_allclose(peaks, peaks[0], rtol=1e-5)


def test_excitation():
    result = cloud(populations="lte", output=lr.Output(populations=True)).run()
    assert "excitation temperature [K]" in save(plot.excitation(result).figure)
    with pytest.raises(ValueError, match="excitation"):
        plot.excitation(slab().run())


def test_convergence():
    data = Path(__file__).resolve().parents[2] / "examples" / "data" / "hco+_demo.dat"
    result = lr.Model(
        mesh=lr.Mesh.shells(number=8, inner=0.01 * u.pc, outer=0.1 * u.pc, spacing="log"),
        line=lr.Molecule(data, "1-0"),
        medium=lr.Medium(
            temperature=15 * u.K, turbulence=0.2 * u.km / u.s, abundance=1e-9, colliders={"H2": 1e5 / u.cm**3}
        ),
        populations="equilibrium",
    ).run()
    axes = plot.convergence(result)
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), result.populations.history["change"])
    shown = save(axes.figure)
    assert "iteration" in shown and f"{result.populations.iterations} iterations, converged" in shown
    shown = save(plot.quicklook(result))
    assert "populations by equilibrium" in shown and "radius [pc]" in shown


def test_quicklook():
    figure = plot.quicklook(cloud().run(), "corner", title="cloud.h5")
    shown = save(figure)
    assert "moment 0" in shown and "moment 2" in shown and "optical depth" in shown and not overlap(figure)
    head = figure.texts[0].get_text()
    assert head.startswith("cloud.h5") and "512 cells" in head and "camera 'corner' (and 1 more)" in head
    figure = plot.quicklook(slab().run())
    assert "escaped spectrum" in save(figure) and "1,000 packets" in figure.texts[0].get_text()
    assert figure.get_size_inches()[0] == pytest.approx(3.5)


def test_style_of_the_caller_is_left_alone():
    before = dict(matplotlib.rcParams)
    plot.save(plot.quicklook(slab().run()), "slab.pdf")
    assert dict(matplotlib.rcParams) == before
    assert b"/Type3" not in Path("slab.pdf").read_bytes()


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="no packets were followed"):
        plot.spectrum(cloud().run())
    with pytest.raises(ValueError, match="image.optical_depth"):
        plot.optical_depth(cloud(image=lr.Image()).run().cube())
    with pytest.raises(ValueError, match="by iteration"):
        plot.convergence(slab().run())
    with pytest.raises(lr.InputError, match="moments: expected a cube, such as result.cube.., found 'cloud.h5'"):
        plot.moments("cloud.h5")
    with pytest.raises(lr.InputError, match="lines: expected a list of results, found Cube in it"):
        plot.lines([cloud().run().cube()])
    with pytest.raises(lr.InputError, match="quicklook: expected a result.* found Cube"):
        plot.quicklook(cloud().run().cube())
    with pytest.raises(lr.FileError, match="no/such/folder.png: cannot write the figure: there is no folder .*no/such; give"):
        plot.save(plot.quicklook(cloud().run()), "no/such/folder.png")
    with pytest.raises(ValueError, match="moment 3"):
        cloud().run().moment(3)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "linerad", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(),
    )


def environment():
    import os

    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "python")}


def test_command():
    cloud().run().save("cloud.h5")
    done = command("plot", "cloud.h5")
    assert done.returncode == 0 and done.stdout == "cloud.png\n", done.stderr
    assert Path("cloud.png").read_bytes().startswith(b"\x89PNG")
    done = command("plot", "cloud.h5", "--kind", "moments", "--camera", "corner", "-o", "moments.pdf")
    assert done.returncode == 0 and Path("moments.pdf").read_bytes().startswith(b"%PDF")
    for arguments, said in (
        (("plot", "gone.h5"), "gone.h5"),
        (("plot", "cloud.h5", "--camera", "back"), "no camera 'back'"),
        (("plot", "cloud.h5", "--kind", "spectrum"), "no packets"),
        (("plot", "cloud.h5", "--channels", "0"), "--channels: expected a whole number, 1 or more, found '0'"),
        (("plot", "cloud.h5", "--channels", "few"), "--channels: expected a whole number"),
        (("plot", "cloud.h5", "-o", "x.gif"), "x.gif: figures are PNG, PDF or SVG; use a name ending in .png, .pdf or"),
        (("plot", "cloud.h5", "-o", "picture"), "picture: figures are PNG, PDF or SVG"),
        (("plot", "cloud.h5", "--velocities", "nan"), "no channel at one of these velocities"),
        (("plot", "cloud.h5", "--velocities", "1e308"), "no channel at one of these velocities"),
        (("plot", "--velocities", "-1", "0", "cloud.h5"), "'cloud.h5' is not a velocity in km/s; give result files first"),
    ):
        done = command(*arguments)
        assert done.returncode == 2 and done.stdout == "" and said in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_command_draws_cuts_and_spectra(capsys):
    from linerad.__main__ import command_plot

    cloud().run().save("cloud.h5")
    assert command_plot(["cloud.h5", "--kind", "pv", "--angle", "-30", "--width", "3", "-o", "pv.png"]) == 0
    assert command_plot(["cloud.h5", "cloud.h5", "--kind", "image-spectrum", "-o", "both.png"]) == 0
    assert all(Path(name).read_bytes().startswith(b"\x89PNG") for name in capsys.readouterr().out.split())
    assert command_plot(["cloud.h5", "cloud.h5", "--kind", "pv"]) == 2
    assert "with several results" in capsys.readouterr().err
    for option in ("--angle", "--width"):
        with pytest.raises(SystemExit):
            command_plot(["cloud.h5", "--kind", "pv", option, "wide"])
        assert f"argument {option}: expected a" in capsys.readouterr().err


def test_command_draws_several_results():
    for name in ("a", "b"):
        cloud().run().save(f"{name}.h5")
    done = command("plot", "a.h5", "b.h5", "--velocities", "9.9", "10.1", "-o", "both.png")
    assert done.returncode == 0 and done.stdout == "both.png\n", done.stderr


def test_help():
    done = command("--help")
    assert done.returncode == 0 and "plot RESULT.h5" in done.stdout
    done = command("plot", "--help")
    assert done.returncode == 0 and "--velocities" in done.stdout
    done = command("run", "model.yaml")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
