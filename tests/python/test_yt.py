"""Simulations through yt: every leaf cell has the value that belongs to its position, nothing is lost, and bad input is
rejected with advice."""

import re
import sys
from pathlib import Path

import astropy.units as u
import h5py
import linerad as lr
import numpy as np
import pytest
import yt

yt.set_log_level("error")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import athdf_file  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PC = (float((1 * u.pc).to_value("cm")), "cm")  # that of yt differs in the tenth digit
BOX = np.array([[1.0, 3.0], [-0.5, 0.5], [0.0, 1.0]])  # pc; neither a cube nor at the origin
FIELDS = {
    "density": (lambda x, y, z: 1 + x + 2 * y + 4 * z**2, "1e-20*g/cm**3"),
    "temperature": (lambda x, y, z: 10 + x * y + z, "K"),
    "velocity_x": (lambda x, y, z: -y + 0 * x, "km/s"),
    "velocity_y": (lambda x, y, z: x - z, "km/s"),
    "velocity_z": (lambda x, y, z: x * y * z, "km/s"),
}
# (level, first cell, cells): three levels of patches of different sizes, inside each other. Each is in one coarser
# patch: yt.load_amr_grids allows only one parent.
PATCHES = [
    (0, (0, 0, 0), (16, 8, 8)),
    (1, (8, 4, 4), (12, 4, 8)),
    (1, (24, 0, 8), (8, 8, 4)),
    (2, (20, 8, 8), (8, 4, 12)),
    (2, (28, 8, 12), (4, 8, 4)),
]


def centres_of(lower, step, cells):
    axes = [lower[a] + (np.arange(cells[a]) + 0.5) * step[a] for a in range(3)]
    return np.meshgrid(*axes, indexing="ij")


def grids(patches=PATCHES, cells=(16, 8, 8), factor=2, box=BOX, fields=FIELDS):
    """Arguments for yt.load_amr_grids: values of the functions at the centres of all cells, covered ones NaN."""
    made = []
    for level, first, number in patches:
        step = (box[:, 1] - box[:, 0]) / (np.array(cells) * float(factor) ** level)
        lower = box[:, 0] + np.array(first) * step
        grid = {"level": level, "left_edge": lower, "right_edge": lower + np.array(number) * step, "dimensions": number}
        at = centres_of(lower, step, number)
        covered = np.zeros(number, bool)
        for other, start, extent in patches:
            if other == level + 1:
                low = np.array(start) // factor - first
                high = low + np.array(extent) // factor
                covered[tuple(slice(max(a, 0), max(b, 0)) for a, b in zip(low, high))] = True
        for name, (function, unit) in fields.items():
            scale, unit = (float(unit.split("*", 1)[0]), unit.split("*", 1)[1]) if unit[0].isdigit() else (1, unit)
            grid["gas", name] = (np.where(covered, np.nan, function(*at)) * scale, unit)
        made.append(grid)
    return made


def load(patches=PATCHES, cells=(16, 8, 8), factor=2, box=BOX, fields=FIELDS, **options):
    return yt.load_amr_grids(
        grids(patches, cells, factor, box, fields), cells, bbox=box, length_unit=PC, refine_by=factor, **options
    )


def places(gas):
    """Centres of all cells of a mesh, pc, and their volumes, only from the mesh itself."""
    mesh = gas.mesh
    lower, size = mesh.origin.to_value(u.pc), mesh.size.to_value(u.pc)
    if not mesh.brick_places:
        step = size / mesh.cells
        return centres_of(lower, step, mesh.cells), np.prod(step)
    level, position, b = mesh.brick_places["level"], mesh.brick_places["position"], mesh.brick
    step = size / np.array(mesh.cells) / 2.0 ** level[:, None]
    inner = np.indices((b, b, b))
    at = [
        lower[a] + (position[:, a, None, None, None] * b + inner[a] + 0.5) * step[:, a, None, None, None]
        for a in range(3)
    ]
    return at, np.broadcast_to(np.prod(step, axis=1)[:, None, None, None], gas.shape)


