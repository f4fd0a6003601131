/* Snapshots in linerad's own format: every cell ends up in the right place, whether the file is used whole or in part,
 * with axes permuted or shifted; values in the model take precedence; and bad files are rejected, naming what is
 * wrong. */
#define _POSIX_C_SOURCE 200809L
#include "snapshot_fixture.h"

#include "model/species.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char FILE_NAME[] = "test_model_snapshot.h5";
static const char MODEL[] = "snapshot: test_model_snapshot.h5\nline: {molecule: co}\n";

enum { NX = 4, NY = 3, NZ = 2, N = NX * NY * NZ };
static const hsize_t SHAPE[3] = {NX, NY, NZ}, THREE = 3;
#define U 1.66053906660e-24

/* Different in every cell: 1 + 100 i + 10 j + k. */
static double code(int i, int j, int k)
{
    return 1 + 100 * i + 10 * j + k;
}

static void fill(double values[N], double scale)
{
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                values[(i * NY + j) * NZ + k] = scale * code(i, j, k);
}

static void put_field(const char *name, hid_t type, double scale, const char *units)
{
    double values[N];
    fill(values, scale);
    put(FILE_NAME, name, type, 3, SHAPE, values, units);
}

/* 4 x 3 x 2 cells of 1 pc with a corner at the origin; density of CO 1e-4 code cm^-3, T = code K. */
static void write_uniform(void)
{
    start_file(FILE_NAME, "uniform");
    write_dataset(FILE_NAME, false, "mesh/lower", H5T_IEEE_F64BE, 1, &THREE, (const double[]){0, 0, 0}, "pc");
    write_dataset(FILE_NAME, false, "mesh/upper", H5T_IEEE_F32LE, 1, &THREE, (const double[]){NX, NY, NZ}, "pc");
    write_dataset(FILE_NAME, false, "mesh/cells", H5T_STD_U8LE, 1, &THREE, (const double[]){NX, NY, NZ}, NULL);
    put_field("fields/n_CO", H5T_IEEE_F64BE, 100, "m-3");
    put_field("fields/temperature", H5T_IEEE_F32BE, 1, "K");
    put_field("fields/velocity_x", H5T_STD_I32LE, 1, "m/s");
    put_field("fields/velocity_y", H5T_IEEE_F32LE, -2, "m/s");
    put_field("fields/velocity_z", H5T_IEEE_F64LE, 3, "m/s");
    put_field("fields/entropy", H5T_IEEE_F64LE, 1, NULL);
}

static const lr_model *load(struct fixture *f, const char *setting)
{
    const char *const settings[] = {setting, NULL};
    return load_ok(f, MODEL, settings);
}

static void every_cell_arrives(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    const lr_model *m = load(f, NULL);
    assert_int_equal(m->mesh.n[0], NX);
    assert_int_equal(m->mesh.n[1], NY);
    assert_int_equal(m->mesh.n[2], NZ);
    assert_close(m->mesh.edge[0][3], 3 * PC, 1e-14);
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++) {
                const int cell = (i * NY + j) * NZ + k;
                assert_close(m->species->density.values[cell], 1e-4 * code(i, j, k), 1e-14);
                assert_close(m->species->temperature.values[cell], code(i, j, k), 1e-14);
                assert_close(m->medium.velocity[0].values[cell], 100 * code(i, j, k), 1e-14);
                assert_close(m->medium.velocity[1].values[cell], -200 * code(i, j, k), 1e-14);
                assert_close(m->medium.velocity[2].values[cell], 300 * code(i, j, k), 1e-14);
                /* b^2 = 2 k T / m with m = 27.9949146 u */
                assert_close(m->medium.b.values[cell], sqrt(2 * 1.380649e-16 * code(i, j, k) / (27.9949146 * U)),
                             1e-12);
            }
    assert_non_null(strstr(m->snapshot, "used        n_CO, temperature, velocity_x, velocity_y, velocity_z\n"));
    assert_non_null(strstr(m->snapshot, "not used    entropy\n"));
    unlink(FILE_NAME);
}

