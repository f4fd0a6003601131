"""Spherical shells on the command line: a whole run, its result file, and what is rejected."""

import h5py
import numpy as np
import pytest

SHELLS = """\
mesh: {shells: 8, inner: 0.2 pc, outer: 1 pc}
line: lya
medium: {temperature: 1e4 K, tau_mean: 200, damping: 0.149, velocity: 5 km/s}
sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
run: {packets: 1000, seed: 1}
"""

IMAGE = """\
mesh: {shells: 6, inner: 0.1 pc, outer: 1 pc}
line: co10
medium: {temperature: 20 K, turbulence: 0.3 km/s, opacity: 1 1/pc, destruction: 1, velocity: 0.5 km/s}
sources: [{thermal: {}}]
channels: {number: 16, range: [-2 km/s, 2 km/s]}
cameras: [{name: far, direction: +x, pixels: 12}]
image: {emissivity: true}
run: {packets: 0}
"""


@pytest.fixture
def shells(folder):
    folder.model.write_text(SHELLS)
    return folder


def test_result_has_shells(shells):
    summary = shells.run_json("-o", "out.h5", "--set", "output.packets=true")
    assert summary["f_esc"] == pytest.approx(1)
    with h5py.File(shells.path / "out.h5") as file:
        assert file["mesh"].attrs["kind"] in ("shells", b"shells")
        assert np.allclose(file["mesh/r_edges"], np.linspace(0.2, 1, 9) * 3.0856775814913673e18)
        assert file["fields/mean_intensity"].shape == (8,)
        assert "face" not in file["spectrum"]
        position, n = file["packets/position"][:], file["packets/direction"][:]
        assert np.allclose(position, [0, 0, 3.0856775814913673e18], rtol=1e-6)
        assert np.all(n[:, 2] >= 0) and np.allclose(np.sum(n * n, axis=1), 1, atol=1e-5)
        last = file["packets/last_scattering"][:, 2]
        assert np.all((last >= 0) & (last <= 1.000001 * 3.0856775814913673e18))


def test_summary_counts_paths_in_radii(shells):
    done = shells.run("run", "model.yaml")
    assert done.returncode == 0 and "radii of the outermost shell" in done.stdout
    assert "along x" not in done.stdout


def test_summary_counts_paths_in_half_sizes(folder):
    assert "half-sizes of the mesh along x" in folder.run("run", "model.yaml").stdout


def test_cartesian_results_say_so(folder):
    folder.run_json("-o", "out.h5")
    with h5py.File(folder.path / "out.h5") as file:
        assert file["mesh"].attrs["kind"] in ("cartesian", b"cartesian")


def test_check_describes_the_shells(shells):
    done = shells.run("check", "model.yaml")
    assert done.returncode == 0, done.stderr
    for text in ("8 spherical shells from r = 0.2 to 1 pc", "around an empty cavity", "outflow"):
        assert text in done.stdout


def test_radii_come_from_a_file(shells):
    with h5py.File(shells.path / "r.h5", "w") as file:
        file["r"] = np.array([0, 0.5, 2.0])
        file["r"].attrs["units"] = "pc"
        file["v"] = np.array([1.0, 2.0])
        file["v"].attrs["units"] = "km/s"
    done = shells.run("check", "model.yaml", "--set", "mesh={shells: {edges: {file: r.h5, dataset: r}}}", "--set",
                      "medium.velocity={file: r.h5, dataset: v}")
    assert done.returncode == 0, done.stderr
    assert "2 spherical shells" in done.stdout and "1 to 2, mean" in done.stdout


