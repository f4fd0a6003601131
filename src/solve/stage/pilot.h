/* How long a run will take, measured: its own packets are followed for 0.8 s, on its own device, and the rest
 * is extrapolated. */
#ifndef LR_SOLVE_STAGE_PILOT_H
#define LR_SOLVE_STAGE_PILOT_H

#include "model/model.h"

struct pilot {
    int64_t packets;              /* finished */
    bool at_least;                /* too few to extrapolate from: the following are lower limits */
    double scatterings, followed; /* per packet: all of them, and those not inside jumps */
    double seconds_packets;       /* of the whole run, all passes */
    double seconds_preparing;
    int n_pass;
    double n_packet;                 /* that the run has */
    double seconds, steps, n_flight; /* of the pilot itself; steps that each of n_flight packets made in it */
    char device[128];
};

/* For a model whose levels are known, or taken to be those of LTE. Records of deep gas should be in the cache:
 * otherwise they are made (ball_plan_needs()). */
enum lr_status pilot_run(lr_context *ctx, const lr_model *model, struct pilot *pilot);

struct stage;
/* The same on a stage that is prepared, which can be used again afterwards. */
enum lr_status pilot_fly(lr_context *ctx, const lr_model *model, struct stage *stage, struct pilot *pilot);

#endif
