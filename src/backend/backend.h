/* What a backend does, in plain doubles: nothing here depends on the working precision.
 *
 * Code units: lengths in half-sizes of the mesh along x (the radius of shells), velocities and Doppler shifts in
 * reference_b, packet weights in units of the weight at emission (so that 1 is a new packet). */
#ifndef LR_BACKEND_BACKEND_H
#define LR_BACKEND_BACKEND_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kinds.h"
#include "kernel/sums.h"
#include "linerad.h"

/* AMR: bricks of equal numbers of cells in an octree (kernel/brick.h). */
struct transport_tree {
    int root[3], brick[3], deepest;
    double cell[3]; /* size of a cell of level 0 */
    int64_t n_brick, n_link;
    const uint64_t *key;
    const int32_t *link;
};

/* A mesh as backends see it. SHELLS: n[0] shells from the centre on, whose widths are in width[0]. AMR: n counts the
 * cells of stacked bricks, and there is a tree instead of widths. */
struct job_mesh {
    enum mesh_kind kind;
    int n[3];
    const double *width[3]; /* of the cells along each axis */
    const struct transport_tree *tree;
    enum face_rule face[N_FACE];
};

struct transport_cell {
    double alpha0, a, b, velocity[3], kappa, eps;
};

/* Walker's alias table: entry k is kept with probability keep[k], otherwise replaced by other[k]. */
struct transport_alias {
    int64_t n;
    const double *keep;
    const int32_t *other;
};

struct transport_source {
    double probability; /* of a packet to come from this source */
    enum emission_kind kind;
    enum angular_kind angular;
    double direction[3];
    int cell[3];     /* POINT, and the plane's own axis of PLANE */
    double local[3]; /* position inside that cell, from its lower corner */
    int axis;        /* PLANE */
    enum spectrum_kind spectrum;
    bool gas_frame;
    double centre, width;
    int n_table;                  /* TABLE: n_table knots, density linear in between */
    const double *table_shift;    /* [n_table] */
    const double *table_density;  /* [n_table] */
    const double *table_integral; /* [n_table], rising from 0 to 1 */
    struct transport_alias alias; /* CELLS: cells. LIST: entries. EXTERNAL: six faces */
    const int32_t *list_cell;     /* [n][3] */
    const double *list_local;     /* [n][3] */
    const double *list_direction; /* [n][3] */
    const double *list_shift;     /* [n] */
};

/* Tables of the table modes, built by solve/ in double. */
struct transport_tables {
    int n_a, n_row, n_node; /* damping planes, rows in |x|, nodes in w */
    double log_a_first, log_a_step;
    int n_row_uniform; /* rows 0 .. n_row_uniform - 1 at equal steps up to x_join, then logarithmic to x_last */
    double x_join, x_last;
    const double *cdf;            /* [n_a][n_row][n_node] */
    int n_voigt, n_voigt_uniform; /* points in x, of them uniform below voigt_join */
    double voigt_join, voigt_last;
    const double *log_voigt; /* [n_a][n_voigt], natural logarithm of H */
};

/* Records of photons that leave balls of deep gas (kernel/ball.h): families for the dampings a_first ratio^j. */
struct transport_balls {
    int n_grade, n_family;
    double a_first, ratio;
    int64_t n_row, n_record;
    const struct ball_family *family; /* [n_grade][n_family] */
    const struct ball_row *row;
    const struct ball_record *record;
    int endless[3];
    const struct ball_reach *beyond; /* [n_cell] or NULL */
};

struct transport_camera {
    bool perspective;
    double toward[3];   /* unit vector from the object to the observer */
    double position[3]; /* PERSPECTIVE: of the observer, from the lower corner of the mesh */
};

/* The pixels of an orthographic camera. */
struct transport_peel {
    double right[3], up[3];
    double corner[3]; /* of pixel (0, 0), from the lower corner of the mesh */
    double pixel;     /* size */
    int n_x, n_y;
};

/* Packets that escape within a cone are counted for a far camera (kernel/cone.h). */
struct transport_cone {
    double toward[3], right[3], up[3];
    double share;     /* of all directions; 1: all of them, for any camera of SHELLS */
    double middle[3]; /* of the image, from the lower corner of the mesh */
    double half[2];   /* width and height of the image; INFINITY: it shows the whole mesh */
};

struct job_sources {
    int n;
    const struct transport_source *source;
};

/* A way of a photon through an atom of a group of lines; as struct group_way (kernel/views.h). */
struct transport_way {
    double centre, strength, damping, share, turn, lightness, recoil, dipole, partner;
    enum dipole_kind dipole_kind;
    bool opens;
};

