/* Lives cut short by the end of a pilot: their mean and their longest, against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solve/stage/life_table.h"

/* A share of packets that end at random after this many steps on average, all of which began together. */
struct kind {
    double share, mean;
};

static double alive(const struct kind *kind, int n, double age)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += kind[i].share * exp(-age / kind[i].mean);
    return sum;
}

/* The integral of that from this age on. */
static double lived(const struct kind *kind, int n, double age)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += kind[i].share * kind[i].mean * exp(-age / kind[i].mean);
    return sum;
}

/* What is expected of `packets` that were followed for `limit` steps; whether a table could be made. */
static bool observe(const struct kind *kind, int n, double packets, double limit, struct life_table *table)
{
    struct transport_lives ended = {{0}, {0}}, left = {{0}, {0}};
    for (int bin = 0; bin < LIFE_BINS; bin++) {
        const double first = bin ? exp2(0.5 * bin) : 0, last = fmin(exp2(0.5 * (bin + 1)), limit);
        if (first >= limit)
            continue;
        ended.number[bin] = packets * (alive(kind, n, first) - alive(kind, n, last));
        ended.steps[bin] = packets * (first * alive(kind, n, first) - last * alive(kind, n, last) +
                                      lived(kind, n, first) - lived(kind, n, last));
        if (last == limit) {
            left.number[bin] = packets * alive(kind, n, limit);
            left.steps[bin] = limit * left.number[bin];
        }
    }
    return life_table_make(&ended, &left, table);
}

static void expect_near(double found, double expected, double share)
{
    if (!(fabs(found - expected) < share * expected))
        fail_msg("%g instead of %g", found, expected);
}

static void mean_does_not_depend_on_when_one_stops(void **state)
{
    const struct kind kind[] = {{1, 1000}};
    struct life_table table;
    (void)state;
    for (double limit = 100; limit < 1e6; limit *= 4) {
        assert_true(observe(kind, 1, 1e4, limit, &table));
        expect_near(table.mean, 1000, 0.12);
    }
}

/* Nine tenths of the packets escape at once, and the others are trapped a thousand times as long. */
static void few_long_lives_count(void **state)
{
    const struct kind kind[] = {{0.9, 100}, {0.1, 1e5}};
    struct life_table table;
    (void)state;
    assert_true(observe(kind, 2, 2000, 3e4, &table));
    expect_near(table.mean, 0.9 * 100 + 0.1 * 1e5, 0.2);
    /* Of those in flight at some time nearly all are trapped. */
    expect_near(life_table_last_alive(&table, 128, 128), 1e5 * (log(128) + 0.5772), 0.2);
}

/* The last of n exponential lives: 1 + 1/2 + ... + 1/n means. */
static void last_packet_takes_longest(void **state)
{
    const struct kind kind[] = {{1, 1000}};
    struct life_table table;
    (void)state;
    assert_true(observe(kind, 1, 1e4, 1e4, &table));
    for (double n = 10; n < 1e6; n *= 10) {
        expect_near(life_table_last_born(&table, n, n), 1000 * (log(n) + 0.5772), 0.12);
        expect_near(life_table_last_alive(&table, n, n), 1000 * (log(n) + 0.5772), 0.12);
    }
}

/* Exponential lives again: a mean for all but the share that is left at n_steady, and for that share the last of
 * n_steady lives. */
static void few_packets_are_faster(void **state)
{
    const struct kind kind[] = {{1, 1000}};
    const double n = 1e5;
    struct life_table table;
    (void)state;
    assert_true(observe(kind, 1, 1e4, 1e4, &table));
    for (double n_steady = 1; n_steady <= n; n_steady *= 10) {
        const double left = n_steady / n;
        const double expected = 1000 * (1 - left + left * (log(n_steady) + 0.5772));
        expect_near(life_table_last_born(&table, n, n_steady), expected, 0.12);
        expect_near(life_table_last_alive(&table, n, n_steady), expected, 0.12);
    }
    expect_near(life_table_last_born(&table, n, 10 * n), life_table_last_born(&table, n, n), 1e-9);
}

static void too_few_deaths_give_no_table(void **state)
{
    const struct kind kind[] = {{1, 1e6}};
    struct life_table table;
    (void)state;
    assert_false(observe(kind, 1, 128, 1e3, &table));
    expect_near(table.n_ended + table.n_left, 128, 1e-9);
    expect_near(table.steps, 128 * 1e3, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_does_not_depend_on_when_one_stops), cmocka_unit_test(few_long_lives_count),
        cmocka_unit_test(last_packet_takes_longest), cmocka_unit_test(few_packets_are_faster),
        cmocka_unit_test(too_few_deaths_give_no_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
