/* Runs without hope: packets that need so many steps that the run takes days, or that are given up before their end
 * (run.max_steps). They are found at the start, and the user is told. */
#ifndef LR_SOLVE_STAGE_OUTLOOK_H
#define LR_SOLVE_STAGE_OUTLOOK_H

#include "solve/stage/pilot.h"
#include "solve/stage/stage.h"

/* What a packet needs, to an order of magnitude: from the model alone, whatever its sources. Infinite where photons
 * neither leave nor are absorbed. */
struct outlook {
    double scatterings, crossings;
};
struct outlook outlook_of(const lr_model *model);

/* Warns if a run will take more than a day, or if its packets will be given up. The pilot is believed if enough of its
 * packets ended, otherwise the outlook. */
void outlook_warn(lr_context *ctx, const lr_model *model, const struct pilot *pilot);

/* The same for a run that is about to start. A pilot is flown only if there is reason to, so that it lengthens no short
 * run. */
enum lr_status outlook_look(lr_context *ctx, const lr_model *model, struct stage *stage);

#endif