def assert_fields(gas, box=BOX):
    (x, y, z), _ = places(gas)
    for axis, low in enumerate(box[:, 0]):  # across periodic faces
        span = box[axis, 1] - low
        if axis == 0:
            x = low + (x - low) % span
        elif axis == 1:
            y = low + (y - low) % span
        else:
            z = low + (z - low) % span
    np.testing.assert_allclose(gas.density.to_value("1e-20 g/cm3"), FIELDS["density"][0](x, y, z), rtol=1e-12)
    np.testing.assert_allclose(gas.temperature.to_value("K"), FIELDS["temperature"][0](x, y, z), rtol=1e-12)
    for axis, found in zip("xyz", gas.velocity.to_value("km/s")):
        np.testing.assert_allclose(found, FIELDS[f"velocity_{axis}"][0](x, y, z), rtol=1e-12, atol=1e-12)


def leaf_mass(ds):
    return float(ds.all_data().sum(("gas", "cell_mass")).to_value("g"))


def model(gas, **options):
    return lr.Model(
        mesh=gas.mesh,
        line=lr.Molecule("co", "1-0"),
        medium=lr.Medium(
            temperature=gas.temperature,
            density=1e-8 * gas.number_density(),
            velocity=gas.velocity,
            turbulence=0.5 * u.km / u.s,
        ),
        channels=lr.Channels(6, [-4, 4] * u.km / u.s),
        cameras=lr.Camera("front", [0.3, 0.2, 1], pixels=12),
        **options,
    )


# ---- meshes ----


def test_uniform_grids_are_uniform_meshes():
    cells = (12, 6, 5)
    ds = load([(0, (0, 0, 0), cells)], cells)
    gas = lr.from_yt(ds)
    assert gas.shape == cells and gas.density.shape == cells and gas.velocity.shape == (3, *cells)
    assert gas.density.value.flags.c_contiguous and gas.density.dtype == np.float64
    np.testing.assert_allclose(gas.mesh.origin.to_value(u.pc), BOX[:, 0], rtol=1e-12)
    np.testing.assert_allclose(gas.mesh.size.to_value(u.pc), [2, 1, 1], rtol=1e-12)
    assert_fields(gas)
    single = lr.from_yt(ds, dtype=np.float32)
    assert single.temperature.dtype == np.float32
    assert single.mass.to_value("g") == pytest.approx(gas.mass.to_value("g"), rel=1e-6)
    assert "12 x 6 x 5" in repr(gas)


def test_patches_become_bricks():
    """Each leaf of three levels of patches; covered cells, which are NaN here, are not used."""
    ds = load()
    gas = lr.from_yt(ds)
    level = gas.mesh.brick_places["level"]
    assert gas.mesh.brick == 2 and set(level) == {0, 1, 2}  # patches begin and end at even cells
    assert_fields(gas)
    (_, _, _), volume = places(gas)
    assert np.sum(volume) == pytest.approx(2, rel=1e-12)
    assert gas.mass.to_value("g") == pytest.approx(leaf_mass(ds), rel=1e-12)
    np.testing.assert_allclose(gas.volume.to_value("pc3") + 0 * volume, volume, rtol=1e-12)
    assert "3 levels" in model(gas).check()


def test_the_largest_bricks_that_fit():
    """Whole blocks of eight cells, as in FLASH: each is divided into eight others."""
    blocks = [(0, (8 * i, 0, 0), (8, 8, 8)) for i in range(2)]
    blocks += [(1, (16 + 8 * i, 8 * j, 8 * k), (8, 8, 8)) for i, j, k in np.ndindex(2, 2, 2)]
    blocks += [(2, (32 + 8 * i, 16 + 8 * j, 8 * k), (8, 8, 8)) for i, j, k in np.ndindex(2, 2, 2)]
    gas = lr.from_yt(load(blocks))
    assert gas.mesh.brick == 8 and gas.shape == (1 + 7 + 8, 8, 8, 8)
    assert_fields(gas)


def test_odd_patches_become_single_cells():
    gas = lr.from_yt(load([(0, (0, 0, 0), (16, 8, 8)), (1, (6, 4, 4), (2, 6, 8))]))
    assert gas.mesh.brick == 1
    assert_fields(gas)
    model(gas).check()


def octree(depth, divide):
    """Mask of refinement, depth first with z fastest, and leaves (centre, width) in that order."""
    mask, leaves = [], []

    def visit(corner, width, level):
        here = level < depth and divide(corner + width / 2, level)
        mask.append(8 if here else 0)
        if not here:
            leaves.append((*(corner + width / 2), width))
            return
        for child in np.ndindex(2, 2, 2):
            visit(corner + np.array(child) * width / 2, width / 2, level + 1)

    visit(np.zeros(3), 1.0, 0)
    return np.array(mask, np.uint8), np.array(leaves)


