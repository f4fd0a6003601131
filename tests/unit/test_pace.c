/* The time that is left of a run: steady at first, exponential at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../src/cli/pace.c"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.6g is not %.6g", value, expected);
}

static void a_steady_pace_is_extrapolated(void **state)
{
    struct pace pace = {0};
    (void)state;
    for (int i = 0; i <= 500; i++)
        pace_update(&pace, 10 * i, 10000, 0.1 * i); /* 100 per second */
    assert_false(pace.tail);
    assert_close(pace_mean(&pace), 100, 1e-9);
    assert_close(pace_remaining(&pace), 50, 1e-9);
}

/* 1e5 packets at 1e4 per second, then 1000 in flight that end with a lifetime of 5 s each: ln 1000 lifetimes in all. */
static void the_tail_is_recognised(void **state)
{
    struct pace pace = {0};
    (void)state;
    for (int i = 0; i <= 99; i++)
        pace_update(&pace, 1000 * i, 100000, 0.1 * i);
    int64_t left = 1000;
    double begun = -1;
    for (int i = 1; left > 20; i++) {
        left = (int64_t)(1000 * exp(-0.1 * i / 5));
        pace_update(&pace, 100000 - left, 100000, 9.9 + 0.1 * i);
        if (pace.tail && begun < 0)
            begun = 0.1 * i;
    }
    assert_true(begun > 0 && begun < 5);
    assert_close(pace_remaining(&pace), 5 * (log(20) + 0.577), 1.5);
}

static void nothing_is_said_before_something_ends(void **state)
{
    struct pace pace = {0};
    (void)state;
    pace_update(&pace, 0, 100, 0);
    pace_update(&pace, 0, 100, 3);
    assert_true(isnan(pace_remaining(&pace)));
    pace_update(&pace, 100, 100, 4);
    assert_close(pace_remaining(&pace), 0, 0);
}

/* What an earlier session did is no part of the rate; a new stage begins anew. */
static void stages_are_separate(void **state)
{
    struct pace pace = {0};
    (void)state;
    pace_update(&pace, 500, 1000, 0.001);
    pace_update(&pace, 600, 1000, 10.001);
    assert_close(pace_remaining(&pace), 40, 0.1);
    pace_update(&pace, 1, 64, 0.5);
    assert_close(pace_mean(&pace), 2, 1e-9);
    assert_close(pace_remaining(&pace), 31.5, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_pace_is_extrapolated),
        cmocka_unit_test(the_tail_is_recognised),
        cmocka_unit_test(nothing_is_said_before_something_ends),
        cmocka_unit_test(stages_are_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
