/* Allowed values of a field. */
#ifndef LR_IO_SNAPSHOT_FIELD_RULE_H
#define LR_IO_SNAPSHOT_FIELD_RULE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"

struct field_rule {
    enum dimension dimension;
    bool extensive;   /* regions that cut a cell are weighted by volume; otherwise the cell centre decides */
    double low, high; /* allowed values, CGS, both ends included */
};

/* Far beyond anything that exists: larger values are typing errors or wrong units, and their products overflow. */
#define MOST_TEMPERATURE 1e15  /* K */
#define MOST_DENSITY 1e45      /* cm^-3 */
#define MOST_MASS_DENSITY 1e20 /* g cm^-3 */
#define MOST_PRESSURE 1e45     /* dyn cm^-2 */

static inline const char *field_rule_excess(enum dimension dimension)
{
    switch (dimension) {
    case DIMENSION_TEMPERATURE:
        return "is too large; expected at most 1e15 K";
    case DIMENSION_DENSITY:
        return "is too large; expected at most 1e45 cm^-3";
    case DIMENSION_MASS_DENSITY:
        return "is too large; expected at most 1e20 g/cm^3";
    case DIMENSION_PRESSURE:
        return "is too large; expected at most 1e45 dyn/cm^2";
    default:
        return "is too large";
    }
}

/* What is wrong with a value, or NULL. */
static inline const char *field_rule_fault(const struct field_rule *rule, double value)
{
    if (!isfinite(value))
        return "is not a finite number";
    if (value < rule->low)
        return rule->low > 0.0 ? "must be above zero" : rule->low == 0.0 ? "is negative" : "is too small";
    return value > rule->high ? field_rule_excess(rule->dimension) : NULL;
}

#endif