@pytest.mark.parametrize("zones", [1, 2])
def test_octrees_become_bricks(zones):
    mask, leaves = octree(4, lambda centre, level: level < 2 or np.linalg.norm(centre - 0.4) < 0.3)
    box = np.array([[2.0, 3.0], [0.0, 1.0], [0.0, 1.0]])
    inner = (np.indices((zones, zones, zones)).reshape(3, 1, -1) + 0.5) / zones - 0.5
    at = [leaves[:, a, None] + inner[a] * leaves[:, 3, None] + box[a, 0] for a in range(3)]
    data = {("gas", name): (function(*at), unit) for name, (function, unit) in FIELDS.items() if name != "density"}
    data["gas", "density"] = (FIELDS["density"][0](*at) * 1e-20, "g/cm**3")
    ds = yt.load_octree(mask, data, bbox=box, length_unit=PC, num_zones=zones, partial_coverage=0)
    gas = lr.from_yt(ds)
    assert np.prod(gas.shape) == leaves.shape[0] * zones**3 and gas.mesh.brick == zones
    assert len(set(gas.mesh.brick_places["level"])) == 3
    assert gas.mass.to_value("g") == pytest.approx(leaf_mass(ds), rel=1e-12)
    assert_fields(gas, box)
    model(gas).check()


def test_refinement_by_four_is_two_levels():
    ds = load([(0, (0, 0, 0), (16, 8, 8)), (1, (16, 8, 4), (8, 4, 8))], factor=4)
    gas = lr.from_yt(ds)
    assert set(gas.mesh.brick_places["level"]) == {0, 2}
    assert_fields(gas)
    model(gas).check()
    with pytest.raises(lr.InputError, match="refine cells by factors of 3, 3, 3 along x, y, z; .* Give level="):
        lr.from_yt(load([(0, (0, 0, 0), (16, 8, 8)), (1, (3, 6, 3), (6, 3, 6))], factor=3))
    odd = load([(0, (0, 0, 0), (16, 8, 8)), (1, (3, 6, 3), (6, 3, 6))], factor=3)
    gas = lr.from_yt(odd, level=1)
    assert gas.shape == (48, 24, 24)
    assert gas.mass.to_value("g") == pytest.approx(leaf_mass(odd), rel=1e-12)


# ---- uniform meshes of refined simulations ----


@pytest.mark.parametrize("level", [2, 3])
def test_fine_levels_are_the_covering_grid_of_yt(level):
    ds = load()
    gas = lr.from_yt(ds, level=level)
    grid = ds.covering_grid(level, ds.domain_left_edge, ds.domain_dimensions * 2**level)
    np.testing.assert_array_equal(gas.density.value, grid["gas", "density"].to_value("g/cm**3"))
    np.testing.assert_array_equal(gas.velocity[1].value, grid["gas", "velocity_y"].to_value("cm/s"))
    if level == 2:
        np.testing.assert_array_equal(lr.from_yt(ds, refined=False).density.value, gas.density.value)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("refined", [False, True])
def test_averages_conserve_mass_momentum_and_heat(level, refined):
    """Against sums over the leaves of yt, in the cells of the coarse mesh: densities by volume, the rest by mass."""
    ds = load()
    gas = lr.from_yt(ds, level=level, refined=refined)
    leaves = ds.all_data()
    mass = leaves["gas", "cell_mass"].to_value("g")
    v_y, kelvin = leaves["gas", "velocity_y"].to_value("cm/s"), leaves["gas", "temperature"].to_value("K")
    assert gas.mass.to_value("g") == pytest.approx(mass.sum(), rel=1e-12)
    cell_mass = gas.density.value * gas.volume.value
    assert np.sum(cell_mass * gas.velocity[1].value) == pytest.approx(np.sum(mass * v_y), rel=1e-11)
    assert np.sum(cell_mass * gas.temperature.value) == pytest.approx(np.sum(mass * kelvin), rel=1e-11)
    assert np.isfinite(gas.temperature.value).all()
    if level == 0 and not refined:  # cell by cell
        step = (BOX[:, 1] - BOX[:, 0]) / gas.shape
        at = [leaves["index", axis].to_value("pc") for axis in "xyz"]
        index = tuple(((at[a] - BOX[a, 0]) / step[a]).astype(int) for a in range(3))
        sums = np.zeros(gas.shape)
        np.add.at(sums, index, mass)
        np.testing.assert_allclose(cell_mass, sums, rtol=1e-11)
        momenta = np.zeros(gas.shape)
        np.add.at(momenta, index, mass * v_y)
        np.testing.assert_allclose(gas.velocity[1].value, momenta / sums, rtol=1e-10, atol=1e-3)
    if refined:
        assert gas.mesh.brick_places["level"].max() == level


