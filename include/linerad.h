/* linerad: Monte Carlo transport of spectral-line photons.
 *
 * The whole public interface. Objects are opaque, numbers are double or 64-bit integers (images float), and every
 * function that can fail returns a status; lr_last_error() then holds one line of text that says what
 * happened, where, and what to do.
 *
 *     lr_context *ctx = lr_context_create();
 *     lr_model *model = NULL;
 *     lr_result *result = NULL;
 *     if (lr_model_load(ctx, "slab.yaml", NULL, 0, &model) || lr_run(ctx, model, &result) ||
 *         lr_result_write(ctx, result, "slab.h5"))
 *         fprintf(stderr, "%s\n", lr_last_error(ctx));
 *     lr_result_free(result);
 *     lr_model_free(model);
 *     lr_context_free(ctx);
 *
 * Threads. A context belongs to one thread at a time; threads that work side by side have one each. Calculations
 * (lr_run, lr_scene_image, lr_solve_parcels) may go on side by side, and each starts threads of its own. Whatever reads
 * or writes files or units (loading, parsing, lr_model_create, writing, and lr_context_free) goes through HDF5, CFITSIO
 * and UDUNITS, which keep state of their own: one such call at a time in a process. Objects other than contexts do not
 * change once they are made, and any number of threads may look at one; the exceptions are lr_document_lend and
 * lr_cube_moments, which change theirs. Log and progress functions are called in the thread that made the call.
 * lr_context_stop may be called at any time, from any thread.
 *
 * What stays. A patch version (0.1.x) adds functions, members at the end of structures and values at the end of
 * enumerations, and changes or takes away nothing: programs go on without being compiled again. Before 1.0 a minor
 * version may change the interface, and the library then has another soname; CHANGELOG.md says how.
 */
#ifndef LINERAD_H
#define LINERAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LR_API __attribute__((visibility("default")))
#else
#define LR_API
#endif

/* The version of this header; lr_version() is that of the library. Both are "MAJOR.MINOR.PATCH". */
#define LINERAD_VERSION_MAJOR 0
#define LINERAD_VERSION_MINOR 1
#define LINERAD_VERSION_PATCH 0
#define LINERAD_VERSION "0.1.0"
LR_API const char *lr_version(void);

/* Structures that may grow begin with `size`, the bytes that the caller knows of them. LR_INIT(variable) sets it and
 * the rest to zero, as {.size = sizeof variable} does in C, before the caller or the library fills one; members that
 * one of the two does not know are zero for the other. Pairs of numbers (lr_estimate, lr_depth) never grow. */
#define LR_INIT(variable) lr_init(&(variable), sizeof(variable))
LR_API void lr_init(void *structure, size_t size);

enum lr_status {
    LR_OK = 0,
    LR_ERROR_INPUT = 1,       /* the model or an argument is wrong; the text says where */
    LR_ERROR_IO = 2,          /* a file cannot be read or written */
    LR_ERROR_MEMORY = 3,      /* the problem does not fit; the text says how much it needs */
    LR_ERROR_DEVICE = 4,      /* the requested device is missing or failed */
    LR_ERROR_INTERRUPTED = 5, /* stopped before anything was finished */
    LR_ERROR_INTERNAL = 6     /* a bug in linerad */
};

typedef struct lr_context lr_context;   /* log, progress, stop flag, last error */
typedef struct lr_document lr_document; /* a model file as it was read, with the settings that change it */
typedef struct lr_model lr_model;       /* a validated model; never changes after loading */
typedef struct lr_result lr_result;     /* what a run measured */
typedef struct lr_scene lr_scene;       /* a stored emissivity, to be imaged again */
typedef struct lr_molecule lr_molecule; /* levels, lines and collision rates */
typedef struct lr_cube lr_cube;         /* channel maps of one camera */

enum lr_log_level { LR_LOG_INFO = 0, LR_LOG_WARNING = 1 };

/* Called once per message, without a trailing newline. */
typedef void lr_log_fn(void *user, enum lr_log_level level, const char *message);
/* Called a few times per second: how many of how many `what` ("packets", "rows of image 'top'") are finished, and the
 * seconds since that began; total 0 = nobody knows how many there will be. */
