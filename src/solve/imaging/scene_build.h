/* From a model to a scene for the ray tracer; scattered light is added later (scattered_light.h). */
#ifndef LR_SOLVE_IMAGING_SCENE_BUILD_H
#define LR_SOLVE_IMAGING_SCENE_BUILD_H

#include "model/scene.h"
#include "solve/imaging/recording.h"

/* A scene with all created light but no scattered light. It borrows the medium of the model. */
enum lr_status scene_build(lr_context *ctx, const lr_model *model, const struct window *window, struct scene **scene);

/* The gas alone, for depths: nothing in it emits, and nothing is stored per cell and channel. */
enum lr_status scene_build_dark(lr_context *ctx, const lr_model *model, struct scene **scene);

/* The lines of a model, if they are several. */
struct scene_group scene_group_of(const lr_model *model);

/* Copy the borrowed medium, so that the scene can outlive its model. */
enum lr_status scene_own_medium(lr_context *ctx, struct scene *scene);

#endif
