/* The lines of a group as the ray tracer wants them, in code units. */
#ifndef LR_SOLVE_IMAGING_TRACE_GROUP_H
#define LR_SOLVE_IMAGING_TRACE_GROUP_H

#include "solve/imaging/trace_prepare.h"

/* Fills in the lines of the job. */
enum lr_status trace_group_prepare(lr_context *ctx, struct prepared_trace *prepared);

/* Opacity and light of all lines of a cell that is not in LTE: cm^-1 at line centre, and photons s^-1 cm^-3 per unit of
 * b of the first line. */
struct group_sum {
    double opacity, light;
};
struct group_sum trace_group_sum(const struct scene_group *group, int64_t cell);

#endif