typedef void lr_progress_fn(void *user, const char *what, int64_t done, int64_t total, double seconds);

LR_API lr_context *lr_context_create(void); /* NULL when memory is exhausted */
LR_API void lr_context_free(lr_context *ctx);
LR_API void lr_context_on_log(lr_context *ctx, lr_log_fn *fn, void *user);
LR_API void lr_context_on_progress(lr_context *ctx, lr_progress_fn *fn, void *user);
/* Ask a running calculation to finish the packets in flight and return. Safe in a signal handler. */
LR_API void lr_context_stop(lr_context *ctx);
/* The text of the last error, one line, never NULL; valid until the next call with this context. */
LR_API const char *lr_last_error(const lr_context *ctx);

/* ---- arrays in memory ---- */

enum lr_type { LR_FLOAT32, LR_FLOAT64, LR_INT32, LR_INT64, LR_BOOL }; /* LR_BOOL: one byte, 0 or 1 */
enum { LR_MAX_RANK = 8 };
struct lr_array {
    size_t size;
    const char *name;
    const void *data; /* the first element */
    enum lr_type type;
    int rank;
    int64_t shape[LR_MAX_RANK];
    int64_t stride[LR_MAX_RANK]; /* bytes to the next element along each axis; any order, any sign */
    const char *units;           /* such as "km s-1"; "1" = plain numbers; NULL = not said */
};

/* ---- model files ---- */

/* Read a YAML model, once. `settings` are n_setting strings "path.to.key=value" that replace or add values, as `--set`
 * does. */
LR_API enum lr_status lr_document_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                       lr_document **document);
/* The same from text. `name` is what messages call it; relative paths of files start at `folder`, NULL = the current
 * one. */
LR_API enum lr_status lr_document_parse(lr_context *ctx, const char *name, const char *yaml, const char *folder,
                                        const char *const *settings, int n_setting, lr_document **document);
LR_API void lr_document_free(lr_document *document);
/* A field in the memory of the caller: `{array: NAME}` in the text stands where {file, dataset} would. Values are read
 * in place whenever a model is made, so that they, the name and the units have to outlive the document. */
LR_API enum lr_status lr_document_lend(lr_context *ctx, lr_document *document, const struct lr_array *array);
/* The same document with further settings, as another one. */
LR_API enum lr_status lr_document_change(lr_context *ctx, const lr_document *document, const char *const *settings,
                                         int n_setting, lr_document **changed);
/* The text as it was read; it belongs to the document. */
LR_API const char *lr_document_text(const lr_document *document);
/* A document with a list `lines` holds a model for each of them; any other holds one, whose line is "". Names belong to
 * the document; NULL is that of an index out of range. */
LR_API int lr_document_model_count(const lr_document *document);
LR_API const char *lr_document_line(const lr_document *document, int model);
/* 1 when `file` is the document's own or one that it names, which no result must replace; otherwise 0. */
LR_API int lr_document_reads(const lr_document *document, const char *file);

/* ---- models and runs ---- */

/* The validated model of a line of a document. `line` is NULL or "" for a document with a single one; otherwise errors
 * begin with its name. */
LR_API enum lr_status lr_model_create(lr_context *ctx, const lr_document *document, const char *line, lr_model **model);
/* Both steps for a file with a single line. */
LR_API enum lr_status lr_model_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                    lr_model **model);
LR_API void lr_model_free(lr_model *model);
/* Bytes that its fields take. */
LR_API double lr_model_memory(const lr_model *model);
/* Texts of a model, or NULL: "model", "model_resolved" (with the settings, in the flow style of YAML with every text
 * quoted, so that it is JSON too). They belong to the model. */
LR_API const char *lr_model_text(const lr_model *model, const char *name);
/* What was understood, in physical units: mesh, line, ranges of every field, optical depths, sources,
 * expected scatterings, memory and a time estimate. *text is freed with lr_text_free(). */