static void parts_are_cut_turned_and_rolled(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    /* x of the mesh is z of the file, y is x, z is y. The gas is shifted up by one cell along x, and then cells 1 and 2
     * along x and the last along y are taken. */
    const lr_model *m = load(f, "snapshot={file: test_model_snapshot.h5, axes: [z, x, y], roll: {x: 1 pc}, region: "
                                "{x: [1.2 pc, 3 pc], y: [2.5 pc, 9 pc]}}");
    assert_int_equal(m->mesh.n[0], NZ);
    assert_int_equal(m->mesh.n[1], 2);
    assert_int_equal(m->mesh.n[2], 1);
    assert_close(m->mesh.edge[1][0], 1 * PC, 1e-14);
    assert_close(m->mesh.edge[1][2], 3 * PC, 1e-14);
    assert_close(m->mesh.edge[2][0], 2 * PC, 1e-14);
    for (int a = 0; a < NZ; a++)
        for (int b = 0; b < 2; b++) {
            const double value = code(b + 1 - 1, 2, a); /* cell b + 1 after the shift was cell b before it */
            assert_close(m->species->density.values[a * 2 + b], 1e-4 * value, 1e-14);
            assert_close(m->medium.velocity[0].values[a * 2 + b], 300 * value, 1e-14);
            assert_close(m->medium.velocity[1].values[a * 2 + b], 100 * value, 1e-14);
            assert_close(m->medium.velocity[2].values[a * 2 + b], -200 * value, 1e-14);
        }
    assert_non_null(strstr(m->snapshot, "  rolled      by 1 cells along x\n  taken       cells 1 to 2 of 4 along x\n  "
                                        "taken       cells 2 to 2 of 3 along y\n  axes        x, y, z of the mesh are "
                                        "z, x, y of the file\n"));
    /* Backwards, and by more than the length of the box. */
    m = load(f, "snapshot={file: test_model_snapshot.h5, roll: {x: -9 pc}}");
    for (int i = 0; i < NX; i++)
        assert_close(m->species->density.values[i * NY * NZ], 1e-4 * code((i + 9) % NX, 0, 0), 1e-14);
    unlink(FILE_NAME);
}

static void views_that_cannot_be_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *view, *message;
    } cases[] = {
        {"roll: {x: 0.5 pc}",
         "snapshot.roll.x: this is 0.5 cells of 3.08568e+18 cm along x; it must be a whole number"},
        {"region: {y: [5 pc, 6 pc]}", "snapshot.region.y: nothing lies in this range; the snapshot runs from 0 to "
                                      "9.25703e+18 cm along y"},
        {"region: {y: [2 pc, 1 pc]}", "snapshot.region.y: the first of the two must be the lower one"},
        {"axes: [x, y, y]", "snapshot.axes: each of x, y and z must appear once"},
        {"units: {length: 1 pc}", "snapshot.units: this file already contains this; only Athena++ files need 'units'"},
        {"mass_per_h2: 1", "snapshot.mass_per_h2: '1' must lie between 2 and 1000"},
    };
    write_uniform();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char setting[256], message[512];
        snprintf(setting, sizeof setting, "snapshot={file: test_model_snapshot.h5, %s}", cases[i].view);
        snprintf(message, sizeof message, "--set snapshot: %s", cases[i].message);
        expect_error(f, MODEL, setting, message);
    }
    unlink(FILE_NAME);
}

static void faces_come_from_the_file_or_the_model(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    set_text(FILE_NAME, "mesh", "faces", "periodic open reflecting", true);
    const lr_model *m = load(f, NULL);
    assert_int_equal(m->mesh.face[1], FACE_PERIODIC);
    assert_int_equal(m->mesh.face[2], FACE_OPEN);
    assert_int_equal(m->mesh.face[5], FACE_REFLECTING);
    m = load(f, "snapshot={file: test_model_snapshot.h5, axes: [y, z, x], region: {z: [0 pc, 1 pc]}}");
    assert_int_equal(m->mesh.face[0], FACE_OPEN);
    assert_int_equal(m->mesh.face[2], FACE_OPEN); /* z of the file, which was cut */
    assert_int_equal(m->mesh.face[4], FACE_PERIODIC);
    m = load(f, "mesh={faces: {y: periodic}}");
    assert_int_equal(m->mesh.face[0], FACE_OPEN);
    assert_int_equal(m->mesh.face[2], FACE_PERIODIC);
    expect_error(f, MODEL, "mesh={cells: [4, 3, 2]}",
                 "--set mesh: mesh.cells: the mesh comes from the snapshot; only 'faces' may be given here");
    set_text(FILE_NAME, "mesh", "faces", "shut", true);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'mesh' has an attribute 'faces' that is not open, "
                 "periodic or reflecting (shells: open), or three of these words");
    unlink(FILE_NAME);
}