def test_cells_without_gas_are_averaged_by_volume():
    empty = {**FIELDS, "density": (lambda x, y, z: 0 * x, "g/cm**3")}
    gas = lr.from_yt(load(fields=empty), level=0)
    assert gas.mass == 0 and (gas.temperature.value > 5).all()


# ---- regions ----


def test_regions_grow_to_whole_cells():
    ds = load()
    gas = lr.from_yt(ds, ds.box([1.6, -0.2, 0.3], [2.2, 0.3, 0.7]))
    lower, size = gas.mesh.origin.to_value(u.pc), gas.mesh.size.to_value(u.pc)
    np.testing.assert_allclose(lower, [1.5, -0.25, 0.25], atol=1e-12)  # cells of 1/8 pc
    np.testing.assert_allclose(lower + size, [2.25, 0.375, 0.75], atol=1e-12)
    assert_fields(gas)
    model(gas).check()
    same = lr.from_yt(ds, ([1.6, -0.2, 0.3] * u.pc, ds.arr([2.2, 0.3, 0.7], "pc")))
    np.testing.assert_array_equal(same.density.value, gas.density.value)


def test_inside_fine_gas_the_mesh_is_fine():
    """A region without coarse cells does not grow to their size."""
    gas = lr.from_yt(load(), ([1.64, -0.2, 0.3], [1.7, -0.15, 0.4]))
    assert gas.mesh.brick_places is None and gas.shape == (3, 3, 4)
    np.testing.assert_allclose((gas.mesh.size / gas.mesh.cells).to_value(u.pc), 1 / 32, rtol=1e-12)
    assert_fields(gas)


def test_spheres_have_a_bounding_box():
    ds = load()
    gas = lr.from_yt(ds, ds.sphere(ds.arr([2, 0, 0.5], "pc"), (0.25, "pc")))
    np.testing.assert_allclose(gas.mesh.size.to_value(u.pc), 0.5, rtol=1e-12)
    assert_fields(gas)


def test_regions_reach_across_periodic_faces():
    ds, region = load(), ([0.6, -0.7, 0.3], [2.3, 0.1, 1.2])
    gas = lr.from_yt(ds, region)
    assert (gas.mesh.origin.to_value(u.pc)[:2] < BOX[:2, 0]).all()
    assert_fields(gas)
    model(gas).check()
    whole = lr.from_yt(ds, level=2).density.value
    first, number = (-13, -7, 9), (55, 27, 30)  # cells of 1/32 pc
    index = [(np.arange(number[a]) + first[a]) % whole.shape[a] for a in range(3)]
    np.testing.assert_array_equal(lr.from_yt(ds, region, level=2).density.value, whole[np.ix_(*index)])


def test_a_whole_periodic_box_around_another_centre():
    ds = load()
    shift = np.array([0.7, 0.33, 0.4])
    for options in ({}, {"level": 2}):
        gas = lr.from_yt(ds, (BOX[:, 0] + shift, BOX[:, 1] + shift), **options)
        np.testing.assert_allclose(gas.mesh.size.to_value(u.pc), [2, 1, 1], rtol=1e-12)
        assert gas.mass.to_value("g") == pytest.approx(leaf_mass(ds), rel=1e-12)
        assert_fields(gas) if not options else None


def test_open_domains_end_at_their_faces():
    ds = load(periodicity=(False, False, False))
    gas = lr.from_yt(ds, ([0, -2, 0.3], [1.4, 2, 1.2]))
    np.testing.assert_allclose(gas.mesh.origin.to_value(u.pc), [1, -0.5, 0.25], rtol=1e-12)
    assert_fields(gas)
    with pytest.raises(lr.InputError, match="outside the domain"):
        lr.from_yt(ds, ([5, 0, 0], [6, 1, 1]))


