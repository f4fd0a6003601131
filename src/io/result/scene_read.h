/* The scene of a result file (result_scene.c), read back and checked. */
#ifndef LR_IO_RESULT_SCENE_READ_H
#define LR_IO_RESULT_SCENE_READ_H

#include "model/scene.h"

/* The model texts go to *text and *resolved. The caller must free what was read, also after an error. */
enum lr_status scene_read(lr_context *ctx, const char *path, struct scene **scene, char **text, char **resolved);

#endif