LR_API enum lr_status lr_model_report(lr_context *ctx, const lr_model *model, char **text);
/* Version, backends, devices and SIMD width. *text is freed with lr_text_free(). */
LR_API enum lr_status lr_system_report(lr_context *ctx, char **text);
LR_API void lr_text_free(char *text);

LR_API enum lr_status lr_run(lr_context *ctx, const lr_model *model, lr_result **result);
LR_API void lr_result_free(lr_result *result);
/* Write everything to one HDF5 file. It appears whole or not at all. */
LR_API enum lr_status lr_result_write(lr_context *ctx, const lr_result *result, const char *path);
/* Read such a file back: everything but what it keeps for lr_scene_load(). */
LR_API enum lr_status lr_result_read(lr_context *ctx, const char *path, lr_result **result);
/* Fails now, before a long run, when lr_result_write() to this path could not succeed. */
LR_API enum lr_status lr_result_path_check(lr_context *ctx, const char *path);

struct lr_estimate {
    double value;
    double error; /* one standard error, from independent batches */
};

/* Numbers of a run. Frequencies x = (nu - nu0) / nu_D in Doppler units of reference_b; x > 0 is blue. */
struct lr_summary {
    size_t size;
    char line[64];                             /* its name in a model of several lines; or "" */
    int64_t packets;                           /* finished */
    int64_t packets_requested;                 /* more than `packets` only after lr_context_stop() */
    double reference_b;                        /* cm/s */
    double emitted;                            /* photons/s */
    struct lr_estimate escaped, absorbed;      /* photons/s; escaped + absorbed = emitted to rounding */
    struct lr_estimate f_esc;                  /* escaped / emitted */
    struct lr_estimate scatterings_per_packet; /* scattering rate / emission rate */
    struct lr_estimate mean_path;              /* of escaped photons, in half-sizes of the mesh along x; on shells that
                                                * is the radius of the outermost */
    int shells;                                /* the mesh is one of shells */
    struct lr_estimate median_abs_x, lower_quartile_abs_x, upper_quartile_abs_x; /* of escaped photons */
    struct lr_estimate outside; /* photons/s that escaped beyond the edges of the spectrum */
    double peak_abs_x;          /* highest point of the spectrum folded at x = 0: a parabola through its top bins */
    double seconds_transport, seconds_images, seconds_total; /* images: ray tracing */
    double scatterings_per_second;
    int64_t scatterings;  /* counted events, unweighted */
    int images_missing;   /* stopped before they were made */
    int report_missing;   /* stopped before all numbers of images (lr_result_image) were found */
    char populations[32]; /* how level populations were found, such as "lvg"; "" without a molecule */
    int population_iterations;
    double population_error; /* estimated, relative, of the last iteration */
    double population_noise; /* relative, of the method's random or discrete rays; NAN = not measured */
    int populations_converged;
    double seconds_populations;
    char device[128];   /* such as "cpu (16 threads, AVX-512)" or "cuda:0 NVIDIA H200" */
    char precision[16]; /* "mixed" or "double" */
    uint64_t seed;
};
LR_API void lr_result_summary(const lr_result *result, struct lr_summary *summary);

/* An array that a result holds, by the name and in the units of the result file (docs/result_format.md): such as
 * "spectrum/total", photons/s per unit x in the bins between "spectrum/x_edges", "fields/mean_intensity" and
 * "populations/history_error"; not images. It belongs to the result. 1 when there is one, otherwise 0. */
LR_API int lr_result_array(const lr_result *result, const char *name, struct lr_array *array);
/* The names of all that it holds, index 0, 1, 2 ...; NULL after the last. */
LR_API const char *lr_result_array_name(const lr_result *result, int index);
/* Texts of a result, or NULL: "model", "model_resolved", "version", "date", "host", "cpu", "mesh" ("cartesian",
 * "shells" or "amr"), "method", "molecule", "transition" (of populations). They belong to the result. */
LR_API const char *lr_result_text(const lr_result *result, const char *name);
/* The label of a level of the molecule, from 0; NULL when there is none. */
LR_API const char *lr_result_level_label(const lr_result *result, int level);
/* Levels [n_brick] and positions [n_brick][3] of the bricks of a refined mesh, into arrays of the caller; returns
 * n_brick, which is 0 for other meshes. Either may be NULL. */
