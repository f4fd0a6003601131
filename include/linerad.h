/* linerad: Monte Carlo transport of spectral-line photons.
 *
 * The whole public interface. Objects are opaque, numbers are double or 64-bit integers (images float), and every
 * function that can fail returns a status; lr_last_error() then returns one line that says what happened, where, and
 * what to do about it.
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
 * Threads. A context may be used by one thread at a time; concurrent threads each need their own. Calculations (lr_run,
 * lr_scene_image, lr_solve_parcels) may run concurrently, and each starts its own threads. Anything that reads or
 * writes files or handles units (loading, parsing, lr_model_create, writing and lr_context_free) uses HDF5, CFITSIO and
 * UDUNITS, which have global state: make only one such call at a time in a process. Objects other than contexts do not
 * change once made, and any number of threads may read them; the exceptions are lr_document_lend and lr_cube_moments,
 * which modify their object. Log and progress functions are called from the thread that made the call. lr_context_stop
 * may be called at any time, from any thread.
 *
 * Stability. A patch version (0.1.x) may add functions, members at the end of structures and values at the end of
 * enumerations; it changes and removes nothing, so programs keep working without recompilation. Before 1.0 a minor
 * version may change the interface; the library then has a new soname, and CHANGELOG.md lists the changes. */
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

/* Structures that may grow begin with `size`, their size in bytes as the caller was compiled. Before one is filled, by
 * the caller or by the library, LR_INIT(variable) sets `size` and zeroes the rest, as {.size = sizeof variable} does in
 * C. Members known to only one side are zero for the other. Pairs of numbers (lr_estimate, lr_depth) never grow. */
#define LR_INIT(variable) lr_init(&(variable), sizeof(variable))
LR_API void lr_init(void *structure, size_t size);

enum lr_status {
    LR_OK = 0,
    LR_ERROR_INPUT = 1,       /* the model or an argument is wrong; the text says where */
    LR_ERROR_IO = 2,          /* a file cannot be read or written */
    LR_ERROR_MEMORY = 3,      /* not enough memory; the text says how much is needed */
    LR_ERROR_DEVICE = 4,      /* the requested device is missing or failed */
    LR_ERROR_INTERRUPTED = 5, /* stopped before anything was finished */
    LR_ERROR_INTERNAL = 6     /* a bug in linerad */
};

typedef struct lr_lock lr_lock;         /* of the name of a result */
typedef struct lr_context lr_context;   /* log, progress, stop flag, last error */
typedef struct lr_document lr_document; /* a model file as read, with the settings applied to it */
typedef struct lr_model lr_model;       /* a validated model; never changes after loading */
typedef struct lr_result lr_result;     /* the results of a run */
typedef struct lr_scene lr_scene;       /* a stored emissivity, from which new images can be made */
typedef struct lr_molecule lr_molecule; /* levels, lines and collision rates */
typedef struct lr_cube lr_cube;         /* channel maps of one camera */

enum lr_log_level { LR_LOG_INFO = 0, LR_LOG_WARNING = 1 };

/* Called once per message, without a trailing newline. */
typedef void lr_log_fn(void *user, enum lr_log_level level, const char *message);
/* Called a few times per second: how many of the `total` items `what` ("packets", "rows of image 'top'") are done, and
 * the seconds since that part began; total 0 = unknown. */
typedef void lr_progress_fn(void *user, const char *what, int64_t done, int64_t total, double seconds);

LR_API lr_context *lr_context_create(void); /* NULL when memory is exhausted */
LR_API void lr_context_free(lr_context *ctx);
LR_API void lr_context_on_log(lr_context *ctx, lr_log_fn *fn, void *user);
LR_API void lr_context_on_progress(lr_context *ctx, lr_progress_fn *fn, void *user);
/* Ask a running calculation to finish the packets in flight and return. Safe in a signal handler. */
LR_API void lr_context_stop(lr_context *ctx);
/* 1: before an HDF5 file is read, a child process (fork()) looks through it, so that a damaged file that crashes or
 * blocks the HDF5 library is an error. The command does this; the default is 0. */
