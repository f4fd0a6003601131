#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <udunits2.h>

#include "base/constants.h"
#include "base/library_folder.h"

struct units {
    ut_system *system;
    ut_unit *cgs[N_DIMENSION]; /* NULL for DIMENSION_NONE and DIMENSION_ANY */
};

struct dimension_text {
    const char *name, *cgs, *example;
};

static struct dimension_text dimension_text(enum dimension dimension)
{
    switch (dimension) {
    case DIMENSION_NONE:
        return (struct dimension_text){"a plain number", NULL, ""};
    case DIMENSION_LENGTH:
        return (struct dimension_text){"a length", "cm", "pc"};
    case DIMENSION_VELOCITY:
        return (struct dimension_text){"a velocity", "cm s-1", "km/s"};
    case DIMENSION_TEMPERATURE:
        return (struct dimension_text){"a temperature", "K", "K"};
    case DIMENSION_DENSITY:
        return (struct dimension_text){"a number density", "cm-3", "cm^-3"};
    case DIMENSION_COLUMN:
        return (struct dimension_text){"a column density", "cm-2", "cm^-2"};
    case DIMENSION_INVERSE_LENGTH:
        return (struct dimension_text){"an opacity (1/length)", "cm-1", "1/pc"};
    case DIMENSION_MASS_DENSITY:
        return (struct dimension_text){"a mass density", "g cm-3", "g/cm^3"};
    case DIMENSION_PRESSURE:
        return (struct dimension_text){"a pressure", "erg cm-3", "erg/cm^3"};
    case DIMENSION_FREQUENCY:
        return (struct dimension_text){"a frequency", "s-1", "GHz"};
    case DIMENSION_RATE:
        return (struct dimension_text){"a rate", "s-1", "1/s"};
    case DIMENSION_MASS:
        return (struct dimension_text){"a mass", "g", "u"};
    case DIMENSION_ANGLE:
        return (struct dimension_text){"an angle", "rad", "deg"};
    case DIMENSION_PHOTON_RATE:
        return (struct dimension_text){"a photon rate", "s-1", "photon/s"};
    case DIMENSION_POWER:
        return (struct dimension_text){"a luminosity", "erg s-1", "erg/s"};
    case DIMENSION_PHOTON_FLUX:
        return (struct dimension_text){"a photon flux", "cm-2 s-1", "photon/s/cm^2"};
    case DIMENSION_ENERGY_FLUX:
        return (struct dimension_text){"an energy flux", "erg cm-2 s-1", "erg/s/cm^2"};
    case DIMENSION_PHOTON_INTENSITY:
        return (struct dimension_text){"a photon intensity", "cm-2 s-1 sr-1", "photon/s/cm^2/sr"};
    case DIMENSION_ENERGY_INTENSITY:
        return (struct dimension_text){"an intensity", "erg cm-2 s-1 sr-1", "erg/s/cm^2/sr"};
    case DIMENSION_DIPOLE:
        return (struct dimension_text){"a dipole moment", "statC cm", "debye"};
    case DIMENSION_ANY:
    case N_DIMENSION:
        break;
    }
    return (struct dimension_text){"any quantity", NULL, ""};
}

const char *units_dimension_name(enum dimension dimension)
{
    return dimension_text(dimension).name;
}

const char *units_dimension_example(enum dimension dimension)
{
    return dimension_text(dimension).example;
}

const char *units_dimension_cgs(enum dimension dimension)
{
    return dimension_text(dimension).cgs;
}

struct ut_system *units_system(const struct units *units)
{
    return units->system;
}

/* ---- Units that UDUNITS lacks, or has with an old value. ---- */

/* Define `symbol` as `definition` times `scale`, overriding any earlier definition. */
static bool define_unit(ut_system *system, const char *symbol, double scale, const char *definition)
{
    ut_unit *base = ut_parse(system, definition, UT_ASCII);
    ut_unit *unit = base ? ut_scale(scale, base) : NULL;
    ut_unmap_symbol_to_unit(system, symbol, UT_ASCII);
    ut_unmap_name_to_unit(system, symbol, UT_ASCII);
    bool defined = unit && ut_map_symbol_to_unit(symbol, UT_ASCII, unit) == UT_SUCCESS;
    ut_free(unit);
    ut_free(base);
    return defined;
}

