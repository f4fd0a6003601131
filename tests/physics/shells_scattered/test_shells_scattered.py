"""Images of light scattered by spherical shells.

All directions are equivalent: 4 pi times the flux of the image, channel by channel, is the escaped spectrum. Both come
from the same packets, but the image follows light from everywhere in the gas to the camera, while the spectrum consists
of the packets that escape.

Tolerances: the total flux within 0.5 %, 1 % if the gas is thick, for shells, aspects and channels over which light is
spread evenly, plus 3.5 errors of the escaped one. Channels: chi-square with the errors of the escaped spectrum and 1 %
of the channel. The image is much less noisy than the spectrum where gas is thin and shares its packets where it is
thick, hence chi^2 / n < 1.6 and no lower bound.
"""

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from harness import N_SIGMA, PARSEC_CM
from imaging import cube

MODEL = Path(__file__).with_name("model.yaml")
LUMINOSITY = 1e50  # photon/s


def crowded(tau, first=0.5, inner=0):
    """Edges of shells that grow from the surface inward by an eighth from one to the next, up to 1/16 of the radius; the
    first has a depth of `first`."""
    width, edges = first / tau, [1.0]
    while edges[-1] - inner > width:
        edges.append(edges[-1] - width)
        width = min(1.125 * width, (1 - inner) / 16)
    edges = np.array([*edges[:-1], inner] if edges[-1] - inner < 0.5 * width else [*edges, inner])
    return {"shells": {"edges": [f"{r:.9f} pc" for r in edges[::-1]]}}


def spectra(run):
    """Photons/s in each channel from blue to red, over all directions: of the image, and escaped, with its error."""
    escaped, error = (run.data(f"spectrum/{name}").reshape(-1, run.data("spectrum/x_edges").size - 1).sum(axis=0)[::-1]
                      for name in ("total", "total_error"))
    width = np.abs(np.diff(run.data("spectrum/x_edges")))[0]
    return 4 * np.pi * cube(run, "far").spectrum, escaped * width, error * width


def assert_spectrum(run, tolerance):
    image, escaped, error = spectra(run)
    whole = run["escaped"]
    assert escaped.sum() == pytest.approx(whole.value, rel=0.01)  # nearly all of it is in the channels
    ratio = image.sum() / escaped.sum()
    used = escaped > 0.02 * escaped.max()
    chi2 = np.mean((image - escaped)[used] ** 2 / (error**2 + (0.01 * escaped) ** 2)[used])
    print(f"  image over escaped {ratio:.4f} +- {whole.error / whole.value:.4f}, chi^2 / n {chi2:.2f} of {used.sum()}")
    assert abs(ratio - 1) < tolerance + N_SIGMA * whole.error / whole.value
    assert chi2 < 1.6


CASES = {
    "thin": ({"medium.tau_centre": 0.1}, 1e5, 0.005),
    "static": ({}, 2e5, 0.005),
    "dipole": ({"medium.tau_centre": 3, "physics.phase": "dipole"}, 1e5, 0.005),
    "outflow": ({"medium.tau_centre": 5, "medium.velocity": "30 km/s"}, 1e5, 0.005),
    "fast outflow": ({"medium.tau_centre": 50, "medium.velocity": "100 km/s",
                      "sources.0.spectrum": {"band": {"from": "-150 km/s", "to": "150 km/s"}},
                      "channels": {"number": 100, "range": ["-200 km/s", "200 km/s"]},
                      "output": {"reference_b": "10 km/s", "bins": 100, "range": ["-200 km/s", "200 km/s"]}}, 1e5, 0.005),
    "infall around a cavity": ({"mesh.inner": "0.3 pc", "medium.tau_centre": 5, "medium.velocity": "-20 km/s"}, 1e5, 0.005),
    "dusty": ({"medium.tau_centre": 5, "medium.absorption": "0.5 1/pc", "medium.destruction": 0.05}, 1e5, 0.005),
    "dusty, analog": ({"medium.tau_centre": 5, "medium.absorption": "0.5 1/pc", "physics.absorption": "analog"}, 1e5,
                      0.005),
    "dusty outflow, complete": ({"medium.tau_centre": 20, "medium.absorption": "0.3 1/pc", "medium.velocity": "15 km/s",
                                 "physics.redistribution": "complete"}, 1e5, 0.005),
}


