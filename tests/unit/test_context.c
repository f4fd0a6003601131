/* context.c: arrays that cannot fit are rejected before they are touched, with a message about required and free
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const double left = lr_free_memory();
    assert_true(left > 1e6 && left < 1e15);
    double *array = NULL;
    assert_int_equal(lr_allocate(ctx, (size_t)(left / 4), sizeof(double), &array), LR_ERROR_MEMORY);
    assert_null(array);
    assert_non_null(strstr(lr_last_error(ctx), "not enough memory"));
    assert_non_null(strstr(lr_last_error(ctx), "GiB are free; use a smaller mesh"));
    lr_context_free(ctx);
}

static void what_fits_is_zero(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    enum { MANY = 40000000 }; /* 305 MiB: large enough to be checked */
    double *array = NULL;
    assert_int_equal(lr_allocate(ctx, MANY, sizeof(double), &array), LR_OK);
    assert_true(array[0] == 0 && array[MANY - 1] == 0);
    free(array);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_does_not_fit_is_refused),
                                       cmocka_unit_test(what_fits_is_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
