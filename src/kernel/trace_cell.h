/* The gas of a cell as rays see it. It absorbs alpha0 H(a, x) + kappa and emits line_source H(a, x) per length, where x
 * is the shift from the line centre of the moving gas in units of b. */
#ifndef LR_KERNEL_TRACE_CELL_H
#define LR_KERNEL_TRACE_CELL_H

#include "kernel/vec3.h"

/* Eight numbers, so that a cell is one 32-byte memory sector in single precision. */
struct LR_ALIGNED(32) trace_cell {
    real alpha0;          /* line-centre opacity */
    real a;               /* damping */
    real b;               /* Doppler parameter */
    struct vec3 velocity; /* SHELLS: along the radius, in x */
    real kappa;           /* grey absorption */
    real line_source;     /* light created per length, at line centre */
};

LR_FN int cell_is_empty(const struct trace_cell *cell)
{
    return !(cell->alpha0 > R(0)) && !(cell->line_source > R(0));
}

/* Source function of the line alone, or 0. */
LR_FN real line_source_function(const struct trace_cell *cell)
{
    return cell->alpha0 > R(0) ? r_div(cell->line_source, cell->alpha0) : R(0);
}

#endif