@pytest.mark.parametrize("case", CASES)
def test_image_has_the_light_that_escapes(linerad, case):
    settings, packets, tolerance = CASES[case]
    assert_spectrum(linerad.run(MODEL, settings, packets=packets), tolerance)


def test_lit_from_outside(linerad):
    """An external source emits I = L / (4 pi^2 R^2) from everywhere. All of it leaves again, and around the disc of
    area pi R^2 a square field of width 2 R shows the sky: 4 / pi L over all directions."""
    settings = {"medium.tau_centre": 3, "cameras.0.field": "2 pc", "sources": [
        {"external": {}, "spectrum": {"band": {"from": "-30 km/s", "to": "30 km/s"}}, "luminosity": "1e50 photon/s"}]}
    image = cube(linerad.run(MODEL, settings, packets=1e5), "far")
    ratio = 4 * np.pi * image.spectrum.sum() / (4 / np.pi * LUMINOSITY)
    print(f"  image over all light {ratio:.4f}")
    assert abs(ratio - 1) < 0.005


def test_double_precision(linerad):
    settings, packets, tolerance = CASES["outflow"]
    assert_spectrum(linerad.run(MODEL, settings, packets=packets, precision="double"), tolerance)


@pytest.mark.parametrize("velocity", [0, 40])
def test_thick_sphere(linerad, velocity):
    """tau = 1000 from the centre, at rest, and with a velocity that increases with radius to 4 b."""
    mesh = crowded(1000)
    edges = np.array([float(r.split()[0]) for r in mesh["shells"]["edges"]])
    fields = {"v.h5": {"v": (0.5 * velocity * (edges[1:] + edges[:-1]), "km/s")}}
    settings = {"mesh": mesh, "medium.tau_centre": 1000, "medium.velocity": {"file": "v.h5", "dataset": "v"},
                "channels": {"number": 50, "range": ["-150 km/s", "150 km/s"]},
                "output": {"reference_b": "10 km/s", "bins": 50, "range": ["-150 km/s", "150 km/s"]}}
    assert_spectrum(linerad.run(MODEL, settings, packets=2e4, fields=fields), 0.01)


# ---- Single scattering: closed form ---------------------------------------------------------------------------------


def over_pixels(image, function, points=20):
    at = (np.arange(points) + 0.5) / points
    x, y = (((edges[:-1, None] + np.diff(edges)[:, None] * at).ravel() / PARSEC_CM) for edges in
            (image.x_edges, image.y_edges))
    n_y, n_x = image.intensity.shape[1:]
    return function(np.hypot(*np.meshgrid(x, y))).reshape(n_y, points, n_x, points).mean(axis=(1, 3))


@pytest.mark.parametrize("inner, phase", [(0, "isotropic"), (0.4, "dipole"),
                                          pytest.param(0, "dipole", marks=pytest.mark.long),
                                          pytest.param(0.4, "isotropic", marks=pytest.mark.long)])
