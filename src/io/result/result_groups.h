/* Groups of the result file that have their own source file; docs/result_format.md describes them. */
#ifndef LR_IO_RESULT_RESULT_GROUPS_H
#define LR_IO_RESULT_RESULT_GROUPS_H

#include "io/hdf5/hdf5_write.h"
#include "model/result.h"

typedef enum lr_status result_group(struct hdf5_writer *writer, hid_t group, const struct lr_result *result);

result_group result_mesh_write;        /* /mesh: edges, radii or bricks */
result_group result_populations_write; /* /populations: levels of the molecule */
result_group result_images_write;      /* /images: cubes as traced */
result_group result_scene_write;       /* /scene: what `linerad image` needs */

/* A dataset of one value per cell and, with n_last > 0, one more axis; with the shape of fields on the mesh. The caller
 * supplies name, types, data and texts. */
enum lr_status result_field_write(struct hdf5_writer *writer, hid_t group, const struct mesh *mesh, int n_last,
                                  struct hdf5_dataset dataset);

/* Attributes that describe the position of the camera. */
enum lr_status result_camera_write(struct hdf5_writer *writer, hid_t object, const struct camera *camera);

#endif
