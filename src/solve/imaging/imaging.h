/* The imaging side of a run: what transport records for the cameras, in how many passes, and the cubes made from it. */
#ifndef LR_SOLVE_IMAGING_IMAGING_H
#define LR_SOLVE_IMAGING_IMAGING_H

#include "model/result.h"
#include "solve/imaging/scene_build.h"
#include "solve/imaging/trace.h"
#include "solve/transport/job.h"

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
void imaging_plan_free(struct imaging_plan *plan);

/* What transport must do for a window; `camera` and `peel` must have room for its cameras. */
void imaging_prepare_job(const lr_model *model, const struct window *window, const struct imaging_plan *plan,
                         struct transport_camera *camera, struct transport_peel *peel, struct transport_job *job);

/* Allocate memory for it, in the tally. */
enum lr_status imaging_allocate(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally);
void imaging_release(const struct worker *worker, const struct transport_job *job, struct transport_tally *tally);

/* Make the cubes of a window, in the cubes of the result. Without packets (tally NULL) they show unscattered light. */
enum lr_status imaging_finish(lr_context *ctx, const struct worker *worker, const lr_model *model,
                              const struct window *window, const struct transport_job *job,
                              const struct transport_tally *tally, struct lr_result *result);

#endif
