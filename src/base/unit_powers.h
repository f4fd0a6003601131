/* Units as products of powers of base units, for calculations in which dimensions change. CGS, with temperature,
 * current, amount and luminous intensity in SI; angles and photons are pure numbers. */
#ifndef LR_BASE_UNIT_POWERS_H
#define LR_BASE_UNIT_POWERS_H

#include "base/units.h"

enum { UNIT_BASES = 7 }; /* cm, g, s, K, A, mol, cd */

struct unit_powers {
    double power[UNIT_BASES];
};

/* A unit ("km/s") as its size in base units and their powers. UNIT_UNKNOWN also for what is no product of powers, such
 * as degrees Celsius. */
enum unit_match unit_powers_of(const struct units *units, const char *unit, double *size, struct unit_powers *powers);
/* The powers of a dimension other than DIMENSION_ANY. Values of it are in base units. */
struct unit_powers unit_powers_wanted(const struct units *units, enum dimension dimension);

bool unit_powers_equal(struct unit_powers a, struct unit_powers b);
bool unit_powers_none(struct unit_powers powers);
/* a * b^exponent: 1 multiplies, -1 divides. */
struct unit_powers unit_powers_combine(struct unit_powers a, struct unit_powers b, double exponent);
/* "cm^-3", "g cm^-1 s^-2"; "a plain number" if there are none. */
void unit_powers_text(struct unit_powers powers, char *text, size_t size);

#endif
