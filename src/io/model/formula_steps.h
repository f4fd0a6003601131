/* What formulas are made of: operations on a stack of numbers. */
#ifndef LR_IO_MODEL_FORMULA_STEPS_H
#define LR_IO_MODEL_FORMULA_STEPS_H

#include "io/model/formula.h"

/* Two that push, then those that replace two numbers by one, then those that change one. */
enum operation {
    PUSH_NUMBER,
    PUSH_VARIABLE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    SMALLER,
    LARGER,
    NEGATE,
    EXP,
    LOG,
    LOG10,
    SQRT,
    ABS,
    SIN,
    COS,
    TANH
};

/* The number that n_step steps leave on the stack, at n points as in formula_values(). */
void formula_run(const struct formula_step *step, int n_step, int n, const double *const variable[N_FORMULA_VARIABLE],
                 double *values);

#endif