LR_API void lr_context_guard(lr_context *ctx, int on);
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
    const char *units;           /* such as "km s-1"; "1" = dimensionless; NULL = not given */
};

/* ---- model files ---- */

/* Read and parse a YAML model. `settings` are n_setting strings "path.to.key=value" that replace or add values, as
 * `--set` does. */
LR_API enum lr_status lr_document_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                       lr_document **document);
/* The same from text. Messages refer to it as `name`; relative file paths start at `folder`, NULL = the current
 * folder. */
LR_API enum lr_status lr_document_parse(lr_context *ctx, const char *name, const char *yaml, const char *folder,
                                        const char *const *settings, int n_setting, lr_document **document);
LR_API void lr_document_free(lr_document *document);
/* Lend an array in the caller's memory, which the text uses as `{array: NAME}` in place of {file, dataset}. Values are
 * read in place whenever a model is made, so they, the name and the units must outlive the document. */
LR_API enum lr_status lr_document_lend(lr_context *ctx, lr_document *document, const struct lr_array *array);
/* A new document: the same with further settings applied. */
LR_API enum lr_status lr_document_change(lr_context *ctx, const lr_document *document, const char *const *settings,
                                         int n_setting, lr_document **changed);
/* The text as read; owned by the document. */
LR_API const char *lr_document_text(const lr_document *document);
/* A document with a list `lines` holds one model per line; any other holds a single model, whose line name is "". Names
 * are owned by the document; NULL for an index out of range. */
LR_API int lr_document_model_count(const lr_document *document);
LR_API const char *lr_document_line(const lr_document *document, int model);
/* 1 if `file` is the document's own file or one it refers to, which a result must not overwrite; otherwise 0. */
LR_API int lr_document_reads(const lr_document *document, const char *file);

/* ---- several processes ---- */

/* Under mpirun or srun, lr_run() divides the work among the processes (ranks) that have joined: all of them call it
 * with the same model. The result is that of rank 0; the others get LR_OK and NULL. An error in one is an error in all.
 * Loads MPI, if linerad was built with it: LR_TEAM_AUTO only if the environment says that there are several processes,
 * which without MPI is an error. */
enum lr_team_use { LR_TEAM_AUTO, LR_TEAM_ON, LR_TEAM_OFF };
LR_API enum lr_status lr_team_join(lr_context *ctx, enum lr_team_use use);
/* Counted from 0; of NULL: as the environment says. */
LR_API int lr_team_rank(const lr_context *ctx);
LR_API int lr_team_size(const lr_context *ctx);
/* All ranks call it, each with how it fares: if one has failed, so have all, with its error. */
LR_API enum lr_status lr_team_agree(lr_context *ctx, enum lr_status status);
/* All ranks call it at the end; MPI cannot be started again. */
LR_API void lr_team_leave(lr_context *ctx);

/* ---- models and runs ---- */

/* The validated model of one line of a document. `line` is NULL or "" if the document has a single line; otherwise
 * error messages begin with its name. */
LR_API enum lr_status lr_model_create(lr_context *ctx, const lr_document *document, const char *line, lr_model **model);
/* Both steps in one, for a file with a single line. */
LR_API enum lr_status lr_model_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                    lr_model **model);
LR_API void lr_model_free(lr_model *model);
/* Memory used by its fields, in bytes. */
LR_API double lr_model_memory(const lr_model *model);
/* Texts of a model, or NULL: "model", "model_resolved" (with the settings applied, in YAML flow style with every string
 * quoted, so also valid JSON). Owned by the model. */
LR_API const char *lr_model_text(const lr_model *model, const char *name);
/* The model as understood, in physical units: mesh, line, range of every field, optical depths, sources, and the cost
 * of a run: memory, scatterings and time, for which its first packets are followed for about a second. Free *text with
 * lr_text_free(). */
LR_API enum lr_status lr_model_report(lr_context *ctx, const lr_model *model, char **text);
/* Version, backends, devices and SIMD width. Free *text with lr_text_free(). */
LR_API enum lr_status lr_system_report(lr_context *ctx, char **text);
LR_API void lr_text_free(char *text);

