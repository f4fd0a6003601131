/* Elimination of levels: exact solutions, balance for random rates of any magnitude, levels without a way in or out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "kernel/level_solve.h"

enum { MAX_N = 41, STRIDE = 43 };

static uint64_t random_state = 88172645463325252u;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return ((double)(random_state >> 11) + 0.5) * 0x1p-53;
}

static void assert_relative(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static void test_two_levels(void **state)
{
    (void)state;
    double rates[4] = {0, 3e-20, 7e9, 0};
    double x[2];
    level_solve(2, 2, rates, x);
    assert_relative(x[1], 3e-20 / (7e9 + 3e-20), 1e-15);
    assert_relative(x[0], 7e9 / (7e9 + 3e-20), 1e-15);
}

/* The weight of a level is the sum over spanning trees toward it of the products of their rates (Kirchhoff). */
static void test_three_levels(void **state)
{
    (void)state;
    const double ab = 2e-3, ac = 5e-9, ba = 4e2, bc = 7e-6, ca = 1e-1, cb = 30;
    double rates[9] = {0, ab, ac, ba, 0, bc, ca, cb, 0};
    const double tree[3] = {ba * ca + ba * cb + bc * ca, ab * cb + ab * ca + ac * cb, ac * bc + ac * ba + ab * bc};
    double x[3];
    level_solve(3, 3, rates, x);
    for (int i = 0; i < 3; i++)
        assert_relative(x[i], tree[i] / (tree[0] + tree[1] + tree[2]), 4e-16);
}

/* Flows into and out of every level agree to the rounding of these sums, in long double. */
static void check_balance(int n, const double *rates, const double *x, double tolerance)
{
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        long double in = 0;
        long double out = 0;
        for (int j = 0; j < n; j++)
            if (j != i) {
                in += (long double)x[j] * (long double)rates[j * STRIDE + i];
                out += (long double)x[i] * (long double)rates[i * STRIDE + j];
            }
        assert_true(x[i] >= 0);
        if (!(fabsl(in - out) <= (long double)tolerance * (in + out)))
            fail_msg("level %d of %d: in %Lg, out %Lg", i, n, in, out);
        sum += (long double)x[i];
    }
    assert_relative((double)sum, 1, 1e-14);
}

static void solve_random(int n, double log_low, double log_high)
{
    static double rates[MAX_N * STRIDE];
    static double used[MAX_N * STRIDE];
    double x[MAX_N];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rates[i * STRIDE + j] = i == j ? 0 : pow(10, log_low + (log_high - log_low) * uniform());
    memcpy(used, rates, sizeof used);
    level_solve(n, STRIDE, used, x);
    check_balance(n, rates, x, 1e-13);
}

static void test_random_rates_balance(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2000; trial++)
        solve_random(2 + trial % (MAX_N - 1), -2, 2);
}

static void test_graded_rates_balance(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2000; trial++)
        solve_random(2 + trial % (MAX_N - 1), -30, 10);
}

/* A ladder whose populations decrease by 1e-20 per level is exact down to the smallest number, and one that increases
 * by 1e40 does not overflow. */
static void test_steep_ladders(void **state)
{
    (void)state;
    static double rates[MAX_N * STRIDE];
    double x[MAX_N];
    const double ratio[2] = {1e-20, 1e40};
    for (int k = 0; k < 2; k++) {
        memset(rates, 0, sizeof rates);
        for (int i = 0; i + 1 < 15; i++) {
            rates[i * STRIDE + i + 1] = ratio[k] * 1e-10;
            rates[(i + 1) * STRIDE + i] = 1e-10;
        }
        level_solve(15, STRIDE, rates, x);
        const int top = k ? 14 : 0;
        for (int i = 0; i < 15; i++) {
            const double expected = pow(10, (k ? 40.0 * (i - top) : -20.0 * i));
            assert_true(fabs(x[i] - expected) <= 1e-12 * expected + 1e-300);
        }
    }
}

static void test_levels_without_a_way_in_or_out(void **state)
{
    (void)state;
    double x[4];
    /* nothing feeds level 2; level 3 is isolated */
    double unfed[16] = {0, 1, 0, 0, 2, 0, 0, 0, 5, 5, 0, 0, 0, 0, 0, 0};
    level_solve(4, 4, unfed, x);
    assert_relative(x[0], 2.0 / 3, 1e-15);
    assert_relative(x[1], 1.0 / 3, 1e-15);
    assert_true(x[2] == 0 && x[3] == 0);
    /* level 1 keeps what it receives: 0 -> 2 -> 1 */
    double trap[9] = {0, 0, 1, 0, 0, 0, 1, 1, 0};
    level_solve(3, 3, trap, x);
    assert_true(x[0] == 0 && x[1] == 1 && x[2] == 0);
    /* a pair that is fed from level 0 and never returns */
    double pair[9] = {0, 1, 0, 0, 0, 3, 0, 1, 0};
    level_solve(3, 3, pair, x);
    assert_true(x[0] == 0);
    assert_relative(x[1], 0.25, 1e-15);
    assert_relative(x[2], 0.75, 1e-15);
    /* no rates at all */
    double nothing[9] = {0};
    level_solve(3, 3, nothing, x);
    assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0);
}

/* The balance also holds with sources; without any the answer is that of level_solve(). */
static void test_driven_balance(void **state)
{
    (void)state;
    static double rates[MAX_N * STRIDE];
    static double used[MAX_N * STRIDE];
    double source[MAX_N];
    double b[MAX_N];
    double x[MAX_N];
    double work[MAX_N];
    for (int trial = 0; trial < 500; trial++) {
        const int n = 2 + trial % (MAX_N - 1);
        double last = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                rates[i * STRIDE + j] = i == j ? 0 : pow(10, -1 + 2 * uniform());
            source[i] = i + 1 < n ? uniform() - 0.5 : -last;
            last += source[i];
        }
        memcpy(used, rates, sizeof used);
        memcpy(b, source, sizeof b);
        level_solve_driven(n, STRIDE, used, b, x, work);
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double net = source[i];
            double scale = fabs(source[i]);
            for (int j = 0; j < n; j++) {
                net += x[j] * rates[j * STRIDE + i] - x[i] * rates[i * STRIDE + j];
                scale += fabs(x[j]) * rates[j * STRIDE + i] + fabs(x[i]) * rates[i * STRIDE + j];
            }
            assert_true(fabs(net) < 1e-12 * scale);
            sum += x[i];
        }
        assert_relative(sum, 1, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_levels),           cmocka_unit_test(test_three_levels),
        cmocka_unit_test(test_random_rates_balance), cmocka_unit_test(test_graded_rates_balance),
        cmocka_unit_test(test_steep_ladders),        cmocka_unit_test(test_levels_without_a_way_in_or_out),
        cmocka_unit_test(test_driven_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
