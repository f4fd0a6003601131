/* The ways of photons through the atoms of a group of lines (kernel/scatterer_group.h), for a job. */
#ifndef LR_SOLVE_TRANSPORT_GROUP_JOB_H
#define LR_SOLVE_TRANSPORT_GROUP_JOB_H

#include "backend/backend.h"
#include "base/context.h"
#include "model/model.h"

/* *ways is for the caller to free. `velocity_unit`: cm/s. */
enum lr_status group_job_prepare(lr_context *ctx, const lr_model *model, double velocity_unit,
                                 struct transport_way **ways, struct job_group *group);
/* At most the opacity of all lines together, in units of that of the first one at its centre; 1 for one line. */
double group_job_strength(const struct job_group *group);
/* Shifts between which light is found within `near` of any line, or that a source sends up to `source` from the first
 * one, in units of velocity. Of one line, those of its centre. */
void group_job_range(const struct job_group *group, double near, double source, double range[2]);

#endif
