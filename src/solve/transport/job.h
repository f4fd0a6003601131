/* From the model (CGS) to a transport job (code units). */
#ifndef LR_SOLVE_TRANSPORT_JOB_H
#define LR_SOLVE_TRANSPORT_JOB_H

#include "backend/backend.h"
#include "model/model.h"
#include "solve/transport/alias.h"
#include "solve/transport/redistribution_tables.h"

/* The units of a job, in CGS. */
struct code_units {
    double length;   /* half the mesh along x, or the radius of shells */
    double velocity; /* reference_b */
};

double code_length(const struct mesh *mesh);
struct code_units code_units_of(const struct mesh *mesh, double reference_b);

/* What every job says of its mesh: numbers of cells, their widths in code units (allocated), the rules of the faces.
 * Packets and rays on shells need cells from the centre on: a cavity is the first, and cell i of the mesh is cell
 * i + job_cavity(). */
struct own_mesh {
    struct job_mesh job; /* of the arrays below; AMR borrows its bricks from the mesh of the model */
    double *width[3];
    struct transport_tree tree;
};

/* A job and what it owns. */
struct prepared {
    struct transport_job job;
    const lr_model *model;
    struct code_units unit;
    int cavity;        /* 1: the first cell of the job is the empty cavity inside the shells */
    double luminosity; /* photons/s, all sources */
    struct own_mesh mesh;
    struct transport_source *source;
    struct alias *alias;
    int32_t **list_cell;
    double **owned; /* arrays of doubles, freed together */
    int n_owned;
    struct tables tables;
    struct transport_way *ways; /* of a group of lines */
};

/* A cell of the model in code units. */
struct transport_cell job_cell(const struct medium *medium, int64_t cell, struct code_units unit);

/* `cavity`: 1 if the first cell is the cavity inside the shells, otherwise 0. */
enum lr_status job_mesh_make(lr_context *ctx, const struct mesh *mesh, int cavity, double length_unit,
                             struct own_mesh *made);
void job_mesh_free(struct own_mesh *made);
int job_cavity(const struct mesh *mesh);
/* A cell without gas, for the cavity; its line is that of the gas around it. */
struct transport_cell job_empty_cell(const struct medium *medium, double velocity_unit);
/* A coordinate in code units: from the lower corner of the mesh, or from the centre of shells. */
double job_coordinate(const struct mesh *mesh, int axis, double coordinate, double length_unit);

enum lr_status job_prepare(lr_context *ctx, const lr_model *model, struct prepared *prepared);
void job_free(struct prepared *prepared);

#endif
