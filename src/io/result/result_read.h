/* Reading result files: the parts in separate source files. Everything is checked; what was read belongs to the result,
 * even after an error. */
#ifndef LR_IO_RESULT_RESULT_READ_H
#define LR_IO_RESULT_RESULT_READ_H

#include "io/hdf5/hdf5_read.h"
#include "model/result.h"

enum lr_status result_mesh_read(const struct hdf5_reader *reader, struct mesh *mesh);
/* Its direction or position, and its field; not its name and pixels. */
enum lr_status result_camera_read(const struct hdf5_reader *reader, const char *group, struct camera *camera);
/* The groups /populations and /images, if present. */
enum lr_status result_populations_read(const struct hdf5_reader *reader, lr_result *result);
enum lr_status result_images_read(const struct hdf5_reader *reader, lr_result *result);

/* A field over the mesh of the result, [n_cell] and perhaps one more axis of n_last; *values stays NULL if there is no
 * such dataset. */
enum lr_status result_field_read(const struct hdf5_reader *reader, const struct mesh *mesh, const char *name,
                                 int n_last, hid_t memory_type, void **values);

#endif
