/* Units of values that users write: "100 K", "0.04 pc", "1 km/s" become CGS numbers. UDUNITS-2 does the work;
 * astronomical units are added to it here. UDUNITS keeps parser state in globals: use one thread at a time. */
#ifndef LR_BASE_UNITS_H
#define LR_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

struct units;

/* What a value may measure. Photons are dimensionless, so a photon rate is a rate. */
enum dimension {
    DIMENSION_NONE,             /* a plain number, no unit allowed */
    DIMENSION_ANY,              /* any unit or none, taken as written */
    DIMENSION_LENGTH,           /* cm */
    DIMENSION_VELOCITY,         /* cm s^-1 */
    DIMENSION_TEMPERATURE,      /* K */
    DIMENSION_DENSITY,          /* cm^-3 */
    DIMENSION_COLUMN,           /* cm^-2 */
    DIMENSION_INVERSE_LENGTH,   /* cm^-1 */
    DIMENSION_MASS_DENSITY,     /* g cm^-3 */
    DIMENSION_PRESSURE,         /* erg cm^-3 */
    DIMENSION_FREQUENCY,        /* s^-1 */
    DIMENSION_RATE,             /* s^-1 */
    DIMENSION_MASS,             /* g */
    DIMENSION_ANGLE,            /* rad */
    DIMENSION_PHOTON_RATE,      /* s^-1 */
    DIMENSION_POWER,            /* erg s^-1 */
    DIMENSION_PHOTON_FLUX,      /* cm^-2 s^-1 */
    DIMENSION_ENERGY_FLUX,      /* erg cm^-2 s^-1 */
    DIMENSION_PHOTON_INTENSITY, /* cm^-2 s^-1 sr^-1 */
    DIMENSION_ENERGY_INTENSITY, /* erg cm^-2 s^-1 sr^-1 */
    DIMENSION_DIPOLE,           /* statC cm */
    N_DIMENSION
};

enum unit_match {
    UNIT_OK,
    UNIT_NOT_A_NUMBER, /* the text does not begin with a finite number */
    UNIT_MISSING,      /* a number without the unit it needs */
    UNIT_UNKNOWN,      /* unknown unit */
    UNIT_MISMATCH      /* a unit of another dimension */
};

/* The units of the context, which owns them. */
enum lr_status units_of(lr_context *ctx, struct units **units);
enum lr_status units_create(lr_context *ctx, struct units **units);
void units_free(struct units *units);

/* "a temperature", and a unit to show in examples: "K". */
const char *units_dimension_name(enum dimension dimension);
const char *units_dimension_example(enum dimension dimension);
/* "cm s-1", for UDUNITS; NULL for a plain number and for DIMENSION_ANY. */
const char *units_dimension_cgs(enum dimension dimension);
/* What UDUNITS knows them as. */
struct ut_system;
struct ut_system *units_system(const struct units *units);

/* Split "1e4 K" into its number and the start of its unit ("" if there is none). False without a finite number. */
bool units_split(const char *text, double *number, const char **unit);

/* "NUMBER UNIT" to CGS. */
enum unit_match units_parse(const struct units *units, const char *text, enum dimension dimension, double *value);

/* Convert n values in place from `unit` to CGS. */
enum unit_match units_convert(const struct units *units, const char *unit, enum dimension dimension, double *values,
                              size_t n);

/* One line for any match except UNIT_OK, such as "'1e4' has no unit; write for example '1e4 K'". */
void units_explain(enum unit_match match, const char *text, enum dimension dimension, char *message, size_t size);

#endif
