/* Formulas of position, such as '1e-3 cm^-3 * (r / 2 kpc)^-2', with units checked. Nothing in them is executed: they
 * become a list of steps for a stack of numbers.
 *
 *     sum     = product (("+" | "-") product)*
 *     product = signed (("*" | "/") signed)*
 *     signed  = ("+" | "-") signed | power
 *     power   = value (("^" | "**") signed)?
 *     value   = number unit? | name | function "(" sum ("," sum)* ")" | "(" sum ")"
 *
 * A number and its unit are one value: r / 2 kpc is r / (2 kpc), and v / 5 km/s is v / (5 km/s). */
#ifndef LR_IO_MODEL_FORMULA_H
#define LR_IO_MODEL_FORMULA_H

#include "base/unit_powers.h"

/* Lengths in cm, angles in rad. */
enum formula_variable {
    FORMULA_X,
    FORMULA_Y,
    FORMULA_Z,
    FORMULA_RADIUS,   /* r, from the origin */
    FORMULA_DISTANCE, /* R, from the z axis */
    FORMULA_THETA,    /* from the z axis, 0 to pi */
    FORMULA_PHI,      /* about it from the x axis towards y, -pi to pi */
    N_FORMULA_VARIABLE
};

enum {
    FORMULA_MOST_STEPS = 256,
    FORMULA_MOST_STACK = 32,
    FORMULA_BLOCK = 128 /* points computed at once */
};

struct formula_step {
    int operation;
    int variable;
    double number;
};

struct formula {
    int n;
    struct formula_step step[FORMULA_MOST_STEPS];
    struct unit_powers powers; /* of the result, which is in base units of unit_powers.h */
    bool constant;
};

/* False if the text is no formula; `message` then says what is wrong, and where. With `radial` only r is known. */
bool formula_read(const struct units *units, const char *text, bool radial, struct formula *formula, char *message,
                  size_t size);
/* Values at n points, at most FORMULA_BLOCK. Those of variables that are not used may be missing (NULL). */
void formula_values(const struct formula *formula, int n, const double *const variable[N_FORMULA_VARIABLE],
                    double *values);

#endif