static void rectilinear_edges_and_shells_are_read(void **state)
{
    struct fixture *f = *state;
    const hsize_t two = 2, four = 4, three = 3, shape[3] = {3, 1, 1};
    start_file(FILE_NAME, "rectilinear");
    write_dataset(FILE_NAME, false, "mesh/x", H5T_IEEE_F64LE, 1, &four, (const double[]){-1, 0, 0.5, 4}, "pc");
    write_dataset(FILE_NAME, false, "mesh/y", H5T_IEEE_F64LE, 1, &two, (const double[]){0, 1}, "pc");
    write_dataset(FILE_NAME, false, "mesh/z", H5T_IEEE_F64LE, 1, &two, (const double[]){0, 1}, "au");
    write_dataset(FILE_NAME, false, "fields/n_CO", H5T_IEEE_F64LE, 3, shape, (const double[]){1, 2, 3}, "cm-3");
    write_dataset(FILE_NAME, false, "fields/temperature", H5T_IEEE_F64LE, 0, NULL, (const double[]){20}, "K");
    const lr_model *m = load(f, NULL);
    assert_close(m->mesh.edge[0][2], 0.5 * PC, 1e-14);
    assert_close(m->mesh.edge[2][1], 1.495978707e13, 1e-14);
    assert_close(m->species->density.values[2], 3, 0);
    assert_null(m->species->temperature.values);
    assert_close(m->species->temperature.constant, 20, 0);
    expect_error(f, MODEL, "snapshot={file: test_model_snapshot.h5, roll: {x: 1 pc}}",
                 "--set snapshot: snapshot.roll.x: only cells of equal width can be rolled; along x they differ");

    start_file(FILE_NAME, "shells");
    write_dataset(FILE_NAME, false, "mesh/r", H5T_IEEE_F64LE, 1, &four, (const double[]){0, 1, 2, 4}, "pc");
    write_dataset(FILE_NAME, false, "fields/n_CO", H5T_IEEE_F64LE, 1, &three, (const double[]){1, 2, 3}, "cm-3");
    write_dataset(FILE_NAME, false, "fields/temperature", H5T_IEEE_F64LE, 1, &three, (const double[]){5, 6, 7}, "K");
    write_dataset(FILE_NAME, false, "fields/velocity_r", H5T_IEEE_F64LE, 1, &three, (const double[]){1, 0, -1}, "km/s");
    m = load(f, NULL);
    assert_int_equal(m->mesh.kind, MESH_SHELLS);
    assert_close(m->mesh.edge[0][3], 4 * PC, 1e-14);
    assert_close(m->medium.velocity[0].values[2], -KM_S, 1e-14);
    assert_close(m->species->temperature.values[1], 6, 0);
    expect_error(f, MODEL, "snapshot={file: test_model_snapshot.h5, axes: [x, y, z]}",
                 "--set snapshot: snapshot.axes: shells have no axes");
    put(FILE_NAME, "fields/temperature", H5T_IEEE_F64LE, 1, &three, (const double[]){5, -6, 7}, "K");
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/temperature': the value -6 at cell [1] is "
                 "negative");
    unlink(FILE_NAME);
}

static void hydrogen_follows_from_mass(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    put_field("fields/gas_density", H5T_IEEE_F64LE, 1e-17, "kg/m3");
    const lr_model *m = load(f, "medium={abundance: 1e-4}");
    for (int cell = 0; cell < N; cell++)
        assert_close(m->species->density.values[cell],
                     1e-4 * 1e-20 * code(cell / NZ / NY, cell / NZ % NY, cell % NZ) / (2.8 * U), 1e-13);
    assert_non_null(strstr(m->snapshot, "from gas_density, with 2.8 u of gas per H2 molecule"));
    const char *const settings[] = {"medium={abundance: 1e-4}",
                                    "snapshot={file: test_model_snapshot.h5, mass_per_h2: 2.4}", NULL};
    m = load_ok(f, MODEL, settings);
    assert_close(m->species->density.values[0], 1e-4 * 1e-20 / (2.4 * U), 1e-13);
    /* Not needed if the density of CO is there. */
    m = load(f, NULL);
    assert_false(m->species->given[COLLIDER_H2]);
    assert_non_null(strstr(m->snapshot, "not used    entropy, gas_density\n"));
    /* n_H2 takes precedence over gas_density, abundance_CO is relative to it, and n_CO takes precedence over both. */
    put_field("fields/n_H2", H5T_IEEE_F64LE, 7, "cm-3");
    put_field("fields/abundance_CO", H5T_IEEE_F64LE, 1e-6, NULL);
    remove_object(FILE_NAME, "fields/n_CO");
    m = load(f, NULL);
    assert_close(m->species->density.values[3], 7 * code(0, 1, 1) * 1e-6 * code(0, 1, 1), 1e-13);
    unlink(FILE_NAME);
}

