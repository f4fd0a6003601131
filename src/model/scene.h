/* What ray tracing needs and nothing else: made from a model after the Monte Carlo pass, or read back from a result
 * file. Intensities are photons s^-1 cm^-2 sr^-1 per unit radio velocity (cm/s); emissivities the same per cm.
 *
 *     I_nu = I_v h nu c / nu0
 *
 * Light that is created or scattered reaches the camera once: `line_source` times the profile H(a, x) of the cell, plus
 * the emissivity of the camera (scattered light, and volume sources with a spectrum of their own). */
#ifndef LR_MODEL_SCENE_H
#define LR_MODEL_SCENE_H

#include "base/context.h"
#include "mesh/mesh.h"
#include "model/camera.h"
#include "model/model.h"

/* Mean emissivity toward one camera, [n_cell][n_aspect][n_channel] in units of `unit`. */
struct emissivity {
    float *value;
    float *error; /* one standard error; or NULL */
    double unit;
    /* Instead of `value`, what a device keeps (backend.h), from `first` on, in units of unit x scale. */
    const void *kept;
    int64_t first;
    double scale;
};

/* Unresolved direct light: photons s^-1 sr^-1 per unit velocity in each channel. */
struct scene_point {
    int camera; /* index of the one that sees it so: light from moving gas is shifted */
    double position[3];
    double *strength; /* [n_channel] */
};

/* A shining sheet across the mesh: intensity toward its two sides, per channel. */
struct scene_plane {
    int camera;
    int axis;
    double offset;      /* cm */
    bool isotropic;     /* brightness grows as 1 / |mu|; otherwise (Lambertian) it does not */
    int side;           /* 0 both, +1 or -1: only toward that side of the axis */
    double *brightness; /* [n_channel] at |mu| = 1 */
};

struct scene {
    struct mesh mesh;     /* own */
    double nu0;           /* Hz */
    double reference_b;   /* cm/s */
    struct medium medium; /* own fields, or the model's when `borrowed` */
    bool borrowed;
    struct field line_source; /* own */
    struct channels channels; /* of the emissivity */
    int refined;              /* how many of them make one that was asked for */
    bool external;            /* there are external sources, be it that they shine outside the channels */
    double *sky;              /* [n_channel] their light behind and around the mesh */
    int n_point, n_plane;
    struct scene_point *point;
    struct scene_plane *plane;
    int n_camera;
    struct camera *camera;
    int n_aspect; /* 1; shells that scatter: bins of the cosine between the radius and the observer, -1 to 1 */
    struct emissivity *emissivity; /* [n_camera]; value NULL = nothing was scattered. The same for all of shells */
};

enum { MAX_ASPECT = 1024 };

size_t scene_voxel_count(const struct scene *scene); /* numbers in the emissivity of a camera */
void scene_free(struct scene *scene);                /* and the struct itself */
/* All of the light is that of gas with its own profile: nothing is stored per camera or channel. */
bool scene_is_gas_alone(const struct scene *scene);

/* A stored scene and the images wanted of it. */
struct lr_scene {
    struct scene *scene;
    bool shared; /* what the scene points to belongs to a result, but for its sky */
    int n_camera;
    struct camera *camera;
    int *origin;              /* [n_camera] index of the stored camera, which has the same `toward` or position */
    struct channels channels; /* whole stored channels, or several of them together: a crop, a binning, or both */
    struct image_options image;
    struct run run; /* device, threads, precision */
    char *model_text, *model_resolved;
};

#endif