LR_API int64_t lr_result_bricks(const lr_result *result, int *level, int *position);

/* ---- line data ---- */

/* A built-in molecule by its name (lr_molecule_names()), or a file of the LAMDA format. */
LR_API enum lr_status lr_molecule_load(lr_context *ctx, const char *name_or_path, lr_molecule **molecule);
LR_API void lr_molecule_free(lr_molecule *molecule);
/* Tables of levels, lines with critical densities at a temperature in K, and collision partners. *text is freed with
 * lr_text_free(). */
LR_API enum lr_status lr_molecule_report(lr_context *ctx, const lr_molecule *molecule, double temperature, char **text);
/* The built-in molecules, one per line: name, two or more blanks, what it is. Freed with lr_text_free(). */
LR_API enum lr_status lr_molecule_names(lr_context *ctx, char **text);

/* How many levels and lines it has. They count from 0; the functions below return 0 for others, otherwise 1. */
LR_API void lr_molecule_size(const lr_molecule *molecule, int *n_level, int *n_line);
struct lr_line {
    size_t size;
    double frequency;                      /* Hz */
    double a_ul;                           /* s^-1 */
    double upper_energy;                   /* K, above the lowest level */
    int upper, lower;                      /* levels, from 0 */
    const char *upper_label, *lower_label; /* belong to the molecule */
};
LR_API int lr_molecule_line(const lr_molecule *molecule, int index, struct lr_line *line);
struct lr_level {
    size_t size;
    double energy;     /* K, above the lowest level */
    double weight;     /* statistical */
    const char *label; /* belongs to the molecule */
};
LR_API int lr_molecule_level(const lr_molecule *molecule, int index, struct lr_level *level);
/* Its name, and its mass in g. */
LR_API const char *lr_molecule_name(const lr_molecule *molecule);
LR_API double lr_molecule_mass(const lr_molecule *molecule);

/* Collision partners, with the numbers of the LAMDA format. */
enum lr_collider {
    LR_H2 = 1,
    LR_PARA_H2,
    LR_ORTHO_H2,
    LR_ELECTRON,
    LR_H,
    LR_HE,
    LR_PROTON,
    LR_MAX_COLLIDER = 16 /* arrays over colliders have this length; entry 0 and those without a name are not used */
};
/* "H2", "p-H2", "o-H2", "e", "H", "He" or "H+"; 0 when it is none of these. */
LR_API int lr_collider_find(const char *name);
/* Rates of collisions with one partner, from 0; both texts belong to the molecule. */
struct lr_partner {
    size_t size;
    const char *name;                /* as lr_collider_find() knows it */
    const char *reference;           /* "" = none given */
    int n_transition, n_temperature; /* of the table of rates */
    double coldest, hottest;         /* K, its ends; beyond them the rates are those at the ends */
};
LR_API int lr_molecule_partner_count(const lr_molecule *molecule);
LR_API int lr_molecule_partner(const lr_molecule *molecule, int index, struct lr_partner *partner);
/* cm^-3 at a temperature in K: A_ul over the sum of the rates of all downward collisions of the upper level; infinite
 * without such collisions. */
LR_API double lr_molecule_critical_density(const lr_molecule *molecule, int line, int partner, double temperature);

/* ---- populations of single parcels of gas, by escape probability (docs/zero_d.md) ---- */