static void temperature_follows_from_pressure(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    remove_object(FILE_NAME, "fields/temperature");
    put_field("fields/gas_density", H5T_IEEE_F64LE, 1e-20, "g/cm3");
    double values[N];
    for (int cell = 0; cell < N; cell++)
        values[cell] = 1e-12 * code(cell / NZ / NY, cell / NZ % NY, cell % NZ) * (1 + cell);
    put(FILE_NAME, "fields/pressure", H5T_IEEE_F64LE, 3, SHAPE, values, "Pa");
    /* P = 10 values erg/cm^3 and rho = 1e-20 code: T = mu m_u P / (k rho) */
    const double expected = 2.33 * U * 1e-11 / (1.380649e-16 * 1e-20);
    const lr_model *m = load(f, "medium={temperature: {ideal-gas: {mean_molecular_weight: 2.33}}}");
    for (int cell = 0; cell < N; cell++)
        assert_close(m->species->temperature.values[cell], expected * (1 + cell), 1e-12);
    m = load(f, "snapshot={file: test_model_snapshot.h5, mean_molecular_weight: 2.33}");
    assert_close(m->species->temperature.values[5], expected * 6, 1e-12);
    /* The same if H2 was derived from the mass before. */
    const char *const both[] = {"snapshot={file: test_model_snapshot.h5, mean_molecular_weight: 2.33}",
                                "medium={abundance: 1e-4}", NULL};
    m = load_ok(f, MODEL, both);
    assert_close(m->species->temperature.values[5], expected * 6, 1e-12);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: the snapshot has a pressure but no temperature; give the mean mass per "
                 "particle in u, snapshot.mean_molecular_weight: 2.33 for molecular gas, or medium.temperature");
    unlink(FILE_NAME);
}

/* Without gas_density the mass is that of H2, which is read for this purpose if nothing else needs it. */
static void pressure_goes_with_hydrogen(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    put_field("fields/n_H2", H5T_IEEE_F64LE, 100, "cm-3");
    put_field("fields/pressure", H5T_IEEE_F64LE, 1e-12, "erg/cm3");
    /* the temperature of the file needs no H2 */
    const lr_model *m = load(f, NULL);
    assert_false(m->species->given[COLLIDER_H2]);
    /* the recipe does, even if the file has a temperature: T = mu m_u P / (k 2.8 m_u n) */
    const double expected = 2.33 * 1e-12 / (1.380649e-16 * 2.8 * 100);
    m = load(f, "medium={temperature: {ideal-gas: {mean_molecular_weight: 2.33}}}");
    assert_close(field_at(&m->species->temperature, 5), expected, 1e-12);
    assert_non_null(strstr(m->snapshot, "not used    entropy, temperature\n"));
    /* and so does a file without one, unless the model has one */
    remove_object(FILE_NAME, "fields/temperature");
    m = load(f, "snapshot={file: test_model_snapshot.h5, mean_molecular_weight: 2.33}");
    assert_close(field_at(&m->species->temperature, 5), expected, 1e-12);
    m = load(f, "medium={temperature: 20 K}");
    assert_false(m->species->given[COLLIDER_H2]);
    unlink(FILE_NAME);
}

static void the_model_wins(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    put_field("fields/turbulence", H5T_IEEE_F64LE, 10, "m/s");
    const lr_model *m = load(f, "medium={temperature: 50 K, velocity: [1 km/s, 0 km/s, 0 km/s]}");
    assert_close(m->species->temperature.constant, 50, 0);
    assert_close(m->medium.velocity[0].constant, KM_S, 0);
    assert_null(m->medium.velocity[1].values);
    const double thermal = 2 * 1.380649e-16 * 50 / (27.9949146 * U);
    assert_close(m->medium.b.values[1], sqrt(thermal + 1e6 * code(0, 0, 1) * code(0, 0, 1)), 1e-12);
    m = load(f, "medium={temperature: 50 K, turbulence: 0 km/s}");
    assert_close(m->medium.b.constant, sqrt(thermal), 1e-12);
    m = load(f, "line={molecule: 13co, species: CO}");
    assert_close(m->species->density.values[N - 1], 1e-4 * code(3, 2, 1), 1e-14);
    m = load(f, "medium={abundance: {snapshot: entropy}, colliders: {H2: 2 cm^-3}}");
    assert_close(m->species->density.values[N - 1], 2 * code(3, 2, 1), 1e-14);
    unlink(FILE_NAME);
}