def test_thin_datasets_are_one_cell_thick():
    box = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 1.0]])
    made = grids([(0, (0, 0, 0), (8, 16, 1))], (8, 16, 1), box=box)
    fine = {"level": 1, "left_edge": [0.25, 0.5, 0], "right_edge": [0.5, 0.75, 1], "dimensions": (4, 4, 1)}
    at = centres_of([0.25, 0.5, 0], [1 / 16, 1 / 16, 1], (4, 4, 1))
    for name, (function, _) in FIELDS.items():
        factor = 1e-20 if name == "density" else 1
        fine["gas", name] = (function(*at) * factor, made[0]["gas", name][1])
    flat = yt.load_amr_grids([*made, fine], (8, 16, 1), bbox=box, length_unit=PC)
    gas = lr.from_yt(flat, level=1)
    assert gas.shape == (16, 32, 1)
    np.testing.assert_allclose(gas.temperature.value[4:8, 8:12], FIELDS["temperature"][0](*at), rtol=1e-12)
    assert gas.mass.to_value("g") == pytest.approx(leaf_mass(flat), rel=1e-12)
    with pytest.raises(lr.InputError, match="2 dimensions and 2 levels; .* Give level=0 to 1"):
        lr.from_yt(flat)


# ---- particles ----


MSUN = float((1 * u.Msun).to_value("g"))


def particles(sph=True, at=None, speed="cm/s"):
    """SPH particles, or plain ones, in a box of 1 pc; 1 Msun in total."""
    at = np.random.default_rng(3).uniform(0.02, 0.98, (4000, 3)) if at is None else at
    n, km = len(at), 1e5 if speed == "cm/s" else 1
    data = {f"particle_position_{axis}": at[:, i] for i, axis in enumerate("xyz")}
    data |= {f"particle_velocity_{axis}": (at[:, i] * km, speed) for i, axis in enumerate("xyz")}
    data["particle_mass"] = (np.full(n, MSUN / n), "g")
    if sph:
        data["density"] = (np.full(n, MSUN / PC[0] ** 3), "g/cm**3")
        data["smoothing_length"] = (np.full(n, 0.12 * PC[0]), "cm")
        data["temperature"] = (10 + 20 * at[:, 0], "K")
    return yt.load_particles(data, length_unit=PC, bbox=np.array([[0, 1.0], [0, 1], [0, 1]]))


def test_particles_on_a_grid():
    ds = particles()
    with pytest.raises(lr.InputError, match="particles but no cells: give cells"):
        lr.from_yt(ds)
    with pytest.raises(lr.InputError, match="neither levels nor"):
        lr.from_yt(ds, cells=8, level=1)
    with pytest.raises(lr.InputError, match="cells must be one number or three; found 2.5"):
        lr.from_yt(ds, cells=2.5)
    gas = lr.from_yt(ds, cells=(8, 10, 12))
    assert gas.shape == (8, 10, 12)
    middle = (slice(2, -2),) * 3
    (x, y, z), _ = places(gas)
    # smoothing over 0.12 pc of a constant and of linear functions: exact up to the noise of the particles
    np.testing.assert_allclose(gas.density.to_value("Msun/pc3")[middle], 1, rtol=1e-4)
    np.testing.assert_allclose(gas.temperature.value[middle], (10 + 20 * x)[middle], rtol=0.06)
    np.testing.assert_allclose(gas.velocity[2].to_value("km/s")[middle], z[middle], atol=0.05)
    assert "8 x 10 x 12" in model(gas).check()


def test_cells_that_no_particle_reaches_have_a_temperature():
    ds = particles(at=0.3 + 0.1 * np.random.default_rng(4).uniform(size=(200, 3)))
    gas = lr.from_yt(ds, cells=16)
    assert (gas.density.value == 0).any() and (gas.density.value > 0).any()
    assert (gas.temperature.value > 15.9).all() and (gas.temperature.value < 18.1).all()
    model(gas).check()


def test_deposits_of_particles_keep_their_mass():
    gas = lr.from_yt(particles(sph=False), cells=16, density=("deposit", "all_density"))
    assert gas.mass.to_value("g") == pytest.approx(MSUN, rel=1e-9)


def test_units_that_yt_mixes_up_are_noticed():
    """yt 4.4 deposits velocities in km/s onto a grid as if they were cm/s, but labels them km/s."""
    gas = lr.from_yt(particles(speed="km/s"), cells=8)
    try:
        found = gas.velocity[0].to_value("km/s")
    except lr.InputError as error:
        assert "confused the units" in str(error)
    else:
        assert 0 < found.max() < 1


# ---- Athena++ ----


