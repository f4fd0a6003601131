#include "io/model/formula_steps.h"

#include <math.h>
#include <string.h>

static double apply_two(enum operation operation, double a, double b)
{
    switch (operation) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case POWER:
        return pow(a, b);
    case SMALLER:
        return a <= b || isnan(a) ? a : b;
    default: /* LARGER */
        return a >= b || isnan(a) ? a : b;
    }
}

static double apply_one(enum operation operation, double a)
{
    switch (operation) {
    case NEGATE:
        return -a;
    case EXP:
        return exp(a);
    case LOG:
        return log(a);
    case LOG10:
        return log10(a);
    case SQRT:
        return sqrt(a);
    case ABS:
        return fabs(a);
    case SIN:
        return sin(a);
    case COS:
        return cos(a);
    default:
        return tanh(a);
    }
}

void formula_run(const struct formula_step *step, int n_step, int n, const double *const variable[N_FORMULA_VARIABLE],
                 double *values)
{
    double stack[FORMULA_MOST_STACK][FORMULA_BLOCK];
    int top = -1;
    for (int s = 0; s < n_step; s++) {
        const enum operation operation = (enum operation)step[s].operation;
        if (operation <= PUSH_VARIABLE)
            top++;
        else if (operation < NEGATE)
            top--;
        double *a = stack[top];
        for (int i = 0; i < n; i++)
            if (operation == PUSH_NUMBER)
                a[i] = step[s].number;
            else if (operation == PUSH_VARIABLE)
                a[i] = variable[step[s].variable][i];
            else
                a[i] = operation < NEGATE ? apply_two(operation, a[i], stack[top + 1][i]) : apply_one(operation, a[i]);
    }
    memcpy(values, stack[0], (size_t)n * sizeof *values);
}

void formula_values(const struct formula *formula, int n, const double *const variable[N_FORMULA_VARIABLE],
                    double *values)
{
    formula_run(formula->step, formula->n, n, variable, values);
}
