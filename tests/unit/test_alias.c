/* alias.c: the probability that the table assigns to entry k, keep[k]/n plus what others hand over, is its weight. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "solve/transport/alias.h"

static double weight_of(const void *user, int64_t k)
{
    return ((const double *)user)[k];
}

/* Builds the table, checks that it is valid, and compares every probability with weight / sum. */
static void check(int n, const double *weight, double tolerance)
{
    lr_context *ctx = lr_context_create();
    double *given = calloc((size_t)n, sizeof *given);
    struct alias alias;
    double total = 0;
    assert_non_null(given);
    assert_int_equal(alias_build(ctx, n, weight_of, weight, &alias), LR_OK);
    assert_int_equal(alias.n, n);
    for (int k = 0; k < n; k++) {
        assert_true(alias.keep[k] >= 0 && alias.keep[k] <= 1);
        assert_in_range(alias.other[k], 0, n - 1);
        given[k] += alias.keep[k] / n;
        given[alias.other[k]] += (1 - alias.keep[k]) / n;
        total += weight[k];
    }
    for (int k = 0; k < n; k++)
        assert_true(fabs(given[k] - weight[k] / total) <= tolerance);
    alias_free(&alias);
    assert_null(alias.keep);
    free(given);
    lr_context_free(ctx);
}

static void test_small_tables_by_hand(void **state)
{
    const double one[] = {5};
    const double equal[] = {2, 2, 2, 2};
    const double one_of_four[] = {0, 0, 3, 0};
    const double mixed[] = {1, 2, 3, 4};
    (void)state;
    check(1, one, 0);
    check(4, equal, 0);
    check(4, one_of_four, 0);
    check(4, mixed, 1e-16);
}

/* Two entries of 1/4 and 3/4: the light one is kept half of the time and handed to the heavy one otherwise. */
static void test_two_entries_give_the_known_table(void **state)
{
    const double weight[] = {1, 3};
    lr_context *ctx = lr_context_create();
    struct alias alias;
    (void)state;
    assert_int_equal(alias_build(ctx, 2, weight_of, weight, &alias), LR_OK);
    assert_true(alias.keep[0] == 0.5 && alias.other[0] == 1 && alias.keep[1] == 1);
    alias_free(&alias);
    lr_context_free(ctx);
}

/* Weights over twenty decades, including zeros; the error is that of the sum. */
static void test_large_table_of_uneven_weights(void **state)
{
    enum { N = 20011 };
    double *weight = malloc(N * sizeof *weight);
    (void)state;
    assert_non_null(weight);
    for (int k = 0; k < N; k++)
        weight[k] = k % 7 == 3 ? 0 : pow(10, k * 7919 % 2000 / 100.0 - 10);
    check(N, weight, 1e-14);
    for (int k = 0; k < N; k++) /* one entry outweighs all others together */
        weight[k] = k == 1234 ? 1e12 : 1;
    check(N, weight, 1e-12);
    free(weight);
}

/* An entry without weight is never drawn, even after rounding. */
static void test_entries_without_weight_are_never_drawn(void **state)
{
    enum { N = 1000 };
    double weight[N];
    lr_context *ctx = lr_context_create();
    struct alias alias;
    (void)state;
    for (int k = 0; k < N; k++)
        weight[k] = k % 3 ? 0.1 * (k % 11) : 0;
    assert_int_equal(alias_build(ctx, N, weight_of, weight, &alias), LR_OK);
    for (int k = 0; k < N; k++) {
        if (weight[k] == 0)
            assert_true(alias.keep[k] == 0);
        assert_true(alias.keep[k] == 1 || weight[alias.other[k]] > 0);
    }
    alias_free(&alias);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_tables_by_hand),
        cmocka_unit_test(test_two_entries_give_the_known_table),
        cmocka_unit_test(test_large_table_of_uneven_weights),
        cmocka_unit_test(test_entries_without_weight_are_never_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
