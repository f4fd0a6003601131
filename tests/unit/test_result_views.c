/* What other programs see of a result: arrays under the names in the file, cubes as in FITS files. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fitsio.h>

#include "image_fixture.h"

/* ---- arrays ---- */

static struct lr_array find(const lr_result *result, const char *name)
{
    struct lr_array array;
    LR_INIT(array);
    const int found = lr_result_array(result, name, &array);
    assert_int_equal(found, array.name != NULL);
    return array;
}

static void test_arrays(void **state)
{
    struct image_fixture *f = *state;
    lr_result *r = f->result;
    r->n_bin = 2;
    r->n_mu = r->n_phi = 1;
    r->x_edge = image_doubles(3, -1.0, 1.0);
    r->total = (struct measured){image_doubles(2, 5.0, 1.0), image_doubles(2, 0.1, 0.1)};
    r->mean_intensity = (struct measured){image_doubles(SCENE_X * SCENE_Y * SCENE_Z, 0.0, 1.0), NULL};
    const struct lr_array total = find(r, "spectrum/total"), field = find(r, "fields/mean_intensity");
    assert_ptr_equal(total.data, r->total.value); /* nothing is copied */
    assert_true(total.rank == 1 && total.shape[0] == 2 && total.stride[0] == 8 && total.type == LR_FLOAT64);
    assert_string_equal(total.units, "1/s");
    assert_int_equal(find(r, "spectrum/x_edges").shape[0], 3);
    assert_true(field.rank == 3 && field.shape[0] == SCENE_X && field.shape[1] == SCENE_Y && field.shape[2] == SCENE_Z);
    assert_true(field.stride[0] == 8 * SCENE_Y * SCENE_Z && field.stride[1] == 8 * SCENE_Z && field.stride[2] == 8);
    assert_null(find(r, "fields/mean_intensity_error").name); /* what does not exist is not listed */
    assert_null(find(r, "").name);
    assert_string_equal(lr_result_array_name(r, 0), "spectrum/x_edges");
    assert_null(lr_result_array_name(r, -1));
    assert_null(lr_result_array_name(r, 99));
    assert_string_equal(lr_result_text(r, "mesh"), "cartesian");
    assert_string_equal(lr_result_text(r, "model"), image_model);
    assert_null(lr_result_text(r, "molecule"));
    assert_null(lr_result_text(r, "nothing"));
    assert_int_equal(lr_result_bricks(r, NULL, NULL), 0);
}

/* Columns of structures have strides. */
static void test_populations(void **state)
{
    struct image_fixture *f = *state;
    struct population_result *p = calloc(1, sizeof *p);
    f->result->populations = p;
    p->method = POPULATIONS_EQUILIBRIUM;
    p->n_level = 2;
    p->level = calloc(2, sizeof *p->level);
    p->level[1] = (struct level){.energy = 3.8, .weight = 3.0, .label = "1"};
    p->found.n_step = 3;
    p->found.step = calloc(3, sizeof *p->found.step);
    p->found.step[2] = (struct population_step){.change = 0.5, .error = 0.25, .radius = 0.75, .accelerated = true};
    const struct lr_array energy = find(f->result, "populations/level_energy");
    const struct lr_array error = find(f->result, "populations/history_error");
    const struct lr_array jump = find(f->result, "populations/history_accelerated");
    double value = 0.0;
    memcpy(&value, (const char *)energy.data + energy.stride[0], sizeof value);
    assert_true(value == 3.8);
    memcpy(&value, (const char *)error.data + 2 * error.stride[0], sizeof value);
    assert_true(value == 0.25);
    assert_int_equal(jump.type, LR_BOOL);
    assert_int_equal(*((const char *)jump.data + 2 * jump.stride[0]), 1);
    assert_string_equal(lr_result_text(f->result, "method"), "equilibrium");
    assert_string_equal(lr_result_level_label(f->result, 1), "1");
    assert_null(lr_result_level_label(f->result, 2));
    assert_null(find(f->result, "populations/fraction").name);
}

/* ---- cubes ---- */

static void read_fits(const struct image_fixture *f, const char *name, long n, float *values)
{
    char path[256];
    fitsfile *file = NULL;
    int status = 0, any = 0;
    snprintf(path, sizeof path, "%s%s", f->prefix, name);
    fits_open_diskfile(&file, path, READONLY, &status);
    fits_read_img(file, TFLOAT, 1, n, NULL, values, &any, &status);
    fits_close_file(file, &status);
    assert_int_equal(status, 0);
}

/* Bit for bit; NaN where NaN is expected. */
static void assert_same(const float *values, const float *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] != expected[i] && !(isnan(values[i]) && isnan(expected[i])))
            fail_msg("element %zu is %.9g, not %.9g", i, (double)values[i], (double)expected[i]);
}

