/* Formulas give the numbers and units that the same calculation in C gives; anything else is rejected with the column
 * and the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/model/formula.h"
#include "units_world.h"

#define PC 3.0856775814913673e18 /* cm, IAU 2015 */

/* At x = 3 pc, y = 4 pc, z = 12 pc, so R = 5 pc and r = 13 pc. */
static double value_of(const struct formula *formula)
{
    const double theta = atan2(5, 12), phi = atan2(4, 3), at[] = {3 * PC, 4 * PC, 12 * PC, 13 * PC, 5 * PC};
    const double *const variable[] = {&at[0], &at[1], &at[2], &at[3], &at[4], &theta, &phi};
    double value;
    formula_values(formula, 1, variable, &value);
    return value;
}

struct good {
    const char *text;
    enum dimension dimension;
    double value; /* CGS */
};

static void formulas_have_values_and_units(void **state)
{
    const struct world *world = *state;
    const struct good cases[] = {
        {"1e-3 cm^-3 * (r / 2 kpc)^-2", DIMENSION_DENSITY, 1e-3 / pow(13.0 / 2000, 2)},
        {"1e-3 1/cm^3", DIMENSION_DENSITY, 1e-3},
        {"1e-3/cm^3", DIMENSION_DENSITY, 1e-3},
        {"1e-3 cm**-3", DIMENSION_DENSITY, 1e-3},
        {"5 / 1 cm3", DIMENSION_DENSITY, 5},
        {"10 K", DIMENSION_TEMPERATURE, 10},
        {"200 km/s * (1 - 1 pc / r)", DIMENSION_VELOCITY, 2e7 * (1 - 1.0 / 13)},
        {"x / r * 10 km/s", DIMENSION_VELOCITY, 1e6 * 3 / 13},
        {"5 km/s/pc * r", DIMENSION_VELOCITY, 5e5 * 13},
        {"5 km s^-1 pc^-1 * r", DIMENSION_VELOCITY, 5e5 * 13},
        {"20 K * (20 km/s / 5 km/s)", DIMENSION_TEMPERATURE, 80},
        {"sqrt(1 km^2/s^2 * R / 5 pc)", DIMENSION_VELOCITY, 1e5},
        {"(9 km^2/s^2)^0.5", DIMENSION_VELOCITY, 3e5},
        {"(9 km^2/s^2)^(1/2)", DIMENSION_VELOCITY, 3e5},
        {"1 g/cm^3 / 2", DIMENSION_MASS_DENSITY, 0.5},
        {"1 Msun / (1 pc)^3", DIMENSION_MASS_DENSITY, 1.988409871e33 / (PC * PC * PC)},
        {"-2^2", DIMENSION_NONE, -4},
        {"2^-1", DIMENSION_NONE, 0.5},
        {"2^3^2", DIMENSION_NONE, 512},
        {"2 - 3 - 4", DIMENSION_NONE, -5},
        {"2 / 4 / 4 * 8", DIMENSION_NONE, 1},
        {"- -3 + +2", DIMENSION_NONE, 5},
        {"1 + 2 * 3", DIMENSION_NONE, 7},
        {".5e1", DIMENSION_NONE, 5},
        {"exp(-r / 13 pc)", DIMENSION_NONE, 0.36787944117144233},
        {"log(exp(2)) + log10(1000)", DIMENSION_NONE, 5},
        {"abs(-3) + sqrt(16)", DIMENSION_NONE, 7},
        {"sin(pi / 6) + cos(60 deg)", DIMENSION_NONE, 1},
        {"tanh(0.5)", DIMENSION_NONE, 0.46211715726000976},
        {"min(3, 1, 2) + max(3, 1, 2)", DIMENSION_NONE, 4},
        {"max(R, 1 pc) / min(R, 1 pc)", DIMENSION_NONE, 5},
        {"cos(theta) * 13", DIMENSION_NONE, 12},
        {"sin(phi) * 5", DIMENSION_NONE, 4},
        {"(x^2 + y^2 + z^2) / r^2", DIMENSION_NONE, 1},
        {"2^(x / y)", DIMENSION_NONE, 1.681792830507429},
        {"min(0, 0/0) + 1", DIMENSION_NONE, NAN},
        {"3 photon/s / 1 s^-1", DIMENSION_NONE, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula formula;
        char message[256];
        if (!formula_read(world->units, cases[i].text, false, &formula, message, sizeof message))
            fail_msg("'%s': %s", cases[i].text, message);
        if (!unit_powers_equal(formula.powers, unit_powers_wanted(world->units, cases[i].dimension)))
            fail_msg("'%s' has the wrong unit", cases[i].text);
        const double value = value_of(&formula), wanted = cases[i].value;
        if (isnan(wanted) ? !isnan(value) : !(fabs(value - wanted) <= 1e-13 * fabs(wanted)))
            fail_msg("'%s' is %.17g, not %.17g", cases[i].text, value, wanted);
    }
}

struct bad {
    const char *text, *message;
};

static void faults_are_found_where_they_are(void **state)
{
    const struct world *world = *state;
    const struct bad cases[] = {
        {"", "column 1 of the formula: the formula ends too soon"},
        {"1 +", "column 4 of the formula: the formula ends too soon"},
        {"1 pc + 2", "column 8 of the formula: cannot add cm and a plain number"},
        {"2 m-3", "column 5 of the formula: cannot subtract cm and a plain number"},
        {"1 pc - 2 K", "column 8 of the formula: cannot subtract cm and K"},
        {"max(1 K, r)", "column 10 of the formula: cannot compare K and cm"},
        {"max(1)", "column 6 of the formula: max() needs two values or more, with commas between them"},
        {"exp(r)", "column 5 of the formula: exp() needs a plain number; this is in cm"},
        {"2^(1 pc)", "column 3 of the formula: a power must be a plain number; this is in cm"},
        {"r^(x / y)", "column 1 of the formula: this is in cm and has a power that varies; divide it by a scale first"},
        {"r^1e5", "column 3 of the formula: a power of cm must lie between -100 and 100"},
        {"1 furlong_", "column 3 of the formula: 'furlong_' is not a unit"},
        {"20 degC", "column 4 of the formula: 'degC' is not a unit"},
        {"r / pc", "column 5 of the formula: the unit 'pc' needs a number; write '1 pc'"},
        {"rho", "column 1 of the formula: 'rho' is unknown; there are x, y, z, r, R, theta, phi, pi, exp, log, log10, "
                "sqrt, abs, min, max, sin, cos, tanh"},
        {"system(1)",
         "column 1 of the formula: 'system' is unknown; there are x, y, z, r, R, theta, phi, pi, exp, log, "
         "log10, sqrt, abs, min, max, sin, cos, tanh"},
        {"(1 + 2", "column 7 of the formula: expected ')' here"},
        {"sin 1", "column 5 of the formula: expected '(' after sin"},
        {"2 r", "column 3 of the formula: expected an operator (+ - * / ^) here"},
        {"1 2", "column 3 of the formula: expected an operator (+ - * / ^) here"},
        {"2 * $", "column 5 of the formula: expected a value, found '$'"},
        {"0x10", "column 1 of the formula: '0x10' is not a finite decimal number"},
        {"1e999", "column 1 of the formula: '1e999' is not a finite decimal number"},
        {"2 pc^-99999999999999999999",
         "column 6 of the formula: the power of a unit must be a whole number; put the value in parentheses first"},
        {"2 pc^0.5",
         "column 6 of the formula: the power of a unit must be a whole number; put the value in parentheses first"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula formula;
        char message[256] = "accepted";
        formula_read(world->units, cases[i].text, false, &formula, message, sizeof message);
        assert_string_equal(message, cases[i].message);
    }
}

static void shells_know_only_the_radius(void **state)
{
    const struct world *world = *state;
    struct formula formula;
    char message[256];
    assert_true(formula_read(world->units, "r / 1 pc", true, &formula, message, sizeof message));
    assert_false(formula_read(world->units, "r / x", true, &formula, message, sizeof message));
    assert_string_equal(message, "column 5 of the formula: 'x' has no meaning on a mesh of shells; use r");
}

static void long_and_deep_formulas_end_in_an_error(void **state)
{
    const struct world *world = *state;
    struct formula formula;
    char message[256], text[4096];
    memset(text, '(', 1000);
    text[1000] = '\0';
    assert_false(formula_read(world->units, text, false, &formula, message, sizeof message));
    assert_non_null(strstr(message, "inside each other"));
    for (int i = 0; i < 1000; i++)
        memcpy(text + 2 * i, i ? "+1" : " 1", 3);
    assert_false(formula_read(world->units, text, false, &formula, message, sizeof message));
    assert_non_null(strstr(message, "too long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_values_and_units),
        cmocka_unit_test(faults_are_found_where_they_are),
        cmocka_unit_test(shells_know_only_the_radius),
        cmocka_unit_test(long_and_deep_formulas_end_in_an_error),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