LR_API enum lr_status lr_run(lr_context *ctx, const lr_model *model, lr_result **result);

/* How to carry out a run. Set with LR_INIT, then change what you need. */
typedef struct lr_keeper lr_keeper;
struct lr_run_options {
    size_t size;
    lr_keeper *keeper; /* NULL: no statepoints */
    int part, parts;   /* follow only this part, from 1 on, of so many equal ones of all packets; 0: follow them all */
    int keep_state;    /* 1: write a statepoint when all packets are done, so that more can be added */
};
LR_API enum lr_status lr_run_with(lr_context *ctx, const lr_model *model, const struct lr_run_options *options,
                                  lr_result **result);

/* Keeps statepoints of a run next to its result, PATH.state and PATH.state.old, from which another process can go on.
 * With `resume`, one that is there is read: this fails if the model has changed, and says in what. */
LR_API enum lr_status lr_keeper_create(lr_context *ctx, const lr_model *model, const struct lr_run_options *options,
                                       const char *path, int resume, lr_keeper **keeper);
/* 1: a statepoint was read. */
LR_API int lr_keeper_found(const lr_keeper *keeper);
/* 1: the result at PATH is that of the whole run, and there is nothing left to do. If it is another one, which the run
 * would replace, a warning says which. */
LR_API int lr_keeper_finished(lr_context *ctx, const lr_keeper *keeper);
/* 1: there are files of statepoints. */
LR_API int lr_keeper_left(const lr_keeper *keeper);
/* Removes these files, when the run is complete and its result is written. */
LR_API void lr_keeper_remove(lr_keeper *keeper);
LR_API void lr_keeper_free(lr_keeper *keeper);
/* Ask for a statepoint soon, after which the run goes on. May be called from a signal handler or another thread. */
LR_API void lr_context_save(lr_context *ctx);

/* Add the packets of another result, read from a file: *to is then as if one run had followed those of both. They must
 * be complete, of one model and of different packets or seeds, and contain sums (`output.sums`, or a part of a run). */
LR_API enum lr_status lr_result_add(lr_context *ctx, lr_result *to, const lr_result *from);
/* Fails if two results are not of one model, and says in what they differ; seeds and numbers of packets may. */
LR_API enum lr_status lr_result_same_model(lr_context *ctx, const lr_result *one, const lr_result *other);
LR_API void lr_result_free(lr_result *result);
/* Write everything to one HDF5 file, which is either complete or absent. */
LR_API enum lr_status lr_result_write(lr_context *ctx, const lr_result *result, const char *path);
/* Read such a file back, except for what is stored for lr_scene_load(). */
LR_API enum lr_status lr_result_read(lr_context *ctx, const char *path, lr_result **result);
/* That file together with the cubes of lr_result_write_cubes(), all of them or none: they are written aside and then
 * get their names, one right after the other. */
LR_API enum lr_status lr_result_write_all(lr_context *ctx, const lr_result *result, const char *path,
                                          const char *prefix, char **paths);
/* Keep other processes that also call this from writing to the same name; what a process that died left of writing
 * there is removed. The lock ends with lr_lock_release() or with the process. */
LR_API enum lr_status lr_lock_take(lr_context *ctx, const char *path, lr_lock **lock);
LR_API void lr_lock_release(lr_lock *lock);
/* Fails if the disk has too little space left for the files of a run of this model. */
LR_API enum lr_status lr_result_space_check(lr_context *ctx, const lr_model *model, const char *path);
/* Call before a long run: fails if lr_result_write() could not write to this path. */
LR_API enum lr_status lr_result_path_check(lr_context *ctx, const char *path);

struct lr_estimate {
    double value;
    double error; /* one standard error, from independent batches */
};