/* Photons are counted: a separate, dimensionless unit. */
static bool define_photon(ut_system *system)
{
    ut_unit *photon = ut_new_dimensionless_unit(system);
    bool defined = photon && ut_map_name_to_unit("photon", UT_ASCII, photon) == UT_SUCCESS &&
                   ut_map_name_to_unit("photons", UT_ASCII, photon) == UT_SUCCESS;
    ut_free(photon);
    return defined;
}

/* The charge, which UDUNITS has to six digits: 1 C = c / (10 cm/s) statC, to the 1e-9 by which mu0 is not exact. */
static bool define_dipole(ut_system *system)
{
    return define_unit(system, "statC", 10.0 / LR_LIGHT_SPEED, "C") &&
           define_unit(system, "debye", LR_DEBYE, "statC cm") && define_unit(system, "Debye", LR_DEBYE, "statC cm");
}

static bool define_astronomy(ut_system *system)
{
    const double sun_luminosity = 3.828e26;       /* W; IAU 2015 resolution B3 */
    const double light_year = 9460730472580800.0; /* m; Julian year of 365.25 days */
    const char *const sun_luminosity_names[] = {"solLum", "Lsun", "L_sun"};
    bool ok =
        define_unit(system, "pc", LR_PARSEC, "cm") && define_unit(system, "parsec", LR_PARSEC, "cm") &&
        define_unit(system, "au", LR_ASTRONOMICAL_UNIT, "cm") &&
        define_unit(system, "AU", LR_ASTRONOMICAL_UNIT, "cm") && define_unit(system, "ly", light_year, "m") &&
        define_unit(system, "deg", LR_PI / 180.0, "rad") && define_unit(system, "mas", 1e-3, "arcsec") &&
        define_unit(system, "u", LR_ATOMIC_MASS_UNIT, "g") && define_unit(system, "amu", LR_ATOMIC_MASS_UNIT, "g") &&
        define_unit(system, "AA", 1e-10, "m") && define_unit(system, "solRad", LR_SOLAR_RADIUS, "cm") &&
        define_unit(system, "Rsun", LR_SOLAR_RADIUS, "cm") && define_unit(system, "solMass", LR_SOLAR_MASS, "g") &&
        define_unit(system, "Msun", LR_SOLAR_MASS, "g") && define_photon(system);
    for (int i = 0; ok && i < 3; i++)
        ok = define_unit(system, sun_luminosity_names[i], sun_luminosity, "W");
    return ok;
}

/* The database that UDUNITS2_XML_PATH names; or the one that a wheel carries, in a folder next to the library; or
 * that of the system. UDUNITS finds the first and the last by itself. */
static ut_system *read_database(void)
{
    char path[4096];
    const bool carried = !getenv("UDUNITS2_XML_PATH") && library_folder_find("udunits/udunits2.xml", path, sizeof path);
    return ut_read_xml(carried ? path : NULL);
}

enum lr_status units_create(lr_context *ctx, struct units **out)
{
    struct units *units = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *units, &units));
    ut_error_message_handler previous = ut_set_error_message_handler(ut_ignore);
    units->system = read_database();
    bool ok = units->system && define_astronomy(units->system) && define_dipole(units->system);
    for (int d = 0; ok && d < N_DIMENSION; d++) {
        const char *cgs = dimension_text((enum dimension)d).cgs;
        units->cgs[d] = cgs ? ut_parse(units->system, cgs, UT_ASCII) : NULL;
        ok = !cgs || units->cgs[d];
    }
    ut_set_error_message_handler(previous);
    if (!ok) {
        units_free(units);
        return lr_fail(ctx, LR_ERROR_IO,
                       "the UDUNITS-2 database cannot be read; install it or set UDUNITS2_XML_PATH to udunits2.xml");
    }
    *out = units;
    return LR_OK;
}

enum lr_status units_of(lr_context *ctx, struct units **units)
{
    if (!ctx->units)
        LR_TRY(units_create(ctx, &ctx->units));
    *units = ctx->units;
    return LR_OK;
}

void units_free(struct units *units)
{
    if (!units)
        return;
    for (int d = 0; d < N_DIMENSION; d++)
        ut_free(units->cgs[d]);
    ut_free_system(units->system);
    free(units);
}

bool units_split(const char *text, double *number, const char **unit)
{
    char *end = NULL;
    *number = strtod(text, &end);
    bool hexadecimal = memchr(text, 'x', (size_t)(end - text)) || memchr(text, 'X', (size_t)(end - text));
    if (end == text || hexadecimal || !isfinite(*number))
        return false;
    while (isspace((unsigned char)*end))
        end++;
    *unit = end;
    return true;
}