def test_single_scattering(linerad, inner, phase):
    """Gas of opacity alpha that scatters a fraction K = sqrt(pi) b / band of the light at line centre, and P(mu) of
    that toward the observer, mu = z / r:

        I(p) = L alpha K / (4 pi)^2 INT P(z / r) dz / r^2,   INT dz / r^2 = 2 [atan(z / p)] / p,
        INT (z / r)^2 dz / r^2 = [atan(z / p) - z p / r^2] / p,

    from the inner sphere to the outer one. The depth of 0.01 dims light by less than 1 % on its way; noise and the
    shells add half as much in a ring of pixels. The dipole fraction in the line core is 1/3."""
    tau, share = 0.01, 1 / 3 if phase == "dipole" else 0
    run = linerad.run(MODEL, {"mesh": {"shells": 48, "inner": f"{inner} pc", "outer": "1 pc"}, "medium.tau_centre": tau,
                              "medium.damping": 1e-5, "physics.phase": phase, "cameras.0.pixels": 33}, packets=4e5)
    image = cube(run, "far")
    scale = LUMINOSITY * tau / (1 - inner) * np.sqrt(np.pi) / 6 / (4 * np.pi * PARSEC_CM) ** 2

    def brightness(p):
        total = 0
        for radius, sign in ((1, 1), (inner, -1)):
            z = np.sqrt(np.maximum(radius**2 - p**2, 0))
            angle = np.arctan2(z, p)
            total = total + sign * (2 * (1 - share / 4) * angle + 0.75 * share * (angle - z * p / (z**2 + p**2))) / p
        return scale * total

    seen = np.sum(image.photons, axis=0) * image.width
    expected = over_pixels(image, brightness)
    at = np.abs(0.5 * (image.x_edges[1:] + image.x_edges[:-1])) / PARSEC_CM
    radius = np.hypot(*np.meshgrid(at, at))
    for low in np.arange(0.1, 0.95, 0.1):
        ring = (radius >= low) & (radius < low + 0.1)
        ratio = seen[ring].sum() / expected[ring].sum()
        print(f"  p = {low:.1f}: image over closed form {ratio:.4f}")
        assert abs(ratio - 1) < 0.015


def test_errors_are_those_of_seeds(linerad):
    """Spectra of images with different seeds scatter as their errors say, on average over pixels and channels."""
    settings = {"image.errors": True, "cameras.0.pixels": 8, "mesh.inner": "0.2 pc"}
    images = [cube(linerad.run(MODEL, settings, packets=5e3, seed=seed), "far") for seed in range(1, 9)]
    stack = np.array([image.intensity for image in images])
    used = stack.mean(axis=0) > 0.05 * np.median(stack.mean(axis=0)[stack.mean(axis=0) > 0])
    ratio = np.mean(stack.var(axis=0, ddof=1)[used] / np.mean([image.error**2 for image in images], axis=0)[used])
    print(f"  variance of seeds over quoted variance {ratio:.2f}")
    assert 0.6 < ratio < 1.6


# ---- Stored emissivity ----------------------------------------------------------------------------------------------


def test_images_are_made_again(linerad, tmp_path):
    """A stored emissivity gives the same image and, with half the pixels, the same spectrum."""
    settings = {"medium.velocity": "20 km/s", "mesh.inner": "0.2 pc", "image.emissivity": True}
    run = linerad.run(MODEL, settings, packets=2e4)
    with h5py.File(run.path) as file:
        shape = file["scene/cameras/far/emissivity"].shape
        assert shape[:2] == (32, file["scene"].attrs["aspects"])
    device = os.environ.get("LINERAD_DEVICE", "cpu")
    for name, options in (("again", []), ("coarse", ["--pixels", "16"])):
        done = subprocess.run([linerad.program, "image", run.path, "-o", tmp_path / name, "--device", device, "--quiet",
                               *options], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    first, again, coarse = (read_fits(path) for path in (run.path.parent / "result_far.fits", tmp_path / "again_far.fits",
                                                         tmp_path / "coarse_far.fits"))
    assert first.max() > 0
    assert np.allclose(first, again, rtol=1e-4, atol=1e-6 * first.max())
    fine, wide = first.mean(axis=(1, 2)), coarse.mean(axis=(1, 2))
    assert np.allclose(fine, wide, rtol=0.005, atol=1e-4 * fine.max())


def read_fits(path):
    """The primary array of a FITS file."""
    data = path.read_bytes()
    cards = iter(data[i:i + 80].decode() for i in range(0, len(data), 80))
    header, used = {}, 0
    while "END" not in header:
        card = next(cards)
        used += 80
        header[card[:8].strip()] = card[10:].split("/")[0].strip()
    shape = [int(header[f"NAXIS{k}"]) for k in range(int(header["NAXIS"]), 0, -1)]
    return np.frombuffer(data, ">f4", int(np.prod(shape)), -(-used // 2880) * 2880).reshape(shape).astype(float)
