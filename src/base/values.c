/* Lists and grids of values as users write them: "10,20,50 K", "1e3:1e7:log9 cm^-3". */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "linerad_tools.h"

enum { MAX_VALUES = 1000000, MAX_TEXT = 4096 };

struct meaning {
    enum dimension dimension;
    const char *unit; /* of numbers without one */
};

static struct meaning meaning_of(enum lr_quantity quantity)
{
    switch (quantity) {
    case LR_IN_KELVIN:
        return (struct meaning){DIMENSION_TEMPERATURE, "K"};
    case LR_IN_CM3:
        return (struct meaning){DIMENSION_DENSITY, "cm^-3"};
    case LR_IN_CM2:
        return (struct meaning){DIMENSION_COLUMN, "cm^-2"};
    case LR_IN_KM_S:
        return (struct meaning){DIMENSION_VELOCITY, "km/s"};
    case LR_IN_PC:
        return (struct meaning){DIMENSION_LENGTH, "pc"};
    case LR_IN_GHZ:
        break;
    }
    return (struct meaning){DIMENSION_FREQUENCY, "GHz"};
}

struct list {
    double *values;
    int n;
};

static enum lr_status append(lr_context *ctx, struct list *list, double value)
{
    if (list->n == MAX_VALUES)
        return lr_fail(ctx, LR_ERROR_INPUT, "a grid of more than %d values", MAX_VALUES);
    if ((list->n & (list->n - 1)) == 0) { /* full at powers of two */
        const size_t room = list->n ? 2 * (size_t)list->n : 1;
        double *larger = realloc(list->values, room * sizeof *larger);
        if (!larger)
            return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for %zu values", room);
        list->values = larger;
    }
    list->values[list->n++] = value;
    return LR_OK;
}

static enum lr_status bad_grid(lr_context *ctx, const char *item)
{
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "'%s' is not a grid; write FROM:TO:N for N values, such as '10:100:10', or FROM:TO:logN for "
                   "logarithmic steps, such as '1e3:1e7:log9'",
                   item);
}

/* FROM:TO:N or FROM:TO:logN starting at `*at`, which is moved past N. */
static enum lr_status append_grid(lr_context *ctx, struct list *list, const char *item, const char **at)
{
    char *end = NULL;
    const double from = strtod(item, &end);
    const char *colon = end;
    if (*colon != ':')
        return bad_grid(ctx, item);
    const double to = strtod(colon + 1, &end);
    if (end == colon + 1 || *end != ':' || !isfinite(from) || !isfinite(to))
        return bad_grid(ctx, item);
    const bool is_log = strncmp(end + 1, "log", 3) == 0;
    const char *digits = end + (is_log ? 4 : 1);
    const long count = isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : 0;
    if (count < 2 || count > MAX_VALUES || (is_log && !(from > 0.0 && to > 0.0)))
        return bad_grid(ctx, item);
    for (long i = 0; i < count; i++) {
        const double part = (double)i / (double)(count - 1);
        const double value = is_log ? from * pow(to / from, part) : from + (to - from) * part;
        LR_TRY(append(ctx, list, i + 1 == count ? to : value));
    }
    *at = end;
    return LR_OK;
}

/* One item between commas; *unit is the start of its unit, "" if it has none. */
static enum lr_status append_item(lr_context *ctx, struct list *list, const char *item, const char **unit)
{
    double number = 0.0;
    if (strchr(item, ':'))
        LR_TRY(append_grid(ctx, list, item, unit));
    else if (units_split(item, &number, unit))
        LR_TRY(append(ctx, list, number));
    else
        return lr_fail(ctx, LR_ERROR_INPUT, "'%s' is not a finite number", item);
    while (isspace((unsigned char)**unit))
        ++*unit;
    return LR_OK;
}

static enum lr_status convert(lr_context *ctx, const struct units *units, const char *item, const char *unit,
                              enum dimension dimension, double *values, int n)
{
    const enum unit_match match = units_convert(units, unit, dimension, values, (size_t)n);
    if (match == UNIT_OK)
        return LR_OK;
    char message[256];
    units_explain(match, item, dimension, message, sizeof message);
    return lr_fail(ctx, LR_ERROR_INPUT, "%s", message);
}

/* Items without a unit take that of the next item that has one: the K of "10,20,50 K" applies to all three. */
static enum lr_status parse_items(lr_context *ctx, const struct units *units, char *text, struct meaning meaning,
                                  struct list *list)
{
    int converted = 0;
    for (char *item = text; item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma = '\0';
        const char *unit = "";
        LR_TRY(append_item(ctx, list, item, &unit));
        if (*unit || !comma) {
            LR_TRY(convert(ctx, units, item, *unit ? unit : meaning.unit, meaning.dimension, list->values + converted,
                           list->n - converted));
            converted = list->n;
        }
        item = comma ? comma + 1 : NULL;
    }
    return LR_OK;
}

enum lr_status lr_values_parse(lr_context *ctx, const char *text, enum lr_quantity quantity, double **values, int *n)
{
    char copy[MAX_TEXT];
    struct units *units = NULL;
    struct list list = {NULL, 0};
    *values = NULL;
    *n = 0;
    if (strlen(text) >= sizeof copy)
        return lr_fail(ctx, LR_ERROR_INPUT, "a list of more than %d characters", MAX_TEXT - 1);
    memcpy(copy, text, strlen(text) + 1);
    LR_TRY(units_of(ctx, &units));
    const enum lr_status status = parse_items(ctx, units, copy, meaning_of(quantity), &list);
    if (status != LR_OK) {
        free(list.values);
        return status;
    }
    *values = list.values;
    *n = list.n;
    return LR_OK;
}

void lr_values_free(double *values)
{
    free(values);
}
