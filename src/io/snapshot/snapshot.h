/* A simulation file: its mesh, and fields under the names of docs/model_format.md, whatever their names in the file. A
 * format (snapshot_linerad.h, athdf.h) fills the structure when the file is opened; fields are read on demand, in
 * pieces that go directly to their positions in the model.
 *
 * A view (snapshot_view.c) says which part of the file becomes the mesh of the model, along which axes, and how far it
 * is shifted in a periodic box. Errors name the file, but not the model that uses it. */
#ifndef LR_IO_SNAPSHOT_SNAPSHOT_H
#define LR_IO_SNAPSHOT_SNAPSHOT_H

#include "base/context.h"
#include "base/units.h"
#include "io/snapshot/field_rule.h"
#include "model/model.h"

enum { SNAPSHOT_NAME = 80, SNAPSHOT_NOTE = 512 };

struct snapshot_field {
    char name[SNAPSHOT_NAME];   /* linerad's name: "n_H2" */
    char origin[SNAPSHOT_NAME]; /* where it is in the file: "fields/n_H2", "prim: rho" */
    bool used;
};

/* Bricks of equal numbers of cells on levels of refinement, as mesh_build_amr() takes them. */
struct snapshot_bricks {
    int root[3], brick[3];
    double lower[3], size[3]; /* cm */
    int64_t n;
    int *level;
    int (*position)[3];
};

struct snapshot_view {
    int axis[3];            /* the file's axis that becomes x, y and z of the model */
    int n[3];               /* units along the axes of the file: cells, or bricks of the coarsest level */
    int shift[3];           /* the gas is shifted up by this many units, periodically */
    int first[3], count[3]; /* units that are used, after the shift */
    int *place[3];          /* by axis of the file: index in the model of each cell (of a brick), -1 = left out */
    int64_t stride[3];      /* between neighbours along an axis of the file, in the arrays of the model */
    int64_t *brick;         /* index in the model of each brick, -1 = left out; NULL without bricks */
    int64_t cells_per_brick;
};

struct snapshot;
struct snapshot_format {
    const char *name;
    enum lr_status (*read)(struct snapshot *snapshot, int field, const struct field_rule *rule, struct field *to);
    void (*close)(struct snapshot *snapshot);
};

struct snapshot {
    lr_context *ctx;
    const struct units *units;
    char *path;
    const struct snapshot_format *format;
    void *state;            /* of the format */
    struct mesh mesh;       /* as in the file; empty when there are bricks */
    const char *brick_word; /* in messages, where the file has parts: "block"; or NULL */
    bool has_bricks;
    struct snapshot_bricks bricks;
    enum face_rule face[N_FACE];
    struct snapshot_view view;
    int n_field;
    struct snapshot_field *field;
    double mass_per_h2;           /* g */
    double mean_molecular_weight; /* mass per particle in u; 0 = not given */
    bool h2_from_mass;            /* n_H2 was derived from gas_density */
    bool without_magnetic_energy; /* the pressure was derived from an energy, in a file without magnetic fields */
    char note[SNAPSHOT_NOTE];     /* one line about the file, for the report */
};

/* What a model must specify for a file without units. */
struct snapshot_scalar {
    char species[32], variable[32];
    bool mass_fraction; /* of the gas; otherwise a number relative to H2 */
    double mass;        /* g, of one molecule; needed for a mass fraction */
};
enum { MAX_SCALAR = 32 };
struct snapshot_options {
    double length, density, velocity; /* code units in cm, g cm^-3, cm/s; 0 = not given */
    double gamma;                     /* 0 = not given */
    int n_scalar;
    struct snapshot_scalar scalar[MAX_SCALAR];
};

/* ---- Files ---- */
/* Detect the format and read everything but fields. */
enum lr_status snapshot_open(lr_context *ctx, const struct units *units, const char *path,
                             const struct snapshot_options *options, struct snapshot **snapshot);
void snapshot_close(struct snapshot *snapshot);
/* True if the format has no units. */
enum lr_status snapshot_needs_units(lr_context *ctx, const char *path, bool *needs);

/* ---- View: first roll, then crop, then rotate, along axes of the file; then the mesh ---- */
/* Must be called first: the whole file, unchanged. */
void snapshot_view_all(struct snapshot *snapshot);
enum lr_status snapshot_view_roll(struct snapshot *snapshot, int axis, double length);
/* To the whole cells that contain the range. */
enum lr_status snapshot_view_cut(struct snapshot *snapshot, int axis, double low, double high);
void snapshot_view_turn(struct snapshot *snapshot, const int axis[3]);
/* Fix the view, and make the mesh of the model. */
enum lr_status snapshot_view_mesh(struct snapshot *snapshot, struct mesh *mesh);
void snapshot_view_free(struct snapshot_view *view);

/* ---- Fields ---- */
/* Its index, or -1; `snapshot` may be NULL. */
int snapshot_find(const struct snapshot *snapshot, const char *name);
/* The field in CGS, checked, in the order of the model; *to must be empty. */
enum lr_status snapshot_read(struct snapshot *snapshot, int field, const struct field_rule *rule, struct field *to);
/* "temperature, n_H2, ...": the fields that were used, or the others. */
void snapshot_list(const struct snapshot *snapshot, bool used, char *text, size_t size);

/* ---- For formats ---- */
/* Values of a box of cells: `step` says how far apart neighbours along x, y and z of the file are. */
struct snapshot_box {
    int64_t brick; /* 0 without bricks */
    int first[3], count[3];
    int64_t step[3];
    const double *values;
};
enum lr_status snapshot_add_field(struct snapshot *snapshot, const char *name, const char *origin);
/* Whether any cell of a box is in the view; its values are not checked. */
bool snapshot_wants(const struct snapshot *snapshot, const struct snapshot_box *box);
/* Check the values in the view, and store them in the order of the model. `origin` names them in messages. */
enum lr_status snapshot_place(const struct snapshot *snapshot, const struct snapshot_box *box, const char *origin,
                              const struct field_rule *rule, double *values);

enum lr_status snapshot_open_linerad(struct snapshot *snapshot);
enum lr_status snapshot_open_athdf(struct snapshot *snapshot, const struct snapshot_options *options);

#endif
