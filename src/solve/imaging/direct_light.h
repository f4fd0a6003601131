/* Light that sources send to the cameras of a scene without a scattering. */
#ifndef LR_SOLVE_IMAGING_DIRECT_LIGHT_H
#define LR_SOLVE_IMAGING_DIRECT_LIGHT_H

#include "model/scene.h"

/* Adds the light of a source. The scene has mesh, channels and cameras, and room for this source. */
enum lr_status direct_light_add(lr_context *ctx, const lr_model *model, const struct source *source,
                                struct scene *scene);

#endif
