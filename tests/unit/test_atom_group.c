/* Built-in groups of lines: oscillator strengths as listed by NIST (printed there to three digits), branching ratios,
 * splittings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/constants.h"
#include "model/atom_group.h"
#include "model/line.h"
#include "model/line_group.h"

struct made {
    struct line first;
    struct line_group group;
};

static struct made make(const char *name, double deuterium)
{
    struct made made = {0};
    lr_context *ctx = lr_context_create();
    int nearest = -1;
    const int number = atom_group_find(name, &nearest);
    assert_true(number >= 0);
    assert_int_equal(atom_group_make(ctx, number, deuterium, &made.first, &made.group), LR_OK);
    lr_context_free(ctx);
    return made;
}

static double angstrom(const struct made *made, int m)
{
    return 1e8 * LR_LIGHT_SPEED / (made->first.nu0 * (1 + made->group.member[m].offset));
}

/* f = m_e c / (8 pi^2 e^2) lambda^2 A g_u / g_l */
static double oscillator_strength(const struct made *made, int m)
{
    const struct line_member *member = &made->group.member[m];
    return 1.49919e-16 * pow(angstrom(made, m), 2) * member->a_ul * member->g_upper / member->g_lower;
}

static void check_strength(const char *name, int n, const double *expected)
{
    struct made made = make(name, 0);
    assert_int_equal(made.group.n, n);
    for (int m = 0; m < n; m++)
        assert_true(fabs(oscillator_strength(&made, m) / expected[m] - 1) < 0.01);
    free(made.group.member);
}

static void oscillator_strengths_are_those_listed(void **state)
{
    (void)state;
    check_strength("lyman_alpha_fine", 2, (double[]){0.2776, 0.1388});
    check_strength("mgii", 2, (double[]){0.608, 0.303});
    check_strength("civ", 2, (double[]){0.190, 0.0952});
    check_strength("nai", 2, (double[]){0.641, 0.320});
    check_strength("cii1335", 3, (double[]){0.129, 0.0127, 0.115});
    check_strength("siii1190", 4, (double[]){0.575, 0.277, 0.737, 0.150});
    check_strength("siii1260", 3, (double[]){1.22, 1.09, 0.113});
    check_strength("siii1304", 2, (double[]){0.0928, 0.0800});
    check_strength("hei10833", 3, (double[]){0.2996, 0.1797, 0.0599});
}

/* LS coupling gives 1/6, 1/3, 1/6, 1/6, 2/3: real ions are within a tenth. */
static void branching_ratios_are_near_those_of_ls_coupling(void **state)
{
    (void)state;
    struct made carbon = make("CII1335", 0), silicon = make("siii1190", 0);
    assert_true(fabs(line_group_branching(&carbon.group, 1) - 0.165) < 5e-4);
    assert_true(fabs(line_group_branching(&carbon.group, 1) * 6 - 1) < 0.1);
    assert_true(fabs(line_group_branching(&silicon.group, 3) * 3 - 1) < 0.1);
    assert_true(fabs(line_group_branching(&silicon.group, 1) * 6 - 1) < 0.1);
    assert_true(line_group_branching(&carbon.group, 2) == 1);
    for (int m = 0; m < 3; m++) /* fluorescent lines only emit */
        assert_true(carbon.group.member[m].abundance == (m == 0 ? 1 : 0));
    free(carbon.group.member);
    free(silicon.group.member);
}

static void fine_structure_and_deuterium_are_where_they_should_be(void **state)
{
    (void)state;
    struct made made = make("lyman_alpha_fine", 3e-5);
    assert_int_equal(made.group.n, 4);
    assert_true(fabs(line_group_velocity(&made.group.member[1]) - 1.334e5) < 0.01e5); /* 0.3659 cm^-1 */
    assert_true(fabs(line_group_velocity(&made.group.member[2]) + 81.6e5) < 0.1e5);
    assert_true(fabs(angstrom(&made, 2) - 1215.338) < 1e-3);
    assert_true(made.group.member[3].partner == 2 && made.group.member[2].partner == 3);
    assert_true(made.group.member[2].upper != made.group.member[0].upper);
    assert_true(fabs(made.group.member[2].mass / made.group.member[0].mass - 1.99846) < 1e-4);
    free(made.group.member);
}

static void names_are_found_or_suggested(void **state)
{
    (void)state;
    int nearest = -1;
    char text[256];
    assert_true(atom_group_find("MgII", &nearest) >= 0);
    assert_true(atom_group_find("mgi", &nearest) < 0);
    assert_string_equal(atom_group_name(nearest), "mgii");
    atom_group_list(text, sizeof text);
    assert_non_null(strstr(text, "hei10833"));
}

/* The signs of the amplitudes: W2 of 3/2-1/2 and 3/2-3/2 (Landi Degl'Innocenti & Landolfi 2004, table 10.1). */
static void dipole_parts_of_fluorescence_have_a_sign(void **state)
{
    (void)state;
    assert_true(fabs(line_dipole_amplitude(2, 4) - sqrt(0.5)) < 1e-12);
    assert_true(fabs(line_dipole_amplitude(4, 4) + sqrt(0.32)) < 1e-12);
    assert_true(fabs(line_dipole_amplitude(3, 3) + 0.5) < 1e-12);
    assert_true(fabs(line_dipole_amplitude(5, 3) - 0.1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator_strengths_are_those_listed),
        cmocka_unit_test(branching_ratios_are_near_those_of_ls_coupling),
        cmocka_unit_test(fine_structure_and_deuterium_are_where_they_should_be),
        cmocka_unit_test(names_are_found_or_suggested),
        cmocka_unit_test(dipole_parts_of_fluorescence_have_a_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