/* n = 0: there is only one line, that of the job. Otherwise the opacity, b and a of cells are those of the first. */
struct job_group {
    int n;
    const struct transport_way *way;
    double turbulence; /* the part of b that does not depend on the mass */
    double beta;       /* reference b over the speed of light */
    bool broad;        /* some damping exceeds LR_VOIGT_NARROW_MAX */
};

/* Core skipping (kernel/core_skipping.h). */
struct job_skip {
    bool on;
    double x_crit;  /* 0: that of each cell */
    int endless[3]; /* axes along which cells have no faces */
};

/* What is counted of packets. */
struct job_tally {
    int n_batch; /* independent batches, for errors */
    int n_group; /* of batches, with cell tallies of their own: n_batch at most, fewer on large meshes */
    int n_bin;   /* spectrum in x from x_first in steps of x_step; bins 0 and n_bin + 1 hold what lies outside */
    double x_first, x_step;
    int n_mu, n_phi, direction_axis;
    bool fields, record;
    struct sum_quanta quanta;
};

/* Light toward cameras (kernel/sight.h). */
struct job_cameras {
    int n; /* 0: no light is recorded */
    const struct transport_camera *camera;
    double velocity_first; /* where the axis of channels starts, in radio velocity (minus the shift) */
    double velocity_step;
    int channel_begin, n_channel; /* those that are recorded */
    int n_group;                  /* independent sums, for errors */
    bool wide;                    /* sum in double: few voxels, many deposits in each */
    /* Leave the emissivity on the device, divided by the volumes of cells: one group, not wide, not SHELLS. */
    bool keep;
    double force_below, share_least;   /* see kernel/deposit.h */
    int n_aspect;                      /* 1; SHELLS: one camera stands for all, and cells have so many aspects */
    bool escaped;                      /* light is followed out of the mesh, not only out of its cell */
    int64_t n_row;                     /* of channels for one camera: n_cell x n_aspect */
    const struct transport_peel *peel; /* [n]: peel-off images instead of an emissivity; or NULL */
};

struct job_cones {
    int n;
    const struct transport_cone *cone;
    double shift[2]; /* lowest and highest that count */
};

/* A moment in the history of a packet: where it is and what it does next. */
enum step_kind { STEP_BORN, STEP_SCATTERED, STEP_JUMPED, STEP_CROSSED, STEP_ENDED };
struct transport_step {
    enum step_kind kind;
    int64_t scatterings, crossings; /* so far */
    double skipped;                 /* further scatterings, inside jumps */
    int cell[3];
    double local[3], direction[3];
    double shift; /* relative to the mesh */
    double x;     /* relative to the gas, in its own Doppler units */
    double weight;
    double depth; /* to the next scattering */
};

struct transport_trace {
    int64_t packet;
    void (*step)(void *user, const struct transport_step *step);
    void *user;
};

/* Numbers of packets, without the end. */
struct packet_range {
    int64_t first, end;
};

struct transport_job {
    /* SHELLS: the velocity of a cell is radial, velocity[0], and its coordinate `local` is the height above the inner
     * sphere, in local[0]. AMR: a plane is at local[axis] from the lower face. */
    struct job_mesh mesh;
    int64_t n_cell;
    const void *medium;
    void (*read_cells)(const void *medium, int64_t first, int64_t count, struct transport_cell *cells);
    bool absorbing; /* any kappa or eps above zero */
    bool narrow;    /* no damping above LR_NARROW_DAMPING */

    enum redistribution mode;
    const struct transport_tables *tables; /* NULL unless a table mode */
    const struct transport_balls *balls;   /* NULL: every scattering is followed */
    bool dipole, analog_absorption;
    double dipole_core; /* E1 in the core */
    double recoil;      /* h nu0 / (m c), code velocity */
    struct job_skip skip;
    struct job_group group; /* with mode REDISTRIBUTION_GROUP */

    uint64_t seed;
    int64_t n_packet;                    /* planned; those with numbers from 0 on are dealt to batches accordingly */
    struct packet_range packets;         /* those of this run, if it has a share of them */
    bool one_thread_per_packet;          /* GPU scheduling without the queue; static schedule on a CPU */
    int64_t most_steps;                  /* of a packet; TRANSPORT_MOST_STEPS at most (kernel/packet_events.h) */
    const struct transport_trace *trace; /* CPU, one thread: follow only this packet, and tell its history; or NULL */