static void missing_fields_are_named(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    expect_error(
        f, MODEL, "line={molecule: 13co}",
        "m.yaml:1:11: medium: the snapshot has no n_13CO or abundance_13CO, which is needed (or give "
        "medium.abundance, or the right name as line.species); it has: entropy, n_CO, temperature, velocity_x, "
        "velocity_y, velocity_z");
    expect_error(f, MODEL, "medium={abundance: 1e-4}",
                 "--set medium: medium.abundance: an abundance is relative to H2: the snapshot needs n_H2 or "
                 "gas_density, or 'colliders' H2");
    remove_object(FILE_NAME, "fields/temperature");
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: medium: the snapshot has no temperature, or pressure, which is needed (or give "
                 "medium.temperature); it has: entropy, n_CO, velocity_x, velocity_y, velocity_z");
    expect_error(f, MODEL, "medium={temperature: {snapshot: heat}}",
                 "--set medium: medium.temperature.snapshot: the snapshot has no heat, which is needed; it has: "
                 "entropy, n_CO, velocity_x, velocity_y, velocity_z");
    unlink(FILE_NAME);
}

static void bad_values_units_and_shapes_are_named(void **state)
{
    struct fixture *f = *state;
    double values[N];
    const hsize_t transposed[3] = {NZ, NY, NX};
    const struct {
        double value;
        const char *text;
    } bad[] = {{NAN, "nan at cell [2, 1, 1] is not a finite number"},
               {INFINITY, "inf at cell [2, 1, 1] is not a finite number"},
               {-1, "-1 at cell [2, 1, 1] is negative"}};
    write_uniform();
    for (int i = 0; i < 3; i++) {
        char message[256];
        fill(values, 1);
        values[(2 * NY + 1) * NZ + 1] = bad[i].value;
        put(FILE_NAME, "fields/n_CO", H5T_IEEE_F64LE, 3, SHAPE, values, "cm-3");
        snprintf(message, sizeof message, "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/n_CO': the value %s",
                 bad[i].text);
        expect_error(f, MODEL, NULL, message);
    }
    /* Values outside the region do not matter. */
    load(f, "snapshot={file: test_model_snapshot.h5, region: {x: [0 pc, 2 pc]}}");
    put_field("fields/n_CO", H5T_IEEE_F64LE, 1, "K");
    expect_error(
        f, MODEL, NULL,
        "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/n_CO' has units 'K'; expected a number density "
        "such as 'cm^-3'");
    put_field("fields/n_CO", H5T_IEEE_F64LE, 1, NULL);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/n_CO' has no attribute 'units'; it needs a "
                 "number density such as 'cm^-3'");
    put(FILE_NAME, "fields/n_CO", H5T_IEEE_F64LE, 3, transposed, values, "cm-3");
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/n_CO' has shape (2, 3, 4); the mesh needs "
                 "(4, 3, 2)");
    unlink(FILE_NAME);
}

static void bad_meshes_are_refused(void **state)
{
    struct fixture *f = *state;
    static const char at[] = "m.yaml:1:11: snapshot: test_model_snapshot.h5: ";
    char message[512];
    write_uniform();
    put(FILE_NAME, "mesh/cells", H5T_IEEE_F64LE, 1, &THREE, (const double[]){4, 2.5, 2}, NULL);
    snprintf(message, sizeof message, "%s'mesh/cells': the value 2.5 at [1] is not a whole number from 1 to 1048576",
             at);
    expect_error(f, MODEL, NULL, message);
    put(FILE_NAME, "mesh/cells", H5T_IEEE_F64LE, 1, &THREE, (const double[]){1e5, 1e5, 1e5}, NULL);
    snprintf(message, sizeof message, "%s100000 x 100000 x 100000 cells are too many; at most 2147483647", at);
    expect_error(f, MODEL, NULL, message);
    write_uniform();
    put(FILE_NAME, "mesh/upper", H5T_IEEE_F64LE, 1, &THREE, (const double[]){1, 1, -1}, "pc");
    snprintf(message, sizeof message, "%s'mesh/upper' is not above 'mesh/lower' along z", at);
    expect_error(f, MODEL, NULL, message);
    put(FILE_NAME, "mesh/upper", H5T_IEEE_F64LE, 1, &THREE, (const double[]){1, 1, 1}, "K");
    snprintf(message, sizeof message, "%s'mesh/upper' has units 'K'; expected a length such as 'pc'", at);
    expect_error(f, MODEL, NULL, message);
    set_text(FILE_NAME, "mesh", "kind", "voronoi", true);
    load_text(f, MODEL, NULL);
    assert_non_null(strstr(lr_last_error(f->ctx), "the kind of 'mesh' is 'voronoi'; expected uniform, rectilinear"));
    set_numbers(FILE_NAME, "version", H5T_STD_I32LE, 1, (const double[]){2});
    snprintf(message, sizeof message, "%sformat version 2; this program reads version 1", at);
    expect_error(f, MODEL, NULL, message);
    set_text(FILE_NAME, "/", "format", "linerad result", true);
    snprintf(message, sizeof message,
             "%snot a known snapshot format: its attribute 'format' is 'linerad result'; expected 'linerad-model' "
             "(docs/model_format.md), or an Athena++ file (.athdf)",
             at);
    expect_error(f, MODEL, NULL, message);
    unlink(FILE_NAME);
}

