/* Molecules: Boltzmann factors, rotors against formulas worked out by hand and against files, built-in ones, critical
 * density. */
#include "lamda_fixture.h"

#include "base/constants.h"
#include "lines/builtin.h"
#include "lines/critical_density.h"
#include "lines/rotor.h"
#include "model/line.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, lamda_setup, lamda_teardown)

static void near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

static void find(struct lamda_state *s, const char *name)
{
    molecule_free(&s->molecule);
    if (molecule_find(s->ctx, name, NULL, &s->molecule) != LR_OK)
        fail_msg("%s", lr_last_error(s->ctx));
}

/* h c / k = 1.438776877 cm K (CODATA 2018). */
static void boltzmann_factor_of_two_levels(void **state)
{
    struct lamda_state *s = *state;
    assert_int_equal(lamda_try(s, LAMDA_TEXT, strlen(LAMDA_TEXT)), LR_OK);
    near(molecule_kelvin(1.0), 1.438776877, 1e-9);
    near(molecule_boltzmann(&s->molecule, 1, 0, 14.38776877), exp(-1.0), 1e-9);
    near(molecule_boltzmann(&s->molecule, 2, 1, 14.38776877), exp(-2.0), 1e-9);
    near(molecule_boltzmann(&s->molecule, 0, 1, 14.38776877), exp(1.0), 1e-9);
    assert_true(molecule_boltzmann(&s->molecule, 1, 0, 0.0) == 0.0);
    assert_string_equal(collider_name(COLLIDER_ORTHO_H2), "o-H2");
    assert_string_equal(collider_name(COLLIDER_PROTON), "H+");
}

/* What remains of a file of three levels without the third: the lines and rates between the other two. */
static void upper_levels_can_be_left_out(void **state)
{
    struct lamda_state *s = *state;
    assert_int_equal(lamda_try(s, LAMDA_TEXT, strlen(LAMDA_TEXT)), LR_OK);
    const struct molecule *molecule = &s->molecule;
    const double first = molecule->partner[0].rate[0];
    assert_int_equal(molecule->n_level, 3);
    molecule_keep_levels(&s->molecule, 3);
    assert_int_equal(molecule->n_line, 2);
    molecule_keep_levels(&s->molecule, 2);
    assert_int_equal(molecule->n_level, 2);
    assert_int_equal(molecule->n_line, 1);
    assert_int_equal(molecule->line[0].upper, 1);
    for (int p = 0; p < molecule->n_partner; p++) {
        assert_int_equal(molecule->partner[p].n_transition, 1);
        assert_int_equal(molecule->partner[p].upper[0], 1);
    }
    assert_true(molecule->partner[0].rate[0] == first);
}

/* At 20 K p-H2: k_21 = 1e-11 + (20 - 10) / 90 x 1e-11; level 3: k_31 + k_32 there. */
static void critical_density_counts_all_downward_collisions(void **state)
{
    struct lamda_state *s = *state;
    assert_int_equal(lamda_try(s, LAMDA_TEXT, strlen(LAMDA_TEXT)), LR_OK);
    const struct molecule *m = &s->molecule;
    near(critical_density(m, 0, &m->partner[0], 20.0), 1.5e-6 / (10.0 / 9.0 * 1e-11), 1e-12);
    near(critical_density(m, 1, &m->partner[0], 55.0), 2.5e-5 / (3.5e-12 + 5.5e-11), 1e-12);
    near(critical_density(m, 1, &m->partner[0], 1.0), 2.5e-5 / (3e-12 + 5e-11), 1e-12);
    near(critical_density(m, 1, &m->partner[0], 1e4), 2.5e-5 / (4e-12 + 6e-11), 1e-12);
    near(critical_density(m, 0, &m->partner[1], 20.0), 2.0, 1e-12);
    assert_true(isinf(critical_density(m, 1, &m->partner[1], 20.0)));
}

/* The same through the public interface, and what is reported about the partners. */
static void partners_are_shown(void **state)
{
    struct lamda_state *s = *state;
    assert_int_equal(lamda_try(s, LAMDA_TEXT, strlen(LAMDA_TEXT)), LR_OK);
    const struct lr_molecule shown = {.data = s->molecule};
    assert_int_equal(lr_molecule_partner_count(&shown), 2);
    struct lr_partner partner;
    LR_INIT(partner);
    assert_int_equal(lr_molecule_partner(&shown, 2, &partner), 0);
    assert_int_equal(lr_molecule_partner(&shown, 0, &partner), 1);
    assert_string_equal(partner.name, "p-H2");
    assert_true(strlen(partner.reference) > 0);
    assert_int_equal(partner.n_temperature, 2);
    near(partner.coldest, 10, 1e-15);
    near(partner.hottest, 100, 1e-15);
    near(lr_molecule_critical_density(&shown, 0, 0, 20.0), 1.5e-6 / (10.0 / 9.0 * 1e-11), 1e-12);
    assert_true(isinf(lr_molecule_critical_density(&shown, 1, 1, 20.0)));
}