    struct job_sources sources;
    struct job_tally tally;
    struct job_cameras cameras;
    struct job_cones cones;
};

/* Numbers in the emissivity that transport records. */
static inline size_t transport_voxel_count(const struct transport_job *job)
{
    return (size_t)job->cameras.n_group * (size_t)job->cameras.n * (size_t)job->cameras.n_row *
           (size_t)job->cameras.n_channel;
}

enum { TRANSPORT_MAX_BATCH = 1024 };

/* Packets that are to be followed: the numbers of those that have not begun, and those in the middle of their lives as
 * plain numbers, so that they can be stored (kernel/packet_store.h). */
struct transport_todo {
    int n_range;
    struct packet_range *range; /* own */
    int64_t n_flight;
    int n_value;    /* numbers per packet in flight */
    double *flight; /* [n_flight][n_value], own */
};

/* Everything that packets add up, from one call of a backend to the next. */
struct transport_tally {
    struct transport_todo todo;    /* before a call: what there is to do; after it: what is left to do */
    bool begun;                    /* sums are not all zero */
    struct transport_batch *batch; /* [n_batch] */
    double *face_spectrum;         /* [n_batch][6][n_bin + 2] */
    double *direction_spectrum;    /* [n_batch][n_mu n_phi][n_bin + 2] */
    double *fields;                /* [n_group][n_cell][2]: weighted path, code length, and scattering depth; or NULL */
    /* Sums of photons toward each camera, P(g) included: [cameras.n_group][cameras.n][n_row][n_channel]. */
    float *emissivity;
    double *emissivity_wide;         /* instead of it, where they are to be wide */
    double *cone;                    /* [n_batch][cones.n][2]: weight, and packets */
    void *kept;                      /* instead, when it was to be kept; lr_backend.drop() frees it */
    double **peel;                   /* [cameras.n] images [cameras.n_group][n_channel][n_y][n_x] */
    struct transport_record *record; /* room for all packets; n_record counts */
    int64_t n_record;
    struct transport_lives *lives; /* of packets that ended [0], and of those left unfinished [1]; or NULL */
    double seconds;                /* of transport alone */
    int64_t n_flight;              /* packets that this device follows at a time */
    int64_t n_steady;              /* fewer than this advance no faster */
    int64_t n_left;                /* left unfinished: part of what they did is in the sums, they themselves are not */
};

/* Gas that shines with a spectrum of its own: the part of it below each of n shifts, from `first` on in steps of
 * `step`. Relative to the gas, or to the mesh. */
struct trace_glow {
    int n;
    double first, step;
    const double *below;
    bool gas_frame;
};

/* A shining sheet across the mesh. */
struct trace_plane {
    int axis;
    double offset;            /* from the lower corner */
    bool isotropic;           /* brightness grows as 1 / |mu| */
    int side;                 /* 0 both, +1 or -1: only toward that side */
    const double *brightness; /* [n_node][n_channel] at |mu| = 1 */
};

/* A ray whose transmission is wanted, from a point to the observer. */
struct trace_probe {
    double start[3], direction[3]; /* from the lower corner, or the centre of shells */
    double length;                 /* to a near observer */
};

/* The gas of a cell as rays see it (kernel/trace_cell.h). */
struct trace_gas {
    double alpha0, a, b, velocity[3], kappa;
    double line_source; /* created light per length, at line centre */
};

/* A line of a group (kernel/line_group.h). */
struct trace_line {
    double offset;  /* c d, code velocity */
    double d;       /* relative to the first line */
    double damping; /* a of this line / a of the first */
    /* LTE, relative to the base: opacity and emission but for Boltzmann factors, offset, and energy of the lower level
     * in h nu of the base. */
    double opacity, shine, from_base, lower;
};

/* Ray tracing for one camera. Lengths and velocities in code units, intensities in any one unit. */
struct trace_job {
    struct job_mesh mesh; /* SHELLS: no planes */
    int64_t n_cell;
    const void *medium;
    void (*read_gas)(const void *medium, int64_t first, int64_t count, struct trace_gas *gas);
    bool grey; /* there is grey absorption */

    int n_line; /* of a group that the gas has; 0: nothing but one line */
    const struct trace_line *line;
    bool lte, stimulated;
    /* In LTE h nu / (k T) of the base in each cell; otherwise [count][n_line][2], shares of its opacity and of its
     * emission. */
    void (*read_lines)(const void *medium, int64_t first, int64_t count, double *values);

