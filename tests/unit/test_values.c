/* Lists and grids of values with units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "linerad_tools.h"

struct expected {
    const char *text;
    enum lr_quantity quantity;
    int n;
    double values[10];
};

static void test_good_lists(void **state)
{
    (void)state;
    const struct expected cases[] = {
        {"30", LR_IN_KELVIN, 1, {30}},
        {" 30 K ", LR_IN_KELVIN, 1, {30}},
        {"10,20,50 K", LR_IN_KELVIN, 3, {10, 20, 50}},
        {"1 km/s, 200 m/s,3", LR_IN_KM_S, 3, {1e5, 2e4, 3e5}},
        {"10:100:10", LR_IN_KELVIN, 10, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
        {"1e3:1e7:log5 cm^-3", LR_IN_CM3, 5, {1e3, 1e4, 1e5, 1e6, 1e7}},
        {"1e19,1:3:3 m-2", LR_IN_CM2, 4, {1e15, 1e-4, 2e-4, 3e-4}},
        {"5:1:3", LR_IN_KELVIN, 3, {5, 3, 1}},
        {"345.8", LR_IN_GHZ, 1, {345.8e9}},
    };
    lr_context *ctx = lr_context_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double *values = NULL;
        int n = 0;
        if (lr_values_parse(ctx, cases[i].text, cases[i].quantity, &values, &n) != LR_OK)
            fail_msg("%s: %s", cases[i].text, lr_last_error(ctx));
        assert_int_equal(n, cases[i].n);
        for (int k = 0; k < n; k++)
            assert_true(fabs(values[k] - cases[i].values[k]) <= 1e-12 * fabs(cases[i].values[k]));
        lr_values_free(values);
    }
    lr_context_free(ctx);
}

static void test_bad_lists(void **state)
{
    (void)state;
    const char *const cases[] = {"",        "K",        "ten",         "10,",       "10,,20",   "10 km",   "10 bananas",
                                 "1:2",     "1:2:1",    "1:2:log",     "0:10:log3", "1:2:x",    "1:2:3:4", "nan",
                                 "1:inf:3", "10 K K 3", "1:2:9999999", "1:2:-3 K",  "1:2:log3x"};
    lr_context *ctx = lr_context_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double *values = NULL;
        int n = 0;
        if (lr_values_parse(ctx, cases[i], LR_IN_KELVIN, &values, &n) != LR_ERROR_INPUT)
            fail_msg("'%s' was taken", cases[i]);
        assert_null(values);
        assert_true(strlen(lr_last_error(ctx)) > 10);
    }
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_lists),
        cmocka_unit_test(test_bad_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
