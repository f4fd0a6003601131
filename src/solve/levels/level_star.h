/* Stars for level populations: their light in each line, and how much of it reaches a cell without absorption. */
#ifndef LR_SOLVE_LEVELS_LEVEL_STAR_H
#define LR_SOLVE_LEVELS_LEVEL_STAR_H

#include "solve/levels/level_job.h"

/* Fills prepared->star and the job, whose lines must already be set. */
enum lr_status level_stars_make(lr_context *ctx, struct prepared_levels *prepared);
void level_stars_free(struct prepared_levels *prepared);

/* A box as seen from a point at the origin: INT dV / r^2, and its solid angle. */
struct box_view {
    double inverse_square, solid_angle;
};

struct box_view level_star_box(const double low[3], const double high[3]);

#endif
