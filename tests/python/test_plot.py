"""Pictures: every function draws what the result has, with units on its labels, and says so when there is nothing."""

import subprocess
import sys
from pathlib import Path

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


def test_spectrum():
    result = slab().run()
    shown = save(plot.spectrum(result).figure)
    assert "[km/s]" in shown and "positive = receding" in shown and "photons s" in shown
    assert "positive = blue" in save(plot.spectrum(result, against="x").figure)
    axes = plot.spectrum(result, against="x")
    band, line = axes.patches
    values, edges, _ = line.get_data()
    np.testing.assert_array_equal(values, result.spectrum.flux.value)
    np.testing.assert_array_equal(edges, result.spectrum.x_edges)
    np.testing.assert_allclose(band.get_data()[0] - values, result.spectrum.error.value, atol=1e-15)


def test_maps():
    cube = cloud().run().cube("front")
    for figure in (plot.channel_maps(cube), plot.moments(cube), plot.optical_depth(cube, 4)):
        shown = save(figure)
        assert "offset to the right [" in shown and "offset up [" in shown
    assert "Jy" in save(plot.channel_maps(cube)) and "km" in save(plot.moments(cube))
    figure = plot.channel_maps(cube)
    beams = [patch for axes in figure.axes for patch in axes.patches if isinstance(patch, matplotlib.patches.Ellipse)]
    assert len(beams) == 1
    unit = u.Unit(labels(figure).split("offset up [")[1].split("]")[0])
    assert beams[0].height == pytest.approx(90 / 3600 / unit.to(u.deg)) and beams[0].angle == pytest.approx(30)
    texts = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    assert "km/s" in texts and ("pc" in texts or "AU" in texts)


def test_lengths_without_a_distance():
    cube = cloud(image=lr.Image(unit="K")).run().cube()
    assert "[pc]" in save(plot.channel_maps(cube))


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
    assert "iteration" in save(axes.figure)
    assert "populations by equilibrium" in save(plot.quicklook(result))


def test_quicklook():
    shown = save(plot.quicklook(cloud().run(), "corner"))
    assert "moment 0" in shown and "moment 2" in shown and "optical depth" in shown and "corner" in shown
    assert "escaped spectrum" in save(plot.quicklook(slab().run()))


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="no packets were followed"):
        plot.spectrum(cloud().run())
    with pytest.raises(ValueError, match="image.optical_depth"):
        plot.optical_depth(cloud(image=lr.Image()).run().cube())
    with pytest.raises(ValueError, match="by iteration"):
        plot.convergence(slab().run())
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
    ):
        done = command(*arguments)
        assert done.returncode == 2 and done.stdout == "" and said in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
