/* Arrays that are mostly zero come back bit for bit, in less memory; others are kept as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/stored_sparse.h"

enum { N = 12000 };

static int64_t bytes_of(const struct stored *list)
{
    int64_t bytes = 0;
    for (int i = 0; i < list->n; i++)
        bytes += stored_count(&list->array[i]) * (int64_t)stored_bytes(list->array[i].kind);
    return bytes;
}

/* Returns the bytes that are kept. */
static int64_t check(enum stored_kind kind, const void *data, int n)
{
    lr_context *ctx = lr_context_create();
    struct stored list = {0};
    const size_t size = (size_t)n * stored_bytes(kind);
    char *back = malloc(size);
    memset(back, 0xff, size);
    assert_int_equal(stored_add_sparse(ctx, &list, "light", kind, n / 4, 4, 0, data), LR_OK);
    assert_true(stored_has_sparse(&list, "light"));
    assert_int_equal(stored_get_sparse(ctx, &list, "light", kind, n, back), LR_OK);
    assert_memory_equal(back, data, size);
    assert_int_not_equal(stored_get_sparse(ctx, &list, "light", kind, n - 4, back), LR_OK);
    assert_int_not_equal(stored_get_sparse(ctx, &list, "light", kind, n + 4, back), LR_OK);
    const int64_t bytes = bytes_of(&list);
    stored_free(&list);
    lr_context_free(ctx);
    free(back);
    return bytes;
}

static void test_mostly_zeros(void **state)
{
    static float floats[N];
    static double doubles[N];
    (void)state;
    for (int i = 0; i < N; i++) /* runs of 60 from the first number to the last, with zeros of the other sign */
        doubles[i] = floats[i] = i / 60 % 10 == 0 || i >= N - 60 ? (i % 7 == 3 ? -0.0F : 1.0F / (float)(i + 1)) : 0.0F;
    const int64_t values = N / 10 + 60, runs = N / 600 + 2;
    assert_int_equal(check(STORED_FLOAT, floats, N), 4 * values + 16 * runs);
    assert_int_equal(check(STORED_DOUBLE, doubles, N), 8 * values + 16 * runs);
}

static void test_nothing_but_zeros(void **state)
{
    static const double zeros[N];
    (void)state;
    assert_int_equal(check(STORED_DOUBLE, zeros, N), 16);
}

static void test_what_is_dense_or_scattered_stays_as_it_is(void **state)
{
    static double dense[N], scattered[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        dense[i] = i % 3 ? sqrt(i) : 0;
        scattered[i] = i % 4 ? 0 : 1;
    }
    assert_int_equal(check(STORED_DOUBLE, dense, N), 8 * N);
    assert_int_equal(check(STORED_DOUBLE, scattered, N), 8 * N);
}

static void test_damaged_runs_are_refused(void **state)
{
    static const int64_t damaged[][2][2] = {{{2, 3}, {9, 0}},  {{-1, 3}, {8, 0}}, {{6, 3}, {8, 0}},
                                            {{2, -3}, {8, 0}}, {{2, 2}, {8, 0}},  {{2, 3}, {4, 0}}};
    static const double values[3] = {1, 2, 3};
    static const int64_t shape[] = {2, 2};
    double to[8];
    lr_context *ctx = lr_context_create();
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct stored list = {0};
        void *runs = NULL;
        assert_int_equal(stored_add_room(ctx, &list, "light_runs", STORED_INT64, 2, shape, &runs), LR_OK);
        memcpy(runs, damaged[i], sizeof damaged[i]);
        assert_int_equal(stored_add(ctx, &list, "light_values", STORED_DOUBLE, 3, 0, 0, values), LR_OK);
        assert_int_equal(stored_get_sparse(ctx, &list, "light", STORED_DOUBLE, 8, to), LR_ERROR_INPUT);
        stored_free(&list);
    }
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mostly_zeros), cmocka_unit_test(test_nothing_but_zeros),
                                       cmocka_unit_test(test_what_is_dense_or_scattered_stays_as_it_is),
                                       cmocka_unit_test(test_damaged_runs_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
