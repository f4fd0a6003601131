/* How accurately a run is to measure a number of its summary (run.until), and whether it has. */
#ifndef LR_SOLVE_STAGE_AIM_H
#define LR_SOLVE_STAGE_AIM_H

#include "solve/stage/stage.h"

/* *reached: the relative error of the quantity is as small as the model asks for. `says`, of `size` bytes, says how
 * small it is: "median_abs_x to 0.098 %". */
enum lr_status aim_look(lr_context *ctx, const struct stage *stage, const struct run *run,
                        const struct transport_tally *tally, bool *reached, char *says, size_t size);

#endif
