/* Moments and sums of cubes with known moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>

#include "base/constants.h"
#include "model/cube_moments.h"

enum { N_CHANNEL = 80, N_PIXEL = 4 };
static const struct cube_axis axis = {.n_channel = N_CHANNEL, .n_pixel = N_PIXEL, .first = 990.0, .width = 0.5};

/* Pixels: a Gaussian line far from zero velocity, a single channel, nothing, absorption. */
static void fill(float values[N_CHANNEL][N_PIXEL])
{
    for (int c = 0; c < N_CHANNEL; c++) {
        const double v = axis.first + c * axis.width, u = (v - 1007.2) / 3.0;
        values[c][0] = (float)(5.0 * exp(-0.5 * u * u));
        values[c][1] = c == 10 ? 2.0f : 0.0f;
        values[c][2] = 0.0f;
        values[c][3] = -1.0f;
    }
}

static void assert_near(float value, double expected, double tolerance)
{
    if (!(fabs((double)value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", (double)value, expected);
}

static void moments_of_simple_lines_are_exact(void **state)
{
    lr_context *ctx = *state;
    float values[N_CHANNEL][N_PIXEL];
    struct cube_moments moments;
    fill(values);
    assert_int_equal(cube_moments_make(ctx, &axis, values[0], &moments), LR_OK);
    assert_near(moments.integral[0], 5.0 * 3.0 * sqrt(2.0 * LR_PI), 1e-4);
    assert_near(moments.mean[0], 1007.2, 1e-4);
    assert_near(moments.dispersion[0], 3.0, 1e-4);
    assert_near(moments.peak[0], 5.0 * exp(-0.5 * 0.2 * 0.2 / 9.0), 1e-5);
    assert_near(moments.integral[1], 1.0, 0.0);
    assert_near(moments.mean[1], 995.0, 0.0);
    assert_near(moments.dispersion[1], 0.0, 1e-6);
    cube_moments_free(&moments);
}

static void where_nothing_shines_velocities_are_blank(void **state)
{
    lr_context *ctx = *state;
    float values[N_CHANNEL][N_PIXEL];
    struct cube_moments moments;
    fill(values);
    assert_int_equal(cube_moments_make(ctx, &axis, values[0], &moments), LR_OK);
    for (int pixel = 2; pixel < N_PIXEL; pixel++)
        assert_true(isnan(moments.mean[pixel]) && isnan(moments.dispersion[pixel]));
    assert_true(moments.integral[2] == 0.0f && moments.peak[2] == 0.0f);
    assert_true(moments.integral[3] == -40.0f && moments.peak[3] == -1.0f);
    cube_moments_free(&moments);
}

static void spectra_are_sums_and_their_errors_add_in_quadrature(void **state)
{
    (void)state;
    const struct cube_axis small = {.n_channel = 2, .n_pixel = 3};
    const float values[2][3] = {{1.0f, 2.0f, 3.0f}, {-1.0f, 0.0f, 0.5f}};
    const float errors[2][3] = {{1.0f, 2.0f, 2.0f}, {0.0f, 3.0f, 4.0f}};
    double sum[2], error[2];
    cube_sum_pixels(&small, values[0], NULL, sum);
    cube_sum_errors(&small, errors[0], NULL, error);
    assert_true(sum[0] == 6.0 && sum[1] == -0.5);
    assert_true(error[0] == 3.0 && error[1] == 5.0);
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
        cmocka_unit_test_setup_teardown(moments_of_simple_lines_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(where_nothing_shines_velocities_are_blank, setup, teardown),
        cmocka_unit_test(spectra_are_sums_and_their_errors_add_in_quadrature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
