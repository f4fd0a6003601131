/* What other programs see of a result: arrays under the names of the file, cubes as FITS files hold them. */
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
    const int n = lr_result_array_count(result);
    for (int i = 0; i < n; i++) {
        const struct lr_array array = lr_result_array(result, i);
        if (strcmp(array.name, name) == 0)
            return array;
    }
    return (struct lr_array){0};
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
    assert_null(find(r, "fields/mean_intensity_error").name); /* what is not there is not listed */
    assert_null(lr_result_array(r, -1).name);
    assert_null(lr_result_array(r, lr_result_array_count(r)).name);
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
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(lr_cube_create(f->ctx, f->result, 0, &cube), LR_OK);
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
    assert_int_equal(lr_cube_create(f->ctx, f->result, 0, &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_string_equal(view.camera, "front");
    assert_string_equal(view.unit, "Jy/sr");
    assert_true(view.n_channel == IMAGE_CHANNEL && view.n_y == IMAGE_Y && view.n_x == IMAGE_X);
    assert_true(view.angles == 1 && fabs(view.pixel[0] * image_distance / LR_PARSEC - 1.0) < 1e-9);
    assert_true(view.first == -4.0 * image_km + 0.5 * image_km + 10.0 * image_km && view.width == image_km);
    assert_true(view.rest_frequency == 2.466e15 && view.beam[0] == 0.0);
    lr_cube_free(cube);
    f->result->image.distance = 0.0;
    assert_int_equal(lr_cube_create(f->ctx, f->result, 0, &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_true(view.angles == 0 && fabs(view.pixel[1] / LR_PARSEC - 1.0) < 1e-12);
    lr_cube_free(cube);
    assert_int_equal(lr_cube_create(f->ctx, f->result, 1, &cube), LR_ERROR_INPUT);
    assert_null(cube);
    assert_string_equal(lr_last_error(f->ctx), "there is no cube 1; the result has 1");
}

/* Numbers that float cannot hold keep their scale. */
static void test_narrow(void **state)
{
    struct image_fixture *f = *state;
    lr_cube *cube = NULL;
    struct lr_cube_view view;
    f->result->cube[0].scale = 1e-70;
    assert_int_equal(lr_cube_create(f->ctx, f->result, 0, &cube), LR_OK);
    lr_cube_describe(cube, &view);
    assert_true(fabs((double)view.values[3] * view.scale / (3.0 * 1e-70 * 1e23) - 1.0) < 1e-6);
    lr_cube_free(cube);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, image_setup, image_teardown)
    const struct CMUnitTest tests[] = {TEST(test_arrays), TEST(test_populations), TEST(test_cube),
                                       TEST(test_description), TEST(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
