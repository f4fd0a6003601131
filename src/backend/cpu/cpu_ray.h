/* A ray in the CPU ray tracer: the list of stretches along it, and arrays over its frequencies. Included by
 * cpu_trace.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_RAY_H
#define LR_BACKEND_CPU_CPU_RAY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/build_trace_view.h"
#include "kernel/stretch.h"

/* A plane on the path: in which stretch, at which fraction of it, and the factor of its brightness for this ray. */
struct sheet {
    int stretch; /* -1: not on the path */
    real at, factor;
};

/* Rows of channels are padded to whole vectors, and so are the ranges of channels in loops. */
enum { VECTOR = 16 };

static int padded(int n_channel)
{
    return (n_channel + VECTOR - 1) / VECTOR * VECTOR;
}

/* Working memory of a thread. Arrays over samples have a padded row of channels for each node. */
struct desk {
    int row_length;
    struct stretch *stretch;
    int n_stretch, room; /* check_way_out() of the reader limits the number of cells on a path */
    struct sheet *sheet; /* [n_plane] */
    real *memory;
    real *intensity, *depth;
    real *profile;          /* H; of a group, SUM share H of its opacity */
    real *bright;           /* of a group, SUM share H of its emission */
    real *light;            /* emission of gas with its own spectrum, per length; then the light that leaves a cell */
    real *thick;            /* line depth since the ray entered the cell */
    real *row, *mean;       /* one row: light of a cell as stored; its shape averaged over each channel */
    real *arrived;          /* one row: scattered light that nothing attenuates any more */
    double *pixel, *opaque; /* [n_channel] sums over the rays of a pixel */
};

/* What the threads of a run share. */
struct pass {
    const struct trace_job *job;
    struct trace_view view, probe_view;
    struct trace_image *image;
    int failed;
};

static real *node_row(const struct desk *desk, real *samples, int node)
{
    return samples + (size_t)node * (size_t)desk->row_length;
}

static void desk_free(struct desk *desk)
{
    free(desk->stretch);
    free(desk->sheet);
    free(desk->memory);
    free(desk->pixel);
}

static int make_desk(const struct pass *pass, struct desk *desk)
{
    enum { N_ARRAY = 6 };
    const size_t n = (size_t)padded(pass->view.n_channel);
    const int most = pass->view.n_node > pass->probe_view.n_node ? pass->view.n_node : pass->probe_view.n_node;
    const size_t n_sample = n * (size_t)most;
    desk->row_length = (int)n;
    desk->memory = calloc(N_ARRAY * n_sample + 3 * n, sizeof *desk->memory);
    desk->sheet = calloc((size_t)pass->view.n_plane + 1, sizeof *desk->sheet);
    desk->pixel = calloc(2 * n, sizeof *desk->pixel);
    if (!desk->memory || !desk->pixel || !desk->sheet)
        return 0;
    real **const arrays[N_ARRAY] = {&desk->intensity, &desk->depth, &desk->profile,
                                    &desk->bright,    &desk->light, &desk->thick};
    for (size_t i = 0; i < N_ARRAY; i++)
        *arrays[i] = desk->memory + i * n_sample;
    desk->row = desk->memory + N_ARRAY * n_sample;
    desk->mean = desk->row + n;
    desk->arrived = desk->mean + n;
    desk->opaque = desk->pixel + n;
    return 1;
}

/* Lists the stretches along the ray. Returns 0 if out of memory. */
static int walk_ray(const struct pass *pass, struct desk *desk, struct ray ray)
{
    const struct trace_view *view = &pass->view;
    desk->n_stretch = 0;
    for (int more = ray.hits; more;) {
        if (desk->n_stretch == desk->room) {
            const int room = desk->room ? 2 * desk->room : 1024;
            struct stretch *grown = realloc(desk->stretch, (size_t)room * sizeof *grown);
            if (!grown)
                return 0;
            desk->stretch = grown;
            desk->room = room;
        }
        const struct passage way = ray_advance(&view->mesh, &ray);
        if (way.length > R(0))
            desk->stretch[desk->n_stretch++] = stretch_make(view, &view->cell[way.cell], ray.n, way);
        more = way.more;
    }
    return 1;
}

#endif
