/* Populations of a two-level atom from the Monte Carlo pass itself, with its exact redistribution. A pass with the
 * opacities of populations x gives the mean intensity in the line,
 *
 *     Jbar = B_background + rate / ((1 - eps) 4 pi sqrt(pi) alpha0 b)      (rate: scatterings s^-1 cm^-3)
 *
 * or f = Jbar lambda^3 / 2 photons per mode, and hence new populations
 *
 *     x_u / x_l = ((g_u / g_l) A f + C_lu) / (A (1 + f) + C_ul),   x_l + x_u as in LTE (1 if there are only two),
 *
 * until they no longer change. All passes have the same seed. */
#ifndef LR_SOLVE_LEVELS_TWO_LEVEL_H
#define LR_SOLVE_LEVELS_TWO_LEVEL_H

#include "model/species.h"
#include "solve/common/worker.h"

enum lr_status two_level_solve(lr_context *ctx, const struct worker *worker, const lr_model *model,
                               struct populations *out);

#endif
