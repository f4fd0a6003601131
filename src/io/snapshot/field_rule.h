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

/* What is wrong with a value, or NULL. */
static inline const char *field_rule_fault(const struct field_rule *rule, double value)
{
    if (!isfinite(value))
        return "is not a finite number";
    if (value < rule->low)
        return rule->low > 0.0 ? "must be above zero" : rule->low == 0.0 ? "is negative" : "is too small";
    return value > rule->high ? "is too large" : NULL;
}

#endif
