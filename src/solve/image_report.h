/* What is told of images beside the images themselves: depths, column densities, where the light of each channel is. */
#ifndef LR_SOLVE_IMAGE_REPORT_H
#define LR_SOLVE_IMAGE_REPORT_H

#include "model/result.h"
#include "solve/trace.h"

/* Fills the reports of all cubes, and drops optical depths that nobody asked for. Stopped, it leaves reports out. */
enum lr_status image_report(lr_context *ctx, const struct worker *worker, const lr_model *model,
                            struct lr_result *result);

#endif