/* Wherever the file is cut off, the answer is an error that names it; never a crash, never a model. */
static void truncated_files_are_refused(void **state)
{
    struct fixture *f = *state;
    write_uniform();
    FILE *file = fopen(FILE_NAME, "rb");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    fclose(file);
    for (long length = size - 1; length >= 0; length -= 211) {
        assert_int_equal(truncate(FILE_NAME, length), 0);
        assert_int_not_equal(load_text(f, MODEL, NULL), LR_OK);
        assert_non_null(strstr(lr_last_error(f->ctx), "test_model_snapshot.h5: "));
    }
    unlink(FILE_NAME);
}

/* Two positions along x, of which the first is divided: bricks of 1 x 2 x 1 cells, each with a different value. */
static void refined_meshes_are_bricks(void **state)
{
    struct fixture *f = *state;
    enum { BRICKS = 9 };
    const hsize_t n = BRICKS, pairs[2] = {BRICKS, 3}, shape[4] = {BRICKS, 1, 2, 1};
    double level[BRICKS], position[BRICKS][3], density[BRICKS][2];
    for (int b = 0; b < BRICKS; b++) {
        level[b] = b < 8;
        for (int axis = 0; axis < 3; axis++)
            position[b][axis] = b < 8 ? b >> axis & 1 : axis == 0;
        density[b][0] = 1 + 2 * b;
        density[b][1] = 2 + 2 * b;
    }
    start_file(FILE_NAME, "amr");
    write_dataset(FILE_NAME, false, "mesh/lower", H5T_IEEE_F64LE, 1, &THREE, (const double[]){0, 0, 0}, "pc");
    write_dataset(FILE_NAME, false, "mesh/upper", H5T_IEEE_F64LE, 1, &THREE, (const double[]){2, 1, 1}, "pc");
    write_dataset(FILE_NAME, false, "mesh/root", H5T_STD_I32LE, 1, &THREE, (const double[]){2, 1, 1}, NULL);
    write_dataset(FILE_NAME, false, "mesh/brick", H5T_STD_I32LE, 1, &THREE, (const double[]){1, 2, 1}, NULL);
    write_dataset(FILE_NAME, false, "mesh/level", H5T_STD_U8LE, 1, &n, level, NULL);
    write_dataset(FILE_NAME, false, "mesh/position", H5T_STD_I64BE, 2, pairs, position[0], NULL);
    write_dataset(FILE_NAME, false, "fields/n_CO", H5T_IEEE_F32BE, 4, shape, density[0], "cm-3");
    write_dataset(FILE_NAME, false, "fields/temperature", H5T_IEEE_F32BE, 0, NULL, (const double[]){10}, "K");
    const lr_model *m = load(f, NULL);
    assert_int_equal(m->mesh.kind, MESH_AMR);
    for (int b = 0; b < BRICKS; b++)
        for (int j = 0; j < 2; j++) {
            double low[3], high[3];
            const double width = b < 8 ? 0.5 : 1;
            mesh_cell_box(&m->mesh, b, j, 0, low, high);
            assert_close(m->species->density.values[2 * b + j], density[b][j], 0);
            assert_close(high[0], (position[b][0] + 1) * width * PC, 1e-14);
            assert_close(high[1], (position[b][1] + 0.5 * (j + 1)) * width * PC, 1e-14);
        }
    /* y of the file becomes x, and bricks 2 x 1 x 1; the undivided position is one brick. */
    m = load(f, "snapshot={file: test_model_snapshot.h5, axes: [y, z, x], region: {x: [1 pc, 2 pc]}}");
    assert_int_equal(mesh_cell_count(&m->mesh), 2);
    assert_int_equal(m->mesh.n[0], 2);
    assert_close(mesh_lower(&m->mesh, 2), PC, 1e-14);
    assert_close(m->species->density.values[1], 18, 0);
    position[3][0] = 0; /* the position of brick 2 */
    put(FILE_NAME, "mesh/position", H5T_STD_I64BE, 2, pairs, position[0], NULL);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: bricks 2 and 3 are both at level 1, position 0 1 0");
    position[3][0] = 1;
    density[4][1] = -1;
    put(FILE_NAME, "mesh/position", H5T_STD_I64BE, 2, pairs, position[0], NULL);
    put(FILE_NAME, "fields/n_CO", H5T_IEEE_F32BE, 4, shape, density[0], "cm-3");
    expect_error(
        f, MODEL, NULL,
        "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/n_CO': the value -1 at brick 4, cell i = 0, j = "
        "1, k = 0 is negative");
    put(FILE_NAME, "fields/n_CO", H5T_IEEE_F32BE, 2, (const hsize_t[]){9, 2}, density[0], "cm-3");
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'fields/n_CO' has shape (9, 2); the mesh needs (9, "
                 "1, 2, 1)");
    unlink(FILE_NAME);
}

