/* From a camera of a scene to a job for the ray tracer, in code units. */
#ifndef LR_SOLVE_IMAGING_TRACE_PREPARE_H
#define LR_SOLVE_IMAGING_TRACE_PREPARE_H

#include "backend/backend.h"
#include "model/scene.h"
#include "solve/common/quadrature.h"
#include "solve/imaging/rings.h"
#include "solve/imaging/trace.h"
#include "solve/transport/job.h"

/* A trace job and what it owns. */
struct prepared_trace {
    struct trace_job job;
    const struct scene *scene;
    const struct medium *gas;
    struct scene_group group;
    struct trace_line *line;
    struct code_units unit;
    double intensity_unit;
    bool shines; /* includes the line source */
    struct own_mesh mesh;
    int cavity;   /* 1: the first cell of the job is the empty cavity inside the shells */
    float *light; /* the emissivity including that cell */
    struct rings rings;
    double *sky;
    struct trace_plane *plane;
    struct trace_glow *glow;
    struct trace_probe *probe;
    int *probe_point; /* index of the scene's point behind each probe */
    double *owned;    /* brightness of the planes */
    struct quadrature rule;
};

/* `shines`: include created light, in addition to scattered light. Release with trace_prepared_free(), also after a
 * failure. */
enum lr_status trace_prepare(lr_context *ctx, const struct trace_request *request, bool shines,
                             struct prepared_trace *prepared);

void trace_prepared_free(struct prepared_trace *prepared);

#endif
