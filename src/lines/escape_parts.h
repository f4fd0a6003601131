/* What the solvers of escape.c and overlap.c share. */
#ifndef LR_LINES_ESCAPE_PARTS_H
#define LR_LINES_ESCAPE_PARTS_H

#include "lines/escape.h"

struct escape_workspace {
    int n_level;                     /* levels that are not left empty, the first ones */
    int stride;                      /* all levels, rounded up to whole vectors */
    double *memory;                  /* what follows points into it */
    double *collision;               /* [n_level][n_level], from the first level to the second */
    double *rates;                   /* [n_level][stride] */
    double *next, *source, *scratch; /* [stride] */
    double *kappa;                   /* [n_line] tau = kappa D */
    double *photons;                 /* [n_line] */
    double *sensitivity;             /* [n_line] d(ln beta) / dD */
    int bad_level;                   /* with rates that are not finite, which the solution would hide; or -1 */
};

/* Whether one of its levels is left empty. */
bool escape_leaves_out(const struct escape_workspace *work, const struct transition *line);

/* D = (g_u / g_l) x_l - x_u */
double escape_excess(const struct molecule *molecule, const struct transition *line, const double *x);

/* What is left of the error after a step in which populations changed by `change`, and before by `previous`. A full
 * step of Newton's method squares the error, so after two of them, the longer one first, change^2 / previous remains; a
 * tenth of a step leaves nine tenths. */
double escape_remaining_error(double change, double previous, double part);

#endif
