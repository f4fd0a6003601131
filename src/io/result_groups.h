/* Groups of the result file that have a file of their own; docs/result_format.md describes them. */
#ifndef LR_IO_RESULT_GROUPS_H
#define LR_IO_RESULT_GROUPS_H

#include "io/hdf5_write.h"
#include "model/result.h"

typedef enum lr_status result_group(struct hdf5_writer *writer, hid_t group, const struct lr_result *result);

result_group result_populations_write; /* /populations: levels of the molecule */
result_group result_images_write;      /* /images: cubes as traced */
result_group result_scene_write;       /* /scene: what `linerad image` needs */

/* Attributes of an object that tell where the camera is. */
enum lr_status result_camera_write(struct hdf5_writer *writer, hid_t object, const struct camera *camera);

#endif
