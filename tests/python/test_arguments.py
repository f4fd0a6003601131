"""Invalid arguments: an immediate exception, with the name of the argument or the position in the array."""

import inspect
import logging
import re
from pathlib import Path

import astropy.units as u
import linerad as lr
import numpy as np
import pytest
from small import SLAB, cloud, field, slab

SHAPE = (16, 2, 2)


def medium(**options):
    return lr.Medium(**{"temperature": 1e4 * u.K, "tau_mean": 200, "damping": 0.149, **options})


# ---- units ----


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: medium(temperature=10 * u.km), "Medium.temperature: 'km' is not a temperature; expected a unit such as K"),
        (lambda: medium(temperature=10), "Medium.temperature: has no unit; a temperature needs one, such as K"),
        (
            lambda: medium(temperature="20"),
            "Medium.temperature: '20' has no unit; write for example '20 K'",
        ),
        (lambda: medium(temperature=np.ones(SHAPE)), "Medium.temperature: has no unit"),
        (
            lambda: medium(velocity=[1 * u.km / u.s, 0 * u.km, 0 * u.km / u.s]),
            r"Medium.velocity\[1\]: 'km' is not",
        ),
        (lambda: medium(tau_mean=3 * u.cm), "Medium.tau_mean: 'cm' is not a plain number"),
        (
            lambda: medium(temperature="ten kelvins"),
            "Medium.temperature: 'ten kelvins' is not a temperature",
        ),
        (
            lambda: lr.Medium(temperature=1 * u.K, density=1 / u.cm**2),
            "Medium.density: '1 / cm2' is not a number density",
        ),
        (
            lambda: lr.Medium(colliders={"H2": 1 * u.K}),
            "Medium.colliders.H2: 'K' is not a number density",
        ),
        (lambda: lr.Channels(3, [1, 2] * u.K), r"Channels.range\[0\]: 'K' is not a frequency"),
        (lambda: lr.Camera(theta=3 * u.pc), r"Camera.theta: 'pc' is not an angle"),
        (
            lambda: lr.Plane(axis="x", at=0 * u.pc, luminosity=1 * u.K),
            r"Plane.luminosity: 'K' is not a photon rate",
        ),
        (lambda: lr.Mesh.uniform(SHAPE, [1, 1, 1] * u.K), r"Mesh.size\[0\]: 'K' is not a length"),
    ],
)
def test_units(make, message):
    with pytest.raises(lr.UnitsError, match=message):
        make()


def test_astropy_catches_them_too():
    with pytest.raises(u.UnitsError):
        slab(medium=medium(temperature=1 * u.pc))
    with pytest.raises(ValueError):
        slab(medium=medium(temperature=1 * u.pc))


@pytest.mark.parametrize("unit", [u.imperial.mile, u.Mpc, u.AU, u.lyr, 2.5 * u.cm, u.solRad])
def test_any_unit_of_the_right_dimension_will_do(unit):
    size = ([2, 1, 1] * u.pc).to(unit)
    result = slab(mesh=lr.Mesh.uniform(SHAPE, size, faces={"x": "open", "y": "periodic", "z": "periodic"})).run()
    edges = result.mesh["x_edges"]
    assert (edges[-1] - edges[0]).to_value(u.pc) == pytest.approx(2, rel=1e-6)


def test_arrays_of_any_unit():
    speed = (field((3, *SHAPE)) * u.imperial.mile / u.hour).astype(np.float32)
    one = slab(medium=medium(velocity=speed)).run()
    other = slab(medium=medium(velocity=speed.to(u.km / u.s).astype(np.float64))).run()
    assert one.summary.mean_path.value == pytest.approx(other.summary.mean_path.value, rel=0.2)
    assert "mile" not in slab(medium=medium(velocity=speed)).yaml


# ---- shapes and values ----


def test_a_direction_is_checked_where_it_is_given():
    for wrong in ("+q", "x", [1, 0], 3):
        with pytest.raises(lr.InputError, match="Camera.direction: .* is not a direction; write '.x'"):
            lr.Camera("front", wrong)
    assert lr.Camera("front", (1, 0, 2)).direction == (1, 0, 2)


