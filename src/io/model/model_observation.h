/* Sections `channels`, `cameras` and `image`. They depend only on mesh, line, medium, reference_b and run of the
 * model. */
#ifndef LR_IO_MODEL_MODEL_OBSERVATION_H
#define LR_IO_MODEL_MODEL_OBSERVATION_H

#include "io/model/model_reader.h"
#include "io/model/model_shift.h"

/* What is observed, as far as these sections depend on it. */
struct observed {
    const struct mesh *mesh;
    const struct medium *medium;
    struct shift_scale scale;
    bool molecule; /* whose columns can be counted */
    struct line_group lines;
    int n_source;
    const struct source *source; /* of light that may show the line where the gas is transparent */
    const struct run *run;
};

/* What the sections say. */
struct observation {
    int n_camera;
    struct camera *camera; /* owned */
    struct channels channels;
    struct image_options image;
};

enum lr_status read_cameras(const struct reader *r, const struct observed *seen, const struct yaml_node *node,
                            struct observation *out);
/* Called after the cameras, with whose pixels it must be consistent. A NULL node gives the defaults. */
enum lr_status read_image(const struct reader *r, const struct observed *seen, const struct yaml_node *node,
                          struct observation *out);
/* All three sections of the document, and whether they are consistent. Free the cameras even after an error. */
enum lr_status read_observation(const struct reader *r, const struct observed *seen, struct observation *out);

/* The same into a model that has mesh, line, medium, sources, reference_b, output and run. */
enum lr_status read_imaging(const struct reader *r);

#endif
