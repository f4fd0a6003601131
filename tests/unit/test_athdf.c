/* Snapshots of Athena++: primitive and conserved variables, both byte orders, blocks put together, stretched, refined
 * and with ghost zones, against the functions of position that they were made from; and damaged files. */
#define _POSIX_C_SOURCE 200809L
#include "snapshot_fixture.h"

#include "model/species.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char FILE_NAME[] = "test_athdf.athdf";
static const char MODEL[] = "snapshot:\n"
                            "  file: test_athdf.athdf\n"
                            "  units: {length: 1 pc, density: 1e-20 g/cm^3, velocity: 1 km/s}\n"
                            "  gamma: 1.4\n"
                            "  mean_molecular_weight: 2.33\n"
                            "  scalars: {CO: r0}\n"
                            "line: {molecule: co}\n";
#define U 1.66053906660e-24
#define GAMMA 1.4

enum { MAX_BLOCK = 64, MAX_VALUE = 1 << 16 };

/* A file to be written: 8 x 4 x 4 cells in 2 x 2 x 2 blocks of 4 x 2 x 2, unless changed by a test. */
struct plan {
    bool conserved, magnetic;
    hid_t type, edge_type;
    int ghost, n_block;
    int level[MAX_BLOCK], at[MAX_BLOCK][3];
    double ratio; /* along x */
};

static const int ROOT[3] = {8, 4, 4}, BLOCK[3] = {4, 2, 2};
static const double UPPER[3] = {2, 1, 1};

static struct plan simple_plan(void)
{
    struct plan plan = {.type = H5T_IEEE_F32BE, .edge_type = H5T_IEEE_F32BE, .n_block = 8, .ratio = 1};
    for (int b = 0; b < 8; b++) /* in Morton order, as in Athena++ */
        for (int axis = 0; axis < 3; axis++)
            plan.at[b][axis] = b >> axis & 1;
    return plan;
}

/* The block at (1, 0, 1) is replaced by eight of level 1. */
static struct plan refined_plan(void)
{
    struct plan plan = simple_plan();
    const int parent = 5;
    for (int part = 0; part < 8; part++) {
        const int b = part == 0 ? parent : 7 + part;
        plan.level[b] = 1;
        for (int axis = 0; axis < 3; axis++)
            plan.at[b][axis] = 2 * (parent >> axis & 1) + (part >> axis & 1);
    }
    plan.n_block = 15;
    return plan;
}

static double edge(const struct plan *plan, int axis, double share)
{
    if (axis > 0 || plan->ratio == 1)
        return UPPER[axis] * share;
    return UPPER[0] * (1 - pow(plan->ratio, ROOT[0] * share)) / (1 - pow(plan->ratio, ROOT[0]));
}

/* ---- Functions of place, code units ---- */

static double rho(const double x[3])
{
    return 1 + x[0] + 2 * x[1] + 4 * x[2];
}

static double pressure(const double x[3])
{
    return 0.5 + x[0] * x[1] + x[2];
}

static double velocity(const double x[3], int axis)
{
    const double factor[] = {1, -1, 2};
    return factor[axis] * (0.5 + x[axis]);
}

static double scalar(const double x[3])
{
    return 1e-4 * (1 + x[0] + x[2]);
}

static double magnetic(const double x[3], int axis)
{
    return 0.1 * (axis + 1) * (1 + x[1]);
}

static double value_of(const struct plan *plan, int variable, const double x[3])
{
    if (variable >= 6)
        return magnetic(x, variable - 6);
    if (!plan->conserved)
        return variable == 0   ? rho(x)
               : variable == 1 ? pressure(x)
               : variable == 5 ? scalar(x)
                               : velocity(x, variable - 2);
    double energy = pressure(x) / (GAMMA - 1);
    for (int axis = 0; axis < 3; axis++) {
        energy += 0.5 * rho(x) * velocity(x, axis) * velocity(x, axis);
        energy += plan->magnetic ? 0.5 * magnetic(x, axis) * magnetic(x, axis) : 0;
    }
    return variable == 0   ? rho(x)
           : variable == 1 ? energy
           : variable == 5 ? rho(x) * scalar(x)
                           : rho(x) * velocity(x, variable - 2);
}