def test_shapes():
    with pytest.raises(
        lr.InputError, match=r"medium.temperature: the array has shape \(16, 2\); the mesh needs \(16, 2, 2\)"
    ):
        slab(medium=medium(temperature=np.ones((16, 2)) * u.K))
    with pytest.raises(
        lr.InputError, match=r"medium.velocity: the array has shape \(16, 2, 2\); the mesh needs \(3, 16, 2, 2\)"
    ):
        slab(medium=medium(velocity=np.ones(SHAPE) * u.km / u.s))
    with pytest.raises(lr.InputError, match=r"the array 'sources\[0\].emissivity' has shape \(2, 2\)"):
        slab(sources=lr.Volume(emissivity=np.ones((2, 2)), luminosity=1 / u.s)).check()
    with pytest.raises(lr.InputError, match="expected 3 values, found 2"):
        slab(mesh=lr.Mesh.uniform(SHAPE, [1, 1] * u.pc))
    with pytest.raises(lr.InputError, match="^Mesh.size: expected a list of 3 values, found <Quantity 1. pc>"):
        slab(mesh=lr.Mesh.uniform(SHAPE, 1 * u.pc))


def test_values_name_their_cell():
    bad = field(SHAPE) * 1e4 * u.K
    bad[3, 1, 0] = np.nan * u.K
    with pytest.raises(
        lr.InputError, match=r"the value nan of array 'medium.temperature' at cell \[3, 1, 0\] is not a finite number"
    ):
        slab(medium=medium(temperature=bad)).run()
    bad[3, 1, 0] = -1 * u.K
    with pytest.raises(lr.InputError, match=r"the value -1 of array 'medium.temperature' at cell \[3, 1, 0\]"):
        slab(medium=medium(temperature=bad)).check()


@pytest.mark.parametrize(
    "change",
    [
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=2)[:, :, ::2],
        lambda a: a[::-1].copy()[::-1],
        lambda a: np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0),
        lambda a: a.astype(">f8"),
        lambda a: np.lib.stride_tricks.as_strided(
            np.frombuffer(b"\0" * 3 + a.tobytes(), dtype=np.uint8)[3:].view(a.dtype), a.shape, a.strides
        ),
    ],
    ids=["fortran", "every second", "backwards", "moved axes", "other byte order", "not aligned"],
)
def test_any_order_in_memory(change):
    values = field(SHAPE) * 1e4
    changed = change(values)
    assert np.array_equal(changed, values)
    one = slab(medium=medium(temperature=values * u.K)).run()
    other = slab(medium=medium(temperature=u.Quantity(changed, u.K, copy=False, subok=True))).run()
    np.testing.assert_array_equal(one.spectrum.flux.value, other.spectrum.flux.value)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.uint16])
def test_any_type(dtype):
    values = np.round(field(SHAPE) * 1000).astype(dtype)
    one = slab(medium=medium(temperature=values.astype(float) * u.K)).run()
    other = slab(medium=medium(temperature=u.Quantity(values, u.K, dtype=values.dtype))).run()
    np.testing.assert_array_equal(one.spectrum.flux.value, other.spectrum.flux.value)


# ---- everything else ----


def test_devices():
    with pytest.raises(lr.InputError, match="abacus"):
        slab().run(device="abacus")
    with pytest.raises(lr.Error):
        slab().run(device="cuda:99")


def test_options_of_a_run():
    with pytest.raises(lr.InputError, match="packets"):
        slab().run(packets=-5)
    with pytest.raises(lr.InputError, match="packets"):
        slab().run(packets=True)
    with pytest.raises(lr.InputError, match="precision"):
        slab().run(precision="sloppy")


