/* Core skipping in a model (kernel/core_skipping.h). */
#ifndef LR_SOLVE_COMMON_SKIP_H
#define LR_SOLVE_COMMON_SKIP_H

#include "backend/backend.h"
#include "model/model.h"

struct job_skip skip_of_model(const lr_model *model);

/* The largest x_crit of all cells; 0 if nothing is skipped. */
double skip_largest_x_crit(const lr_model *model);

#endif