def test_athena_files_are_the_same_through_yt(command):
    """The same file read by linerad itself and through yt: temperatures, velocities and images."""
    functions = {
        "rho": lambda x, y, z: 1 + x + y * z,
        "press": lambda x, y, z: (1 + x + y * z) * (1 + 0.2 * z),
        "vel1": lambda x, y, z: y - z,
        "vel2": lambda x, y, z: x * 0.5,
        "vel3": lambda x, y, z: x - y,
    }
    athdf_file.write("cloud.athdf", functions, (2, 2, 2), (4, 4, 4), (2.0, 1.0, 1.0), refine={(0, 1, 1)})
    density = 4.65e-21
    mu = 2.33 * float((1 * u.u).to_value("g") / yt.units.mh.to_value("g"))  # in yt, in hydrogen masses
    common = """
line: {molecule: co, transition: 1-0}
medium: {abundance: 1e-5, turbulence: 0.3 km/s}
channels: {number: 8, range: [-4 km/s, 4 km/s]}
cameras: [{name: front, direction: [0.2, 0.3, 1], pixels: 16}]
"""
    Path("native.yaml").write_text(
        "snapshot: {file: cloud.athdf, units: {length: 1 pc, density: 4.65e-21 g/cm^3, velocity: 0.5 km/s}, "
        "mean_molecular_weight: 2.33}" + common
    )
    native = lr.Model.load("native.yaml").run()
    pc = float((1 * u.pc).to_value("cm"))
    ds = yt.load(
        "cloud.athdf",
        units_override={
            "length_unit": (pc, "cm"),
            "mass_unit": (density * pc**3, "g"),
            "time_unit": (pc / 0.5e5, "s"),
        },
        parameters={"mu": mu, "gamma": 5 / 3},
    )
    gas = lr.from_yt(ds)
    assert gas.mesh.brick == 4 and gas.shape == (7 + 8, 4, 4, 4)
    by_parts = lr.Model(
        mesh=gas.mesh,
        line=lr.Molecule("co", "1-0"),
        medium=lr.Medium(
            abundance=1e-5,
            turbulence=0.3 * u.km / u.s,
            temperature=gas.temperature,
            velocity=gas.velocity,
            colliders={"H2": gas.number_density()},
        ),
        channels=lr.Channels(8, [-4, 4] * u.km / u.s),
        cameras=lr.Camera("front", [0.2, 0.3, 1], pixels=16),
    ).run()
    wanted = native.cube().data.value
    assert wanted.max() > 0.1
    # Single precision, and yt's own constants in the temperature: 1e-5 of that shows up in the light.
    np.testing.assert_allclose(by_parts.cube().data.value, wanted, rtol=1e-4, atol=1e-5 * wanted.max())
    gas.save("gas.h5")
    Path("converted.yaml").write_text("snapshot: gas.h5" + common)
    command("run", "converted.yaml", "-o", "converted.h5")
    found = lr.Result.load("converted.h5").cube().data.value
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * wanted.max())


# ---- files ----


@pytest.mark.parametrize("options", [{}, {"level": 1}, {"dtype": np.float32}])
def test_snapshots_say_what_the_arrays_say(command, options):
    gas = lr.from_yt(load(), faces={"x": "periodic", "y": "open", "z": "open"}, **options)
    gas.save("gas.h5", {"n_CO": 1e-8 * gas.number_density(), "turbulence": 0.5 * u.km / u.s, "kT": "kT"})
    with h5py.File("gas.h5") as file:
        assert file["fields/kT"].attrs["units"] == "erg" and file["fields/gas_density"].shape == gas.shape
        assert file["mesh"].attrs["faces"] == "periodic open open"
    Path("model.yaml").write_text(
        "snapshot: gas.h5\nline: {molecule: co, transition: 1-0}\nchannels: {number: 6, range: [-4 km/s, 4 km/s]}\n"
        "cameras: [{name: front, direction: [0.3, 0.2, 1], pixels: 12}]\n"
    )
    assert "periodic" in command("check", "model.yaml")
    command("run", "model.yaml", "-o", "out.h5")
    found = lr.Result.load("out.h5").cube().data.value
    wanted = model(gas).run().cube().data.value
    assert wanted.max() > 0.01
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6 * wanted.max())
    assert not list(Path().glob("*.part*"))