def test_errors_of_the_library_keep_their_text():
    with pytest.raises(lr.InputError, match="unknown key 'temperatur'.*temperature|temperatur"):
        slab(medium={"temperatur": "1e4 K"}).check()
    with pytest.raises(lr.FileError, match="gone.yaml"):
        lr.Model.load("gone.yaml")
    with pytest.raises(OSError):
        lr.Result.load("gone.h5")
    Path("slab.yaml").write_text(SLAB)
    with pytest.raises(lr.InputError, match="medium.tau_mean"):
        lr.Model.load("slab.yaml", {"medium.tau_mean": "many"})
    with pytest.raises(TypeError):
        lr.Result()
    with pytest.raises(KeyError, match="no images"):
        slab().run().cube()
    with pytest.raises(KeyError, match="there is no camera 'back'; there are front, corner"):
        cloud().run().cube("back")
    with pytest.raises(KeyError, match="there is no camera 2; there are 2, counted from 0"):
        cloud().run().cube(2)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: lr.Medium(temprature=10 * u.K), "Medium: unknown argument 'temprature'; did you mean 'temperature'?"),
        (lambda: lr.Image(distence=1 * u.pc), "Image: unknown argument 'distence'; did you mean 'distance'?"),
        (lambda: lr.Camera("a", inclination=3 * u.deg), "Camera: unknown argument 'inclination'; valid here: name, dir"),
        (lambda: lr.Mesh.uniform((1, 1, 1), siz=1 * u.pc), "Mesh.uniform: unknown argument 'siz'; did you mean 'size'?"),
        (lambda: lr.Mesh.uniform((1, 1, 1)), "Mesh.uniform: missing a required argument: 'size'; valid here: cells"),
        (lambda: lr.Plane("x"), "Plane: too many positional arguments; valid here: spectrum, luminosity, axis"),
        (lambda: lr.Gas(3), "Gas: too many positional arguments; valid here: none"),
        (lambda: lr.Model(medum=None), "Model: unknown argument 'medum'; did you mean 'medium'?"),
        (lambda: slab().run(packet=5), "run: unknown argument 'packet'; did you mean 'packets'?"),
        (lambda: slab().run(tau=5), "run: unknown argument 'tau'; settings={...} takes any key"),
        (lambda: lr.image("a.h5", distance=1 * u.pc), "image: unknown argument 'distance'; settings are a dictionary, such as"),
        (lambda: slab().run().image(distance=1 * u.pc), "image: unknown argument 'distance'; settings are a dictionary"),
    ],
)
def test_arguments_that_do_not_exist(make, message):
    with pytest.raises(lr.ArgumentError, match=re.escape(message)) as caught:
        make()
    assert isinstance(caught.value, lr.InputError) and isinstance(caught.value, TypeError)


def test_checked_arguments_are_still_seen():
    """As needed by help and editors."""
    assert list(inspect.signature(lr.Channels).parameters) == ["number", "range", "samples"]
    assert list(inspect.signature(lr.Mesh.uniform).parameters) == ["cells", "size", "origin", "faces"]
    assert "packets" in inspect.signature(lr.Model.run).parameters


def test_settings_that_cannot_be():
    """They are named as in Python, without the --set of the command."""
    lit = slab(
        cameras=lr.Camera("top", "+x", pixels=4),
        channels=lr.Channels(20, [-100, 100] * u.km / u.s),
        medium=medium(tau_mean=2),
        image=lr.Image(distance=1 * u.kpc, emissivity=True),
    )
    lit.run(200).save("lit.h5")
    for settings, message in (
        ({"image.distance": "far"}, "^image.distance: 'far' is not a finite number with a unit"),
        ({"image.distance": 3 * u.K}, "^image.distance: '3.0 K' is not a length"),
        ({"image.distence": 3 * u.pc}, "^image.distence: unknown key; did you mean 'distance'"),
        ({"image.unit": u.km}, "^image.unit: 'km' is not a unit of images; valid here: K"),
        ({"medium.tau_mean": 3}, "^medium.tau_mean: that needs a new run"),
        ({"cameras.3.pixels": 3}, "^cameras.3.pixels: '3' is not an index"),
        ("image.distance", "^image.distance: write it as path.to.key=value"),
        (5, "^settings: expected a dictionary such as {'run.seed': 3}, found int"),
    ):
        for make in (lambda: lr.image("lit.h5", settings), lambda: lr.Result.load("lit.h5").image(settings)):
            with pytest.raises(lr.InputError, match=message):
                make()
    with pytest.raises(lr.InputError, match="^image.distance: '3.0 K' is not a length"):
        lit.run(settings={"image.distance": 3 * u.K})
    assert lr.image("lit.h5", "image.unit=Jy/sr").cube().unit == u.Jy / u.sr
    assert lr.image("lit.h5", {"image.unit": u.Jy / u.pix}).cube().unit == u.Jy / u.pix


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(lr.LineradWarning) as caught:
        slab(output=lr.Output(range=[-1, 1])).run()
    assert {Path(warning.filename).name for warning in caught} == {Path(__file__).name}


SURFACE = u.erg / u.s / u.cm**2 / u.arcsec**2 / u.AA


@pytest.mark.parametrize("unit", [u.K, u.Jy / u.beam, u.Jy / u.sr, u.Jy / u.pix, SURFACE])
def test_units_of_images(unit):
    image = lr.Image(unit=unit, distance=140 * u.pc, beam=90 * u.arcsec)
    assert cloud(image=image).run().cube().unit == unit