enum lr_geometry {
    LR_SPHERE,   /* static uniform sphere */
    LR_LVG,      /* expanding sphere, as in RADEX */
    LR_SLAB,     /* plane layer */
    LR_EXPANSION /* uniform expansion: (1 - exp(-tau)) / tau */
};
enum lr_parcel_flag {
    LR_RATES_CLAMPED = 1, /* the temperature lies outside a table of collision rates, whose end was used */
    LR_INVERTED = 2,      /* a line has a negative depth */
    LR_MASER = 4,         /* ... below -1, where escape probability says little */
    LR_NOT_CONVERGED = 8
};
struct lr_parcels {
    size_t size;
    int64_t n;
    const double *temperature;              /* [n] K */
    const double *density[LR_MAX_COLLIDER]; /* [n] cm^-3 each; NULL = this collider is absent */
    const double *column;                   /* [n] cm^-2, of the molecule in all its levels */
    const double *width;                    /* [n] cm s^-1, full width at half maximum of a Gaussian line */
    const double *background;               /* [n] K, black body */
    int rates_of[LR_MAX_COLLIDER];          /* use the rates of another collider; 0 = its own */
    enum lr_geometry geometry;
    double error; /* relative, of populations; 0 = 1e-6 */
    int threads;  /* 0 = all */
};
/* Arrays of the caller; those that are NULL are not wanted. */
struct lr_parcel_lines {
    size_t size;
    double *excitation; /* [n][n_line] K; negative when inverted */
    double *depth;      /* [n][n_line] at line centre */
    double *radiation; /* [n][n_line] K, (J(Tex) - J(Tbg)) (1 - exp(-tau)) with J = (h nu / k) / (exp(h nu / kT) - 1) */
    double *flux_kelvin; /* [n][n_line] K km s^-1, radiation over a Gaussian line */
    double *flux_energy; /* [n][n_line] erg cm^-2 s^-1, the same times 8 pi k nu^3 / c^3: into all directions */
    double *population;  /* [n][n_level], sum 1 */
    int *iterations;     /* [n] */
    int *flags;          /* [n] of enum lr_parcel_flag */
    double *error;       /* [n] estimated */
};
LR_API enum lr_status lr_solve_parcels(lr_context *ctx, const lr_molecule *molecule, const struct lr_parcels *parcels,
                                       const struct lr_parcel_lines *lines);

/* ---- channel maps ---- */

/* Read the scene of a result that was run with `image.emissivity: true`. `settings` replace values of the sections
 * `cameras`, `channels` and `image` of the model it came from. Light that was scattered, or that sources sent, is known
 * toward the cameras and in the channels of the run: directions stay, and channels are whole stored ones, cropped or
 * merged. That of gas alone (levels of a molecule, without packets) can be seen from anywhere in any channels. Short
 * settings go with them: `camera` drops all cameras but the one it names; `pixels`, `field` and `centre` hold for each
 * that is left; `range` crops the channels, and `bin` merges so many of them into one. */
LR_API enum lr_status lr_scene_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                    lr_scene **scene);
/* The same of a result in memory, which must outlive the scene. */
LR_API enum lr_status lr_scene_from_result(lr_context *ctx, const lr_result *result, const char *const *settings,
                                           int n_setting, lr_scene **scene);
LR_API void lr_scene_free(lr_scene *scene);
/* Trace its images: a result with cubes and nothing else. */
LR_API enum lr_status lr_scene_image(lr_context *ctx, const lr_scene *scene, lr_result **result);

/* The names of the cameras that a result has cubes of, index 0, 1, 2 ...; NULL after the last. */
LR_API const char *lr_result_camera(const lr_result *result, int index);
/* The cube of a camera as it is written to FITS: with the beam, in the unit that the model asks for. It refers to the
 * result, which must outlive it. */
LR_API enum lr_status lr_cube_create(lr_context *ctx, const lr_result *result, const char *camera, lr_cube **made);
LR_API void lr_cube_free(lr_cube *cube);
/* Values are `scale` times the numbers of the arrays; it is 1 unless float is too narrow for them. Arrays are
 * [n_channel][n_y][n_x] and belong to the cube; row 0 is the lowest, column 0 the leftmost. */