def test_snapshots_without_a_temperature_have_the_pressure():
    fields = {name: value for name, value in FIELDS.items() if name != "temperature"}
    fields["pressure"] = (lambda x, y, z: 1e-10 + 0 * x, "erg/cm**3")
    gas = lr.from_yt(load(fields=fields))
    gas.save("gas.h5", {"velocity_z": None})
    with h5py.File("gas.h5") as file:
        assert set(file["fields"]) == {"gas_density", "pressure", "velocity_x", "velocity_y"}
    with pytest.raises(lr.InputError, match=r"fields\['n_CO'\]: the array has shape \(3,\)"):
        gas.save("gas.h5", {"n_CO": np.ones(3) / u.cm**3})
    with pytest.raises(lr.InputError, match="face rules per axis"):
        lr.from_yt(load(), faces={"x-": "reflecting"}).save("other.h5")
    assert not Path("other.h5").exists() and not list(Path().glob("*.part*"))


def test_snapshots_need_h5py(monkeypatch):
    gas = lr.from_yt(load(PATCHES[:1]))
    monkeypatch.setitem(sys.modules, "h5py", None)  # as if it were not installed
    with pytest.raises(lr.Error, match="save: writing snapshots needs h5py.*pip install h5py"):
        gas.save("gas.h5")
    assert not Path("gas.h5").exists()


def test_files_of_others_are_not_replaced():
    gas = lr.from_yt(load())
    gas.save("gas.h5")
    before = Path("gas.h5").stat().st_ino
    gas.save("gas.h5")
    assert Path("gas.h5").stat().st_ino != before  # complete, or the old one
    Path("empty.h5").touch()
    gas.save("empty.h5")
    Path("link.h5").symlink_to("gas.h5")
    gas.save("link.h5")
    assert Path("link.h5").is_symlink()
    Path("notes.txt").write_text("months of work")
    with h5py.File("simulation.h5", "w") as file:
        file.attrs["format"] = "linerad-model"
    kept = {name: Path(name).read_bytes() for name in ("notes.txt", "simulation.h5")}
    for name in kept:
        with pytest.raises(lr.FileError, match=f"{name}: the output exists and was not written by save.*another name"):
            gas.save(name)
    assert kept == {name: Path(name).read_bytes() for name in kept}
    with pytest.raises(lr.FileError, match="there is no directory 'gone'"):
        gas.save("gone/gas.h5")
    Path("folder").mkdir()
    with pytest.raises(lr.FileError, match="is a directory"):
        gas.save("folder")
    assert not list(Path().glob("*.part*"))


# ---- fields and errors ----


def test_any_field_by_name():
    ds = load()
    gas = lr.from_yt(ds)
    assert gas["density"] is gas.density and gas["gas", "temperature"] is gas.temperature
    np.testing.assert_allclose(
        gas["velocity_magnitude"].value, np.sqrt((gas.velocity.value**2).sum(axis=0)), rtol=1e-12, atol=1e-6
    )
    ds.add_field(("gas", "n_CO"), function=lambda field, data: 1e-4 * data["gas", "density"] / yt.units.mh,
                 sampling_type="cell", units="cm**-3")  # fmt: skip
    np.testing.assert_allclose(
        gas["n_CO"].to_value("cm-3"), 1e-4 * gas.density.value / float(yt.units.mh.to_value("g")), rtol=1e-12
    )
    np.testing.assert_allclose(
        gas.number_density(2 * u.u).to_value("cm-3"), (gas.density / (2 * u.u)).to_value("cm-3"), rtol=1e-12
    )


def test_missing_fields_are_named_with_what_there_is():
    few = load(fields={"density": FIELDS["density"], "gas_temp": (lambda x, y, z: x, "K")})
    gas = lr.from_yt(few)
    with pytest.raises(lr.InputError, match=r"no field \('gas', 'temperature'\); it has \('gas', 'gas_temp'\).*ture="):
        gas.temperature
    with pytest.raises(lr.InputError, match=r"no field \('gas', 'velocity_x'\).*velocity="):
        gas.velocity
    with pytest.raises(lr.InputError, match="no field 'densty'; it has .*'density'"):
        gas["densty"]
    with pytest.raises(lr.UnitsError, match="temperature=.*g / cm3.*expected that of a temperature, such as K"):
        lr.from_yt(few, temperature=("gas", "density")).temperature
    assert lr.from_yt(few, temperature="gas_temp").temperature.unit == u.K
    with pytest.raises(lr.InputError, match="three field names"):
        lr.from_yt(few, velocity=("a", "b"))


