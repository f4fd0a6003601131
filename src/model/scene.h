/* Exactly what ray tracing needs: made from a model after the Monte Carlo pass, or read back from a result file.
 * Intensities are photons s^-1 cm^-2 sr^-1 per unit radio velocity (cm/s); emissivities the same per cm.
 *
 *     I_nu = I_v h nu c / nu0
 *
 * Created and scattered light is counted once: `line_source` times the profile H(a, x) of the cell, glows (volume
 * sources with their own spectrum), and light scattered toward the camera that leaves the cell. */
#ifndef LR_MODEL_SCENE_H
#define LR_MODEL_SCENE_H

#include "base/context.h"
#include "mesh/mesh.h"
#include "model/camera.h"
#include "model/light_rows.h"
#include "model/model.h"

/* Light that leaves cells toward one camera, [rows.n][n_channel] in units of `unit`: per cell volume; for shells per
 * projected area, in units of `unit` times the radius of the mesh. */
struct emissivity {
    float *value;
    float *error; /* one standard error; or NULL */
    double unit;
};

/* Spectra of direct light are resolved in this many equal parts of each channel, so that gas attenuates them
 * correctly. */
enum { LIGHT_PARTS = 16 };

struct molecule;

/* Unresolved direct light: photons s^-1 sr^-1 per unit velocity. */
struct scene_point {
    int camera; /* index of the camera: light from moving gas is shifted */
    double position[3];
    double *strength; /* [n_channel][LIGHT_PARTS] */
};

/* An emitting sheet across the mesh: intensity toward its two sides, per channel. */
struct scene_plane {
    int camera;
    int axis;
    double offset;      /* cm */
    bool isotropic;     /* brightness grows as 1 / |mu|; otherwise (Lambertian) it does not */
    int side;           /* 0 both, +1 or -1: only toward that side of the axis */
    double *brightness; /* [n_channel][LIGHT_PARTS] at |mu| = 1 */
};

/* A volume source with its own spectrum: photons s^-1 cm^-3 sr^-1, and the fraction of the spectrum below each of n
 * shifts (cm/s) from `first` in steps of `step`, relative to the gas or to the mesh. */
struct scene_glow {
    struct field strength; /* own */
    int n;
    double first, step;
    double *below;
    bool gas_frame;
};

/* Several lines of one gas: what their opacity and emission follow from. All borrowed from the model. */
struct scene_group {
    const struct line_group *lines; /* NULL: one line, that of the medium */
    const struct line *first;
    const struct molecule *molecule; /* NULL: atoms in their lower levels, which emit in the first line */
    const struct field *temperature; /* K, LTE of the molecule */
    int base;                        /* in LTE the medium and the light are those of this line (model/excitation.h) */
    bool stimulated;
    bool shines; /* it emits what its levels say */
};

struct scene {
    struct mesh mesh;     /* own */
    double nu0;           /* Hz */
    double reference_b;   /* cm/s */
    struct medium medium; /* own fields, or the model's when `borrowed` */
    bool borrowed;
    struct field base_alpha0; /* own: that of the medium, if it is not that of the model */
    struct scene_group group;
    struct field line_source; /* own */
    struct channels channels; /* of the emissivity */
    int refined;              /* how many of them make up one requested channel */
    bool external;            /* there are external sources, even if only outside the channels */
    double *sky;              /* [n_channel][LIGHT_PARTS] their light behind and around the mesh */
    int n_point, n_plane, n_glow;
    struct scene_point *point;
    struct scene_plane *plane;
    struct scene_glow *glow;
    int n_camera;
    struct camera *camera;
    struct light_rows rows;
    bool escaped; /* scattered light has left the mesh and is not attenuated further; otherwise it has left its cell */
    struct emissivity
        *emissivity; /* [n_camera]; value NULL = nothing was scattered. The same for all cameras on shells */
};

enum { MAX_ASPECT = 1024 };

size_t scene_voxel_count(const struct scene *scene); /* numbers in the emissivity of a camera */
void scene_free(struct scene *scene);                /* and the struct itself */
/* All light is from gas with its own profile: nothing is stored per camera or channel. */
bool scene_is_gas_alone(const struct scene *scene);

/* A stored scene and the images to be made from it. */
struct lr_scene {
    struct scene *scene;
    bool shared; /* what the scene points to belongs to a result, except its sky */
    int n_camera;
    struct camera *camera;
    int *origin;              /* [n_camera] index of the stored camera, which has the same `toward` or position */
    struct channels channels; /* whole stored channels, or several merged: a crop, a binning, or both */
    struct image_options image;
    struct run run; /* device, threads, precision */
    char *model_text, *model_resolved;
};

#endif