/* Summary of a run. Frequencies x = (nu - nu0) / nu_D in Doppler units of reference_b; x > 0 is blue. */
struct lr_summary {
    size_t size;
    char line[64];                             /* its name in a model with several lines; otherwise "" */
    int64_t packets;                           /* finished */
    int64_t packets_requested;                 /* more than `packets` after a stop, or with run.until */
    double reference_b;                        /* cm/s */
    double emitted;                            /* photons/s */
    struct lr_estimate escaped, absorbed;      /* photons/s; escaped + absorbed + stuck = emitted to rounding */
    struct lr_estimate f_esc;                  /* escaped / emitted */
    struct lr_estimate scatterings_per_packet; /* scattering rate / emission rate */
    struct lr_estimate mean_path; /* of escaped photons, in half-sizes of the mesh along x; on shells, in outer radii */
    int shells;                   /* 1: the mesh consists of spherical shells */
    struct lr_estimate median_abs_x, lower_quartile_abs_x, upper_quartile_abs_x; /* of escaped photons */
    struct lr_estimate outside; /* photons/s that escaped beyond the edges of the spectrum */
    double peak_abs_x; /* peak of the spectrum folded at x = 0; NAN if it is at line centre or not significant */
    double seconds_transport, seconds_images, seconds_total; /* images: ray tracing */
    double scatterings_per_second;
    int64_t scatterings;  /* counted events, unweighted */
    int images_missing;   /* 1: stopped before all images were made */
    int report_missing;   /* 1: stopped before all of lr_result_image was computed */
    char populations[32]; /* how level populations were found, such as "lvg"; "" without a molecule */
    int population_iterations;
    double population_error; /* estimated relative error after the last iteration */
    double population_noise; /* relative, from the method's random or discrete rays; NAN = not measured */
    int populations_converged;
    double seconds_populations;
    char device[128];   /* such as "cpu (16 threads, AVX-512)" or "cuda:0 NVIDIA H200" */
    char precision[16]; /* "mixed" or "double" */
    uint64_t seed;
    double scatterings_skipped; /* inside jumps through deep gas; scatterings_per_packet includes them */
    double x_crit;              /* with core skipping: its limit in |x|, the largest of all cells; otherwise 0 */
    int64_t packets_left;  /* in flight when the run was stopped, and not finished; long histories are then missing */
    char partial[64];      /* what there is of a stopped run, such as "5120 of 100000 packets"; "" = all of it */
    int64_t packets_stuck; /* of `packets`: given up after run.max_steps steps, neither escaped nor absorbed */
    struct lr_estimate stuck; /* photons/s that they still had; f_esc could be larger by up to stuck / emitted */
    char until[96];           /* with run.until: what was reached, such as "median_abs_x to 0.098 %" */
    int until_reached;        /* 1: the error is as small as asked for */
    double peak_abs_x_error;
    int asymmetric;                    /* 1: mean velocity not 0, or red and blue not equal, by more than 4 errors */
    struct lr_estimate mean_velocity;  /* km/s, of escaped photons; radio convention, positive = receding */
    struct lr_estimate red_blue_ratio; /* photons at v > 0 over those at v < 0; NAN if there are none at v < 0 */
    struct lr_estimate red_peak_velocity, blue_peak_velocity; /* km/s; NAN if that side has no significant peak */
};
LR_API void lr_result_summary(const lr_result *result, struct lr_summary *summary);

/* An array of a result, with the name and units it has in the result file (docs/result_format.md), such as
 * "spectrum/total" (photons/s per unit x in the bins between "spectrum/x_edges"), "fields/mean_intensity" or
 * "populations/history_error"; not images. Owned by the result. Returns 1 if it exists, otherwise 0. */
LR_API int lr_result_array(const lr_result *result, const char *name, struct lr_array *array);
/* The names of all its arrays, index 0, 1, 2 ...; NULL after the last. */
LR_API const char *lr_result_array_name(const lr_result *result, int index);
/* Texts of a result, or NULL: "model", "model_resolved", "version", "date", "host", "cpu", "run" (its id), "mesh"
 * ("cartesian", "shells" or "amr"), "method", "molecule", "transition" (of populations). Owned by the result. */
