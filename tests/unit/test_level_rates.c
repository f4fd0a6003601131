/* Radiative rates: in terms of what enters and what is lost they give the same net flow between two levels as with the
 * mean intensity; cells that no ray crossed; changes of populations. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_rates.h"

/* x_u R_down - x_l R_up = A x_u + (x_u - (g_u / g_l) x_l) A J, J = entering + star + (1 - lost) S. */
static void flow_is_that_of_the_mean_intensity(void **state)
{
    (void)state;
    const double a = 3e-6, ratio = 3, x_upper = 0.2, x_lower = 0.5, star = 0.07;
    const double source = x_upper / (ratio * x_lower - x_upper);
    for (double lost = 0; lost <= 1; lost += 0.25)
        for (double entering = 0; entering < 100; entering = 10 * entering + 0.01) {
            const struct light_sum mean = {entering, lost};
            const struct line_rates rates = line_rates_of(a, ratio, mean, star);
            const double intensity = entering + star + (1 - lost) * source;
            const double expected = a * x_upper + (x_upper - ratio * x_lower) * a * intensity;
            assert_true(fabs(x_upper * rates.down - x_lower * rates.up - expected) < 1e-12 * a * (1 + intensity));
            assert_true(rates.down >= 0 && rates.up >= 0);
        }
}

static void directions_count_alike(void **state)
{
    (void)state;
    const struct line_light few = {R(0.5), R(0.25)}, many = {R(6), R(4)};
    struct light_sum sum = {0, 0};
    sum = light_sum_add(sum, few, 0.25, 1);
    sum = light_sum_add(sum, many, 0.5, 8);
    const struct light_sum mean = light_mean(sum, 0.75, 9);
    assert_true(fabs(mean.entering - (0.25 * 0.5 + 0.5 * 0.75) / 0.75) < 1e-15);
    assert_true(fabs(mean.lost - (0.25 * 0.25 + 0.5 * 0.5) / 0.75) < 1e-15);
    const struct light_sum unseen = light_mean(sum, 0, 9);
    assert_true(unseen.entering == 9 && unseen.lost == 1);
}

static void changes_are_relative_to_the_new(void **state)
{
    (void)state;
    struct change_tally tally = {0, 0, 0};
    tally = change_tally_add(tally, 0.5, 0.25);
    tally = change_tally_add(tally, 0.25, 0.5);
    assert_true(tally.largest == 1 && tally.square == 1.25 && tally.count == 2);
    assert_true(isnan(change_tally_add(tally, (double)NAN, 0.5).square));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_is_that_of_the_mean_intensity),
        cmocka_unit_test(directions_count_alike),
        cmocka_unit_test(changes_are_relative_to_the_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
