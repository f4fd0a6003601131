/* What the command `linerad` and the Python package use in addition to linerad.h. It is not installed with the library
 * and may change in any version; other programs do not need it. */
#ifndef LINERAD_TOOLS_H
#define LINERAD_TOOLS_H

#include "linerad.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the keys of a model, as text ---- */

/* What a model file may contain, from the tables that lr_model_load() validates against. If `section` is the name of a
 * mapping, such as "mesh" or "image.beam", *text is a table of its keys, their values, defaults and meanings; for a
 * single key, such as "run.packets", only its row; for NULL or "", the names of all mappings. Free *text with
 * lr_text_free(). */
enum lr_format { LR_TERMINAL, LR_MARKDOWN };
LR_API enum lr_status lr_model_keys(lr_context *ctx, const char *section, enum lr_format format, char **text);

/* The settings of a run, as `--set` takes them ("medium.temperature", "1e4 K"): every value of its model, and defaults
 * of the sections physics, output and run. */
typedef void lr_setting_fn(void *user, const char *path, const char *value);
LR_API enum lr_status lr_result_settings(lr_context *ctx, const lr_result *result, lr_setting_fn *tell, void *user);

/* The files that lr_result_write_cubes() has written for this result and prefix and that are still there, one per line;
 * free *paths with lr_text_free(). */
LR_API enum lr_status lr_result_find_cubes(lr_context *ctx, const lr_result *result, const char *prefix, char **paths);

/* ---- models of several processes ---- */

/* lr_model_create() for the ranks of a team, all of which call it: where several are on a machine, one of them reads
 * the files and its large arrays are shared. Free the model before lr_team_leave(). */
LR_API enum lr_status lr_team_create_model(lr_context *ctx, const lr_document *document, const char *line,
                                           lr_model **model);

/* A number that says whether two processes have the same document, but not what is in the files that it refers to. 0:
 * it has arrays in the memory of this process. */
LR_API uint64_t lr_document_print(const lr_document *document, const char *line);

/* ---- the mesh of a model ---- */

/* The shape of its fields, and the centres of its cells in cm: x of all cells in the order of fields, then y, then z;
 * on shells radii. Free *centres with lr_values_free(). */
LR_API enum lr_status lr_model_centres(lr_context *ctx, const lr_model *model, int shape[4], int *rank,
                                       double **centres);

/* ---- values and grids of values, as written on the command line ---- */

/* Quantities on a command line; numbers without a unit are in the unit named here. */
enum lr_quantity { LR_IN_KELVIN, LR_IN_CM3, LR_IN_CM2, LR_IN_KM_S, LR_IN_GHZ, LR_IN_PC };
/* "30", "30 K", "10,20,50 K", "10:100:10 K" (ten values from 10 to 100), "1e3:1e7:log9 cm^-3" (nine, logarithmically
 * spaced): n CGS values, to be freed with lr_values_free(). */
LR_API enum lr_status lr_values_parse(lr_context *ctx, const char *text, enum lr_quantity quantity, double **values,
                                      int *n);
LR_API void lr_values_free(double *values);

/* ---- the history of one packet ---- */

/* A packet after an event: where it is, and how it flies on. */
struct lr_step {
    const char *event;   /* "born", "scatters", "jumps", "crosses", "escapes", "is absorbed" or "is stuck" */
    int last;            /* 1: the history ends with it */
    int64_t scatterings; /* so far */
    double skipped;      /* further scatterings, inside jumps through deep gas */
    int64_t crossings;   /* of faces between cells, so far */
    int cell[3];
    int shells; /* 1: cell[0] is the shell, position[2] the radius, direction[2] the cosine of the angle to it */
    double position[3];
    const char *unit; /* of the position, such as "pc" */
    double direction[3];
    double shift; /* relative to the mesh, in Doppler units of the reference b; blue is positive */
    double x;     /* relative to the gas in the cell, in its own Doppler units */
    double weight;
    double depth; /* optical depth to the next scattering */
};
typedef void lr_step_fn(void *user, const struct lr_step *step);
/* Follows one packet of a run, counted from 0, and tells its history. The history is the one it has in a run on this
 * CPU, bit for bit; on other devices it is the same up to rounding. */
LR_API enum lr_status lr_packet_follow(lr_context *ctx, const lr_model *model, int64_t packet, lr_step_fn *listener,
                                       void *user);

/* ---- a turbulent cloud to start with (docs/cloud.md) ---- */

typedef struct lr_cloud lr_cloud; /* random fields of a turbulent cloud */

/* CGS. Every field is a function of the seed and of the wave vectors, so a cloud with the same seed on more cells is
 * the same cloud in finer detail. */
struct lr_cloud_options {
    int cells; /* along each axis: even, 8 to 1024 */
    uint64_t seed;
    double size;               /* cm, edge of the cube */
    double sigma_v;            /* cm/s, dispersion along one axis: 3 sigma_v^2 = <v_x^2 + v_y^2 + v_z^2> */
    double velocity_slope;     /* n of the power |v(k)|^2 ~ k^-n of single waves; E(k) ~ k^(2 - n) */
    double solenoidal;         /* fraction of that power in divergence-free waves; 2/3 for a random mixture */
    double mean_density;       /* cm^-3 of H2; like all means, over the whole volume */
    double density_width;      /* standard deviation of ln n */
    double density_slope;      /* n of the power of ln n */
    double mean_temperature;   /* K */
    double min_temperature;    /* K */
    double max_temperature;    /* K */
    double temperature_index;  /* T ~ n^-index between these limits */
    double transition_density; /* cm^-3 of H2 where CO takes over from OH */
    double mean_co, mean_oh;   /* cm^-3 of the molecules */
};
LR_API struct lr_cloud_options lr_cloud_defaults(void);

/* Properties of the cloud, measured from the numbers that are written. */
struct lr_cloud_statistics {
    double sigma_v[3];                               /* cm/s, along each axis */
    double fastest;                                  /* cm/s, largest speed along an axis */
    double solenoidal;                               /* fraction of the power */
    double density[3], temperature[3], co[3], oh[3]; /* smallest, mean, largest */
    double density_width;                            /* standard deviation of ln n(H2) */
    double temperature_with_density;                 /* correlation coefficients over cells: of ln T with ln n(H2) */
                                                     /* (NaN, like those below, if either is constant) */
    double co_with_density;                          /* of ln abundance with ln n(H2) */
    double oh_with_density;
    double co_with_oh; /* of the two ln abundances */
};
LR_API enum lr_status lr_cloud_create(lr_context *ctx, const struct lr_cloud_options *options, lr_cloud **cloud);
LR_API void lr_cloud_free(lr_cloud *cloud);
LR_API void lr_cloud_measure(const lr_cloud *cloud, struct lr_cloud_statistics *statistics);
/* A field [cells][cells][cells] over x, y, z, with the name and units it has in the file; owned by the cloud. Returns 1
 * if it exists, otherwise 0. */
LR_API int lr_cloud_array(const lr_cloud *cloud, const char *name, struct lr_array *array);
/* The names of all fields, index 0, 1, 2 ...; NULL after the last. */
LR_API const char *lr_cloud_array_name(const lr_cloud *cloud, int index);
/* A model file (HDF5) with n_H2, temperature, velocity_x, velocity_y, velocity_z, n_CO and n_OH. It is either complete
 * or absent; a file that is not a linerad model is never overwritten. */
LR_API enum lr_status lr_cloud_write(lr_context *ctx, const lr_cloud *cloud, const char *path);
/* Fails if lr_cloud_write() could not write to this path. */
LR_API enum lr_status lr_cloud_path_check(lr_context *ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
