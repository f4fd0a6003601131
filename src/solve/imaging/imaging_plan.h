/* Passes over the cameras and channels of a run that fit into memory. */
#ifndef LR_SOLVE_IMAGING_IMAGING_PLAN_H
#define LR_SOLVE_IMAGING_IMAGING_PLAN_H

#include "base/context.h"
#include "solve/imaging/recording.h"

/* A run in passes, each for some of the cameras or channels: the same packets with the same histories every time. */
struct imaging_plan {
    int n_window;
    struct window *window; /* own */
    int n_group;           /* independent sums, for errors */
    bool wide;             /* sums in double */
    bool keep;             /* the emissivity stays on the device; before planning: whether the device supports this */
};

/* `free_bytes` is the free memory of the device, `host_bytes` that of this machine. Logs what will be used. */
enum lr_status imaging_plan(lr_context *ctx, const lr_model *model, double free_bytes, double host_bytes,
                            struct imaging_plan *plan);
/* Bytes for images on this machine if they are made in one pass on the CPU: what packets leave, the emissivity made of
 * it, the gas as rays see it, and cubes with what the report needs. */
double imaging_bytes(const lr_model *model);
void imaging_plan_free(struct imaging_plan *plan);

#endif
