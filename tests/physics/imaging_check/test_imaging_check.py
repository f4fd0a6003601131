"""Images and packets agree: the flux of an image is that of the packets that leave in a cone about its direction, on
boxes, in small fields, obliquely, on layers and on shells. The comparison made by the program is repeated here from the
list of packets."""

import numpy as np
import pytest

from harness import N_SIGMA

BOX = {"mesh": "{cells: [12, 12, 12], size: [2 pc, 2 pc, 2 pc]}", "line": "lya",
       "medium": "{b: 10 km/s, tau_mean: 1, damping: 0.001, velocity: [0 km/s, 5 km/s, 8 km/s]}",
       "sources": "[{volume: {}, spectrum: local, luminosity: 1e50 photon/s}]",
       "channels": "{number: 24, range: [-60 km/s, 60 km/s]}",
       "image": "{errors: true, spectrum: false, report: false}", "output.fields": False}
CAMERAS = {"axis": "{name: a, direction: +z, pixels: 12}",
           "oblique": "{name: a, direction: [1, 2, 3], pixels: 12}",
           "small": "{name: a, direction: [1, 2, 3], pixels: 12, field: 0.6 pc, offset: [0.3 pc, 0.2 pc]}"}
POINT = "[{point: {position: [0.3 pc, 0 pc, -0.2 pc]}, spectrum: local, luminosity: 1e50 photon/s}]"


def check(run):
    return run.summary["images"][0]["check"]


def agrees(found):
    print(found)
    assert abs(found["deviation"]) < N_SIGMA
    assert found["image_flux_error"] < found["packet_flux_error"] < 0.2 * found["packet_flux"]


@pytest.mark.parametrize("camera", CAMERAS)
def test_box(linerad, camera):
    run = linerad.run("box", BOX | {"cameras": f"[{CAMERAS[camera]}]", "output.packets": True}, packets=4e5, seed=3)
    found = check(run)
    agrees(found)
    # the same from the list of packets
    with_view = {name: run.attribute(name, "images/a") for name in ("toward", "right", "up", "centre", "field")}
    packets, share = run.packets, 0.5 * (1 - np.cos(np.radians(found["angle_deg"])))
    chord = (1 - packets["direction"] @ with_view["toward"]) / (2 * share)
    place = packets["last_scattering"] - with_view["centre"]
    inside = (chord < 1) & (np.abs(packets["shift"]) < 60e5)
    for axis, field in zip(("right", "up"), with_view["field"]):
        inside &= np.abs(place @ with_view[axis]) < 0.5 * field * (1 + 1e-6)
    weight = packets["weight"] * (9 - 12 * np.sqrt(np.clip(chord, 0, 1)))
    assert found["packet_flux"] == pytest.approx(weight[inside].sum() / (4 * np.pi * share), rel=2e-3)


def test_point_source(linerad):
    """Its direct light is exact in the image, and in one pixel; scattered light fills the cone."""
    for field in ("", ", field: 0.4 pc, centre: [0.3 pc, 0 pc, -0.2 pc]"):
        camera = f"[{{name: a, direction: [1, 2, 3], pixels: 12{field}}}]"
        agrees(check(linerad.run("box", BOX | {"sources": POINT, "cameras": camera}, packets=1e5, seed=4)))


def test_beam(linerad):
    """Light that a beam sends directly to the camera is in neither."""
    beam = "[{plane: {axis: z, at: -1 pc, emission: beam, direction: +z}, spectrum: local, luminosity: 1e50 photon/s}]"
    run = linerad.run("box", BOX | {"sources": beam, "cameras": f"[{CAMERAS['axis']}]"}, packets=2e5, seed=5)
    agrees(check(run))


def test_dust_and_destruction(linerad):
    medium = "{b: 10 km/s, tau_mean: 1, damping: 0.001, absorption: 0.5 1/pc, destruction: 0.3}"
    agrees(check(linerad.run("box", BOX | {"medium": medium, "cameras": f"[{CAMERAS['oblique']}]"}, packets=2e5, seed=6)))


@pytest.mark.parametrize("direction", ["+z", "[1, 1, 1]"])
def test_layers(linerad, direction):
    changes = {"mesh": "{cells: [1, 1, 32], size: [1 pc, 3 pc, 2 pc], faces: {x: periodic, y: periodic, z: open}}",
               "medium": "{b: 10 km/s, tau_centre: 2, damping: 0.001, velocity: [0 km/s, 0 km/s, 5 km/s]}",
               "sources": "[{plane: {axis: z, at: 0 pc}, spectrum: {gaussian: {centre: 0 km/s, sigma: 10 km/s}},"
                          " luminosity: 1e50 photon/s}]",
               "cameras": f"[{{name: a, direction: {direction}, pixels: 4, field: 7 pc}}]"}
    agrees(check(linerad.run("box", BOX | changes, packets=1e5, seed=7)))


@pytest.mark.parametrize("errors", ["true", "false"])
def test_shells(linerad, errors):
    """All packets count, so that errors are small; the image has an error even if none were requested."""
    changes = {"mesh": "{shells: 32, outer: 1 pc}",
               "medium": "{b: 10 km/s, tau_centre: 3, damping: 0.001, velocity: 20 km/s, absorption: 0.3 1/pc}",
               "cameras": "[{name: a, direction: +z, pixels: 8}]",
               "image": f"{{errors: {errors}, spectrum: false, report: false}}"}
    found = check(linerad.run("box", BOX | changes, packets=1e5, seed=8))
    print(found)
    assert abs(found["deviation"]) < N_SIGMA and found["angle_deg"] == pytest.approx(180)
    assert 0 < found["packet_flux_error"] < 0.005 * found["packet_flux"]
    assert 0 < found["image_flux_error"] < 0.005 * found["image_flux"]