    bool perspective;
    double toward[3], right[3], up[3];
    double origin[3]; /* middle of the image, or the near observer; from the lower corner */
    double pixel;     /* size, or tangent of its angle */
    int pixels[2], rays;
    int row_first, row_step; /* trace these rows of pixels, and leave the others as they are; a step of 0: all */
    const double *impact;    /* SHELLS: distance from the centre of the ray of each pixel, [n_y][n_x]; no eye */

    int n_channel, merge; /* stored channels traced; how many of them make one channel of the image */
    double velocity_first, velocity_step;
    int n_node; /* frequencies per stored channel: Gauss-Legendre */
    const double *node, *weight;
    const float *emissivity; /* [n_row][stride], at the first traced channel; or NULL */
    const void *kept;        /* instead: what transport kept */
    int64_t kept_first;      /* ... from this number on */
    int n_aspect;            /* 1, or SHELLS: see kernel/aspect.h */
    bool escaped;            /* it has left the mesh: nothing dims it any more */
    int64_t n_row, stride;
    double emissivity_unit;
    int n_glow;
    const struct trace_glow *glow;
    void (*read_glow)(const void *medium, int glow, int64_t first, int64_t count, double *strength);
    const double *sky; /* [n_node][n_channel] */
    int n_plane;
    const struct trace_plane *plane;
    int n_probe;
    const struct trace_probe *probe;
    int n_probe_node; /* frequencies per channel, in the middle of equal parts */
    bool step_velocity, step_source;
};

struct trace_image {
    float *intensity;     /* [n_channel / merge][n_y][n_x] */
    float *optical_depth; /* the same; or NULL */
    double *transmission; /* [n_probe][n_channel][n_probe_node] */
    double seconds;       /* of tracing alone */
};

/* ---- level populations ---- */

/* Intensities of lines are occupation numbers of photon states, J / (2 h nu^3 / c^2): then absorption is
 * (g_u / g_l) A J, stimulated emission A J, and the source function x_u / ((g_u / g_l) x_l - x_u). */
struct level_line {
    int upper, lower;
    double a_ul;         /* s^-1 */
    double weight_ratio; /* g_u / g_l */
    double opacity;      /* alpha0 b / (density ((g_u / g_l) x_l - x_u)): A c^3 / (8 pi^1.5 nu^3) in code units */
    double background;   /* around the mesh */
    double energy;       /* h nu / k, K: for dust */
    double shift;        /* lines that overlap: from the first one of their blend, c ln(nu / nu_first) */
};

/* Lines that see each other's light, because their profiles overlap or gas moves. Frequencies are shifts from the first
 * line, the one of lowest frequency, in the steps of the job. */
struct level_blend {
    int first, n; /* lines of the job, by rising frequency; those that overlap with none come before all blends */
    int n_frequency;
    double frequency_first;
};

struct level_gas {
    double density; /* cm^-3 */
    double b, velocity[3];
    double kappa, dust_temperature;
};

/* A straight line through the mesh that stands for this cross-section. SHELLS: point[0] is the impact parameter. */
struct level_ray {
    double point[3];
    double area;
};

/* Rays by direction; all rays of direction d are first[d] .. first[d + 1] - 1. SHELLS: one direction, rising impact
 * parameters in the middle of the rings between ring[0 .. n_ray]. */
struct level_rays {
    int n_direction;
    const double (*direction)[3];
    const double *weight; /* sum 1 */
    const int64_t *first;
    const struct level_ray *ray;
    const double *ring;
};

/* A black body too small to be resolved, whose direct light excites the levels. */
struct level_star {
    double point[3];        /* SHELLS: their centre, whatever this says */
    const double *light;    /* [n_line] occupation number at its surface */
    const double *dilution; /* [n_cell] share of all directions that it fills, mean over the cell */
    const double *length;   /* [n_cell] mean way of its light through the cell */
};

/* Ranks of a job that share the work on a CPU: 0 ranks, there is only one. spread() hands data of one rank to all, and
 * returns false if a rank has failed; all of them call it in the same order. */
struct level_share {
    int rank, ranks;
    bool (*spread)(void *user, int from, void *data, int64_t bytes);
    void *user;
};

struct level_job {
    struct job_mesh mesh;
    double inner; /* SHELLS: radius of the cavity */
    int64_t n_cell;
    int n_level, n_line;
    const struct level_line *line;
    const void *medium;
    void (*read_gas)(const void *medium, int64_t first, int64_t count, struct level_gas *gas);
    /* Collisions: rates[n_level][n_level] from row to column, s^-1. */
    void (*read_rates)(const void *medium, int64_t cell, double *rates);
    int n_frequency; /* of each line: Doppler shifts from frequency_first in steps of frequency_step */
    double frequency_first, frequency_step;
    int n_blend;
    const struct level_blend *blend; /* [n_blend] */
    double inversion_limit;          /* largest negative depth of a cell */
    int n_past; /* iterates kept for the extrapolation beside the newest one, LEVEL_LEAST_PAST or more */
    int n_star;
    const struct level_star *star;
    struct level_share share;
};

