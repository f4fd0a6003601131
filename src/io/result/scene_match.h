/* Which images a stored scene can give: it has light only for its own cameras and channels, unless all of it comes
 * from the gas. */
#ifndef LR_IO_RESULT_SCENE_MATCH_H
#define LR_IO_RESULT_SCENE_MATCH_H

#include "io/model/model_observation.h"
#include "io/result/scene_settings.h"

/* The requested cameras. `path` names the result in messages. */
enum lr_status scene_match_cameras(lr_context *ctx, const char *path, const struct observation *wanted, int chosen,
                                   lr_scene *scene);
/* The channels: whole stored ones, consecutive or merged; rounding is removed. */
enum lr_status scene_match_channels(lr_context *ctx, const char *path, const struct short_settings *brief,
                                    const struct channels *asked, lr_scene *scene);

#endif
