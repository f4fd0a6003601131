/* The fields and tables of a stored scene, shared by writing (result_scene.c) and reading (scene_read.c). A constant
 * field is an attribute of its group, any other a dataset with the shape of the mesh. */
#ifndef LR_IO_RESULT_SCENE_FORMAT_H
#define LR_IO_RESULT_SCENE_FORMAT_H

#include <math.h>

#include "model/scene.h"

enum { N_SCENE_FIELD = 9 };

/* Columns of point_geometry and plane_geometry. */
enum { POINT_CAMERA, POINT_POSITION, N_POINT_COLUMN = POINT_POSITION + 3 };
enum { PLANE_CAMERA, PLANE_AXIS, PLANE_OFFSET, PLANE_ISOTROPIC, PLANE_SIDE, N_PLANE_COLUMN };

/* [x, y, z, channel], [shell, aspect, channel] or [brick, x, y, z, channel]. Returns the number of axes. */
enum { SCENE_MAX_RANK = MESH_MAX_RANK + 1 };
static inline int scene_emissivity_shape(const struct scene *scene, int shape[SCENE_MAX_RANK])
{
    int rank = mesh_field_shape(&scene->mesh, shape);
    if (scene->rows.n_aspect > 1)
        shape[rank++] = scene->rows.n_aspect;
    shape[rank++] = scene->channels.n;
    return rank;
}

/* Format of /scene: 2 for light that leaves cells; earlier versions stored the emissivity of absorbing cells. */
enum { SCENE_FORMAT = 2 };

struct scene_field {
    struct field *field;
    const char *name, *units, *description;
    double low; /* values below this are invalid */
};

static inline void scene_fields(struct scene *scene, struct scene_field fields[N_SCENE_FIELD])
{
    struct medium *m = &scene->medium;
    const struct scene_field list[N_SCENE_FIELD] = {
        {&m->alpha0, "alpha0", "1/cm", "line-centre opacity without H(a, 0)", 0.0},
        {&m->b, "b", "cm/s", "Doppler parameter", 0.0},
        {&m->a, "a", "1", "damping parameter", 0.0},
        {&m->velocity[0], "velocity_x", "cm/s", "velocity of the gas along x; shells: outward", -INFINITY},
        {&m->velocity[1], "velocity_y", "cm/s", "velocity of the gas along y", -INFINITY},
        {&m->velocity[2], "velocity_z", "cm/s", "velocity of the gas along z", -INFINITY},
        {&m->kappa, "kappa", "1/cm", "grey absorption", 0.0},
        {&m->eps, "eps", "1", "destruction probability per line interaction", 0.0},
        {&scene->line_source, "line_source", "1/(cm4 sr)",
         "photons per second, volume, steradian and unit radio velocity (cm/s), over the profile H(a, x)", 0.0},
    };
    for (int i = 0; i < N_SCENE_FIELD; i++)
        fields[i] = list[i];
}

#endif
