/* Line quantities against literature values and numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/line.h"

static void near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.10g is not %.10g", value, expected);
}

/* Dijkstra 2017 (arXiv:1704.03416): at 1e4 K b = 12.85 km/s, a = 4.7e-4, sigma0 = 5.9e-14 cm^2. */
static void lyman_alpha_at_ten_thousand_kelvin(void **state)
{
    (void)state;
    struct line line;
    assert_true(line_find("lya", &line));
    near(line.nu0, 2.466e15, 1e-3);
    double b = line_doppler_b(&line, 1e4, 0.0);
    near(b, 12.85e5, 1e-3);
    near(line_damping(&line, b), 4.7e-4, 5e-3);
    near(line_cross_section(&line, b), 5.9e-14, 2e-3);
    near(line_doppler_b(&line, 1e4, 10e5), sqrt(b * b + 1e12), 1e-12);
    near(line_doppler_b(&line, 0.0, 3e5), 3e5, 1e-15);
}

/* By hand, b = 1 km/s, without stimulated emission:
 * sigma0 = 3 A lambda^3 / (8 pi^1.5 b) = 3 * 2.8843e-15 * 21.106^3 / (44.546 * 1e5) = 1.8263e-17 cm^2. */
static void cross_section_of_the_21_cm_line(void **state)
{
    (void)state;
    struct line line;
    assert_true(line_find("hi21", &line));
    near(299792458e2 / line.nu0, 21.106, 1e-4);
    near(line_cross_section(&line, 1e5), 1.8263e-17, 3e-4);
}

static void named_lines_are_listed_and_others_unknown(void **state)
{
    (void)state;
    struct line line;
    char names[128];
    line_list_names(names, sizeof names);
    assert_string_equal(names, "lya, hi21, co10, hcop10, cii158, oh1665");
    assert_false(line_find("lyb", &line));
    assert_string_equal(line.name, "lya"); /* which is near */
    assert_false(line_find("water", &line));
    assert_string_equal(line.name, "");
    assert_true(line_find("LyA", &line));
    assert_string_equal(line.name, "lya");
    const char *const all[] = {"lya", "hi21", "co10", "hcop10", "cii158", "oh1665"};
    for (int i = 0; i < 6; i++) {
        assert_true(line_find(all[i], &line));
        assert_true(line.nu0 > 1e9 && line.a_ul > 0.0 && line.gamma == line.a_ul && line.mass > 1e-24);
    }
}

/* Hamilton 1947: E1 = 1 for J 0-1, 1/2 for 1/2-3/2, 0 for 1/2-1/2, 1/4 for 1-1, 7/20 for 1-2, 0 for 1-0. */
static void dipole_fraction_of_single_levels(void **state)
{
    (void)state;
    near(line_dipole_fraction(1, 3), 1.0, 1e-15);
    near(line_dipole_fraction(2, 4), 0.5, 1e-15);
    assert_true(line_dipole_fraction(2, 2) == 0.0);
    near(line_dipole_fraction(3, 3), 0.25, 1e-15);
    near(line_dipole_fraction(3, 5), 0.35, 1e-15);
    assert_true(line_dipole_fraction(3, 1) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lyman_alpha_at_ten_thousand_kelvin),
        cmocka_unit_test(cross_section_of_the_21_cm_line),
        cmocka_unit_test(named_lines_are_listed_and_others_unknown),
        cmocka_unit_test(dipole_fraction_of_single_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
