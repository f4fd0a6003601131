/* Numbers reported about images: depths, column densities, and the centroids of the channels. */
#ifndef LR_SOLVE_IMAGING_IMAGE_DEPTHS_H
#define LR_SOLVE_IMAGING_IMAGE_DEPTHS_H

#include "model/result.h"
#include "solve/imaging/trace.h"

/* Fills in the reports of all cubes, and drops optical depths that were not requested. The run is complete by then:
 * after a stop (summary.report_missing) or a failure the rest is left out, with a warning. */
void image_report(lr_context *ctx, const struct worker *worker, const lr_model *model, struct lr_result *result);

/* Whether rays are traced again for depths with the other opacity: without stimulated emission, or with it. */
bool image_report_other(const lr_model *model);

#endif