/* B = 50 GHz, D = 1 MHz, H = 10 Hz, mu = 1 D. By hand: nu(1-0) = 2 B - 4 D + 8 H = 99.99600008 GHz, nu(2-1) = 4 B - 32
 * D
 * + 208 H = 199.96800208 GHz; A = 1.16395e-20 nu^3 S mu^2 / g_u with nu in MHz, S = J_u (the CDMS; 2e-5 below what the
 * constants of CODATA 2018 give). */
static void rotor_by_hand(void **state)
{
    struct lamda_state *s = *state;
    struct rotor rotor = {50e9, 1e6, 10.0, LR_DEBYE, 30.0 * LR_ATOMIC_MASS_UNIT, 3};
    assert_int_equal(rotor_make(s->ctx, "top", &rotor, &s->molecule), LR_OK);
    const struct molecule *m = &s->molecule;
    assert_int_equal(m->n_level, 4);
    assert_int_equal(m->n_line, 3);
    assert_int_equal(m->n_partner, 0);
    near(m->line[0].frequency, 99.99600008e9, 1e-13);
    near(m->line[1].frequency, 199.96800208e9, 1e-13);
    near(m->level[2].energy * 29.9792458, 99.99600008 + 199.96800208, 1e-13);
    near(m->line[0].a_ul, 1.16395e-20 * pow(99996.00008, 3.0) / 3.0, 3e-5);
    near(m->line[2].a_ul, 1.16395e-20 * pow(m->line[2].frequency / 1e6, 3.0) * 3.0 / 7.0, 3e-5);
    assert_true(m->level[3].weight == 7.0 && strcmp(m->level[3].label, "3") == 0);
    assert_true(m->line[2].upper == 3 && m->line[2].lower == 2);
    rotor.d = 4e9;
    assert_int_equal(rotor_make(s->ctx, "top", &rotor, &s->molecule), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(s->ctx), "J = 3 does not lie above J = 2"));
}

/* Published frequencies in GHz (CDMS), A in s^-1: J = 1-0 and a higher line of each. Catalogues differ by 0.6 % in the
 * A of 13CO and C18O, depending on the dipole moments they use. */
static void rotors_have_the_published_frequencies(void **state)
{
    struct lamda_state *s = *state;
    const struct {
        const char *name;
        double first, a_first, a_tolerance;
        int j;
        double other;
    } cases[] = {
        {"co", 115.2712018, 7.203e-8, 1e-3, 3, 345.7959899},    {"13co", 110.2013543, 6.325e-8, 0.006, 3, 330.5879653},
        {"c18o", 109.7821734, 6.266e-8, 0.006, 3, 329.3305525}, {"hco+", 89.1885247, 4.187e-5, 1e-3, 4, 356.7342230},
        {"cs", 48.9909549, 1.749e-6, 1e-3, 7, 342.8828503},     {"sio", 43.4238530, 3.049e-6, 1e-3, 8, 347.3305810},
        {"hcn", 88.6316022, 2.407e-5, 1e-3, 4, 354.5054773},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        find(s, cases[i].name);
        assert_int_equal(s->molecule.n_line, 40);
        near(s->molecule.line[0].frequency, cases[i].first * 1e9, 1e-7);
        near(s->molecule.line[cases[i].j - 1].frequency, cases[i].other * 1e9, 3e-8);
        near(s->molecule.line[0].a_ul, cases[i].a_first, cases[i].a_tolerance);
    }
}

/* Every line of a file of the LAMDA database, if the reference data is available. The dipole moment of CO decreases
 * with J (centrifugal distortion), which the constants do not include: 2.5 % in A at J = 10. */
static void rotors_agree_with_files(void **state)
{
    struct lamda_state *s = *state;
    const char *folder = getenv("LINERAD_REFERENCE");
    if (!folder) {
        print_message("LINERAD_REFERENCE is not set\n");
        skip();
    }
    const struct {
        const char *name, *file;
        double frequency, a;
        int highest; /* J up to which A is compared */
    } cases[] = {{"co", "lamda/co_yang2010.dat", 1e-7, 0.03, 10},
                 {"cs", "lamda/cs.dat", 1e-7, 1e-3, 30},
                 {"hcn", "lamda/hcn.dat", 1e-7, 1e-3, 25},
                 {"sio", "lamda/sio.dat", 4e-6, 2e-3, 40}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        find(s, cases[i].name);
        struct molecule file = {0};
        if (molecule_find(s->ctx, cases[i].file, folder, &file) != LR_OK)
            fail_msg("%s", lr_last_error(s->ctx));
        assert_true(file.n_line >= cases[i].highest);
        for (int l = 0; l < file.n_line; l++)
            near(s->molecule.line[l].frequency, file.line[l].frequency, cases[i].frequency);
        for (int l = 0; l < cases[i].highest; l++)
            near(s->molecule.line[l].a_ul, file.line[l].a_ul, cases[i].a);
        molecule_free(&file);
    }
}

