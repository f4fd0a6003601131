/* Models from text and arrays in memory: the same numbers as from files, whatever the type and strides, and messages
 * that name the array and the cell. */
#include "model_fixture.h"

enum { NX = 4, NY = 2, NZ = 2, N_CELL = NX * NY * NZ };

/* A C-ordered array with the shape of the mesh; strides follow from the type. */
static struct lr_array cells_array(const char *name, const void *data, enum lr_type type, int64_t size,
                                   const char *units)
{
    return (struct lr_array){.size = sizeof(struct lr_array),
                             .name = name,
                             .data = data,
                             .type = type,
                             .rank = 3,
                             .shape = {NX, NY, NZ},
                             .stride = {NY * NZ * size, NZ * size, size},
                             .units = units};
}

static enum lr_status load_arrays(struct fixture *f, const struct lr_array *arrays, int n, const char *const *settings)
{
    int n_setting = 0;
    while (settings && settings[n_setting])
        n_setting++;
    lr_model_free(f->model);
    f->model = NULL;
    lr_document *document = NULL;
    enum lr_status status = lr_document_parse(f->ctx, "text", BASE, NULL, settings, n_setting, &document);
    for (int i = 0; i < n && status == LR_OK; i++)
        status = lr_document_lend(f->ctx, document, &arrays[i]);
    if (status == LR_OK)
        status = lr_model_create(f->ctx, document, NULL, &f->model);
    lr_document_free(document);
    return status;
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_array_error(struct fixture *f, const struct lr_array *array, const char *setting,
                               const char *message)
{
    assert_int_equal(load_arrays(f, array, 1, SETTINGS(setting)), LR_ERROR_INPUT);
    assert_null(f->model);
    assert_string_equal(lr_last_error(f->ctx), message);
}

static void test_types(void **state)
{
    struct fixture *f = *state;
    double wide[N_CELL];
    float narrow[N_CELL];
    int32_t small[N_CELL];
    int64_t large[N_CELL];
    for (int i = 0; i < N_CELL; i++) {
        wide[i] = 100.0 + i;
        narrow[i] = (float)wide[i];
        small[i] = 100 + i;
        large[i] = 100 + i;
    }
    const struct lr_array arrays[] = {
        cells_array("T", wide, LR_FLOAT64, 8, "K"), cells_array("T", narrow, LR_FLOAT32, 4, "K"),
        cells_array("T", small, LR_INT32, 4, "K"), cells_array("T", large, LR_INT64, 8, "K")};
    /* a temperature of the gas gives b^2 = 2 k T / m, so that b^2 is proportional to it */
    for (int type = 0; type < 4; type++) {
        assert_int_equal(load_arrays(f, &arrays[type], 1, SETTINGS("medium.temperature={array: T}")), LR_OK);
        const double *b = f->model->medium.b.values;
        for (int i = 0; i < N_CELL; i++)
            assert_close(b[i] * b[i] / (b[0] * b[0]), wide[i] / wide[0], 1e-12);
    }
}

/* Fortran order, every second value, and backwards. */
static void test_strides(void **state)
{
    struct fixture *f = *state;
    double memory[2 * N_CELL];
    struct lr_array array = cells_array("n", memory, LR_FLOAT64, 8, "cm-3");
    for (int i = 0; i < 2 * N_CELL; i++)
        memory[i] = -1.0; /* an error wherever it is read */
    for (int x = 0; x < NX; x++)
        for (int y = 0; y < NY; y++)
            for (int z = 0; z < NZ; z++)
                memory[2 * (x + NX * (y + NY * (NZ - 1 - z)))] = 1.0 + (x * NY + y) * NZ + z;
    array.stride[0] = 2 * 8;
    array.stride[1] = 2 * 8 * NX;
    array.stride[2] = -2 * 8 * NX * NY;
    array.data = memory + 2 * NX * NY * (NZ - 1);
    assert_int_equal(load_arrays(f, &array, 1, SETTINGS("medium.density={array: n}")), LR_OK);
    const double *alpha = f->model->medium.alpha0.values;
    for (int i = 0; i < N_CELL; i++)
        assert_close(alpha[i] / alpha[0], 1.0 + i, 1e-12);
}

static void test_units_are_converted(void **state)
{
    struct fixture *f = *state;
    double values[3 * N_CELL];
    for (int i = 0; i < 3 * N_CELL; i++)
        values[i] = i;
    const struct lr_array array = {.size = sizeof array,
                                   .name = "v",
                                   .data = values,
                                   .type = LR_FLOAT64,
                                   .rank = 4,
                                   .shape = {3, NX, NY, NZ},
                                   .stride = {8 * N_CELL, 8 * NY * NZ, 8 * NZ, 8},
                                   .units = "(1000 m s-1)"};
    if (load_arrays(f, &array, 1, SETTINGS("medium.velocity={array: v}")) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < N_CELL; i++)
            assert_close(f->model->medium.velocity[d].values[i], KM_S * (d * N_CELL + i), 1e-14);
}

static void test_edges(void **state)
{
    struct fixture *f = *state;
    const double edges[] = {0.0, 1.0, 3.0};
    const struct lr_array array = {.size = sizeof array,
                                   .name = "x",
                                   .data = edges,
                                   .type = LR_FLOAT64,
                                   .rank = 1,
                                   .shape = {3},
                                   .stride = {8},
                                   .units = "pc"};
    assert_int_equal(
        load_arrays(f, &array, 1, SETTINGS("mesh={edges: {x: {array: x}, y: [0 pc, 1 pc], z: [0 pc, 1 pc]}}")), LR_OK);
    assert_int_equal(f->model->mesh.n[0], 2);
    assert_close(f->model->mesh.edge[0][2], 3.0 * PC, 1e-12);
}

/* Eight bricks of level 1 in place of the first of two on level 0. */
static void test_bricks(void **state)
{
    struct fixture *f = *state;
    const int32_t level[9] = {1, 1, 1, 1, 1, 1, 1, 1, 0};
    const int64_t position[9][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0},
                                    {1, 0, 1}, {1, 1, 0}, {1, 1, 1}, {1, 0, 0}};
    struct lr_array arrays[] = {
        {.size = sizeof *arrays, .name = "l", .data = level, .type = LR_INT32, .rank = 1, .shape = {9}, .stride = {4}},
        {.size = sizeof *arrays,
         .name = "p",
         .data = position,
         .type = LR_INT64,
         .rank = 2,
         .shape = {9, 3},
         .stride = {24, 8}}};
    const char *mesh = "mesh={cells: [2, 1, 1], size: [2 pc, 1 pc, 1 pc], bricks: {level: {array: l}, "
                       "position: {array: p}}}";
    assert_int_equal(load_arrays(f, arrays, 2, SETTINGS(mesh)), LR_OK);
    assert_int_equal(f->model->mesh.kind, MESH_AMR);
    assert_int_equal(mesh_cell_count(&f->model->mesh), 9);
    assert_close(mesh_cell_volume(&f->model->mesh, 0, 0, 0) / (PC * PC * PC), 0.125, 1e-12);
    assert_close(mesh_cell_volume(&f->model->mesh, 8, 0, 0) / (PC * PC * PC), 1.0, 1e-12);
    arrays[0].shape[0] = arrays[1].shape[0] = 8;
    assert_int_equal(load_arrays(f, arrays, 2, SETTINGS(mesh)), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx),
                           "--set mesh: mesh.bricks: the bricks leave a hole: there is none at level 0, "
                           "position 1 0 0"));
    arrays[1].shape[0] = 9;
    assert_int_equal(load_arrays(f, arrays, 2, SETTINGS(mesh)), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "the array 'p' has shape (9, 3); expected (n, 3)"));
}