/* Sizes claimed by a small file are checked before memory is allocated. */
static void more_bricks_than_are_stored_are_refused(void **state)
{
    struct fixture *f = *state;
    const hsize_t two = 2, pairs[2] = {2, 3}, many = 100 * 1000 * 1000;
    start_file(FILE_NAME, "amr");
    write_dataset(FILE_NAME, false, "mesh/lower", H5T_IEEE_F64LE, 1, &THREE, (const double[]){0, 0, 0}, "pc");
    write_dataset(FILE_NAME, false, "mesh/upper", H5T_IEEE_F64LE, 1, &THREE, (const double[]){2, 1, 1}, "pc");
    write_dataset(FILE_NAME, false, "mesh/root", H5T_STD_I32LE, 1, &THREE, (const double[]){2, 1, 1}, NULL);
    write_dataset(FILE_NAME, false, "mesh/brick", H5T_STD_I32LE, 1, &THREE, (const double[]){1000, 2000, 1000}, NULL);
    write_dataset(FILE_NAME, false, "mesh/level", H5T_STD_U8LE, 1, &two, (const double[]){0, 0}, NULL);
    write_dataset(FILE_NAME, false, "mesh/position", H5T_STD_I32LE, 2, pairs, (const double[]){0, 0, 0, 1, 0, 0}, NULL);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 2 bricks of 1000 x 2000 x 1000 cells are too many; at "
                 "most 2147483647 cells");
    put(FILE_NAME, "mesh/brick", H5T_STD_I32LE, 1, &THREE, (const double[]){1, 2, 1}, NULL);
    put_empty(FILE_NAME, "mesh/level", H5T_STD_U8LE, 1, &many);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'mesh/level' has shape (100000000), which is larger "
                 "than the file; it is damaged or incomplete");
    put(FILE_NAME, "mesh/level", H5T_STD_U8LE, 1, &two, (const double[]){0, 0}, NULL);
    put_empty(FILE_NAME, "mesh/position", H5T_STD_I32LE, 2, pairs);
    expect_error(f, MODEL, NULL,
                 "m.yaml:1:11: snapshot: test_model_snapshot.h5: 'mesh/position' has shape (2, 3), which is larger "
                 "than the file; it is damaged or incomplete");
    unlink(FILE_NAME);
}

