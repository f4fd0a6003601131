/* Whether images and packets agree: the flux in an image against that of the packets which escaped in a cone about the
 * direction of its camera (kernel/cone.h). */
#ifndef LR_SOLVE_IMAGING_IMAGE_CHECK_H
#define LR_SOLVE_IMAGING_IMAGE_CHECK_H

#include "model/result.h"
#include "solve/transport/job.h"

struct image_check {
    int n_cone;
    struct transport_cone cone[MAX_CAMERA];
    int of_camera[MAX_CAMERA];           /* cone of each camera; -1 = none */
    const char *missing[MAX_CAMERA];     /* why; "" = nothing to report */
    struct lr_estimate flux[MAX_CAMERA]; /* of each cone, photons s^-1 sr^-1 */
    double packets[MAX_CAMERA];          /* counted in each cone */
};

/* Which cameras can be compared, and their cones, for this many packets. */
void image_check_plan(const lr_model *model, int64_t packets, struct image_check *check);
/* All cones are counted in one pass, whichever cameras and channels it images. */
void image_check_prepare_job(const lr_model *model, const struct image_check *check, bool count,
                             struct transport_job *job);
void image_check_count(const lr_model *model, const struct transport_job *job, const struct transport_tally *tally,
                       struct image_check *check);
/* Fill the reports of the cubes, and warn of each that disagrees. */
void image_check_finish(lr_context *ctx, const lr_model *model, const struct image_check *check,
                        struct lr_result *result);

/* Fraction of all directions covered by the cone, in a run with this many packets. */
double image_check_share(double packets);
/* (image - packets) / error of the difference, including that of the mesh. */
double image_check_deviation(struct lr_estimate image, struct lr_estimate packets);
bool image_check_disagrees(const struct lr_check *check);

#endif
