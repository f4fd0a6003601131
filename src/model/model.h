/* The validated model: everything a run needs, in CGS, with names and units resolved. io/ fills it once; nothing edits
 * it afterwards. Frequencies are written as Doppler shifts, shift = c (nu - nu0) / nu0 in cm/s, positive = blue. */
#ifndef LR_MODEL_MODEL_H
#define LR_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/device_list.h"
#include "kernel/kinds.h"
#include "kernel/sums.h"
#include "linerad.h"
#include "mesh/mesh.h"
#include "model/camera.h"

/* One quantity over the mesh: constant, or one value per cell. */
struct field {
    double constant; /* used when values is NULL */
    double *values;  /* [n_cell], owned */
};

static inline double field_at(const struct field *field, int64_t cell)
{
    return field->values ? field->values[cell] : field->constant;
}

struct line {
    char name[64];
    double nu0;              /* Hz */
    double a_ul;             /* s^-1 */
    double gamma;            /* s^-1, total radiative rate out of both levels */
    double g_lower, g_upper; /* statistical weights */
    double mass;             /* g, of the atom or molecule */
    double dipole_core;      /* dipole fraction E1 of the phase function in the line core; 1 in the wing */
};

/* One line of a group. Levels are those of the molecule of the model; without one, numbers that lines with the same
 * upper or the same lower level have in common. */
struct line_member {
    char label[96];          /* "1-0" */
    double offset;           /* (nu - nu0) / nu0 */
    double a_ul, gamma;      /* s^-1 */
    double g_lower, g_upper; /* statistical weights */
    double dipole_core;
    int upper, lower;
    int line;         /* of the molecule; -1 without one */
    double abundance; /* without a molecule: atoms in its lower level per atom in that of the first line */
    double mass;      /* g, of its atom or molecule */
    int partner;      /* the other of two lines from one level S_1/2 to P_1/2 and P_3/2, or -1 */
};

/* Lines that overlap, or share a cube. The first one is the line of the model: it sets the frequency axis, and the
 * opacity, damping and Doppler parameter of the medium are its own. */
struct line_group {
    char name[40];              /* what a model calls them, such as 1-0 */
    int n;                      /* 1: nothing but the line of the model */
    struct line_member *member; /* [n], owned by the model */
    /* [n_cell][n][2] opacity at line centre, cm^-1, and photons s^-1 cm^-3, of several lines of a molecule whose level
     * populations are not in LTE; otherwise NULL. Owned by a derived model (solve/levels/derive.h). */
    float *strength;
};

struct medium {
    struct field alpha0; /* cm^-1, line-centre opacity: cross-section sigma0 H(a, x), stimulated emission included */
    struct field b;      /* cm/s, Doppler parameter sqrt(2 k T / m + b_turb^2) */
    struct field a;      /* damping parameter Gamma / (4 pi nu_D) */
    struct field velocity[3]; /* cm/s */
    struct field kappa;       /* cm^-1, grey absorption */
    struct field eps;         /* destruction probability per line interaction */
    double turbulence;        /* cm/s, the part of b that does not depend on the mass; NAN if it differs */
};

struct spectrum {
    enum spectrum_kind kind;
    bool gas_frame;  /* shifts are relative to the gas of the emitting cell; otherwise to the mesh */
    double centre;   /* cm/s: centre of the line, the Gaussian or the band; ignored by LOCAL and TABLE */
    double width;    /* cm/s: Gaussian dispersion (standard deviation), or full width of the band */
    int n_table;     /* TABLE: photon flux density at increasing shifts, linear in between */
    double *shift;   /* cm/s */
    double *density; /* any scale, >= 0 */
};

enum source_kind { SOURCE_POINT, SOURCE_PLANE, SOURCE_VOLUME, SOURCE_EXTERNAL, SOURCE_PACKETS };
/* Origin of the light: that of a VOLUME with GAS or THERMAL follows from the levels of the species; a POINT with STAR
 * is a blackbody that excites them. */
enum source_light { LIGHT_GIVEN, LIGHT_THERMAL, LIGHT_GAS, LIGHT_DUST, LIGHT_STAR };

