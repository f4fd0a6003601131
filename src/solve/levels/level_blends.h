/* Lines of a molecule that see each other's light: neighbours in frequency whose profiles meet, at any velocities of
 * the gas. */
#ifndef LR_SOLVE_LEVELS_LEVEL_BLENDS_H
#define LR_SOLVE_LEVELS_LEVEL_BLENDS_H

#include "solve/levels/level_job.h"

/* Sets the blends of the job, once its band is known, and puts its lines in their order. Nothing, if no lines overlap
 * or the model does without. */
enum lr_status level_blends_make(lr_context *ctx, struct prepared_levels *prepared);
void level_blends_free(struct prepared_levels *prepared);

#endif