/* ---- Writing ---- */

static void cell_centre(const struct plan *plan, int b, const int at[3], double x[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double n = ROOT[axis] << plan->level[b], i = plan->at[b][axis] * BLOCK[axis] + at[axis];
        x[axis] = 0.5 * (edge(plan, axis, i / n) + edge(plan, axis, (i + 1) / n));
    }
}

static void write_variables(const struct plan *plan, const char *name, int first, int n)
{
    const int g = plan->ghost, stored[3] = {BLOCK[0] + 2 * g, BLOCK[1] + 2 * g, BLOCK[2] + 2 * g};
    const hsize_t shape[5] = {(hsize_t)n, (hsize_t)plan->n_block, (hsize_t)stored[2], (hsize_t)stored[1],
                              (hsize_t)stored[0]};
    double *values = calloc(MAX_VALUE, sizeof *values), *to = values;
    for (int v = 0; v < n; v++)
        for (int b = 0; b < plan->n_block; b++)
            for (int k = -g; k < BLOCK[2] + g; k++)
                for (int j = -g; j < BLOCK[1] + g; j++)
                    for (int i = -g; i < BLOCK[0] + g; i++) {
                        const int at[3] = {i, j, k};
                        double x[3];
                        const bool inside = i >= 0 && j >= 0 && k >= 0 && i < BLOCK[0] && j < BLOCK[1] && k < BLOCK[2];
                        cell_centre(plan, b, at, x);
                        *to++ = inside ? value_of(plan, first + v, x) : (double)NAN; /* ghosts must not be read */
                    }
    put(FILE_NAME, name, plan->type, 5, shape, values, NULL);
    free(values);
}

static void write_places(const struct plan *plan)
{
    const char *const names[] = {"x1f", "x2f", "x3f"};
    double level[MAX_BLOCK], at[MAX_BLOCK][3], edges[MAX_BLOCK * 32];
    const hsize_t n = (hsize_t)plan->n_block, pairs[2] = {n, 3};
    for (int b = 0; b < plan->n_block; b++) {
        level[b] = plan->level[b];
        for (int axis = 0; axis < 3; axis++)
            at[b][axis] = plan->at[b][axis];
    }
    put(FILE_NAME, "Levels", H5T_STD_I32BE, 1, &n, level, NULL);
    put(FILE_NAME, "LogicalLocations", H5T_STD_I64BE, 2, pairs, at[0], NULL);
    for (int axis = 0; axis < 3; axis++) {
        const int stored = BLOCK[axis] + 2 * plan->ghost;
        const hsize_t shape[2] = {n, (hsize_t)stored + 1};
        double *to = edges;
        for (int b = 0; b < plan->n_block; b++)
            for (int i = 0; i <= stored; i++)
                *to++ =
                    edge(plan, axis,
                         (plan->at[b][axis] * BLOCK[axis] + i - plan->ghost) / (double)(ROOT[axis] << plan->level[b]));
        put(FILE_NAME, names[axis], plan->edge_type, 2, shape, edges, NULL);
    }
}