static void check_against_files(struct image_fixture *f)
{
    enum { MAP = IMAGE_Y * IMAGE_X, N = IMAGE_CHANNEL * MAP };
    float expected[N];
    lr_cube *cube = NULL;
    struct lr_cube_view view;
    struct lr_moments moments;
    LR_INIT(view);
    LR_INIT(moments);
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(lr_cube_create(f->ctx, f->result, "front", &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_int_equal(lr_cube_moments(f->ctx, cube, &moments), LR_OK);
    assert_true(view.scale == 1.0 && moments.scale == 1.0);
    read_fits(f, "_front.fits", N, expected);
    assert_same(view.values, expected, N);
    read_fits(f, "_front_error.fits", N, expected);
    assert_same(view.errors, expected, N);
    read_fits(f, "_front_tau.fits", N, expected);
    assert_same(view.optical_depth, expected, N);
    read_fits(f, "_front_mom0.fits", MAP, expected);
    assert_same(moments.integral, expected, MAP);
    read_fits(f, "_front_mom1.fits", MAP, expected);
    assert_same(moments.mean, expected, MAP);
    read_fits(f, "_front_mom2.fits", MAP, expected);
    assert_same(moments.dispersion, expected, MAP);
    read_fits(f, "_front_peak.fits", MAP, expected);
    assert_same(moments.peak, expected, MAP);
    lr_cube_free(cube);
}

static void test_cube(void **state)
{
    struct image_fixture *f = *state;
    check_against_files(f);
    f->result->image.unit = UNIT_JY_PER_BEAM;
    const double pixel = LR_PARSEC / image_distance;
    const double beam[3] = {2.0 * pixel, 1.5 * pixel, 0.3};
    memcpy(f->result->image.beam, beam, sizeof beam);
    check_against_files(f);
}

static void test_description(void **state)
{
    struct image_fixture *f = *state;
    lr_cube *cube = NULL;
    struct lr_cube_view view;
    LR_INIT(view);
    assert_int_equal(lr_cube_create(f->ctx, f->result, "front", &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_string_equal(view.camera, "front");
    assert_string_equal(view.unit, "Jy/sr");
    assert_true(view.n_channel == IMAGE_CHANNEL && view.n_y == IMAGE_Y && view.n_x == IMAGE_X);
    assert_true(view.angles == 1 && fabs(view.pixel[0] * image_distance / LR_PARSEC - 1.0) < 1e-9);
    assert_true(view.first == -4.0 * image_km + 0.5 * image_km + 10.0 * image_km && view.width == image_km);
    assert_true(view.rest_frequency == 2.466e15 && view.beam[0] == 0.0);
    lr_cube_free(cube);
    f->result->image.distance = 0.0;
    assert_int_equal(lr_cube_create(f->ctx, f->result, "front", &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_true(view.angles == 0 && fabs(view.pixel[1] / LR_PARSEC - 1.0) < 1e-12);
    lr_cube_free(cube);
    assert_int_equal(lr_cube_create(f->ctx, f->result, "side", &cube), LR_ERROR_INPUT);
    assert_null(cube);
    assert_string_equal(lr_last_error(f->ctx), "no camera 'side'; the result has 1");
}

/* ---- files ---- */

static void assert_equal_arrays(const lr_result *a, const lr_result *b)
{
    const char *name = NULL;
    int n = 0;
    for (; (name = lr_result_array_name(a, n)); n++) {
        const struct lr_array x = find(a, name), y = find(b, name);
        assert_non_null(y.name);
        assert_true(x.rank == y.rank && x.type == y.type && memcmp(x.shape, y.shape, sizeof x.shape) == 0);
        if (x.rank == 1) /* columns of structures have gaps */
            for (int64_t j = 0; j < x.shape[0]; j++)
                assert_memory_equal((const char *)x.data + j * x.stride[0], (const char *)y.data + j * y.stride[0],
                                    x.type == LR_BOOL ? 1 : 4);
    }
    assert_null(lr_result_array_name(b, n));
}

static void add_populations(lr_result *result)
{
    struct population_result *p = result->populations = calloc(1, sizeof *p);
    const size_t n_cell = SCENE_X * SCENE_Y * SCENE_Z;
    p->method = POPULATIONS_LVG;
    p->n_level = p->found.n_level = 2;
    p->level = calloc(2, sizeof *p->level);
    p->level[1] = (struct level){.energy = 3.8, .weight = 3.0, .label = "1"};
    strcpy(p->level[0].label, "0");
    strcpy(p->molecule, "CO");
    strcpy(p->transition, "1-0");
    p->found.x = image_doubles(2 * n_cell, 0.5, 0.0);
    p->found.residual = image_floats(n_cell, 0.0f, 1e-4f);
    p->excitation = image_doubles(n_cell, 10.0, NAN); /* NaN without gas */
    p->found.n_step = 1;
    p->found.step = calloc(1, sizeof *p->found.step);
    p->found.step[0] = (struct population_step){.change = 1e-4, .error = 1e-5, .radius = 0.1, .accelerated = true};
    p->found.noise = NAN;
    p->found.iterations = 12;
    p->found.converged = true;
}

/* What is read back is what was written, images to the rounding of float. */
static void test_read(void **state)
{
    struct image_fixture *f = *state;
    lr_result *r = f->result, *read = NULL;
    lr_cube *before = NULL, *after = NULL;
    struct lr_cube_view a, b;
    struct lr_summary summary;
    LR_INIT(a);
    LR_INIT(b);
    LR_INIT(summary);
    r->n_bin = 2;
    r->n_mu = 2;
    r->n_phi = 1;
    r->axis = 1;
    r->x_edge = image_doubles(3, -1.0, 1.0);
    r->total = (struct measured){image_doubles(2, 5.0, 1.0), image_doubles(2, NAN, 0.1)};
    r->direction = (struct measured){image_doubles(4, 5.0, 1.0), image_doubles(4, 0.5, 0.1)};
    r->mean_intensity = (struct measured){image_doubles(SCENE_X * SCENE_Y * SCENE_Z, 0.0, 1.0),
                                          image_doubles(SCENE_X * SCENE_Y * SCENE_Z, 0.0, 0.5)};
    r->packets.n = 3;
    r->packets.weight = image_doubles(3, 1.0, 1.0);
    r->packets.id = calloc(3, sizeof *r->packets.id);
    r->packets.id[2] = ((int64_t)1 << 60) + 1;
    r->summary.seed = UINT64_MAX;
    r->summary.escaped = (struct lr_estimate){3.0, NAN};
    add_populations(r);
    assert_int_equal(lr_result_write(f->ctx, r, f->path), LR_OK);
    if (lr_result_read(f->ctx, f->path, &read) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    assert_equal_arrays(r, read);
    lr_result_summary(read, &summary);
    assert_true(summary.packets == 1000 && summary.seed == UINT64_MAX && summary.escaped.value == 3.0);
    assert_true(isnan(summary.escaped.error) && summary.population_iterations == 12 && summary.populations_converged);
    assert_int_equal(read->axis, 1);
    assert_true(read->packets.id[2] == ((int64_t)1 << 60) + 1);
    assert_string_equal(lr_result_text(read, "model"), image_model);
    assert_string_equal(lr_result_text(read, "molecule"), "CO");
    assert_string_equal(lr_result_level_label(read, 1), "1");
    assert_int_equal(lr_cube_create(f->ctx, r, "front", &before), LR_OK);
    assert_int_equal(lr_cube_create(f->ctx, read, "front", &after), LR_OK);
    lr_cube_describe(before, &a);
    lr_cube_describe(after, &b);
    assert_string_equal(a.unit, b.unit);
    assert_true(fabs(a.first / b.first - 1.0) < 1e-12 && fabs(a.pixel[0] / b.pixel[0] - 1.0) < 1e-12);
    for (int i = 1; i < IMAGE_CHANNEL * IMAGE_Y * IMAGE_X; i++)
        assert_true(fabs((double)(a.values[i] / b.values[i]) - 1.0) < 2e-7);
    lr_cube_free(before);
    lr_cube_free(after);
    lr_result_free(read);
}

static void test_read_others(void **state)
{
    struct image_fixture *f = *state;
    lr_result *read = NULL;
    assert_int_equal(lr_result_read(f->ctx, "gone.h5", &read), LR_ERROR_IO);
    assert_null(read);
    assert_non_null(strstr(lr_last_error(f->ctx), "gone.h5"));
    FILE *file = fopen(f->path, "wb");
    fputs("not HDF5", file);
    fclose(file);
    assert_int_not_equal(lr_result_read(f->ctx, f->path, &read), LR_OK);
    assert_null(read);
}

/* A truncated file is an error, wherever it ends. */
static void test_read_truncated(void **state)
{
    struct image_fixture *f = *state;
    lr_result *read = NULL;
    struct stat about;
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    assert_int_equal(stat(f->path, &about), 0);
    for (int part = 9; part >= 0; part--) {
        assert_int_equal(truncate(f->path, (off_t)(about.st_size * part / 10)), 0);
        assert_int_not_equal(lr_result_read(f->ctx, f->path, &read), LR_OK);
        assert_null(read);
        assert_non_null(strstr(lr_last_error(f->ctx), f->path));
    }
}

/* Numbers beyond the range of float keep their scale. */
static void test_narrow(void **state)
{
    struct image_fixture *f = *state;
    lr_cube *cube = NULL;
    struct lr_cube_view view;
    LR_INIT(view);
    f->result->cube[0].scale = 1e-70;
    assert_int_equal(lr_cube_create(f->ctx, f->result, "front", &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_true(fabs((double)view.values[3] * view.scale / (3.0 * 1e-70 * 1e23) - 1.0) < 1e-6);
    lr_cube_free(cube);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, image_setup, image_teardown)
    const struct CMUnitTest tests[] = {TEST(test_arrays),      TEST(test_populations),   TEST(test_cube),
                                       TEST(test_description), TEST(test_narrow),        TEST(test_read),
                                       TEST(test_read_others), TEST(test_read_truncated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
