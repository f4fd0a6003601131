"""What sources emit, seen through an empty mesh: positions, directions, frequencies and rates follow closed forms.

Tolerances are statistical: 3.5 standard errors, Kolmogorov-Smirnov at one in two thousand, and the same for chi square.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, voigt_profile
from scipy.stats import chi2

from harness import PARSEC_CM, assert_agrees, assert_close, assert_distributed, weighted_mean

MODEL = Path(__file__).with_name("model.yaml")
EDGES = [np.array(edges) for edges in ([-1, -0.7, 0.1, 1], [-0.5, 0, 0.2, 0.5], [-0.4, 0, 0.4])]
SIZE = np.array([2, 1, 0.8])
B = 10.0  # km/s
VELOCITY = np.array((20, -30, 10)) / B


def run_source(linerad, kind, spectrum="{monochromatic: 0}", strength="luminosity: 1 photon/s", packets=2e4, seed=101,
               fields=None, **settings):
    source = "[{%s, spectrum: %s, %s}]" % (kind, spectrum, strength)
    return linerad.run(MODEL, {"sources": source} | settings, packets=packets, seed=seed, fields=fields)


def uniform(low, high):
    return lambda x: (x - low) / (high - low)


def birthplace(run):
    return run.packets["last_scattering"] / PARSEC_CM  # of packets that never scattered


def assert_counts(name, counts, expected):
    """Counts follow expected fractions: chi square."""
    expected = expected / np.sum(expected) * np.sum(counts)
    chi_square = np.sum((counts - expected) ** 2 / expected)
    limit = chi2.isf(5e-4, counts.size - 1)
    line = f"{name}: chi square {chi_square:.1f} of {limit:.1f} allowed, {counts.size} classes"
    print("  " + line)
    assert chi_square < limit, line


def cell_counts(places):
    return np.histogramdd(places, EDGES)[0]


def volumes():
    x, y, z = (np.diff(edges) for edges in EDGES)
    return x[:, None, None] * y[None, :, None] * z[None, None, :]


# ---- directions and places


def test_isotropic_point(linerad):
    run = run_source(linerad, "point: {position: [0.2 pc, 0.1 pc, -0.05 pc]}")
    n = run.packets["direction"]
    for axis in range(3):
        assert_distributed(f"n_{'xyz'[axis]}", n[:, axis], uniform(-1, 1))
    # The line from the source to the exit gives the direction of flight and the path.
    ray = run.packets["position"] / PARSEC_CM - (0.2, 0.1, -0.05)
    assert np.allclose(ray, n * (run.packets["path"] / PARSEC_CM)[:, None], atol=1e-6)
    assert run.summary["f_esc"] == 1 and run.summary["scatterings"] == 0


def test_point_in_a_cube_lights_its_faces_alike(linerad):
    cube = {"mesh": "{cells: [3, 4, 5], size: [1 pc, 1 pc, 1 pc]}"}
    run = run_source(linerad, "point: {position: [0 pc, 0 pc, 0 pc]}", **cube)
    assert_counts("faces", np.bincount(run.packets["face"], minlength=6), np.ones(6))
    assert_close("spectra of faces", np.sum(run.data("spectrum/face") * np.diff(run.data("spectrum/x_edges"))), 1, 1e-9)


def test_mean_intensity_of_a_point_falls_with_the_square(linerad):
    """J = L / (4 pi r)^2, averaged over each cell by a fine grid of points."""
    cells = 8
    cube = {"mesh": "{cells: [8, 8, 8], size: [1 pc, 1 pc, 1 pc]}", "output.packets": False}
    run = run_source(linerad, "point: {position: [0.03 pc, 0.01 pc, -0.02 pc]}", packets=2e5, **cube)
    fine = 12
    grid = (np.arange(cells * fine) + 0.5) / (cells * fine) - 0.5
    square = (grid[:, None, None] - 0.03) ** 2 + (grid[None, :, None] - 0.01) ** 2 + (grid[None, None, :] + 0.02) ** 2
    expected = np.mean((1 / square).reshape(cells, fine, cells, fine, cells, fine), axis=(1, 3, 5)) / (4 * np.pi) ** 2
    measured = run.data("fields/mean_intensity") * PARSEC_CM**2
    error = run.data("fields/mean_intensity_error") * PARSEC_CM**2
    far = expected < 30 / (4 * np.pi) ** 2  # r > 0.18 pc: two cells and more, where the grid is fine enough
    pull = ((measured - expected) / error)[far]
    print(f"  {far.sum()} cells: mean pull {pull.mean():.2f}, rms {np.sqrt(np.mean(pull**2)):.3f}, "
          f"worst {np.abs(pull).max():.2f}")
    # Cells share rays with their neighbours along the ray, but hardly any across: rms known to a few per cent.
    assert abs(np.sqrt(np.mean(pull**2)) - 1) < 0.15
    assert np.abs(pull).max() < 5  # 500 pulls; errors from 64 batches
    assert_close("sum of 4 pi J V", np.sum(measured[far]), np.sum(expected[far]), 0.005)  # 2e5 packets: 0.2 %


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 0, -1), (1, -2, 2)])
def test_beam_goes_one_way(linerad, direction):
    run = run_source(linerad, "point: {position: [0.2 pc, 0.1 pc, -0.05 pc], emission: beam, direction: %s}"
                     % list(direction), packets=100)
    n = np.array(direction) / np.linalg.norm(direction)
    assert np.allclose(run.packets["direction"], n, atol=1e-6)
    reach = [(0.5 * size * np.sign(c) - start) / c if c else np.inf
             for size, c, start in zip(SIZE, n, (0.2, 0.1, -0.05))]
    assert np.allclose(run.packets["path"], min(reach) * PARSEC_CM, rtol=1e-6)


PERIODIC = {"mesh.faces": "{x: open, y: periodic, z: periodic}"}


def test_isotropic_plane(linerad):
    run = run_source(linerad, "plane: {axis: x, at: -0.3 pc}", **PERIODIC)
    mu = run.packets["direction"][:, 0]
    assert_distributed("n_x", mu, uniform(-1, 1))
    place = birthplace(run)
    assert np.allclose(place[:, 0], -0.3, atol=1e-6)
    assert_distributed("y", place[:, 1], uniform(-0.5, 0.5))
    assert_distributed("z", place[:, 2], uniform(-0.4, 0.4))
    # 1.3 pc to the upper face and 0.7 to the lower, over the cosine.
    assert np.allclose(run.packets["path"] / PARSEC_CM, np.where(mu > 0, 1.3, 0.7) / np.abs(mu), rtol=1e-4)


@pytest.mark.parametrize("axis, direction", [("x", "+x"), ("y", "-y"), ("z", "+z")])
def test_lambertian_plane(linerad, axis, direction):
    """Photons per solid angle are proportional to cos(theta): mu^2 is uniform, <1 / mu> = 2."""
    faces = "{%s}" % ", ".join(f"{a}: {'open' if a == axis else 'periodic'}" for a in "xyz")
    run = run_source(linerad, f"plane: {{axis: {axis}, at: 0 pc, emission: lambertian, direction: {direction}}}",
                     **{"mesh.faces": faces})
    k = "xyz".index(axis)
    mu = run.packets["direction"][:, k] * (-1 if direction[0] == "-" else 1)
    assert mu.min() > 0
    assert_distributed("mu^2", mu**2, uniform(0, 1))
    # Emitted at the midplane of the mesh; the path is half its size over mu.
    assert np.allclose(run.packets["path"] / PARSEC_CM, 0.5 * SIZE[k] / mu, rtol=1e-4)


def test_uniform_volume(linerad):
    run = run_source(linerad, "volume: {}")
    place = birthplace(run)
    for axis in range(3):
        assert_distributed("xyz"[axis], place[:, axis], uniform(EDGES[axis][0], EDGES[axis][-1]))
        assert_distributed(f"n_{'xyz'[axis]}", run.packets["direction"][:, axis], uniform(-1, 1))
    assert_counts("cells", cell_counts(place), volumes())


def test_volume_weighted_by_a_field(linerad):
    emissivity = np.random.default_rng(2).random((3, 3, 2)) ** 2
    emissivity[1, 2, 0] = 0
    fields = {"field.h5": {"emissivity": (emissivity, "erg/s/cm^3")}}
    run = run_source(linerad, "volume: {emissivity: {file: field.h5, dataset: emissivity}}", fields=fields)
    counts = cell_counts(birthplace(run))
    assert counts[1, 2, 0] == 0
    lit = emissivity > 0
    assert_counts("cells", counts[lit], (emissivity * volumes())[lit])


# ---- external field


def test_external_field_fills_the_mesh_evenly(linerad):
    """Inside an isotropic field of intensity I entering through every face, J = I in every cell; the mean chord is 4 V
    / S."""
    run = run_source(linerad, "external: {}", strength="intensity: 2 photon/s/cm^2/sr", packets=1e5)
    surface = 2 * (SIZE[0] * SIZE[1] + SIZE[1] * SIZE[2] + SIZE[2] * SIZE[0]) * PARSEC_CM**2
    assert_close("emitted", run.summary["emitted"], np.pi * 2 * surface, 1e-9)
    assert_close("escaped", run.summary["escaped"], run.summary["emitted"], 1e-9)
    pull = (run.data("fields/mean_intensity") - 2) / run.data("fields/mean_intensity_error")
    print(f"  J / I = {np.mean(run.data('fields/mean_intensity')) / 2:.4f}, pulls {pull.min():.2f} to {pull.max():.2f}")
    assert np.abs(pull).max() < 4  # 18 cells
    chord = weighted_mean(run.packets["path"] / PARSEC_CM)
    assert_agrees("mean chord", chord, 4 * np.prod(SIZE) / (surface / PARSEC_CM**2))
    # As much leaves through each face as enters: in proportion to area.
    area = np.repeat([SIZE[1] * SIZE[2], SIZE[0] * SIZE[2], SIZE[0] * SIZE[1]], 2)
    assert_counts("faces", np.bincount(run.packets["face"], minlength=6), area)


def test_external_field_enters_open_faces_only(linerad):
    run = run_source(linerad, "external: {}", strength="flux: 3 photon/s/cm^2", **PERIODIC)
    assert_close("emitted", run.summary["emitted"], 3 * 2 * SIZE[1] * SIZE[2] * PARSEC_CM**2, 1e-9)
    assert_distributed("mu^2", run.packets["direction"][:, 0] ** 2, uniform(0, 1))
    assert_counts("faces", np.bincount(run.packets["face"])[:2], np.ones(2))


# ---- frequencies

SPECTRA = {
    "{gaussian: {centre: 1, sigma: 2}}": lambda x: ndtr((x - 1) / 2),
    "{gaussian: {fwhm: 20 km/s}}": lambda x: ndtr(x / (2 / np.sqrt(8 * np.log(2)))),
    "{band: {from: -3, to: 5}}": uniform(-3, 5),
    "{band: {from: -30 km/s, to: 50 km/s}}": uniform(-5, 3),  # radio convention: receding is red
    "{table: {shift: [-1, 0, 2], density: [0, 2, 0]}}":
        lambda x: np.where(x < 0, (x + 1) ** 2 / 3, 1 - (2 - x) ** 2 / 6),
    "{table: {shift: [-2, 0, 0.5, 1], density: [1, 1, 0, 4]}}":
        lambda x: np.interp(x, [-2, 0], [0, 2]) / 3.25 + np.where(x < 0, 0, np.where(
            x < 0.5, x - x**2, 0.25 + 4 * (x - 0.5) ** 2)) / 3.25,
}


@pytest.mark.parametrize("frame", ["mesh", "gas"])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_spectrum_of_a_source(linerad, spectrum, frame):
    """In the frame of the mesh, or of the moving gas: x_mesh = x_gas + v.n/b."""
    run = run_source(linerad, "point: {position: [0.2 pc, 0.1 pc, -0.05 pc]}", f"{spectrum[:-1]}, frame: {frame}}}")
    x = run.packets["x"] - (run.packets["direction"] @ VELOCITY if frame == "gas" else 0)
    assert_distributed(f"{spectrum}, frame {frame}", x, SPECTRA[spectrum])


def test_local_profile_is_the_voigt_profile_of_the_cell(linerad):
    """b varies from cell to cell. Without damping the profile is a Gaussian of variance b^2 / 2."""
    b = np.linspace(4, 25, 18).reshape(3, 3, 2)
    fields = {"field.h5": {"b": (b, "km/s")}}
    settings = {"medium.b": "{file: field.h5, dataset: b}", "medium.damping": 1e-12, "output.reference_b": "10 km/s"}
    run = run_source(linerad, "volume: {}", spectrum="local", fields=fields, **settings)
    place = birthplace(run)
    index = [np.clip(np.searchsorted(EDGES[axis], place[:, axis]) - 1, 0, len(EDGES[axis]) - 2) for axis in range(3)]
    x_gas = (run.packets["x"] - run.packets["direction"] @ VELOCITY) * B / b[tuple(index)]
    assert_distributed("Doppler core", x_gas, lambda x: ndtr(x * np.sqrt(2)))


@pytest.mark.parametrize("damping", [0.05, 1, 8])
def test_local_profile_has_its_damping_wings(linerad, damping):
    run = run_source(linerad, "volume: {}", spectrum="local", **{"medium.damping": damping})
    x_gas = run.packets["x"] - run.packets["direction"] @ VELOCITY
    # Cumulative Voigt profile on a grid that is fine in the core and extends far into the wings.
    grid = np.sinh(np.linspace(-12, 12, 40001))
    density = voigt_profile(grid, np.sqrt(0.5), damping)
    below = np.concatenate([[0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(grid))])
    assert abs(below[-1] - 1) < 1e-3  # of a Lorentzian, 2 a / pi / 8e4 lies beyond the grid
    assert_distributed(f"a = {damping}", x_gas, lambda x: np.interp(x, grid, below / below[-1]))


# ---- rates and mixtures


def test_luminosity_and_flux_have_their_units(linerad):
    photon = 6.62607015e-27 * 2.99792458e10 / 1.21567e-5  # erg; wavelength of Lyman alpha to six digits
    area = SIZE[1] * SIZE[2] * PARSEC_CM**2
    for kind, strength, expected in (
        ("volume: {}", "luminosity: 1e42 erg/s", 1e42 / photon),
        ("volume: {}", "luminosity: 2 Lsun", 2 * 3.828e33 / photon),
        ("plane: {axis: x, at: 0 pc}", "flux: 5 photon/s/cm^2", 5 * area),
        ("plane: {axis: x, at: 0 pc}", "flux: 1e-3 erg/s/cm^2", 1e-3 * area / photon),
    ):
        run = run_source(linerad, kind, strength=strength, packets=1000)
        assert_close(f"{kind}, {strength}", run.summary["emitted"], expected, 1e-5)
        assert_close("sum of packet weights", np.sum(run.packets["weight"]), expected, 1e-5)


def test_sources_share_packets_by_luminosity(linerad):
    sources = ("[{point: {position: [0.2 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: -1}, luminosity: 1 photon/s},"
               " {plane: {axis: y, at: 0.1 pc}, spectrum: {monochromatic: 0}, luminosity: 2 photon/s},"
               " {volume: {}, spectrum: {monochromatic: 1, frame: mesh}, luminosity: 5 photon/s}]")
    run = linerad.run(MODEL, {"sources": sources}, packets=2e4, seed=102)
    assert_close("emitted", run.summary["emitted"], 8, 1e-12)
    counts = np.array([np.sum(np.abs(run.packets["x"] - x) < 0.5) for x in (-1, 0, 1)])
    assert_counts("packets", counts, np.array([1, 2, 5]))


def test_packet_list_is_emitted_as_it_stands(linerad):
    rng = np.random.default_rng(3)
    n = 7
    position = (rng.random((n, 3)) - 0.5) * SIZE * 0.98
    direction = rng.normal(size=(n, 3))
    velocity = rng.normal(size=n) * 30
    weight = np.arange(1.0, n + 1)
    fields = {"list.h5": {"position": (position, "pc"), "direction": (direction, None), "velocity": (velocity, "km/s"),
                          "weight": (weight, "1/s")}}
    run = linerad.run(MODEL, {"sources": "[{packets: {file: list.h5}}]"}, packets=2e4, seed=103, fields=fields)
    assert_close("emitted", run.summary["emitted"], np.sum(weight), 1e-12)
    distance = np.linalg.norm(birthplace(run)[:, None, :] - position[None], axis=2)
    which = np.argmin(distance, axis=1)
    assert np.all(distance[np.arange(len(which)), which] < 1e-6)
    unit = direction / np.linalg.norm(direction, axis=1)[:, None]
    assert np.allclose(run.packets["direction"], unit[which], atol=1e-6)
    assert np.allclose(run.packets["shift"] / 1e5, -velocity[which], atol=1e-4)  # positive shift is blue
    assert_counts("packets", np.bincount(which, minlength=n), weight)


def test_direction_bins_hold_photons_per_steradian(linerad):
    """An isotropic source of 1 photon/s is 1 / (4 pi) in every bin; a beam fills the one it points into."""
    bins = {"output.directions": "{mu: 4, phi: 3, axis: y}"}
    run = run_source(linerad, "point: {position: [0 pc, 0 pc, 0 pc]}", **bins)
    width = np.diff(run.data("spectrum/x_edges"))
    per_steradian = np.sum(run.data("spectrum/direction") * width, axis=2)
    assert per_steradian.shape == (4, 3)
    assert_counts("bins", per_steradian * 4 * np.pi / 12 * 2e4, np.ones((4, 3)))
    # About y, azimuth from z towards x: n = (0.5, 0.8, -0.33) has mu = 0.8, azimuth 123 degrees.
    beam = run_source(linerad, "point: {position: [0 pc, 0 pc, 0 pc], emission: beam, direction: [0.5, 0.8, -0.33]}",
                      packets=100, **bins)
    filled = np.sum(beam.data("spectrum/direction") * width, axis=2)
    assert np.argwhere(filled > 0).tolist() == [[3, 1]]