enum { LEVEL_LEAST_PAST = 3, LEVEL_MOST_PAST = 11 };

/* Changes of populations above LEVEL_MATTERS, relative to the new ones. */
#define LEVEL_MATTERS 1e-6
struct level_change {
    double largest, rms;
};

/* Populations and radiation stay where the work is done; `state` holds them. */
struct level_backend {
    enum lr_status (*open)(lr_context *ctx, int device, int threads, const struct level_job *job, void **state);
    void (*close)(void *state);
    enum lr_status (*write)(lr_context *ctx, void *state, const double *x); /* [n_cell][n_level] */
    enum lr_status (*read)(lr_context *ctx, void *state, double *x, float *residual);
    enum lr_status (*set_rays)(lr_context *ctx, void *state, const struct level_rays *rays);
    /* The radiation field of the populations as they are. */
    enum lr_status (*sweep)(lr_context *ctx, void *state, volatile sig_atomic_t *stop);
    /* New populations in that field. */
    enum lr_status (*step)(lr_context *ctx, void *state, struct level_change *change);
    /* Extrapolate from the last iterates, LEVEL_LEAST_PAST + 1 at least and n_past + 1 at most; false when there are
     * not as many, or that made no sense. */
    enum lr_status (*accelerate)(lr_context *ctx, void *state, bool *done);
    /* A step after that: go only this part of the way from the populations before it to those that the step began
     * with. At most n_past - 1 times in a row. */
    enum lr_status (*retreat)(lr_context *ctx, void *state, double part);
};

struct transport_monitor {
    volatile sig_atomic_t *stop; /* other than 0: start no more packets, but finish those in flight */
    double patience;             /* seconds after a stop in which they can do so; then the rest is left. 0: no limit */
    /* How many items are done; of packets also about how many scatterings, at least those of long histories. */
    void (*progress)(void *user, int64_t done, double scatterings);
    void *user;
    /* Of transport, after which packets in flight are left unfinished: only their scatterings and lives are counted.
     * 0: no limit. */
    double seconds;
    /* When the time is over, at a stop and at a pause, packets in flight are not left but put back, to go on later. */
    bool put_back;
    volatile sig_atomic_t *pause; /* other than 0: the same; or NULL */
    /* CPU: when all packets of the list have begun, adds others to it and returns how many; in at most n_more ranges,
     * for which the list has room. Called by one thread at a time; NULL: there are no others. */
    int64_t (*more)(void *user, struct transport_todo *todo);
    void *more_user;
    int n_more;
};

struct transport_device {
    char name[128];
    double memory_bytes; /* free now */
};

struct ball_work;

struct lr_backend {
    const char *name; /* "cpu", "cuda" */
    int (*device_count)(void);
    enum lr_status (*device_describe)(lr_context *ctx, int device, struct transport_device *description);
    enum lr_status (*transport)(lr_context *ctx, int device, int threads, bool double_precision,
                                const struct transport_job *job, const struct transport_monitor *monitor,
                                struct transport_tally *tally);
    /* Progress counts rows of pixels; a stop leaves the image unfinished and returns LR_ERROR_INTERRUPTED. */
    enum lr_status (*trace)(lr_context *ctx, int device, int threads, bool double_precision,
                            const struct trace_job *job, const struct transport_monitor *monitor,
                            struct trace_image *image);
    const struct level_backend *(*levels)(enum mesh_kind mesh, bool double_precision);
    /* Runs trials of ball records (backend/ball_work.h). */
    enum lr_status (*balls)(lr_context *ctx, int device, int threads, const struct ball_work *work);
    void (*drop)(void *kept); /* NULL: this backend has no memory of its own to keep an emissivity in */
};

const struct lr_backend *backend_cpu(void);

/* The one symbol of liblinerad_cuda.so. `fail` is lr_fail, so that the module needs nothing from the library. */
typedef const struct lr_backend *lr_backend_entry_fn(enum lr_status (*fail)(lr_context *, enum lr_status, const char *,
                                                                            ...));
#define LR_BACKEND_CUDA_ENTRY "lr_backend_cuda"

#endif