LR_API const char *lr_result_text(const lr_result *result, const char *name);
/* The label of a level of the molecule, counted from 0; NULL if there is none. */
LR_API const char *lr_result_level_label(const lr_result *result, int level);
/* Copy levels [n_brick] and positions [n_brick][3] of the bricks of a refined mesh to the caller's arrays, either of
 * which may be NULL. Returns n_brick, 0 for other meshes. */
LR_API int64_t lr_result_bricks(const lr_result *result, int *level, int *position);

/* ---- line data ---- */

/* A built-in molecule by name (lr_molecule_names()), or a file in LAMDA format. */
LR_API enum lr_status lr_molecule_load(lr_context *ctx, const char *name_or_path, lr_molecule **molecule);
LR_API void lr_molecule_free(lr_molecule *molecule);
/* Tables of levels, lines with critical densities at a temperature in K, and collision partners. Free *text with
 * lr_text_free(). */
LR_API enum lr_status lr_molecule_report(lr_context *ctx, const lr_molecule *molecule, double temperature, char **text);
/* The built-in molecules, one per line: name, two or more blanks, description. Free *text with lr_text_free(). */
LR_API enum lr_status lr_molecule_names(lr_context *ctx, char **text);

/* Numbers of levels and lines. Indices start at 0; the functions below return 0 if one is out of range, otherwise 1. */
LR_API void lr_molecule_size(const lr_molecule *molecule, int *n_level, int *n_line);
struct lr_line {
    size_t size;
    double frequency;                      /* Hz */
    double a_ul;                           /* s^-1 */
    double upper_energy;                   /* K, above the lowest level */
    int upper, lower;                      /* levels, counted from 0 */
    const char *upper_label, *lower_label; /* owned by the molecule */
};
LR_API int lr_molecule_line(const lr_molecule *molecule, int index, struct lr_line *line);
struct lr_level {
    size_t size;
    double energy;     /* K, above the lowest level */
    double weight;     /* statistical */
    const char *label; /* owned by the molecule */
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
    LR_MAX_COLLIDER = 16 /* length of arrays over colliders; entry 0 and those without a name are unused */
};
/* "H2", "p-H2", "o-H2", "e", "H", "He" or "H+"; 0 for any other name. */
LR_API int lr_collider_find(const char *name);
/* Collision rates with one partner, counted from 0; both strings are owned by the molecule. */
struct lr_partner {
    size_t size;
    const char *name;                /* as in lr_collider_find() */
    const char *reference;           /* "" = none given */
    int n_transition, n_temperature; /* of the table of rates */
    double coldest, hottest;         /* K, its range; beyond it the rates at the ends are used */
};
LR_API int lr_molecule_partner_count(const lr_molecule *molecule);
LR_API int lr_molecule_partner(const lr_molecule *molecule, int index, struct lr_partner *partner);
/* cm^-3 at a temperature in K: A_ul over the sum of all downward collision rates of the upper level; infinite if there
 * are none. */
LR_API double lr_molecule_critical_density(const lr_molecule *molecule, int line, int partner, double temperature);

/* ---- populations of single parcels of gas, by escape probability (docs/zero_d.md) ---- */