/* Known both from `line: co10` and from the molecule. */
static void built_in_molecules_agree_with_named_lines(void **state)
{
    struct lamda_state *s = *state;
    const struct {
        const char *molecule;
        int line;
        const char *name;
        double frequency, a; /* tolerances */
    } pairs[] = {{"lya", 0, "lya", 1e-15, 0.0},    {"hi21", 0, "hi21", 1e-15, 0.0},
                 {"cii", 0, "cii158", 1e-15, 0.0}, {"oh18cm", 1, "oh1665", 1e-15, 0.0},
                 {"co", 0, "co10", 1e-8, 1e-3},    {"hco+", 0, "hcop10", 1e-8, 1e-3}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct line line;
        find(s, pairs[i].molecule);
        assert_true(line_find(pairs[i].name, &line));
        const struct transition *other = &s->molecule.line[pairs[i].line];
        near(other->frequency, line.nu0, pairs[i].frequency);
        near(other->a_ul, line.a_ul, pairs[i].a);
        near(s->molecule.mass, line.mass, 1e-8);
        assert_true(s->molecule.level[other->upper].weight == line.g_upper);
        assert_true(s->molecule.level[other->lower].weight == line.g_lower);
    }
}

/* Levels and lines agree; the four lines of OH satisfy the sum rule nu(1612) + nu(1720) = nu(1665) + nu(1667) and, in
 * strengths g_u A / nu^3, the ratios 1 : 5 : 9 : 1 of LTE to the 2 % of their published A. */
static void built_in_levels_agree_with_lines(void **state)
{
    struct lamda_state *s = *state;
    for (int i = 0; builtin_name(i); i++) {
        find(s, builtin_name(i));
        const struct molecule *m = &s->molecule;
        assert_string_equal(m->name, builtin_name(i));
        assert_true(m->level[0].energy == 0.0 && m->mass > 1e-24 && builtin_text(i));
        for (int l = 0; l < m->n_line; l++)
            near((m->level[m->line[l].upper].energy - m->level[m->line[l].lower].energy) * LR_LIGHT_SPEED,
                 m->line[l].frequency, 2e-7);
    }
    find(s, "oh18cm");
    const struct transition *line = s->molecule.line;
    near(line[0].frequency + line[3].frequency, line[1].frequency + line[2].frequency, 1e-7);
    const double ratio[] = {1.0, 5.0, 9.0, 1.0};
    double strength[4];
    for (int l = 0; l < 4; l++)
        strength[l] = s->molecule.level[line[l].upper].weight * line[l].a_ul / pow(line[l].frequency, 3.0);
    for (int l = 0; l < 4; l++)
        near(strength[l] / strength[0], ratio[l], 0.02);
}

static void names_files_and_folders(void **state)
{
    struct lamda_state *s = *state;
    FILE *file = fopen("test_molecule.dat", "w");
    assert_non_null(file);
    fputs(LAMDA_TEXT, file);
    fclose(file);
    find(s, "test_molecule.dat");
    assert_string_equal(s->molecule.name, "XY, made up");
    molecule_free(&s->molecule);
    assert_int_equal(molecule_find(s->ctx, "test_molecule.dat", "./.", &s->molecule), LR_OK);
    molecule_free(&s->molecule);
    assert_int_equal(molecule_find(s->ctx, "test_molecule.dat", "nowhere", &s->molecule), LR_ERROR_IO);
    assert_non_null(strstr(lr_last_error(s->ctx), "nowhere/test_molecule.dat: cannot open"));
    assert_int_equal(molecule_find(s->ctx, "co", "nowhere", &s->molecule), LR_OK);
    molecule_free(&s->molecule);
    assert_int_equal(molecule_find(s->ctx, "unobtainium", NULL, &s->molecule), LR_ERROR_IO);
    assert_non_null(strstr(lr_last_error(s->ctx), "expected a LAMDA file or one of co, 13co, c18o"));
    /* names in a different case, unless there is a file of that name */
    const char *const other[][2] = {{"CO", "co"}, {"HCO+", "hco+"}, {"13CO", "13co"}, {"SiO", "sio"}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(molecule_find(s->ctx, other[i][0], i % 2 ? "." : NULL, &s->molecule), LR_OK);
        assert_string_equal(s->molecule.name, other[i][1]);
        molecule_free(&s->molecule);
    }
    assert_int_equal(rename("test_molecule.dat", "HCN"), 0);
    find(s, "HCN");
    assert_string_equal(s->molecule.name, "XY, made up");
    molecule_free(&s->molecule);
    remove("HCN");
    assert_int_equal(molecule_find(s->ctx, "HCO", NULL, &s->molecule), LR_ERROR_IO);
    assert_non_null(strstr(lr_last_error(s->ctx), "hi21; did you mean 'hco+'?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(boltzmann_factor_of_two_levels),
        RUN(upper_levels_can_be_left_out),
        RUN(critical_density_counts_all_downward_collisions),
        RUN(partners_are_shown),
        RUN(rotor_by_hand),
        RUN(rotors_have_the_published_frequencies),
        RUN(rotors_agree_with_files),
        RUN(built_in_molecules_agree_with_named_lines),
        RUN(built_in_levels_agree_with_lines),
        RUN(names_files_and_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
