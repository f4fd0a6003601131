/* From the model (CGS) to a transport job (code units). */
#ifndef LR_SOLVE_JOB_H
#define LR_SOLVE_JOB_H

#include "backend/backend.h"
#include "model/model.h"
#include "solve/alias.h"
#include "solve/tables.h"

/* A job and what it owns. */
struct prepared {
    struct transport_job job;
    const lr_model *model;
    double length_unit;   /* cm: half the mesh along x */
    double velocity_unit; /* cm/s: reference_b */
    double luminosity;    /* photons/s, all sources */
    double *width[3];
    struct transport_source *source;
    struct alias *alias;
    int32_t **list_cell;
    double **owned; /* arrays of doubles, freed together */
    int n_owned;
    struct tables tables;
};

/* Widths of the cells in code units, allocated, and the rules of the faces: what every job says of its mesh. */
enum lr_status job_mesh(lr_context *ctx, const struct mesh *mesh, double length_unit, double *width[3],
                        enum transport_face face[TRANSPORT_N_FACE]);

enum lr_status job_prepare(lr_context *ctx, const lr_model *model, struct prepared *prepared);
void job_free(struct prepared *prepared);

#endif