def test_images_are_made_again_from_the_result(folder):
    folder.model.write_text(IMAGE)
    done = folder.run("run", "model.yaml", "-o", "out.h5")
    assert done.returncode == 0, done.stderr
    again = folder.run("image", "out.h5", "-o", "again")
    assert again.returncode == 0, again.stderr
    n = 16 * 12 * 12
    size = -(-4 * n // 2880) * 2880  # the data of a FITS file come last, in whole blocks
    first, second = (np.frombuffer((folder.path / f"{name}_far.fits").read_bytes()[-size:], ">f4", n)
                     for name in ("out", "again"))
    assert first.max() > 0
    assert np.allclose(first, second, rtol=1e-4, atol=1e-6 * first.max())


BAD = {
    "mesh.spacing=log": ("mesh.spacing", "inner"),  # with inner = 0
    "mesh.inner=2 pc": ("mesh.inner", "below 'outer'"),
    "mesh.cells=[4, 4, 4]": ("mesh.cells", "shells"),
    "mesh.faces=periodic": ("mesh.faces", "open"),
    "mesh={shells: {edges: [0 pc, 1 pc, 0.5 pc]}}": ("mesh", "increase from 1 to 2"),
    "mesh={shells: {edges: [-1 pc, 1 pc]}}": ("mesh", "negative"),
    "mesh={cells: [1, 1, 1], size: [1 pc, 1 pc, 1 pc], outer: 1 pc}": ("outer", "shells"),
    "medium.velocity=[1 km/s, 0 km/s, 0 km/s]": ("medium.velocity", "radial"),
    "medium.density={default: 0 cm^-3, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 1 cm^-3}]}":
        ("slab", "'sphere' or 'shell'"),
    "medium.density={default: 0 cm^-3, regions: [{sphere: {centre: [1 pc, 0 pc, 0 pc], radius: 1 pc}, value: 1 cm^-3}]}":
        ("centre", "[0, 0, 0]"),
    "sources.0.point.position=[0.5 pc, 0 pc, 0 pc]": ("position", "centre"),
    "sources.0.point={position: [0 pc, 0 pc, 0 pc], emission: beam, direction: +x}": ("emission", "isotropic"),
    "sources.0={plane: {axis: x, at: 0 pc}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}": ("plane", "shells"),
    "output.directions={mu: 4}": ("output.directions", "all directions"),
    "cameras=[{name: a, position: [5 pc, 0 pc, 0 pc]}]": ("cameras", "direction"),
    "image.method=peel-off": ("image", "two-step"),
}


@pytest.mark.parametrize("setting", BAD)
def test_what_shells_do_not_have(shells, fails, setting):
    place, words = BAD[setting]
    extra = ["--set", "mesh.inner=0 pc"] if setting == "mesh.spacing=log" else []
    if setting.startswith(("cameras", "image")):
        extra = ["--set", "channels={number: 4, range: [-5, 5]}", "--set", "cameras=[{name: a, direction: +x}]"]
    line = fails("run", "model.yaml", "-o", "out.h5", *extra, "--set", setting)
    assert place in line and words in line, line


def test_field_of_the_wrong_length(shells, fails):
    with h5py.File(shells.path / "v.h5", "w") as file:
        file["v"] = np.zeros(9)
        file["v"].attrs["units"] = "km/s"
    line = fails("run", "model.yaml", "-o", "out.h5", "--set", "medium.velocity={file: v.h5, dataset: v}")
    assert "(9)" in line and "(8)" in line


def test_bad_value_names_its_shell(shells, fails):
    with h5py.File(shells.path / "v.h5", "w") as file:
        values = np.zeros(8)
        values[5] = np.nan
        file["v"] = values
        file["v"].attrs["units"] = "km/s"
    line = fails("run", "model.yaml", "-o", "out.h5", "--set", "medium.velocity={file: v.h5, dataset: v}")
    assert "[5]" in line


def test_near_cameras_are_refused(folder, fails):
    folder.model.write_text(IMAGE)
    line = fails("run", "model.yaml", "-o", "out.h5", "--set", "cameras.0={name: a, position: [5 pc, 0 pc, 0 pc]}")
    assert "position" in line and "direction" in line
