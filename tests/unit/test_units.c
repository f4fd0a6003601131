/* Values with units become the right CGS numbers; anything else is rejected with a message that says what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "units_world.h"

struct conversion {
    const char *text;
    enum dimension dimension;
    double cgs;
};

static void known_units_convert_to_cgs(void **state)
{
    const struct world *world = *state;
    /* IAU 2012 au, IAU 2015 pc and solar values, CODATA 2018 u. */
    const struct conversion cases[] = {
        {"1 pc", DIMENSION_LENGTH, 3.0856775814913673e18},
        {"2 kpc", DIMENSION_LENGTH, 6.1713551629827346e21},
        {"1 parsec", DIMENSION_LENGTH, 3.0856775814913673e18},
        {"1 au", DIMENSION_LENGTH, 1.495978707e13},
        {"1 AU", DIMENSION_LENGTH, 1.495978707e13},
        {"1 ly", DIMENSION_LENGTH, 9.4607304725808e17},
        {"1 Rsun", DIMENSION_LENGTH, 6.957e10},
        {"1215.67 Angstrom", DIMENSION_LENGTH, 1.21567e-5},
        {"1215.67 AA", DIMENSION_LENGTH, 1.21567e-5},
        {"3 1/pc", DIMENSION_INVERSE_LENGTH, 3 / 3.0856775814913673e18},
        {"3 pc^-1", DIMENSION_INVERSE_LENGTH, 3 / 3.0856775814913673e18},
        {"1 km/s", DIMENSION_VELOCITY, 1e5},
        {"1km/s", DIMENSION_VELOCITY, 1e5},
        {"  -1.5e1 km s-1  ", DIMENSION_VELOCITY, -1.5e6},
        {"1 m-3", DIMENSION_DENSITY, 1e-6},
        {"1 cm^-3", DIMENSION_DENSITY, 1},
        {"25 celsius", DIMENSION_TEMPERATURE, 298.15},
        {"115.27 GHz", DIMENSION_FREQUENCY, 1.1527e11},
        {"7 1/s", DIMENSION_RATE, 7},
        {"180 deg", DIMENSION_ANGLE, 3.14159265358979323846},
        {"-0.5 degrees", DIMENSION_ANGLE, -8.7266462599716479e-3},
        {"1 arcmin", DIMENSION_ANGLE, 2.9088820866572160e-4},
        {"1 arcsec", DIMENSION_ANGLE, 4.8481368110953599e-6},
        {"1 mas", DIMENSION_ANGLE, 4.8481368110953599e-9},
        {"2 rad", DIMENSION_ANGLE, 2},
        {"1 u", DIMENSION_MASS, 1.66053906660e-24},
        {"28 amu", DIMENSION_MASS, 28 * 1.66053906660e-24},
        {"5 photon/s", DIMENSION_PHOTON_RATE, 5},
        {"5 photons/s", DIMENSION_PHOTON_RATE, 5},
        {"1 Lsun", DIMENSION_POWER, 3.828e33},
        {"1 solLum", DIMENSION_POWER, 3.828e33},
        {"1 W", DIMENSION_POWER, 1e7},
        {"1 photon/s/m^2", DIMENSION_PHOTON_FLUX, 1e-4},
        {"1 erg/s/cm^2", DIMENSION_ENERGY_FLUX, 1},
        {"1 photon/s/cm^2/sr", DIMENSION_PHOTON_INTENSITY, 1},
        {"2 erg/s/cm^2/sr", DIMENSION_ENERGY_INTENSITY, 2},
        {"0.11011 debye", DIMENSION_DIPOLE, 0.11011e-18},
        {"1 Debye", DIMENSION_DIPOLE, 1e-18},
        {"1 statC cm", DIMENSION_DIPOLE, 1},
        {"3.3356409519815204e-30 C m", DIMENSION_DIPOLE, 1e-18},
        {"0.149", DIMENSION_NONE, 0.149},
        {"3 anything", DIMENSION_ANY, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = NAN;
        assert_int_equal(units_parse(world->units, cases[i].text, cases[i].dimension, &value), UNIT_OK);
        if (!(fabs(value - cases[i].cgs) <= 1e-14 * fabs(cases[i].cgs)))
            fail_msg("%s gives %.17g, not %.17g", cases[i].text, value, cases[i].cgs);
    }
}

