/* The part of a transport job that records light for cameras. */
#ifndef LR_SOLVE_IMAGING_CAMERA_JOB_H
#define LR_SOLVE_IMAGING_CAMERA_JOB_H

#include "solve/common/worker.h"
#include "solve/imaging/imaging_plan.h"

/* The cameras of a job, in its units. */
struct camera_list {
    struct transport_camera camera[MAX_CAMERA];
    struct transport_peel peel[MAX_CAMERA];
};

/* What transport must do for a window. The job refers to `cameras`. */
void camera_job_prepare(const lr_model *model, const struct window *window, const struct imaging_plan *plan,
                        struct camera_list *cameras, struct transport_job *job);

/* Allocates memory for it, in the tally. */
enum lr_status camera_job_allocate(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally);
/* After the last packet: wide sums as floats, which is what images are made from. */
enum lr_status camera_job_narrow(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally);
void camera_job_release(const struct worker *worker, const struct transport_job *job, struct transport_tally *tally);

#endif
