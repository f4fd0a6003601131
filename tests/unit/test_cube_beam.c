/* Convolution with a beam against exact results: Gaussians stay Gaussians, sums are conserved, and errors of
 * independent pixels add in quadrature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "model/cube_beam.h"

static const double fwhm = 2.3548200450309493; /* sqrt(8 ln 2) standard deviations */

struct gaussian {
    double x, y;       /* centre, pixels */
    double xx, xy, yy; /* covariance */
};

static double density(const struct gaussian *g, double x, double y)
{
    const double determinant = g->xx * g->yy - g->xy * g->xy, dx = x - g->x, dy = y - g->y;
    const double form = (g->yy * dx * dx - 2.0 * g->xy * dx * dy + g->xx * dy * dy) / determinant;
    return exp(-0.5 * form) / (2.0 * LR_PI * sqrt(determinant));
}

/* Covariance of a beam in pixels: the major axis is at the given angle from +y toward -x. */
static struct gaussian beam_shape(double major, double minor, double angle)
{
    const double a = major * major / (fwhm * fwhm), b = minor * minor / (fwhm * fwhm);
    const double s = sin(angle), c = cos(angle);
    return (struct gaussian){.xx = a * s * s + b * c * c, .xy = (b - a) * s * c, .yy = a * c * c + b * s * s};
}

static struct beam_grid grid_of(int n_channel, int n_y, int n_x, double major, double minor, double angle)
{
    const double pixel = 1e-6;
    return (struct beam_grid){.n_channel = n_channel,
                              .n_y = n_y,
                              .n_x = n_x,
                              .pixel = {pixel, pixel},
                              .beam = {major * pixel, minor * pixel, angle}};
}

static float *image_of(const struct beam_grid *grid)
{
    float *image = calloc((size_t)grid->n_channel * (size_t)grid->n_y * (size_t)grid->n_x, sizeof *image);
    assert_non_null(image);
    return image;
}

static double sum_of(const float *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i];
    return sum;
}

