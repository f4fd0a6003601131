/* A ray as the CPU ray tracer holds it: the list of cells on its way, and arrays over its frequencies. Included by
 * cpu_trace.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_RAY_H
#define LR_BACKEND_CPU_CPU_RAY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/build_views.h"
#include "kernel/formal_solution.h"

/* One cell on the way. */
struct stretch {
    struct passage way;
    real far, near;         /* velocity toward the observer at both ends */
    real outflow, gradient; /* SHELLS: radial velocity in the middle of the shell, and its slope */
    struct tilt tilt;       /* of the line's own source function */
};

/* A plane on the way: in which stretch, at which part of it, and how bright this ray sees it. */
struct sheet {
    int stretch; /* -1 = not on the way */
    real at, factor;
};

/* Rows of channels are padded to whole vectors, and the parts of them that are worked on begin and end at one. */
enum { VECTOR = 16 };

static int padded(int n_channel)
{
    return (n_channel + VECTOR - 1) / VECTOR * VECTOR;
}

/* What a thread works with. Arrays over samples have a padded row of channels for each node. */
struct desk {
    int row_length;
    struct stretch *stretch;
    int n_stretch, room; /* check_way_out() of the reader bounds the cells on a way */
    struct sheet *sheet; /* [n_plane] */
    real *memory;
    real *intensity, *depth;
    real *profile;          /* H */
    real *light;            /* what the gas creates with spectra of its own, per length; then what leaves a cell */
    real *thick;            /* depth of the line since the ray entered the cell */
    real *row, *mean;       /* one row: light of a cell as stored; the shape of it averaged over each channel */
    real *arrived;          /* one row: scattered light that nothing dims any more */
    double *pixel, *opaque; /* [n_channel] sums over the rays of a pixel */
};

/* What the threads of a run share. */
struct pass {
    const struct trace_job *job;
    struct trace_view view, probe_view;
    const struct cell_view *cell;
    const real *sky;    /* [n_node][n_channel] */
    const real **plane; /* [n_plane][n_node][n_channel] */
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
    enum { N_ARRAY = 5 };
    const size_t n = (size_t)padded(pass->view.n_channel);
    const int most = pass->view.n_node > pass->probe_view.n_node ? pass->view.n_node : pass->probe_view.n_node;
    const size_t n_sample = n * (size_t)most;
    desk->row_length = (int)n;
    desk->memory = calloc(N_ARRAY * n_sample + 3 * n, sizeof *desk->memory);
    desk->sheet = calloc((size_t)pass->job->n_plane + 1, sizeof *desk->sheet);
    desk->pixel = calloc(2 * n, sizeof *desk->pixel);
    if (!desk->memory || !desk->pixel || !desk->sheet)
        return 0;
    real **const arrays[N_ARRAY] = {&desk->intensity, &desk->depth, &desk->profile, &desk->light, &desk->thick};
    for (size_t i = 0; i < N_ARRAY; i++)
        *arrays[i] = desk->memory + i * n_sample;
    desk->row = desk->memory + N_ARRAY * n_sample;
    desk->mean = desk->row + n;
    desk->arrived = desk->mean + n;
    desk->opaque = desk->pixel + n;
    return 1;
}

static real velocity_at(const struct stretch *stretch, real part)
{
    return passage_velocity(&stretch->way, stretch->far, stretch->near, stretch->outflow, stretch->gradient, part);
}

static void fill_stretch(const struct pass *pass, struct vec3 n, struct passage way, struct stretch *stretch)
{
    const struct trace_view *view = &pass->view;
    const real velocity = cell_velocity_along(&pass->cell[way.cell], n);
    const struct slope_view *slope = view->slope ? &view->slope[way.cell] : NULL;
    *stretch = (struct stretch){.way = way, .far = velocity, .near = velocity};
    if (WALK_IS_RADIAL) {
        stretch->outflow = velocity;
        stretch->gradient = slope && view->step_velocity ? slope->velocity.x : R(0);
        stretch->far = velocity_at(stretch, R(0));
        stretch->near = velocity_at(stretch, R(1));
    } else if (slope && view->step_velocity) {
        stretch->far += vec3_dot(slope->velocity, way.from);
        stretch->near += vec3_dot(slope->velocity, way.to);
    }
    if (slope && view->step_source) {
        stretch->tilt.in = vec3_dot(slope->source, way.from);
        stretch->tilt.out = vec3_dot(slope->source, way.to);
    }
}

/* List the cells on the way. Returns 0 when memory is exhausted. */
static int walk_ray(const struct pass *pass, struct desk *desk, struct ray ray)
{
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
        const struct passage way = ray_advance(&pass->view.mesh, &ray);
        fill_stretch(pass, ray.n, way, &desk->stretch[desk->n_stretch]);
        desk->n_stretch += way.length > R(0);
        more = way.more;
    }
    return 1;
}

/* Part of a stretch that is taken at one velocity. */
struct part {
    real velocity, from, to;
};

static int part_count(const struct stretch *stretch, real b)
{
    /* along a ray through shells the velocity changes up to twice as fast as on average */
    const real change = (WALK_IS_RADIAL ? R(2) : R(1)) * (stretch->near - stretch->far);
    return R(4) * r_abs(change) > b ? velocity_steps(change, b) : 1;
}

static struct part part_of(const struct stretch *stretch, int k, int n)
{
    const real share = R(1) / (real)n;
    const real change = stretch->near - stretch->far;
    const real velocity = WALK_IS_RADIAL ? velocity_at(stretch, ((real)k + R(0.5)) * share)
                                         : stretch->far + change * ((real)k + R(0.5)) * share;
    return (struct part){velocity, (real)k * share, ((real)k + R(1)) * share};
}

static real between(real from, real to, real part)
{
    return from + (to - from) * part;
}

#endif