static void faults_are_told_apart(void **state)
{
    const struct world *world = *state;
    const struct {
        const char *text;
        enum dimension dimension;
        enum unit_match match;
        const char *message;
    } cases[] = {
        {"1e4", DIMENSION_TEMPERATURE, UNIT_MISSING, "'1e4' has no unit; write for example '1e4 K'"},
        {"1e4 km", DIMENSION_TEMPERATURE, UNIT_MISMATCH, "'1e4 km' is not a temperature; write for example '1e4 K'"},
        {"1 cm", DIMENSION_INVERSE_LENGTH, UNIT_MISMATCH,
         "'1 cm' is not an opacity (1/length); write for example '1 1/pc'"},
        {"1 erg/s", DIMENSION_PHOTON_RATE, UNIT_MISMATCH,
         "'1 erg/s' is not a photon rate; write for example '1 photon/s'"},
        {"2 foo", DIMENSION_LENGTH, UNIT_UNKNOWN, "'2 foo' has an unknown unit 'foo'; write for example '2 pc'"},
        {"2 3 pc", DIMENSION_LENGTH, UNIT_UNKNOWN, "'2 3 pc' has an unknown unit '3 pc'; write for example '2 pc'"},
        {"K", DIMENSION_TEMPERATURE, UNIT_NOT_A_NUMBER,
         "'K' is not a finite number with a unit; write for example '1 K'"},
        {"nan K", DIMENSION_TEMPERATURE, UNIT_NOT_A_NUMBER,
         "'nan K' is not a finite number with a unit; write for example '1 K'"},
        {"1e999 K", DIMENSION_TEMPERATURE, UNIT_NOT_A_NUMBER,
         "'1e999 K' is not a finite number with a unit; write for example '1 K'"},
        {"0x10 K", DIMENSION_TEMPERATURE, UNIT_NOT_A_NUMBER,
         "'0x10 K' is not a finite number with a unit; write for example '1 K'"},
        {"1e300 kpc", DIMENSION_LENGTH, UNIT_NOT_A_NUMBER,
         "'1e300 kpc' is not a finite number with a unit; write for example '1e300 pc'"},
        {"30", DIMENSION_ANGLE, UNIT_MISSING, "'30' has no unit; write for example '30 deg'"},
        {"1 pc", DIMENSION_ANGLE, UNIT_MISMATCH, "'1 pc' is not an angle; write for example '1 deg'"},
        {"1 sr", DIMENSION_ANGLE, UNIT_MISMATCH, "'1 sr' is not an angle; write for example '1 deg'"},
        {"3 photon", DIMENSION_ANGLE, UNIT_MISMATCH, "'3 photon' is not an angle; write for example '3 deg'"},
        {"9 percent", DIMENSION_ANGLE, UNIT_MISMATCH, "'9 percent' is not an angle; write for example '9 deg'"},
        {"5 deg", DIMENSION_LENGTH, UNIT_MISMATCH, "'5 deg' is not a length; write for example '5 pc'"},
        {"5 K", DIMENSION_NONE, UNIT_MISMATCH, "'5 K' is not a plain number; write for example '5'"},
        {"1 lg(re 1 K)", DIMENSION_TEMPERATURE, UNIT_MISMATCH,
         "'1 lg(re 1 K)' is not a temperature; write for example '1 K'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 0.0;
        char message[256];
        enum unit_match match = units_parse(world->units, cases[i].text, cases[i].dimension, &value);
        units_explain(match, cases[i].text, cases[i].dimension, message, sizeof message);
        assert_int_equal(match, cases[i].match);
        assert_string_equal(message, cases[i].message);
    }
}

static void arrays_convert_in_place(void **state)
{
    const struct world *world = *state;
    double values[] = {0.0, 1.0, -2.0};
    assert_int_equal(units_convert(world->units, "km/s", DIMENSION_VELOCITY, values, 3), UNIT_OK);
    assert_true(values[0] == 0.0 && fabs(values[1] - 1e5) < 1e-9 && fabs(values[2] + 2e5) < 1e-9);
    assert_int_equal(units_convert(world->units, "", DIMENSION_VELOCITY, values, 3), UNIT_MISSING);
    assert_int_equal(units_convert(world->units, "1", DIMENSION_NONE, values, 3), UNIT_OK);
}

static void a_context_keeps_its_units(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct units *first = NULL, *again = NULL;
    double value = 0.0;
    assert_int_equal(units_of(ctx, &first), LR_OK);
    assert_int_equal(units_of(ctx, &again), LR_OK);
    assert_ptr_equal(first, again);
    assert_int_equal(units_parse(again, "2 km", DIMENSION_LENGTH, &value), UNIT_OK);
    assert_true(fabs(value - 2e5) < 1e-9);
    lr_context_free(ctx);
    lr_context_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_units_convert_to_cgs),
        cmocka_unit_test(faults_are_told_apart),
        cmocka_unit_test(arrays_convert_in_place),
        cmocka_unit_test(a_context_keeps_its_units),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
