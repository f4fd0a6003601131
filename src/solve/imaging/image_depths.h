/* What is told of images beside the images themselves: depths, column densities, where the light of each channel is. */
#ifndef LR_SOLVE_IMAGING_IMAGE_DEPTHS_H
#define LR_SOLVE_IMAGING_IMAGE_DEPTHS_H

#include "model/result.h"
#include "solve/imaging/trace.h"

/* Fills the reports of all cubes, and drops optical depths that nobody asked for. The run is done by then: a stop
 * (summary.report_missing) or a failure leaves the rest out, with a warning. */
void image_report(lr_context *ctx, const struct worker *worker, const lr_model *model, struct lr_result *result);

/* Whether rays are traced once more for depths with the other opacity: without stimulated emission, or with it. */
bool image_report_other(const lr_model *model);

#endif
