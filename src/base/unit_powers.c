#include "base/unit_powers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <udunits2.h>

/* UDUNITS counts in m and kg. */
static const char *const BASE[UNIT_BASES] = {"m", "kg", "s", "K", "A", "mol", "cd"};
static const char *const SHOWN[UNIT_BASES] = {"cm", "g", "s", "K", "A", "mol", "cd"};
static const double CGS_PER_SI[UNIT_BASES] = {100, 1000, 1, 1, 1, 1, 1};

struct found {
    double size; /* in SI */
    struct unit_powers powers;
};

/* ---- What UDUNITS tells a visitor about a unit ---- */

static ut_status add_base(struct found *found, const ut_unit *unit, int power)
{
    const char *symbol = ut_get_symbol(unit, UT_ASCII);
    for (int i = 0; symbol && i < UNIT_BASES; i++)
        if (strcmp(symbol, BASE[i]) == 0) {
            found->powers.power[i] += power;
            return UT_SUCCESS;
        }
    return ut_is_dimensionless(unit) ? UT_SUCCESS : UT_BAD_ARG;
}

static ut_status visit_basic(const ut_unit *unit, void *found)
{
    return add_base(found, unit, 1);
}

static ut_status visit_product(const ut_unit *unit, int n, const ut_unit *const *basic, const int *powers, void *found)
{
    (void)unit;
    ut_status status = UT_SUCCESS;
    for (int i = 0; i < n && status == UT_SUCCESS; i++)
        status = add_base(found, basic[i], powers[i]);
    return status;
}

static ut_status visit_galilean(const ut_unit *unit, double scale, const ut_unit *underlying, double offset,
                                void *found);

static ut_status visit_timestamp(const ut_unit *unit, const ut_unit *time, double origin, void *found)
{
    (void)unit, (void)time, (void)origin, (void)found;
    return UT_BAD_ARG;
}

static ut_status visit_logarithmic(const ut_unit *unit, double base, const ut_unit *reference, void *found)
{
    (void)unit, (void)base, (void)reference, (void)found;
    return UT_BAD_ARG;
}

static const ut_visitor VISITOR = {visit_basic, visit_product, visit_galilean, visit_timestamp, visit_logarithmic};

static ut_status visit_galilean(const ut_unit *unit, double scale, const ut_unit *underlying, double offset,
                                void *found)
{
    (void)unit;
    if (offset != 0)
        return UT_BAD_ARG;
    ((struct found *)found)->size *= scale;
    return ut_accept_visitor(underlying, &VISITOR, found);
}

/* ---- Units ---- */

enum unit_match unit_powers_of(const struct units *units, const char *text, double *size, struct unit_powers *powers)
{
    struct found found = {.size = 1};
    ut_error_message_handler previous = ut_set_error_message_handler(ut_ignore);
    ut_unit *unit = ut_parse(units_system(units), text, UT_UTF8);
    const bool known = unit && ut_accept_visitor(unit, &VISITOR, &found) == UT_SUCCESS;
    ut_free(unit);
    ut_set_error_message_handler(previous);
    for (int i = 0; i < UNIT_BASES; i++)
        found.size *= pow(CGS_PER_SI[i], found.powers.power[i]);
    if (!known || !isfinite(found.size) || !(found.size > 0))
        return UNIT_UNKNOWN;
    *size = found.size;
    *powers = found.powers;
    return UNIT_OK;
}

struct unit_powers unit_powers_wanted(const struct units *units, enum dimension dimension)
{
    struct unit_powers powers = {{0}};
    double size;
    const char *cgs = units_dimension_cgs(dimension);
    if (cgs)
        unit_powers_of(units, cgs, &size, &powers);
    return powers;
}

/* ---- Powers; square roots make them fractions ---- */

static bool same(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

bool unit_powers_equal(struct unit_powers a, struct unit_powers b)
{
    for (int i = 0; i < UNIT_BASES; i++)
        if (!same(a.power[i], b.power[i]))
            return false;
    return true;
}

bool unit_powers_none(struct unit_powers powers)
{
    return unit_powers_equal(powers, (struct unit_powers){{0}});
}

struct unit_powers unit_powers_combine(struct unit_powers a, struct unit_powers b, double exponent)
{
    for (int i = 0; i < UNIT_BASES; i++)
        a.power[i] += exponent * b.power[i];
    return a;
}

void unit_powers_text(struct unit_powers powers, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "a plain number");
    for (int i = 0; i < UNIT_BASES && used < size; i++) {
        const double power = powers.power[i];
        if (same(power, 0))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", SHOWN[i]);
        if (!same(power, 1) && used < size)
            used += (size_t)snprintf(text + used, size - used, "^%.3g", power);
    }
}