static void write_athdf(const struct plan *plan)
{
    const char *const primitive[] = {"rho", "press", "vel1", "vel2", "vel3", "r0", "Bcc1", "Bcc2", "Bcc3"};
    const char *const conserved[] = {"dens", "Etot", "mom1", "mom2", "mom3", "s0", "Bcc1", "Bcc2", "Bcc3"};
    const char *const datasets[] = {plan->conserved ? "cons" : "prim", "B"};
    const double root[3] = {ROOT[0], ROOT[1], ROOT[2]}, count[2] = {6, 3}, blocks = plan->n_block, time = 0.25;
    const int g = 2 * plan->ghost;
    H5Fclose(H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    set_text(FILE_NAME, "/", "Coordinates", "cartesian", false);
    set_numbers(FILE_NAME, "RootGridSize", H5T_STD_I32BE, 3, root);
    set_numbers(FILE_NAME, "MeshBlockSize", H5T_STD_I32BE, 3,
                (const double[]){BLOCK[0] + g, BLOCK[1] + g, BLOCK[2] + g});
    set_numbers(FILE_NAME, "NumMeshBlocks", H5T_STD_I32BE, 1, &blocks);
    set_numbers(FILE_NAME, "Time", H5T_IEEE_F32BE, 1, &time);
    set_numbers(FILE_NAME, "RootGridX1", H5T_IEEE_F64BE, 3, (const double[]){0, UPPER[0], plan->ratio});
    set_numbers(FILE_NAME, "RootGridX2", H5T_IEEE_F64BE, 3, (const double[]){0, UPPER[1], 1});
    set_numbers(FILE_NAME, "RootGridX3", H5T_IEEE_F64BE, 3, (const double[]){0, UPPER[2], 1});
    set_texts(FILE_NAME, "DatasetNames", datasets, plan->magnetic ? 2 : 1);
    set_texts(FILE_NAME, "VariableNames", plan->conserved ? conserved : primitive, plan->magnetic ? 9 : 6);
    set_numbers(FILE_NAME, "NumVariables", H5T_STD_I32BE, plan->magnetic ? 2 : 1, count);
    write_places(plan);
    write_variables(plan, datasets[0], 0, 6);
    if (plan->magnetic)
        write_variables(plan, "B", 6, 3);
}

/* ---- Reading back ---- */

/* Every cell of the model against the functions at its centre. `axis`: the axes of the file that became x, y, z. */
static void check_cells(const lr_model *m, const int axis[3], double tolerance)
{
    int64_t cell = 0;
    for (int i = 0; i < m->mesh.n[0]; i++)
        for (int j = 0; j < m->mesh.n[1]; j++)
            for (int k = 0; k < m->mesh.n[2]; k++, cell++) {
                double low[3], high[3], x[3];
                mesh_cell_box(&m->mesh, i, j, k, low, high);
                for (int d = 0; d < 3; d++)
                    x[axis[d]] = 0.5 * (low[d] + high[d]) / PC;
                const double h2 = 1e-20 * rho(x) / (2.8 * U);
                assert_close(field_at(&m->species->density, cell), h2 * scalar(x), tolerance);
                assert_close(field_at(&m->species->temperature, cell),
                             2.33 * U * pressure(x) * 1e-20 * KM_S * KM_S / (1.380649e-16 * rho(x) * 1e-20), tolerance);
                for (int d = 0; d < 3; d++)
                    assert_close(field_at(&m->medium.velocity[d], cell), KM_S * velocity(x, axis[d]), tolerance);
            }
    assert_true(cell == mesh_cell_count(&m->mesh));
}

static const int STRAIGHT[3] = {0, 1, 2};

static const lr_model *load(struct fixture *f, const char *setting)
{
    const char *const settings[] = {setting, NULL};
    return load_ok(f, MODEL, settings);
}

static void every_cell_arrives_in_every_number_type(void **state)
{
    struct fixture *f = *state;
    const struct {
        hid_t type;
        double tolerance;
    } types[] = {{H5T_IEEE_F32BE, 1e-6}, {H5T_IEEE_F32LE, 1e-6}, {H5T_IEEE_F64BE, 1e-13}, {H5T_IEEE_F64LE, 1e-13}};
    for (int t = 0; t < 4; t++) {
        struct plan plan = simple_plan();
        plan.type = types[t].type;
        plan.edge_type = t % 2 ? H5T_IEEE_F64LE : H5T_IEEE_F32BE;
        write_athdf(&plan);
        const lr_model *m = load(f, NULL);
        assert_int_equal(m->mesh.kind, MESH_CARTESIAN);
        assert_int_equal(m->mesh.n[0], 8);
        assert_close(m->mesh.edge[0][3], 0.75 * PC, 1e-15);
        check_cells(m, STRAIGHT, types[t].tolerance);
    }
    assert_non_null(strstr(f->model->snapshot, "Athena++ at time 0.25, 8 blocks of 4 x 2 x 2 cells\n"));
    unlink(FILE_NAME);
}

static void conserved_variables_become_primitive(void **state)
{
    struct fixture *f = *state;
    for (int with_field = 0; with_field < 2; with_field++) {
        struct plan plan = simple_plan();
        plan.conserved = true;
        plan.magnetic = with_field;
        plan.type = H5T_IEEE_F64BE;
        write_athdf(&plan);
        check_cells(load(f, "snapshot.scalars={CO: s0}"), STRAIGHT, 1e-12);
    }
    expect_error(f,
                 "snapshot: {file: test_athdf.athdf, units: {length: 1 pc, density: 1 g/cm^3, velocity: 1 m/s}, "
                 "mean_molecular_weight: 2}\nline: {molecule: co}\n",
                 NULL,
                 "m.yaml:1:12: snapshot: test_athdf.athdf: to derive the pressure from the energy 'Etot', give "
                 "snapshot.gamma, such as 1.667");
    /* In a file without magnetic fields and with too little energy, the thermal energy is negative somewhere. */
    struct plan plan = simple_plan();
    plan.conserved = true;
    plan.type = H5T_IEEE_F64BE;
    write_athdf(&plan);
    const hsize_t shape[5] = {6, 8, 2, 2, 4};
    double *zero = calloc(6 * 8 * 16, sizeof *zero);
    for (int i = 0; i < 8 * 16; i++)
        zero[i] = zero[8 * 16 + i] = zero[2 * 8 * 16 + i] = 1; /* dens, Etot, mom1 */
    zero[8 * 16 + 3 * 16 + 13] = 0.25;                         /* Etot of block 3 at i = 1, j = 1, k = 1 */
    put(FILE_NAME, "cons", H5T_IEEE_F64LE, 5, shape, zero, NULL);
    const char *const settings[] = {"snapshot.scalars={CO: s0}", NULL};
    assert_int_not_equal(load_text(f, MODEL, settings), LR_OK);
    assert_non_null(strstr(lr_last_error(f->ctx),
                           "test_athdf.athdf: 'cons: Etot': the value -1e-11 at block 3, cell i = 1, j = 1, k = 1 is "
                           "negative"));
    free(zero);
    unlink(FILE_NAME);
}

/* Whatever enters the pressure counts as used, and only magnetic fields may be missing, which the report mentions. */
static void energies_need_all_momenta(void **state)
{
    struct fixture *f = *state;
    const char *const without_mom2[] = {"dens", "Etot", "mom1", "other", "mom3", "s0", "Bcc1", "Bcc2", "Bcc3"};
    const char *const without_b2[] = {"dens", "Etot", "mom1", "mom2", "mom3", "s0", "Bcc1", "other", "Bcc3"};
    const char *const setting[] = {"snapshot.scalars={CO: s0}", NULL};
    const char *const remark = "pressure    from Etot without a magnetic part: the file has no Bcc1, Bcc2, Bcc3\n";
    struct plan plan = simple_plan();
    plan.conserved = true;
    write_athdf(&plan);
    assert_non_null(strstr(load(f, setting[0])->snapshot, remark));
    plan.magnetic = true;
    write_athdf(&plan);
    load(f, setting[0]);
    assert_null(strstr(f->model->snapshot, remark));
    assert_non_null(strstr(f->model->snapshot, "pressure, abundance_CO, Bcc1, Bcc2, Bcc3\n  not used    nothing\n"));
    set_texts(FILE_NAME, "VariableNames", without_b2, 9);
    assert_int_not_equal(load_text(f, MODEL, setting), LR_OK);
    assert_non_null(strstr(lr_last_error(f->ctx), "and needs 'Bcc2', which is missing; give medium.temperature"));
    set_texts(FILE_NAME, "VariableNames", without_mom2, 9);
    assert_int_not_equal(load_text(f, MODEL, setting), LR_OK);
    assert_non_null(strstr(lr_last_error(f->ctx), "and needs 'mom2', which is missing; give medium.temperature"));
    /* If the pressure is not needed, nothing is required for it. */
    load_ok(f, MODEL, (const char *const[]){setting[0], "medium={temperature: 20 K}", NULL});
    assert_non_null(strstr(f->model->snapshot, "not used    pressure, other, Bcc1, Bcc2, Bcc3\n"));
    unlink(FILE_NAME);
}

static void refined_meshes_become_bricks(void **state)
{
    struct fixture *f = *state;
    struct plan plan = refined_plan();
    plan.type = H5T_IEEE_F64BE;
    write_athdf(&plan);
    const lr_model *m = load(f, NULL);
    assert_int_equal(m->mesh.kind, MESH_AMR);
    assert_int_equal(mesh_cell_count(&m->mesh), 15 * 16);
    check_cells(m, STRAIGHT, 1e-13);
    check_cells(load(f, "snapshot.axes=[z, x, y]"), (const int[3]){2, 0, 1}, 1e-13);
    check_cells(load(f, "snapshot.axes=[y, x, z]"), (const int[3]){1, 0, 2}, 1e-13);
    /* Half of the box: the refined block and the three in the same half. */
    m = load(f, "snapshot.region={x: [1.1 pc, 1.2 pc]}");
    assert_int_equal(mesh_cell_count(&m->mesh), 11 * 16);
    assert_close(mesh_lower(&m->mesh, 0), PC, 1e-15);
    check_cells(m, STRAIGHT, 1e-13);
    expect_error(f, MODEL, "snapshot.roll={x: 0.5 pc}",
                 "--set snapshot.roll: snapshot.roll.x: this is 0.5 bricks of the coarsest level of 3.08568e+18 cm "
                 "along x; it must be a whole number");
    unlink(FILE_NAME);
}

/* Shifted by half of the box, the two halves swap places. */
static void refined_meshes_are_rolled(void **state)
{
    struct fixture *f = *state;
    struct plan plan = refined_plan();
    write_athdf(&plan);
    const lr_model *m = load(f, "snapshot.roll={x: 1 pc, z: -0.5 pc}");
    int64_t cell = 0;
    for (int i = 0; i < m->mesh.n[0]; i++)
        for (int j = 0; j < m->mesh.n[1]; j++)
            for (int k = 0; k < m->mesh.n[2]; k++, cell++) {
                double low[3], high[3], x[3];
                mesh_cell_box(&m->mesh, i, j, k, low, high);
                for (int d = 0; d < 3; d++)
                    x[d] = 0.5 * (low[d] + high[d]) / PC;
                x[0] += x[0] < 1 ? 1 : -1;
                x[2] += x[2] < 0.5 ? 0.5 : -0.5;
                assert_close(field_at(&m->medium.velocity[0], cell), KM_S * velocity(x, 0), 1e-6);
                assert_close(field_at(&m->medium.velocity[2], cell), KM_S * velocity(x, 2), 1e-6);
            }
    unlink(FILE_NAME);
}

static void ghost_zones_are_left_out(void **state)
{
    struct fixture *f = *state;
    struct plan plan = simple_plan();
    plan.ghost = 2;
    plan.type = H5T_IEEE_F64LE;
    write_athdf(&plan);
    check_cells(load(f, NULL), STRAIGHT, 1e-13);
    assert_non_null(strstr(f->model->snapshot, "8 blocks of 4 x 2 x 2 cells (ghost zones left out)"));
    plan = refined_plan();
    plan.ghost = 2;
    write_athdf(&plan);
    check_cells(load(f, NULL), STRAIGHT, 1e-6);
    unlink(FILE_NAME);
}

static void stretched_meshes_keep_their_edges(void **state)
{
    struct fixture *f = *state;
    struct plan plan = simple_plan();
    plan.ratio = 1.1;
    plan.type = H5T_IEEE_F64LE;
    write_athdf(&plan);
    const lr_model *m = load(f, NULL);
    for (int i = 1; i < 8; i++)
        assert_close(m->mesh.edge[0][i + 1] - m->mesh.edge[0][i], 1.1 * (m->mesh.edge[0][i] - m->mesh.edge[0][i - 1]),
                     1e-12);
    check_cells(m, STRAIGHT, 1e-12);
    plan = refined_plan();
    plan.ratio = 1.1;
    write_athdf(&plan);
    expect_error(f, MODEL, NULL,
                 "m.yaml:2:9: snapshot.file: test_athdf.athdf: refined meshes with non-uniform cells along x (ratio "
                 "1.1) are not supported");
    unlink(FILE_NAME);
}

static void scalars_may_be_mass_fractions(void **state)
{
    struct fixture *f = *state;
    struct plan plan = simple_plan();
    plan.type = H5T_IEEE_F64LE;
    write_athdf(&plan);
    const double x[3] = {0.125, 0.125, 0.125};
    const lr_model *m = load(f, "snapshot.scalars={CO: {variable: r0, as: mass-fraction}}");
    assert_close(m->species->density.values[0], 1e-20 * rho(x) * scalar(x) / (27.9949146 * U), 1e-12);
    m = load(f, "snapshot.scalars={CO: {variable: r0, as: mass-fraction, mass: 30 u}}");
    assert_close(m->species->density.values[0], 1e-20 * rho(x) * scalar(x) / (30 * U), 1e-12);
    expect_error(f, MODEL, "snapshot.scalars={CO: r7}",
                 "m.yaml:2:9: snapshot.file: test_athdf.athdf: no variable 'r7' for CO; the file has: rho, press, "
                 "vel1, vel2, vel3, r0");
    expect_error(f, MODEL, "snapshot.scalars={OH: {variable: r0, as: mass-fraction}}",
                 "--set snapshot.scalars: snapshot.scalars.OH: a mass fraction needs the mass of a molecule, such as "
                 "mass: 28 u");
    expect_error(f, MODEL, "medium={temperature: {snapshot: pressure}}",
                 "m.yaml:2:3: snapshot: test_athdf.athdf: 'prim: press' is a pressure; expected a temperature");
    unlink(FILE_NAME);
}

/* ---- What is wrong ---- */

static void expect_damage(struct fixture *f, const char *text)
{
    assert_int_not_equal(load_text(f, MODEL, NULL), LR_OK);
    if (!strstr(lr_last_error(f->ctx), text))
        fail_msg("'%s' is not in '%s'", text, lr_last_error(f->ctx));
}

static void inconsistent_blocks_are_named(void **state)
{
    struct fixture *f = *state;
    struct plan plan = simple_plan();
    plan.at[6][0] = 1; /* the position of block 7 */
    write_athdf(&plan);
    expect_damage(f, "'LogicalLocations': blocks 6 and 7 are both at (1, 1, 1) of level 0");
    plan = simple_plan();
    plan.n_block = 7;
    write_athdf(&plan);
    expect_damage(f, "no block is at (1, 1, 1) of level 0");
    plan = simple_plan();
    write_athdf(&plan);
    plan.at[2][0] = 1;
    const hsize_t pairs[2] = {8, 3};
    double at[24];
    for (int i = 0; i < 24; i++)
        at[i] = plan.at[i / 3][i % 3];
    put(FILE_NAME, "LogicalLocations", H5T_STD_I64LE, 2, pairs, at, NULL);
    expect_damage(f, "'x1f': block 2 has an edge at 0, where its level and logical location say 1");
    at[6] = 8;
    put(FILE_NAME, "LogicalLocations", H5T_STD_I64LE, 2, pairs, at, NULL);
    expect_damage(f, "'LogicalLocations': block 2 on level 0 is at 8 along x, outside the mesh");
    plan = refined_plan();
    plan.n_block = 14; /* one of eight is missing */
    write_athdf(&plan);
    expect_damage(f, "test_athdf.athdf: the bricks leave a hole: brick ");
    plan = refined_plan();
    memcpy(plan.at[14], plan.at[13], sizeof plan.at[14]);
    write_athdf(&plan);
    expect_damage(f, "bricks 13 and 14 are both at level 1, position 2 1 3");
    unlink(FILE_NAME);
}

static void damaged_files_are_refused(void **state)
{
    struct fixture *f = *state;
    const hsize_t shape[5] = {6, 8, 2, 2, 4};
    struct plan plan = simple_plan();
    write_athdf(&plan);
    set_text(FILE_NAME, "/", "Coordinates", "spherical_polar", true);
    expect_damage(f, "the coordinates are 'spherical_polar'; only 'cartesian' is supported");
    write_athdf(&plan);
    set_numbers(FILE_NAME, "NumVariables", H5T_STD_I32LE, 1, (const double[]){7});
    expect_damage(f, "'prim' does not have the shape (7, 8, 2, 2, 4) (variables, blocks, k, j, i)");
    set_numbers(FILE_NAME, "RootGridX2", H5T_IEEE_F64LE, 3, (const double[]){1, 0, 1});
    expect_damage(f, "the attribute 'RootGridX2' says the mesh goes from 1 to 0");
    set_numbers(FILE_NAME, "RootGridX2", H5T_IEEE_F64LE, 3, (const double[]){0, NAN, 1});
    expect_damage(f, "the attribute 'RootGridX2' of '/' is missing or invalid");
    write_athdf(&plan);
    set_numbers(FILE_NAME, "MeshBlockSize", H5T_STD_I32LE, 3, (const double[]){4, 2, -2});
    expect_damage(f, "the attribute 'MeshBlockSize' holds -2");
    write_athdf(&plan);
    remove_object(FILE_NAME, "prim");
    expect_damage(f, "'prim' is missing");
    write_athdf(&plan);
    remove_object(FILE_NAME, "Levels");
    expect_damage(f, "no dataset 'Levels'");
    const hsize_t blocks = 8, pairs[2] = {8, 3}, edges[2] = {8, 5};
    put_empty(FILE_NAME, "Levels", H5T_STD_I32LE, 1, &blocks);
    expect_damage(f, "'Levels' has shape (8), which is larger than the file");
    write_athdf(&plan);
    put_empty(FILE_NAME, "LogicalLocations", H5T_STD_I64LE, 2, pairs);
    expect_damage(f, "'LogicalLocations' has shape (8, 3), which is larger than the file");
    write_athdf(&plan);
    put_empty(FILE_NAME, "x1f", H5T_IEEE_F32LE, 2, edges);
    expect_damage(f, "'x1f' has shape (8, 5), which is larger than the file");
    write_athdf(&plan);
    double *values = calloc(6 * 8 * 16, sizeof *values);
    for (int i = 0; i < 6 * 8 * 16; i++)
        values[i] = 1;
    values[5 * 16 + 6] = NAN; /* rho of block 5 at i = 2, j = 1, k = 0 */
    put(FILE_NAME, "prim", H5T_IEEE_F32BE, 5, shape, values, NULL);
    expect_damage(f, "'prim: rho': the value nan at block 5, cell i = 2, j = 1, k = 0 is not a finite number");
    free(values);
    unlink(FILE_NAME);
}

static void units_are_asked_for(void **state)
{
    struct fixture *f = *state;
    struct plan plan = simple_plan();
    write_athdf(&plan);
    expect_error(f, "snapshot: test_athdf.athdf\nline: {molecule: co}\n", NULL,
                 "m.yaml:1:1: snapshot: an Athena++ file has no units; give its code units, for example units: "
                 "{length: 1 pc, density: 1e-21 g/cm^3, velocity: 1 km/s}");
    expect_error(f, MODEL, "snapshot.units={length: 1 pc, velocity: 1 km/s}",
                 "--set snapshot.units: the key 'density' is missing");
    expect_error(f, MODEL, "snapshot.units.density=1 cm^-3",
                 "--set snapshot.units.density: '1 cm^-3' is not a mass density; write for example '1 g/cm^3'");
    unlink(FILE_NAME);
}

static void truncated_files_are_refused(void **state)
{
    struct fixture *f = *state;
    struct plan plan = simple_plan();
    write_athdf(&plan);
    FILE *file = fopen(FILE_NAME, "rb");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    fclose(file);
    for (long length = size - 1; length >= 0; length -= 511) {
        assert_int_equal(truncate(FILE_NAME, length), 0);
        expect_damage(f, "test_athdf.athdf: ");
    }
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_cell_arrives_in_every_number_type),
        RUN(conserved_variables_become_primitive),
        RUN(energies_need_all_momenta),
        RUN(refined_meshes_become_bricks),
        RUN(refined_meshes_are_rolled),
        RUN(ghost_zones_are_left_out),
        RUN(stretched_meshes_keep_their_edges),
        RUN(scalars_may_be_mass_fractions),
        RUN(inconsistent_blocks_are_named),
        RUN(damaged_files_are_refused),
        RUN(units_are_asked_for),
        RUN(truncated_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
