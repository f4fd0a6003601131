/* Fields from Fourier series: against the sum written out, on a small mesh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "model/fourier.h"

enum { N = 12 };

struct term {
    int k[3];
    double re, im;
};

static const struct term TERMS[] = {{{1, 0, 0}, 0.5, -0.25}, {{0, -2, 1}, 1.0, 0.75},  {{-3, 4, 0}, -0.5, 0.1},
                                    {{2, 2, 5}, 0.3, 0.9},   {{0, 0, 0}, 0.7, 0.0},    {{5, -5, 2}, 0.2, -0.6},
                                    {{0, 3, 0}, 0.4, 0.4},   {{-1, -1, 3}, -0.8, -0.2}};
enum { N_TERM = sizeof TERMS / sizeof TERMS[0] };

static void put(struct wave *waves, const int k[3], double re, double im)
{
    const int x = (k[0] + N) % N, y = (k[1] + N) % N;
    if (k[2] >= 0)
        waves[(x * N + y) * fourier_half(N) + k[2]] = (struct wave){(float)re, (float)im};
}

/* f = SUM c exp(2 pi i k.x / n) + conjugate, where k and -k are both waves of the field; k = 0 counts once. */
static double sum_at(int x, int y, int z)
{
    double sum = 0.0;
    for (int t = 0; t < N_TERM; t++) {
        const int *k = TERMS[t].k;
        const double phase = 2.0 * LR_PI * (k[0] * x + k[1] * y + k[2] * z) / N;
        const double value = TERMS[t].re * cos(phase) - TERMS[t].im * sin(phase);
        sum += k[0] || k[1] || k[2] ? 2.0 * value : value;
    }
    return sum;
}

static void series_is_summed(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct wave *waves = calloc((size_t)N * N * (size_t)fourier_half(N), sizeof *waves);
    float *field = calloc((size_t)N * N * N, sizeof *field);
    assert_non_null(ctx);
    assert_non_null(waves);
    assert_non_null(field);
    for (int t = 0; t < N_TERM; t++) {
        const int minus[3] = {-TERMS[t].k[0], -TERMS[t].k[1], -TERMS[t].k[2]};
        put(waves, minus, TERMS[t].re, -TERMS[t].im);
        put(waves, TERMS[t].k, TERMS[t].re, TERMS[t].im);
    }
    assert_int_equal(fourier_to_space(ctx, N, waves, field), LR_OK);
    for (int x = 0; x < N; x++)
        for (int y = 0; y < N; y++)
            for (int z = 0; z < N; z++)
                assert_true(fabs((double)field[(x * N + y) * N + z] - sum_at(x, y, z)) < 1e-5);
    free(waves);
    free(field);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(series_is_summed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