/* UDUNITS also reads "5 km" as a unit; after a number only "1/..." may start with a digit. */
static bool starts_like_unit(const char *unit)
{
    if (strncmp(unit, "1/", 2) == 0)
        return true;
    return !isdigit((unsigned char)*unit) && !strchr("+-.", *unit);
}

/* To UDUNITS an angle is a dimensionless number, like a photon or a per cent, and a steradian is its square. Only the
 * definition of the quotient still shows them. */
static bool is_pure_number(const ut_unit *ratio)
{
    char definition[64];
    int length = ut_format(ratio, definition, sizeof definition, UT_ASCII | UT_DEFINITION);
    return length > 0 && length < (int)sizeof definition && !strstr(definition, "rad");
}

/* A converter from the unit text to CGS of the dimension. Division, not ut_are_convertible(): that also accepts
 * reciprocals, cm for 1/cm. */
static enum unit_match find_converter(const struct units *units, const char *text, enum dimension dimension,
                                      cv_converter **converter)
{
    ut_unit *cgs = units->cgs[dimension];
    char trimmed[128] = "";
    if (strlen(text) >= sizeof trimmed || !starts_like_unit(text))
        return UNIT_UNKNOWN;
    snprintf(trimmed, sizeof trimmed, "%s", text);
    ut_unit *unit = ut_parse(units->system, ut_trim(trimmed, UT_UTF8), UT_UTF8);
    if (!unit)
        return UNIT_UNKNOWN;
    ut_unit *ratio = ut_divide(unit, cgs);
    bool same = ratio && ut_is_dimensionless(ratio) && (dimension != DIMENSION_ANGLE || is_pure_number(ratio));
    *converter = same ? ut_get_converter(unit, cgs) : NULL;
    ut_free(ratio);
    ut_free(unit);
    return *converter ? UNIT_OK : UNIT_MISMATCH;
}

enum unit_match units_convert(const struct units *units, const char *unit, enum dimension dimension, double *values,
                              size_t n)
{
    while (isspace((unsigned char)*unit))
        unit++;
    if (dimension == DIMENSION_ANY)
        return UNIT_OK;
    if (dimension == DIMENSION_NONE)
        return *unit == '\0' || strcmp(unit, "1") == 0 ? UNIT_OK : UNIT_MISMATCH;
    if (*unit == '\0')
        return UNIT_MISSING;
    ut_error_message_handler previous = ut_set_error_message_handler(ut_ignore);
    cv_converter *converter = NULL;
    enum unit_match match = find_converter(units, unit, dimension, &converter);
    if (match == UNIT_OK)
        cv_convert_doubles(converter, values, n, values);
    cv_free(converter);
    ut_set_error_message_handler(previous);
    return match;
}

enum unit_match units_parse(const struct units *units, const char *text, enum dimension dimension, double *value)
{
    const char *unit = NULL;
    if (!units_split(text, value, &unit))
        return UNIT_NOT_A_NUMBER;
    enum unit_match match = units_convert(units, unit, dimension, value, 1);
    return match == UNIT_OK && !isfinite(*value) ? UNIT_NOT_A_NUMBER : match;
}

void units_explain(enum unit_match match, const char *text, enum dimension dimension, char *message, size_t size)
{
    struct dimension_text about = dimension_text(dimension);
    double number = 0.0;
    const char *unit = "";
    int digits = units_split(text, &number, &unit) ? (int)(unit - text) : 0;
    while (digits > 0 && isspace((unsigned char)text[digits - 1]))
        digits--;
    char example[96];
    snprintf(example, sizeof example, "%.*s%s%s", digits ? digits : 1, digits ? text : "1", *about.example ? " " : "",
             about.example);
    switch (match) {
    case UNIT_NOT_A_NUMBER:
        snprintf(message, size, "'%s' is not a finite number%s; write for example '%s'", text,
                 *about.example ? " with a unit" : "", example);
        break;
    case UNIT_MISSING:
        snprintf(message, size, "'%s' has no unit; write for example '%s'", text, example);
        break;
    case UNIT_UNKNOWN:
        snprintf(message, size, "'%s' has an unknown unit '%s'; write for example '%s'", text, unit, example);
        break;
    case UNIT_MISMATCH:
        snprintf(message, size, "'%s' is not %s; write for example '%s'", text, about.name, example);
        break;
    case UNIT_OK:
        snprintf(message, size, "'%s' is fine", text);
        break;
    }
}