def test_nan_is_an_error_that_names_the_cell():
    made = grids([(0, (0, 0, 0), (16, 8, 8))])
    made[0]["gas", "temperature"][0][3, 4, 5] = np.nan
    gas = lr.from_yt(yt.load_amr_grids(made, (16, 8, 8), bbox=BOX, length_unit=PC))
    with pytest.raises(lr.InputError, match=r"\[3, 4, 5\]"):
        model(gas).check()


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: 3, "expected a dataset, as yt.load returns it"),
        (lambda: yt.load_uniform_grid({"density": np.ones((4, 4, 4))}, (4, 4, 4), geometry="spherical",
                                      bbox=np.array([[0.1, 1], [0.1, 3], [0, 6]])), "spherical coordinates"),
        (lambda: yt.load_uniform_grid({"density": np.ones((4, 4, 2))}, (4, 4, 2), cell_widths=[
            np.array([1, 1, 3, 3]) / 8, np.full(4, 0.25), np.full(2, 0.5)]), "not of equal size"),
    ],
    ids=["number", "spherical", "stretched"],
)  # fmt: skip
def test_datasets_that_are_refused(make, said):
    with pytest.raises(lr.InputError, match=said):
        lr.from_yt(make())


@pytest.mark.parametrize(
    "options, said",
    [
        ({"level": -1}, "level must be a whole number"),
        ({"level": 1.5}, "level must be a whole number"),
        ({"cells": 16}, "cells is for particles"),
        ({"region": ([1, 0, 0], [0, 1, 1])}, "is empty"),
        ({"region": 7}, "a pair of corners"),
        ({"region": ("left", "right")}, "not a position"),
        ({"region": ([np.nan, 0, 0], [1, 1, 1])}, "not finite"),
        ({"dtype": int}, "dtype must be"),
        ({"level": 12}, "cells are too many"),
    ],
)
def test_arguments_that_are_refused(options, said):
    with pytest.raises(lr.InputError, match=said):
        lr.from_yt(load(), **options)


def test_holes_are_refused():
    with pytest.raises(lr.InputError, match="no data in cell"):
        lr.from_yt(load([(0, (0, 0, 0), (8, 8, 8))]))
    with pytest.raises(lr.InputError, match="fill 0.5 of the region: grids are missing"):
        lr.from_yt(load([(0, (0, 0, 0), (8, 8, 8))]), refined=True)
    across = [(0, (0, 0, 0), (8, 8, 8)), (0, (8, 0, 0), (8, 8, 8)), (1, (12, 4, 4), (8, 4, 4))]  # yt sees one parent
    for refined in (True, False):
        with pytest.raises(lr.InputError, match="cells of the simulation overlap: yt does not know"):
            lr.from_yt(load(across), refined=refined)
    ds = load()
    with pytest.raises(lr.InputError, match="a cut region has holes"):
        lr.from_yt(ds, ds.all_data().cut_region(["obj['gas', 'density'] > 1e-30"]))


# ---- units of yt ----


def test_arguments_with_units_of_yt():
    ds = load([(0, (0, 0, 0), (16, 8, 8))])
    speed, degree = yt.units.km / yt.units.s, yt.units.unyt_quantity(60.0, "deg")
    grid = ds.covering_grid(0, ds.domain_left_edge, ds.domain_dimensions)
    kelvin = grid["gas", "temperature"]
    mesh = lr.Mesh.uniform((16, 8, 8), ds.domain_width, origin=ds.domain_left_edge)  # code lengths
    medium = lr.Medium(
        temperature=kelvin,
        density=ds.arr(np.ones((16, 8, 8)), "m**-3"),
        turbulence=0.3 * speed,
        velocity=[0 * speed, grid["gas", "velocity_y"], 1e5 * yt.units.cm / yt.units.s],
    )
    made = lr.Model(mesh=mesh, line=lr.Molecule("co", "1-0"), medium=medium,
                    cameras=lr.Camera("side", theta=degree, field=1 * yt.units.pc, pixels=4),
                    channels=lr.Channels(4, ds.arr([-1, 1], "km/s")),
                    image=lr.Image(background=2.7 * yt.units.K, distance=1 * yt.units.kpc))  # fmt: skip
    report = made.check()
    assert "1 to 3 pc" in report and "-0.5 to 0.5 pc" in report
    assert made.arrays["medium.temperature"].base is not None or made.arrays["medium.temperature"] is kelvin
    assert np.shares_memory(made.arrays["medium.temperature"], np.asarray(kelvin))
    assert re.search(r"density +1e-06 1/cm3|density +1e-06", report)
    with pytest.raises(lr.UnitsError, match="medium.temperature: 'km / s' is not a temperature"):
        lr.Model(mesh=mesh, line="co10", medium=lr.Medium(temperature=1.0 * speed))
