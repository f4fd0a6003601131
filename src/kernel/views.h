/* What kernels read: small structs of numbers and pointers in working precision, made by a backend from its job.
 * Code units: lengths in half-sizes of the mesh along x (the radius of shells), velocities and shifts in the reference
 * Doppler parameter. */
#ifndef LR_KERNEL_VIEWS_H
#define LR_KERNEL_VIEWS_H

#include "kernel/ball_view.h"
#include "kernel/kinds.h"
#include "kernel/real.h"
#include "kernel/rng.h"
#include "kernel/vec3.h"

/* One cell: eight numbers, so that a cell is one 32-byte memory sector in single precision. */
struct LR_ALIGNED(32) cell_view {
    real alpha0;     /* line-centre opacity */
    real a;          /* damping */
    real b;          /* Doppler parameter */
    real vx, vy, vz; /* bulk velocity */
    real kappa;      /* grey absorption */
    real eps;        /* destruction probability */
};

/* A cell across a face. */
struct neighbour {
    int cell;       /* index, or -1 */
    real offset[3]; /* of its middle from that of the cell itself */
};

struct mesh_view {
    int n[3];
    int face[6];
    const real *width[3]; /* of the cells along each axis */
    const real *edge[3];  /* n + 1 coordinates from the lower corner; SHELLS: n + 1 radii in edge[0] */
    const double *radius; /* SHELLS: the same in double, for rays; otherwise NULL */
    int root[3];          /* AMR: see kernel/brick.h; there are no widths and edges */
    int brick[3];
    int deepest;    /* AMR: level */
    double cell[3]; /* AMR: size of a cell of level 0 */
    const uint64_t *key;
    const int32_t *link;
};

struct alias_view {
    int64_t n;
    const real *keep;
    const int32_t *other;
};

struct source_view {
    double cumulative; /* probability of this source and those before it */
    int kind, angular, spectrum, gas_frame;
    real direction[3];
    int cell[3];
    real local[3];
    int axis;
    real centre, width;
    int n_table;
    const real *table_shift, *table_density, *table_integral;
    struct alias_view alias;
    const int32_t *list_cell;
    const real *list_local, *list_direction, *list_shift;
};

struct table_view {
    int n_a, n_row, n_node, n_row_uniform;
    real log_a_first, inv_log_a_step;
    real x_join, inv_row_step, inv_row_log_step, log_x_join;
    const float *cdf; /* single precision in every build: 60 KiB of constant memory */
    int n_voigt, n_voigt_uniform;
    real voigt_join, inv_voigt_step, inv_voigt_log_step, log_voigt_join;
    const float *log_voigt;
};

/* One way of a photon through an atom of a group of lines (scatterer_group.h): absorbed in one line, emitted in another
 * or the same. Ways that begin with the same line follow one another. */
struct group_way {
    real centre;    /* of the line that absorbs: its velocity from the first line, c ln(nu / nu0) */
    real strength;  /* its opacity at line centre relative to that of the first line, if their widths were the same */
    real damping;   /* its damping relative to that of the first line, likewise */
    real share;     /* of the atoms that absorb in it, those that take this way */
    real turn;      /* velocity of the line that emits from the line that absorbs */
    real lightness; /* mass of the atom of the first line relative to that of this atom */
    real recoil;    /* h nu / (m c), code velocity */
    real dipole;    /* E1, for DIPOLE_OWN */
    real partner;   /* otherwise: velocity of the other line of the pair from this one */
    int dipole_kind;
    int opens; /* the first way of its line */
};

/* n = 0: there is only one line. */
struct ways_view {
    int n;
    int broad;        /* some damping may exceed LR_VOIGT_NARROW_MAX */
    real turbulence2; /* square of the part of b that does not depend on the mass */
    real beta;        /* reference b over the speed of light; 0 for one line (doppler.h) */
    const struct group_way *way;
};

/* Core skipping (core_skipping.h). */
struct skip_view {
    int on;
    real x_crit;    /* 0: that of each cell */
    int endless[3]; /* axes along which cells have no faces */
};

struct camera_view {
    struct vec3 toward;   /* from the object to a far observer */
    struct vec3 position; /* of a near one, from the lower corner of the mesh */
    int perspective;
    int shade; /* which of the shades is that of its octant */
};

/* Channels of equal width in radio velocity: n of an axis that starts at `first`, from number `begin` on. A shift falls
 * into the same channel of the axis whichever of them are recorded. */
struct channel_view {
    int begin, n;
    real first, inv_step;
};

struct transport_view {
    struct mesh_view mesh;
    const struct cell_view *cell;
    int n_source;
    const struct source_view *source;
    struct table_view table;
    int dipole, analog;
    real dipole_core, dipole_wing; /* part of the scatterings that are dipole-like (phase.h) */
    real recoil;
    struct skip_view skip;
    struct ways_view group;
    struct rng_key key;
    uint32_t most_steps;    /* of a packet */
    struct ball_view balls; /* no tables: every scattering is followed */
    int n_camera;
    int any_near; /* one of them is near */
    const struct camera_view *camera;
    struct vec3 toward; /* of the first */
    struct channel_view channels;
    real force_below, share_least;    /* see deposit.h */
    int escaped;                      /* light is followed out of the mesh (sight.h) */
    int n_aspect;                     /* SHELLS: of the emissivity (aspect.h) */
    int n_shade;                      /* 0 where nothing is known of shades */
    int octant[8];                    /* of each */
    const struct shade_view *shade;   /* [n_shade][n_cell] (shade.h) */
    const struct hidden_view *hidden; /* [n_cell], from all cameras; or one for all cells, in steps of 0 */
    int hidden_step;
    int64_t n_cell;
    int64_t n_row; /* of channels in the light toward one camera: cells, or shells and aspects */
};

#endif