static void a_gaussian_source_becomes_a_wider_gaussian(void **state)
{
    lr_context *ctx = *state;
    enum { NX = 90, NY = 75 };
    const struct beam_grid grid = grid_of(2, NY, NX, 11.0, 6.0, 0.6);
    const struct gaussian beam = beam_shape(11.0, 6.0, 0.6);
    const struct gaussian source[2] = {{41.3, 36.6, 6.0, 1.5, 4.0}, {45.0, 37.0, 3.0, 0.0, 3.0}};
    float *image = image_of(&grid);
    for (int c = 0; c < 2; c++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                image[(c * NY + y) * NX + x] = (float)density(&source[c], x, y);
    assert_int_equal(cube_convolve(ctx, &grid, image), LR_OK);
    for (int c = 0; c < 2; c++) {
        const struct gaussian wide = {source[c].x, source[c].y, source[c].xx + beam.xx, source[c].xy + beam.xy,
                                      source[c].yy + beam.yy};
        const double peak = density(&wide, wide.x, wide.y);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                assert_true(fabs((double)image[(c * NY + y) * NX + x] - density(&wide, x, y)) < 2e-6 * peak);
        assert_true(fabs(sum_of(image + c * NY * NX, NY * NX) - 1.0) < 1e-6);
    }
    free(image);
}

/* North through east: a beam at 45 degrees is elongated toward the upper left. */
static void the_angle_turns_from_up_to_the_left(void **state)
{
    lr_context *ctx = *state;
    enum { N = 65, MIDDLE = 32 };
    const struct beam_grid grid = grid_of(1, N, N, 12.0, 4.0, LR_PI / 4.0);
    float *image = image_of(&grid);
    image[MIDDLE * N + MIDDLE] = 1.0f;
    assert_int_equal(cube_convolve(ctx, &grid, image), LR_OK);
    const float upper_left = image[(MIDDLE + 4) * N + MIDDLE - 4], upper_right = image[(MIDDLE + 4) * N + MIDDLE + 4];
    assert_true(upper_left > 10.0f * upper_right);
    free(image);
}

/* What leaves the image on one side must not reappear on the other; half of a source at the edge is lost. */
static void nothing_comes_back_at_the_other_side(void **state)
{
    lr_context *ctx = *state;
    enum { NX = 40, NY = 33 };
    const struct beam_grid grid = grid_of(1, NY, NX, 9.0, 9.0, 0.0);
    float *image = image_of(&grid);
    image[(NY / 2) * NX] = 1.0f;
    assert_int_equal(cube_convolve(ctx, &grid, image), LR_OK);
    for (int y = 0; y < NY; y++)
        assert_true(fabsf(image[y * NX + NX - 1]) < 1e-8f);
    /* Kept: the column of the source and those to its right; by symmetry, half of everything plus half of that
     * column. */
    const double column = fwhm / (9.0 * sqrt(2.0 * LR_PI));
    assert_true(fabs(sum_of(image, NX * NY) - 0.5 * (1.0 + column)) < 1e-3);
    free(image);
}

/* Also with a beam that the pixels barely resolve, for any image size. */
static void sums_are_kept_and_nothing_turns_negative(void **state)
{
    lr_context *ctx = *state;
    const double width[] = {1.0, 1.4, 2.0, 3.3, 7.0};
    for (size_t w = 0; w < sizeof width / sizeof *width; w++)
        for (int n = 47; n < 76; n++) {
            const struct beam_grid grid = grid_of(1, n + 3, n, width[w], width[w], 0.3);
            float *image = image_of(&grid);
            image[(n / 2) * n + n / 2] = 3.0f;
            assert_int_equal(cube_convolve(ctx, &grid, image), LR_OK);
            assert_true(fabs(sum_of(image, (size_t)n * (size_t)(n + 3)) / 3.0 - 1.0) < 1e-6);
            for (int i = 0; i < n * (n + 3); i++)
                assert_true(image[i] > -6e-7f); /* of a source of 3 */
            free(image);
        }
}

static void independent_errors_add_in_quadrature(void **state)
{
    lr_context *ctx = *state;
    enum { N = 81, MIDDLE = 40 };
    const struct beam_grid grid = grid_of(1, N, N, 8.0, 5.0, 1.1);
    const struct gaussian beam = beam_shape(8.0, 5.0, 1.1);
    const float tiny = 1e-25f; /* its square is below the range of float */
    float *one = image_of(&grid), *all = image_of(&grid);
    one[MIDDLE * N + MIDDLE] = tiny;
    for (int i = 0; i < N * N; i++)
        all[i] = tiny;
    assert_int_equal(cube_convolve_error(ctx, &grid, one), LR_OK);
    assert_int_equal(cube_convolve_error(ctx, &grid, all), LR_OK);
    /* One pixel: the kernel itself. All pixels: the root of the sum of its squares, 1 / sqrt(4 pi sqrt(det)). */
    for (int y = -6; y <= 6; y++)
        for (int x = -6; x <= 6; x++) {
            const double expected = density(&beam, x, y), found = (double)(one[(MIDDLE + y) * N + MIDDLE + x] / tiny);
            assert_true(fabs(found - expected) < 2e-4 * density(&beam, 0, 0));
        }
    const double level = sqrt(1.0 / (4.0 * LR_PI * sqrt(beam.xx * beam.yy - beam.xy * beam.xy)));
    assert_true(fabs((double)(all[MIDDLE * N + MIDDLE] / tiny) / level - 1.0) < 1e-5);
    free(one);
    free(all);
}

static void a_beam_out_of_all_proportion_is_refused(void **state)
{
    lr_context *ctx = *state;
    const struct beam_grid grid = grid_of(1, 64, 64, 1e5, 1e5, 0.0);
    assert_int_equal(cube_beam_check(ctx, &grid), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "too large"));
}

static int setup(void **state)
{
    *state = lr_context_create();
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    lr_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_gaussian_source_becomes_a_wider_gaussian, setup, teardown),
        cmocka_unit_test_setup_teardown(the_angle_turns_from_up_to_the_left, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_comes_back_at_the_other_side, setup, teardown),
        cmocka_unit_test_setup_teardown(sums_are_kept_and_nothing_turns_negative, setup, teardown),
        cmocka_unit_test_setup_teardown(independent_errors_add_in_quadrature, setup, teardown),
        cmocka_unit_test_setup_teardown(a_beam_out_of_all_proportion_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