/* Levels of many bricks compress well: a file may be much smaller than its contents. */
static void compressed_bricks_are_read(void **state)
{
    struct fixture *f = *state;
    enum { SIDE = 64, BRICKS = SIDE * SIDE * SIDE };
    const hsize_t n = BRICKS, pairs[2] = {BRICKS, 3};
    double *level = calloc(BRICKS, sizeof *level), *position = calloc(3 * (size_t)BRICKS, sizeof *position);
    for (int b = 0; b < BRICKS; b++) {
        position[3 * b] = b / SIDE / SIDE;
        position[3 * b + 1] = b / SIDE % SIDE;
        position[3 * b + 2] = b % SIDE;
    }
    start_file(FILE_NAME, "amr");
    write_dataset(FILE_NAME, false, "mesh/lower", H5T_IEEE_F64LE, 1, &THREE, (const double[]){0, 0, 0}, "pc");
    write_dataset(FILE_NAME, false, "mesh/upper", H5T_IEEE_F64LE, 1, &THREE, (const double[]){2, 1, 1}, "pc");
    write_dataset(FILE_NAME, false, "mesh/root", H5T_STD_I32LE, 1, &THREE, (const double[]){SIDE, SIDE, SIDE}, NULL);
    write_dataset(FILE_NAME, false, "mesh/brick", H5T_STD_I32LE, 1, &THREE, (const double[]){1, 1, 1}, NULL);
    write_dataset(FILE_NAME, false, "mesh/position", H5T_STD_I32LE, 2, pairs, position, NULL);
    write_dataset(FILE_NAME, false, "fields/n_CO", H5T_IEEE_F32BE, 0, NULL, (const double[]){1}, "cm-3");
    write_dataset(FILE_NAME, false, "fields/temperature", H5T_IEEE_F32BE, 0, NULL, (const double[]){10}, "K");
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT), plan = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(plan, 1, &n) >= 0 && H5Pset_deflate(plan, 9) >= 0);
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t dataset = H5Dcreate2(file, "mesh/level", H5T_STD_I64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, level) >= 0);
    assert_true((double)H5Dget_storage_size(dataset) < 8.0 * BRICKS / 900);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(plan);
    H5Fclose(file);
    assert_int_equal(load(f, NULL)->mesh.tree.n_brick, BRICKS);
    free(level);
    free(position);
    unlink(FILE_NAME);
}

/* 300^2 planes do not fit into the buffer all at once: tests that the pieces join. Compressed in chunks of a different
 * size. */
static void large_fields_are_read_in_pieces(void **state)
{
    struct fixture *f = *state;
    enum { SIDE = 300, DEEP = 100 };
    const hsize_t shape[3] = {DEEP, SIDE, SIDE}, chunk[3] = {32, 50, 50};
    const size_t n = (size_t)DEEP * SIDE * SIDE;
    double *values = malloc(n * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i + 1);
    start_file(FILE_NAME, "uniform");
    write_dataset(FILE_NAME, false, "mesh/lower", H5T_IEEE_F64BE, 1, &THREE, (const double[]){0, 0, 0}, "pc");
    write_dataset(FILE_NAME, false, "mesh/upper", H5T_IEEE_F32LE, 1, &THREE, (const double[]){1, 1, 1}, "pc");
    write_dataset(FILE_NAME, false, "mesh/cells", H5T_STD_I32LE, 1, &THREE, (const double[]){DEEP, SIDE, SIDE}, NULL);
    write_dataset(FILE_NAME, false, "fields/temperature", H5T_IEEE_F32LE, 0, NULL, (const double[]){10}, "K");
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(3, shape, NULL);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, 3, chunk);
    hid_t dataset = H5Dcreate2(file, "fields/opaque", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Pclose(plan);
    H5Sclose(space);
    H5Fclose(file);
    const char *const settings[] = {"line=co10", "medium={opacity: {snapshot: opaque}}",
                                    "sources=[{volume: , "
                                    "spectrum: local, luminosity: 1 W}]",
                                    NULL};
    set_text(FILE_NAME, "fields/opaque", "units", "1/Mpc", true);
    const lr_model *m = load_ok(f, MODEL, settings);
    for (size_t i = 0; i < n; i += 977)
        assert_close(m->medium.alpha0.values[i], values[i] / (1e6 * PC), 1e-12);
    free(values);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_cell_arrives),
        RUN(parts_are_cut_turned_and_rolled),
        RUN(views_that_cannot_be_are_refused),
        RUN(faces_come_from_the_file_or_the_model),
        RUN(rectilinear_edges_and_shells_are_read),
        RUN(refined_meshes_are_bricks),
        RUN(hydrogen_follows_from_mass),
        RUN(temperature_follows_from_pressure),
        RUN(pressure_goes_with_hydrogen),
        RUN(the_model_wins),
        RUN(missing_fields_are_named),
        RUN(bad_values_units_and_shapes_are_named),
        RUN(bad_meshes_are_refused),
        RUN(truncated_files_are_refused),
        RUN(more_bricks_than_are_stored_are_refused),
        RUN(compressed_bricks_are_read),
        RUN(large_fields_are_read_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