struct lr_cube_view {
    size_t size;
    char camera[64];
    const char *unit, *integral_unit; /* as FITS writes them: "K", and of moment 0 "K km s-1" */
    int n_channel, n_y, n_x;
    const float *values;
    const float *errors;        /* one standard error; NULL = not asked for, or unscattered light */
    const float *optical_depth; /* mean over pixel and channel, without a beam; NULL = not asked for */
    double scale;               /* of values and errors */
    const float *column;        /* [n_y][n_x] of the molecule, in units of column_unit cm^-2; NULL = not asked for */
    double column_unit;
    double rest_frequency; /* Hz */
    double first, width;   /* cm/s, radio velocity of the middle of the first channel, systemic one included */
    int angles;            /* 1: pixels have angles; 0: lengths */
    double pixel[2];       /* rad, or cm: along x (to the right) and y (up), in the middle of the image */
    double sky[2];         /* rad, right ascension and declination of the middle */
    double distance;       /* cm; 0 = not given */
    double beam[3];        /* rad, FWHM major and minor, angle north through east; 0 = none */
    double background;     /* K, of the sky behind the mesh */
    int subtracted;        /* 1: it is taken off */
    double toward[3], right[3], up[3]; /* unit vectors in the mesh: to the observer, along x and y of the image */
    double seconds;                    /* that ray tracing took */
};
LR_API void lr_cube_describe(const lr_cube *cube, struct lr_cube_view *view);
/* Maps [n_y][n_x] along the velocity axis (docs/cubes.md), which belong to the cube. */
struct lr_moments {
    size_t size;
    const float *integral, *peak;   /* times `scale`: unit of the values times km/s, and that unit */
    const float *mean, *dispersion; /* km/s; NAN where there is next to no light */
    double scale;
};
LR_API enum lr_status lr_cube_moments(lr_context *ctx, lr_cube *cube, struct lr_moments *moments);

struct lr_depth {
    double mean, largest; /* over pixels, of the channel that is deepest in each; NAN = not known */
};
/* What is told of an image, beside the image. */
struct lr_image {
    size_t size;
    char camera[64];
    struct lr_depth depth; /* with stimulated emission */
    struct lr_depth bare;  /* without; NAN where the line is no molecule's, or its levels were not kept */
    int stimulated;        /* 1: the image was made with it; 0: without */
    double correlation;    /* over pixels, of log light with log column density; light is |intensity - sky|, summed over
                              channels; NAN = not known */
    double shift;          /* cm, or rad of a near observer: largest distance of the centroids of the light of two
                              channels, of those with 1 % or more of that of the brightest; NAN = not known */
    int near;              /* 1: the observer is a near one */
};
/* Of the image of a camera: 1 when there is one, otherwise 0. */
LR_API int lr_result_image(const lr_result *result, const char *camera, struct lr_image *image);
/* The flux that an image of a run with packets shows, and that of the packets themselves that escaped toward its far
 * observer within the same channels and field, in photons s^-1 sr^-1 (docs/imaging.md). Both have the direct light of
 * point sources that the image shows, but on a mesh of layers neither has, and theirs is the flux of one period. */
struct lr_check {
    size_t size;
    struct lr_estimate image, packets;
    double angle;     /* rad: half-angle of the cone about the direction of the camera; pi: all packets of shells count;
                         0 = not compared */
    double deviation; /* (image - packets) / error of the difference */
    char missing[96]; /* why there is no comparison; "" = there is one, or there are no packets or no far observer */
};
/* Of the image of a camera: 1 when there is one, otherwise 0. */
LR_API int lr_result_check(const lr_result *result, const char *camera, struct lr_check *check);
/* Write PREFIX_<camera>.fits for each camera, and beside it what the model asks for: _error, _tau, _mom0, _mom1, _mom2
 * and _peak, _column (.fits), _spectrum (.txt). Each file appears whole or not at all; other programs' files are never
 * replaced. *paths, when wanted, lists the files, one per line; freed with lr_text_free(). */
LR_API enum lr_status lr_result_write_cubes(lr_context *ctx, const lr_result *result, const char *prefix, char **paths);
/* Fails now when lr_result_write_cubes() for this model or scene and prefix could not succeed. */
LR_API enum lr_status lr_cube_path_check(lr_context *ctx, const lr_model *model, const char *prefix);
LR_API enum lr_status lr_scene_path_check(lr_context *ctx, const lr_scene *scene, const char *prefix);

#ifdef __cplusplus
}
#endif
#endif
