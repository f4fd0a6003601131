/* The settings of images made from a stored scene. Those of the sections cameras, channels and image are those of a
 * model. Short ones apply to all cameras, or to the one selected by `camera`, and are expanded here, where the stored
 * scene is known. */
#ifndef LR_IO_RESULT_SCENE_SETTINGS_H
#define LR_IO_RESULT_SCENE_SETTINGS_H

#include "model/scene.h"

/* The short settings, NULL if not given, as pointers into the settings of the caller. */
struct short_settings {
    const char *camera, *pixels, *field, *centre; /* of cameras */
    const char *range, *bin;                      /* of channels */
};

struct scene_settings {
    struct short_settings brief;
    int camera;  /* index of the only one to be used; -1 = all */
    char **text; /* as for a model, with the short ones written out; owned */
    int n;
};

/* `path` names the result in messages. Freed also after an error. */
enum lr_status scene_settings_read(lr_context *ctx, const char *path, const struct scene *scene,
                                   const char *const *texts, int n, struct scene_settings *settings);
void scene_settings_free(struct scene_settings *settings);

#endif