struct source {
    enum source_kind kind;
    enum source_light light;
    double luminosity; /* photons/s into the mesh */
    struct spectrum spectrum;
    enum angular_kind angular; /* POINT: isotropic or beam. PLANE: any; Lambertian about `direction` */
    double direction[3];      /* unit vector of a beam; axis of a Lambertian plane (plus or minus the plane's normal) */
    double position[3];       /* cm, POINT */
    double radius;            /* cm, STAR; unresolved */
    double temperature;       /* K, STAR */
    int axis;                 /* PLANE: 0, 1, 2: normal to x, y, z, over the whole cross-section of the mesh */
    double offset;            /* cm, PLANE: coordinate along axis */
    struct field emissivity;  /* VOLUME: photons per volume, any scale; constant = uniform */
    int64_t n_packet;         /* PACKETS: chosen with probability proportional to their weight */
    double *packet_position;  /* [n_packet][3] cm, inside the mesh */
    double *packet_direction; /* [n_packet][3] unit vectors */
    double *packet_shift;     /* [n_packet] cm/s, mesh frame */
    double *packet_weight;    /* [n_packet] photons/s */
};

enum acceleration { ACCELERATION_NONE, ACCELERATION_AUTO, ACCELERATION_JUMPS, ACCELERATION_SKIP };
enum absorption { ABSORPTION_CONTINUOUS, ABSORPTION_ANALOG };
enum precision { PRECISION_MIXED, PRECISION_DOUBLE };
enum scheduling { SCHEDULING_QUEUE, SCHEDULING_STATIC };

struct physics {
    enum redistribution redistribution;
    bool dipole; /* dipole phase function; otherwise isotropic */
    bool recoil;
    enum absorption absorption;
    enum acceleration acceleration;
    int64_t trials; /* that make each row of the records of jumps */
    double x_crit;  /* SKIP: edge of the core; 0: that of each cell */
};

struct output {
    bool populations; /* of all levels, per cell */
    bool fields;      /* per-cell mean intensity and scattering rate */
    bool packets;     /* list of escaped packets, with last-scattering positions */
    bool sums;        /* what `linerad merge` adds */
    int n_bin;        /* spectrum */
    double range[2];  /* cm/s, shift of the first and last edge; equal = choose */
    int n_mu, n_phi;  /* direction bins about `axis`; 1 x 1 = none */
    int axis;
};

/* Numbers of the summary that a run can be made to measure to a given error. */
enum until_quantity {
    UNTIL_F_ESC,
    UNTIL_SCATTERINGS,
    UNTIL_PATH,
    UNTIL_MEDIAN,
    UNTIL_ABSORBED,
    UNTIL_LOWER_QUARTILE,
    UNTIL_UPPER_QUARTILE
};

struct run {
    int64_t packets; /* 0 = images of unscattered light only */
    uint64_t seed;
    int threads;       /* 0 = all */
    int batches;       /* independent groups of packets that give the errors */
    int64_t max_steps; /* after which a packet is given up as stuck */
    double memory_gib; /* memory that a run may use, on the device and on the host; 0 = 80 % of what is free */
    char device[DEVICE_NAME_SIZE]; /* as in base/device_list.h */
    enum precision precision;
    enum scheduling scheduling;
    enum until_quantity until; /* stop when this is known ... */
    double until_error;        /* ... to this relative error; 0 = follow all packets */
    bool deterministic;        /* light toward cameras too is summed so that it is the same to the last bit */
    double checkpoint;         /* minutes between statepoints; 0 = so that they take less than 2 % of the time */
};

struct species;

struct lr_model {
    char *path;         /* as given */
    char *text;         /* the YAML text, then the settings, for provenance */
    char *resolved;     /* the same document with the settings applied, as YAML */
    char *snapshot;     /* what a simulation file supplied, lines for the report; or NULL */
    char line_name[64]; /* of the line among several of one file; or "" */
    struct mesh mesh;
    struct line line;
    struct line_group group; /* of this line and others */
    struct medium medium;
    struct species *species; /* the molecule behind the line; or NULL */
    int n_source;
    struct source *source;
    struct physics physics;
    struct output output;
    int n_camera;
    struct camera *camera;
    struct channels channels; /* of all cameras */
    struct image_options image;
    struct run run;
    double reference_b; /* cm/s: given, or the opacity-weighted mean of b */
    struct {
        void *memory; /* its large arrays are here, and not its own; or NULL (model_blocks.h) */
        void (*release)(void *owner, void *memory);
        void *owner;
    } shared;
};

/* Luminosity of all sources, photons/s. */
double model_luminosity(const lr_model *model);

#endif