@pytest.mark.parametrize("unit, shown", [(u.km, "'km'"), (u.mJy / u.beam, "'mJy / beam'"), (3, "int")])
def test_units_that_images_do_not_have(unit, shown):
    words = "K, Jy/pixel, Jy/sr, Jy/beam, erg/s/cm^2/arcsec^2/Angstrom, photon"
    message = f"Image.unit: {shown} is not a unit of images; valid here: {words}"
    with pytest.raises(lr.InputError, match=re.escape(message)):
        lr.Image(unit=unit)


@pytest.mark.parametrize("cells", [8, (8, 8), (8, 8, 8.5), "888x", (8, 8, "x")])
def test_numbers_of_cells(cells):
    with pytest.raises(lr.InputError, match=r"Mesh.uniform: cells: expected three whole numbers such as \(64, 64, 64\)"):
        lr.Mesh.uniform(cells, [1, 1, 1] * u.pc)


def test_several_lines_need_a_choice():
    lines = [{"name": name, "molecule": "co", "transition": name} for name in ("1-0", "2-1")]
    model = cloud(line=None, lines=lines)
    for use in (model.run, model.check):
        with pytest.raises(lr.InputError, match="^line: this model has several lines; give line=, one of 1-0, 2-1$"):
            use()
    assert "230.5" in model.check(line="2-1")


def test_parts_that_do_not_go_together():
    with pytest.raises(lr.InputError, match="either the edges, or a number"):
        lr.Mesh.shells()
    with pytest.raises(lr.InputError, match="is not allowed in a model"):
        slab(physics=lr.Physics(phase=object()))


def test_messages(caplog):
    caplog.set_level(logging.INFO, logger="linerad")
    with pytest.warns(lr.LineradWarning, match="outside the spectrum"):
        slab(output=lr.Output(range=[-1, 1])).run()
    slab().run().save("out.h5")
    slab().run().save("out.h5")
    assert "out.h5: the earlier result was replaced" in caplog.text


def test_settings():
    assert slab(settings={"run.packets": 10}).run().summary.packets == 10
    assert slab().run(settings=["run.packets=20"]).summary.packets == 20
    assert slab().run(30).summary.packets == 30


# ---- meshes ----


def test_bricks_are_a_refined_mesh():
    """The same mesh by rule and brick by brick."""
    regions = [{"sphere": {"centre": [0 * u.pc] * 3, "radius": 0.3 * u.pc}, "levels": 1}]
    by_rule = slab(
        mesh=lr.Mesh.refined((8, 8, 8), [1, 1, 1] * u.pc, regions, brick=2),
        sources=lr.Point(position=[0, 0, 0] * u.pc, spectrum="local", luminosity=1 / u.s),
        output=None,
    ).run()
    mesh = by_rule.mesh
    assert mesh["kind"] == "amr" and mesh["level"].max() == 1
    given = lr.Mesh.bricks(mesh["level"], mesh["position"], (8, 8, 8), [1, 1, 1] * u.pc, brick=2)
    assert given.shape == (len(mesh["level"]), 2, 2, 2)
    by_brick = slab(
        mesh=given,
        medium=medium(temperature=np.full(given.shape, 1e4) * u.K),
        output=None,
        sources=lr.Point(position=[0, 0, 0] * u.pc, spectrum="local", luminosity=1 / u.s),
    ).run()
    np.testing.assert_array_equal(by_brick.spectrum.flux.value, by_rule.spectrum.flux.value)


def test_edges_are_a_mesh():
    edges = lr.Mesh.edges(
        np.linspace(-1, 1, 17) * u.pc,
        [-0.5, 0, 0.5] * u.pc,
        [-0.5, 0, 0.5] * u.pc,
        faces={"x": "open", "y": "periodic", "z": "periodic"},
    )
    assert edges.shape == SHAPE
    flux = slab(mesh=edges).run().spectrum.flux.value
    np.testing.assert_allclose(flux.sum(), slab().run().spectrum.flux.value.sum(), rtol=1e-9)


def test_packets_of_ones_own():
    source = lr.Packets(
        position=np.zeros((5, 3)) * u.pc,
        direction=np.eye(3)[[0, 1, 2, 0, 1]],
        velocity=np.zeros(5) * u.km / u.s,
        weight=np.ones(5) * 2 / u.s,
    )
    result = slab(sources=source).run()
    assert result.summary.emitted.to_value(1 / u.s) == pytest.approx(10)


def test_numbers_are_real():
    with pytest.raises(lr.InputError, match="Medium.temperature: expected numbers, found complex128"):
        slab(medium=medium(temperature=np.ones(SHAPE, dtype=complex) * u.K))
    with pytest.raises(lr.InputError, match="Medium.damping: expected"):
        slab(medium=medium(damping=["a", "b"]))