enum lr_geometry {
    LR_SPHERE,    /* static uniform sphere */
    LR_LVG,       /* expanding sphere, as in RADEX */
    LR_SLAB,      /* plane layer, as in RADEX */
    LR_EXPANSION, /* uniform expansion: (1 - exp(-tau)) / tau */
    LR_LAYER      /* plane layer, integrated over directions: (1/2 - E3(tau)) / tau */
};
enum lr_parcel_flag {
    LR_RATES_CLAMPED = 1, /* the temperature is outside a table of collision rates; the value at its end was used */
    LR_INVERTED = 2,      /* a line has a negative optical depth */
    LR_MASER = 4,         /* ... below -1, where escape probabilities are unreliable */
    LR_NOT_CONVERGED = 8
};
struct lr_parcels {
    size_t size;
    int64_t n;
    const double *temperature;              /* [n] K */
    const double *density[LR_MAX_COLLIDER]; /* [n] cm^-3 each; NULL = this collider is absent */
    const double *column;                   /* [n] cm^-2, of the molecule, all levels together */
    const double *width;                    /* [n] cm s^-1, full width at half maximum of a Gaussian line */
    const double *background;               /* [n] K, of a black body */
    int rates_of[LR_MAX_COLLIDER];          /* use the rates of another collider; 0 = its own */
    enum lr_geometry geometry;
    double error; /* relative error of populations; 0 = 1e-6 */
    int threads;  /* 0 = all */
    int overlap;  /* 1: lines see each other's light, and escape is averaged over their profiles; 0: as in RADEX */
};
/* The caller's arrays; NULL for those not wanted. */
struct lr_parcel_lines {
    size_t size;
    double *excitation; /* [n][n_line] K; negative when inverted */
    double *depth;      /* [n][n_line] at line centre */
    double *radiation; /* [n][n_line] K, (J(Tex) - J(Tbg)) (1 - exp(-tau)) with J = (h nu / k) / (exp(h nu / kT) - 1) */
    double *flux_kelvin; /* [n][n_line] K km s^-1, radiation integrated over a Gaussian line */
    double *flux_energy; /* [n][n_line] erg cm^-2 s^-1, the same times 8 pi k nu^3 / c^3: in all directions */
    double *population;  /* [n][n_level], sum 1 */
    int *iterations;     /* [n] */
    int *flags;          /* [n] bits of enum lr_parcel_flag */
    double *error;       /* [n] estimated */
};
LR_API enum lr_status lr_solve_parcels(lr_context *ctx, const lr_molecule *molecule, const struct lr_parcels *parcels,
                                       const struct lr_parcel_lines *lines);

/* ---- channel maps ---- */

/* Read the scene of a result that was run with `image.emissivity: true`. `settings` replace values of the sections
 * `cameras`, `channels` and `image` of its model. Scattered light and light from sources is known only toward the
 * cameras and in the channels of the run: directions are fixed, and channels can only be cropped or merged. Light of
 * the gas alone (levels of a molecule, without packets) can be imaged from any direction in any channels. There are
 * also short settings: `camera` selects one camera; `pixels`, `field` and `centre` apply to every camera kept; `range`
 * crops the channels, and `bin` merges that many into one. */
LR_API enum lr_status lr_scene_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                    lr_scene **scene);
/* The same from a result in memory, which must outlive the scene. */
LR_API enum lr_status lr_scene_from_result(lr_context *ctx, const lr_result *result, const char *const *settings,
                                           int n_setting, lr_scene **scene);
LR_API void lr_scene_free(lr_scene *scene);
/* Trace its images; the result contains cubes and nothing else. */
LR_API enum lr_status lr_scene_image(lr_context *ctx, const lr_scene *scene, lr_result **result);

/* The names of the cameras for which a result has cubes, index 0, 1, 2 ...; NULL after the last. */
LR_API const char *lr_result_camera(const lr_result *result, int index);
/* The cube of a camera as written to FITS: convolved with the beam, in the unit requested by the model. It refers to
 * the result, which must outlive it. */
LR_API enum lr_status lr_cube_create(lr_context *ctx, const lr_result *result, const char *camera, lr_cube **made);
LR_API void lr_cube_free(lr_cube *cube);
/* Values are `scale` times the numbers in the arrays; it is 1 unless they exceed the range of float. Arrays are
 * [n_channel][n_y][n_x] and owned by the cube; row 0 is at the bottom, column 0 at the left. */