static void test_errors(void **state)
{
    struct fixture *f = *state;
    double values[N_CELL] = {1, 1, 1, 1, 1, 1, NAN, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct lr_array array = cells_array("T", values, LR_FLOAT64, 8, "K");
    const char *setting = "medium.temperature={array: T}";
    expect_array_error(f, &array, setting,
                       "--set medium.temperature: the value nan of array 'T' at cell [1, 1, 0] is not a finite number");
    array.shape[0] = 3;
    expect_array_error(f, &array, setting,
                       "--set medium.temperature: the array 'T' has shape (3, 2, 2); the mesh needs (4, 2, 2)");
    array.shape[0] = 4;
    array.units = NULL;
    expect_array_error(f, &array, setting,
                       "--set medium.temperature: the array 'T' has no 'units'; give it one such as 'K'");
    array.units = "km/s";
    expect_array_error(f, &array, setting,
                       "--set medium.temperature: the array 'T' has units 'km/s', which is not a temperature such as "
                       "'K'");
    expect_array_error(f, &array, "medium.temperature={array: U}",
                       "--set medium.temperature: medium.temperature.array: no array 'U' among the 1 given");
    array.data = NULL;
    expect_array_error(f, &array, setting,
                       "--set medium.temperature: medium.temperature.array: array 'T' does not hold numbers");
    array.rank = 9;
    expect_array_error(f, &array, setting,
                       "--set medium.temperature: medium.temperature.array: array 'T' has 9 axes; the maximum is 8");
    assert_int_equal(load_arrays(f, NULL, 0, SETTINGS(setting)), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "no arrays are available here; name an HDF5 file"));
}

/* Files are found relative to the given folder. */
static void test_folder(void **state)
{
    struct fixture *f = *state;
    lr_document *document = NULL;
    assert_int_equal(lr_document_parse(f->ctx, "text",
                                       "mesh: {cells: [1, 1, 1], size: [1 pc, 1 pc, 1 pc]}\nline: lya\n"
                                       "medium: {temperature: {file: gone.h5, dataset: T}, density: 1 cm^-3}\n"
                                       "sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: local, "
                                       "luminosity: 1 1/s}]\n",
                                       "some/where", NULL, 0, &document),
                     LR_OK);
    assert_int_equal(lr_model_create(f->ctx, document, NULL, &f->model), LR_ERROR_IO);
    lr_document_free(document);
    assert_non_null(strstr(lr_last_error(f->ctx), "text:3:"));
    assert_non_null(strstr(lr_last_error(f->ctx), "some/where/gone.h5"));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {TEST(test_types), TEST(test_strides), TEST(test_units_are_converted),
                                       TEST(test_edges), TEST(test_bricks),  TEST(test_errors),
                                       TEST(test_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
