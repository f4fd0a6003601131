"""Every run compares its images with the packets that escape toward their cameras: in the summary, in JSON and in the
result file."""

import json

import h5py
import pytest

MODEL = """\
mesh: {cells: [8, 8, 8], size: [2 pc, 2 pc, 2 pc]}
line: lya
medium: {b: 10 km/s, tau_mean: 1, damping: 0.001}
sources: [{volume: {}, spectrum: local, luminosity: 1e50 photon/s}]
channels: {number: 12, range: [-60 km/s, 60 km/s]}
cameras: [{name: top, direction: +z, pixels: 8}, {name: near, position: [9 pc, 0 pc, 0 pc], pixels: 8}]
image: {unit: photon, distance: 1 kpc, report: false, errors: true}
output: {fields: false}
run: {packets: 3e4, seed: 2}
"""
NUMBERS = ("image_flux", "image_flux_error", "packet_flux", "packet_flux_error", "deviation")


def run(folder, text, *options):
    folder.model.write_text(text)
    done = folder.run("run", "model.yaml", *options)
    assert done.returncode == 0, done.stderr
    return done


def checks(folder, text):
    told = json.loads(run(folder, text, "--json", "--quiet").stdout)
    return {image["camera"]: image["check"] for image in told["images"]}


def test_numbers_are_told_and_kept(folder):
    found = checks(folder, MODEL)
    assert found["near"] == {}
    top = found["top"]
    assert set(top) == {*NUMBERS, "angle_deg"}
    assert 0 < top["image_flux_error"] < top["packet_flux_error"] < 0.3 * top["packet_flux"]
    assert top["image_flux"] == pytest.approx(1e50 / 12.566, rel=0.1)
    assert abs(top["deviation"]) < 3.5
    assert top["angle_deg"] == pytest.approx(14.6, abs=0.1)  # 1 - cos = 2 / (2 x 3e4^(1/3))
    with h5py.File(folder.path / "model.h5") as file:
        stored = file["images/top"].attrs
        assert stored["image_flux"] == pytest.approx(top["image_flux"], rel=1e-9)
        assert stored["packet_flux_error"] == pytest.approx(top["packet_flux_error"], rel=1e-9)
        assert stored["flux_deviation"] == pytest.approx(top["deviation"], rel=1e-9)
        assert "packet_flux" not in file["images/near"].attrs


def test_the_summary_has_a_line(folder):
    lines = run(folder, MODEL).stdout.splitlines()
    line = [text for text in lines if "packets within" in text]
    assert len(line) == 1 and line[0].startswith("image 'top'") and line[0].endswith("sigma")


def test_of_many_images_the_worst(folder):
    cameras = ", ".join(f"{{name: c{i}, direction: [{i}, 1, 2], pixels: 2}}" for i in range(9))
    text = MODEL.replace(MODEL.splitlines()[5], f"cameras: [{cameras}]").replace("errors: true", "errors: false")
    lines = [line for line in run(folder, text).stdout.splitlines() if "packets within" in line]
    assert len(lines) == 1 and lines[0].startswith("worst of 9: 'c")


@pytest.mark.parametrize("old, new, reason", [
    ("report: false", "report: false, background: 3 K", "the image has a background"),
    ("packets: 3e4", "packets: 300", "too few packets escape toward the camera"),
    ("volume: {}, spectrum: local", "external: {}, spectrum: {monochromatic: 0}", "external light also passes by the gas"),
])
def test_why_not(folder, old, new, reason):
    assert checks(folder, MODEL.replace(old, new))["top"] == {"not_compared": reason}
    with h5py.File(folder.path / "model.h5") as file:
        assert file["images/top"].attrs["flux_not_compared"] == reason
        assert "image_flux" not in file["images/top"].attrs
    lines = run(folder, MODEL.replace(old, new)).stdout.splitlines()
    assert any(x.startswith("image 'top'") and x.endswith(f"flux not compared with escaped packets: {reason}") for x in lines)


def test_passes_count_once(folder):
    """Passes over cameras and channels give the same fluxes as a single pass."""
    whole = checks(folder, MODEL)["top"]
    parts = checks(folder, MODEL.replace("seed: 2", "seed: 2, memory: 0.0008"))["top"]
    for name in NUMBERS:
        assert parts[name] == pytest.approx(whole[name], rel=1e-4), name