struct lr_cube_view {
    size_t size;
    char camera[64];
    const char *unit, *integral_unit; /* as in FITS: "K", and for moment 0 "K km s-1" */
    int n_channel, n_y, n_x;
    const float *values;
    const float *errors;        /* one standard error; NULL = not requested, or unscattered light */
    const float *optical_depth; /* mean over pixel and channel, not convolved; NULL = not requested */
    double scale;               /* of values and errors */
    const float *column;        /* [n_y][n_x] of the molecule, in units of column_unit cm^-2; NULL = not requested */
    double column_unit;
    double rest_frequency; /* Hz */
    double first, width;   /* cm/s, radio velocity of the centre of the first channel, systemic velocity included */
    int angles;            /* 1: pixel sizes are angles; 0: lengths */
    double pixel[2];       /* rad, or cm: along x (to the right) and y (up), at the image centre */
    double sky[2];         /* rad, right ascension and declination of the image centre */
    double distance;       /* cm; 0 = not given */
    double beam[3];        /* rad, major and minor FWHM, position angle from north through east; 0 = none */
    double background;     /* K, of the sky behind the mesh */
    int subtracted;        /* 1: it has been subtracted */
    double toward[3], right[3], up[3]; /* unit vectors in the mesh frame: to the observer, along x and y of the image */
    double seconds;                    /* spent on ray tracing */
};
LR_API void lr_cube_describe(const lr_cube *cube, struct lr_cube_view *view);
/* Maps [n_y][n_x] of moments along the velocity axis (docs/cubes.md), owned by the cube. */
struct lr_moments {
    size_t size;
    const float *integral, *peak;   /* times `scale`: in the unit of the values times km/s, and in that unit */
    const float *mean, *dispersion; /* km/s; NAN where there is almost no light */
    double scale;
};
LR_API enum lr_status lr_cube_moments(lr_context *ctx, lr_cube *cube, struct lr_moments *moments);

struct lr_depth {
    double mean, largest; /* over pixels, of the deepest channel in each; NAN = unknown */
};
/* Numbers that describe an image. */
struct lr_image {
    size_t size;
    char camera[64];
    struct lr_depth depth; /* with stimulated emission */
    struct lr_depth bare;  /* without; NAN if the line is not molecular, or its levels were not stored */
    int stimulated;        /* 1: the image was made with it; 0: without */
    double correlation;    /* over pixels, of log light with log column density; light is |intensity - sky| summed over
                              channels; NAN = unknown */
    double shift; /* cm, or rad for a near observer: largest distance between the centroids of light in two channels, of
                     those with at least 1 % of the light of the brightest; NAN = unknown */
    int near;     /* 1: the observer is near */
};
/* For the image of a camera: returns 1 if there is one, otherwise 0. */
LR_API int lr_result_image(const lr_result *result, const char *camera, struct lr_image *image);
/* The flux in an image of a run with packets, and that of the packets which escaped toward its distant observer within
 * the same channels and field, in photons s^-1 sr^-1 (docs/imaging.md). Both include the direct light of point sources
 * in the image, except on a mesh of layers, where neither does and both are the flux of one period. */
struct lr_check {
    size_t size;
    struct lr_estimate image, packets;
    double angle; /* rad: half-angle of the cone about the direction of the camera; pi: all packets count (shells); 0 =
                     not compared */
    double deviation; /* (image - packets) / error of the difference */
    char missing[96]; /* why there is no comparison; "" = there is one, or no packets or no distant observer */
};
/* For the image of a camera: returns 1 if there is one, otherwise 0. */
LR_API int lr_result_check(const lr_result *result, const char *camera, struct lr_check *check);
/* Write PREFIX_<camera>.fits for each camera, and the other files requested by the model: _error, _tau, _mom0, _mom1,
 * _mom2 and _peak, _column (.fits), _spectrum (.txt). Each file is either complete or absent; files of other programs
 * are never overwritten. *paths, if not NULL, lists the files, one per line; free it with lr_text_free(). */
LR_API enum lr_status lr_result_write_cubes(lr_context *ctx, const lr_result *result, const char *prefix, char **paths);
/* Fail if lr_result_write_cubes() could not succeed for this model or scene and prefix. */
LR_API enum lr_status lr_cube_path_check(lr_context *ctx, const lr_model *model, const char *prefix);
LR_API enum lr_status lr_scene_path_check(lr_context *ctx, const lr_scene *scene, const char *prefix);

#ifdef __cplusplus
}
#endif
#endif
