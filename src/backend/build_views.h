/* From the job (double, host) to views (working precision). Included by drivers, so that no struct holding `real`
 * leaves a translation unit. A driver says how an array travels: `store(owner, bytes, data)` gives the pointer that
 * kernels will use, NULL when memory is exhausted. */
#ifndef LR_BACKEND_BUILD_VIEWS_H
#define LR_BACKEND_BUILD_VIEWS_H

#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "kernel/cone.h"
#include "kernel/ray.h"
#include "kernel/shade.h"
#include "kernel/tally.h"
#include "kernel/views.h"

struct view_store {
    void *owner;
    void *(*copy)(void *owner, size_t bytes, const void *data); /* data NULL: zeros */
};

static inline const real *store_reals(const struct view_store *store, int64_t n, const double *data, int *failed)
{
    real *converted = (real *)malloc((size_t)(n > 0 ? n : 1) * sizeof(real));
    const real *result = NULL;
    if (converted) {
        for (int64_t i = 0; i < n; i++)
            converted[i] = (real)data[i];
        result = (const real *)store->copy(store->owner, (size_t)(n > 0 ? n : 1) * sizeof(real), converted);
    }
    free(converted);
    if (!result)
        *failed = 1;
    return result;
}

static inline const float *store_floats(const struct view_store *store, int64_t n, const double *data, int *failed)
{
    float *converted = (float *)malloc((size_t)n * sizeof(float));
    const float *result = NULL;
    if (converted) {
        for (int64_t i = 0; i < n; i++)
            converted[i] = (float)data[i];
        result = (const float *)store->copy(store->owner, (size_t)n * sizeof(float), converted);
    }
    free(converted);
    if (!result)
        *failed = 1;
    return result;
}

static inline const int32_t *store_ints(const struct view_store *store, int64_t n, const int32_t *data, int *failed)
{
    const int32_t *result = (const int32_t *)store->copy(store->owner, (size_t)n * sizeof(int32_t), data);
    if (!result)
        *failed = 1;
    return result;
}

static inline void store_edges(const struct view_store *store, int axis, int n, const double *width,
                               struct mesh_view *mesh, int *failed)
{
    double *edge = (double *)calloc((size_t)n + 1, sizeof(double));
    mesh->width[axis] = store_reals(store, n, width, failed);
    if (!edge) {
        *failed = 1;
        return;
    }
    for (int i = 0; i < n; i++)
        edge[i + 1] = edge[i] + width[i];
    mesh->edge[axis] = store_reals(store, n + 1, edge, failed);
    if (WALK_IS_RADIAL && axis == 0) {
        mesh->radius = (const double *)store->copy(store->owner, ((size_t)n + 1) * sizeof(double), edge);
        *failed |= !mesh->radius;
    }
    free(edge);
}

static inline struct mesh_view make_mesh_view(const struct view_store *store, const struct job_mesh *from, int *failed)
{
    const struct transport_tree *tree = from->tree;
    struct mesh_view mesh;
    memset(&mesh, 0, sizeof mesh);
    for (int face = 0; face < N_FACE; face++)
        mesh.face[face] = (int)from->face[face];
    for (int axis = 0; axis < 3; axis++) {
        mesh.n[axis] = from->n[axis];
        if (!tree) {
            store_edges(store, axis, from->n[axis], from->width[axis], &mesh, failed);
            continue;
        }
        mesh.root[axis] = tree->root[axis];
        mesh.brick[axis] = tree->brick[axis];
        mesh.cell[axis] = tree->cell[axis];
    }
    if (tree) {
        mesh.deepest = tree->deepest;
        mesh.key = (const uint64_t *)store->copy(store->owner, (size_t)tree->n_brick * sizeof *tree->key, tree->key);
        mesh.link = store_ints(store, tree->n_link, tree->link, failed);
        *failed |= !mesh.key;
    }
    return mesh;
}

static inline struct source_view make_source_view(const struct view_store *store, const struct transport_source *from,
                                                  double cumulative, int *failed)
{
    struct source_view to;
    memset(&to, 0, sizeof to);
    to.cumulative = cumulative;
    to.kind = (int)from->kind;
    to.angular = (int)from->angular;
    to.spectrum = (int)from->spectrum;
    to.gas_frame = from->gas_frame;
    to.axis = from->axis;
    to.centre = (real)from->centre;
    to.width = (real)from->width;
    for (int axis = 0; axis < 3; axis++) {
        to.direction[axis] = (real)from->direction[axis];
        to.cell[axis] = from->cell[axis];
        to.local[axis] = (real)from->local[axis];
    }
    if (from->spectrum == SPECTRUM_TABLE) {
        to.n_table = from->n_table;
        to.table_shift = store_reals(store, from->n_table, from->table_shift, failed);
        to.table_density = store_reals(store, from->n_table, from->table_density, failed);
        to.table_integral = store_reals(store, from->n_table, from->table_integral, failed);
    }
    if (from->alias.n > 0) {
        to.alias.n = from->alias.n;
        to.alias.keep = store_reals(store, from->alias.n, from->alias.keep, failed);
        to.alias.other = store_ints(store, from->alias.n, from->alias.other, failed);
    }
    if (from->kind == EMIT_LIST) {
        to.list_cell = store_ints(store, 3 * from->alias.n, from->list_cell, failed);
        to.list_local = store_reals(store, 3 * from->alias.n, from->list_local, failed);
        to.list_direction = store_reals(store, 3 * from->alias.n, from->list_direction, failed);
        to.list_shift = store_reals(store, from->alias.n, from->list_shift, failed);
    }
    return to;
}

static inline struct table_view make_table_view(const struct view_store *store, const struct transport_tables *from,
                                                int *failed)
{
    struct table_view to;
    memset(&to, 0, sizeof to);
    if (!from)
        return to;
    to.n_a = from->n_a;
    to.n_row = from->n_row;
    to.n_node = from->n_node;
    to.n_row_uniform = from->n_row_uniform;
    to.log_a_first = (real)from->log_a_first;
    to.inv_log_a_step = from->n_a > 1 ? (real)(1.0 / from->log_a_step) : R(0);
    to.x_join = (real)from->x_join;
    to.log_x_join = (real)log(from->x_join);
    to.inv_row_step = (real)((from->n_row_uniform - 1) / from->x_join);
    to.inv_row_log_step = (real)((from->n_row - from->n_row_uniform) / log(from->x_last / from->x_join));
    to.n_voigt = from->n_voigt;
    to.n_voigt_uniform = from->n_voigt_uniform;
    to.voigt_join = (real)from->voigt_join;
    to.log_voigt_join = (real)log(from->voigt_join);
    to.inv_voigt_step = (real)((from->n_voigt_uniform - 1) / from->voigt_join);
    to.inv_voigt_log_step = (real)((from->n_voigt - from->n_voigt_uniform) / log(from->voigt_last / from->voigt_join));
    to.cdf = store_floats(store, (int64_t)from->n_a * from->n_row * from->n_node, from->cdf, failed);
    to.log_voigt = store_floats(store, (int64_t)from->n_a * from->n_voigt, from->log_voigt, failed);
    return to;
}

/* Cells in working precision, converted in pieces so that the double copy stays small. */
typedef void read_cells_fn(const void *medium, int64_t first, int64_t count, struct transport_cell *cells);

static inline int fill_cells(read_cells_fn *read_cells, const void *medium, int64_t first, int64_t count,
                             struct cell_view *cells)
{
    enum { PIECE = 4096 };
    struct transport_cell *piece = (struct transport_cell *)malloc(PIECE * sizeof(struct transport_cell));
    if (!piece)
        return 0;
    for (int64_t start = 0; start < count; start += PIECE) {
        const int64_t n = count - start < PIECE ? count - start : (int64_t)PIECE;
        read_cells(medium, first + start, n, piece);
        for (int64_t i = 0; i < n; i++) {
            struct cell_view *to = &cells[start + i];
            to->alpha0 = (real)piece[i].alpha0;
            to->a = (real)piece[i].a;
            to->b = (real)piece[i].b;
            to->vx = (real)piece[i].velocity[0];
            to->vy = (real)piece[i].velocity[1];
            to->vz = (real)piece[i].velocity[2];
            to->kappa = (real)piece[i].kappa;
            to->eps = (real)piece[i].eps;
        }
    }
    free(piece);
    return 1;
}

/* One shade for each octant with a camera. None where light is followed to the end of its cell only: what lies ahead of
 * that is left to rays. */
static inline void number_shades(int n_camera, struct camera_view *camera, struct transport_view *view)
{
    int slot[8] = {0};
    int n = 0;
    for (int c = 0; WALK_KNOWS_SHADE && view->escaped && c < n_camera; c++) {
        const int octant = shade_octant(camera[c].toward);
        if (!slot[octant]) {
            view->octant[n] = octant;
            slot[octant] = ++n;
        }
        camera[c].shade = slot[octant] - 1;
    }
    view->n_shade = n;
}

static inline int make_camera_views(const struct view_store *store, const struct transport_job *job,
                                    struct transport_view *view)
{
    view->n_camera = job->cameras.n;
    view->channels.begin = job->cameras.channel_begin;
    view->channels.n = job->cameras.n_channel;
    view->force_below = (real)job->cameras.force_below;
    view->share_least = (real)job->cameras.share_least;
    view->n_aspect = job->cameras.n_aspect;
    view->n_row = job->cameras.n_row;
    view->escaped = job->cameras.escaped;
    const struct hidden_view none = hidden_none();
    view->hidden = (const struct hidden_view *)store->copy(store->owner, sizeof none, &none);
    if (job->cameras.n == 0)
        return view->hidden != NULL;
    view->channels.first = (real)job->cameras.velocity_first;
    view->channels.inv_step = (real)(1.0 / job->cameras.velocity_step);
    struct camera_view *camera = (struct camera_view *)calloc((size_t)job->cameras.n, sizeof *camera);
    if (!camera)
        return 0;
    for (int c = 0; c < job->cameras.n; c++) {
        const struct transport_camera *from = &job->cameras.camera[c];
        camera[c].perspective = from->perspective;
        view->any_near |= from->perspective;
        camera[c].toward = vec3_make((real)from->toward[0], (real)from->toward[1], (real)from->toward[2]);
        camera[c].position = vec3_make((real)from->position[0], (real)from->position[1], (real)from->position[2]);
    }
    number_shades(job->cameras.n, camera, view);
    view->toward = camera[0].toward;
    view->n_cell = job->n_cell;
    view->camera =
        (const struct camera_view *)store->copy(store->owner, (size_t)job->cameras.n * sizeof *camera, camera);
    free(camera);
    return view->camera && view->hidden;
}

static inline struct ball_view make_ball_view(const struct view_store *store, const struct transport_balls *from,
                                              int64_t n_cell, int *failed)
{
    struct ball_view view;
    memset(&view, 0, sizeof view);
    if (!from)
        return view;
    view.n_grade = from->n_grade;
    view.n_family = from->n_family;
    view.a_first = (float)from->a_first;
    view.log_ratio = (float)log(from->ratio);
    view.family = (const struct ball_family *)store->copy(
        store->owner, (size_t)(from->n_grade * from->n_family) * sizeof *view.family, from->family);
    view.row = (const struct ball_row *)store->copy(store->owner, (size_t)from->n_row * sizeof *view.row, from->row);
    view.record = (const struct ball_record *)store->copy(store->owner, (size_t)from->n_record * sizeof *view.record,
                                                          from->record);
    for (int i = 0; i < from->n_grade * from->n_family; i++) {
        const struct ball_family *family = &from->family[i];
        const float room = family->least + family->margin;
        if (family->n_level == 0)
            continue;
        view.x_most = family->x_start > view.x_most ? family->x_start : view.x_most;
        if (i < from->n_family && (view.room_least == 0 || room < view.room_least)) /* the second grade needs more */
            view.room_least = room;
    }
    memcpy(view.endless, from->endless, sizeof view.endless);
    if (from->beyond)
        view.beyond =
            (const struct ball_reach *)store->copy(store->owner, (size_t)n_cell * sizeof *view.beyond, from->beyond);
    *failed |= !view.family || !view.row || !view.record || (from->beyond && !view.beyond);
    return view;
}

static inline struct ways_view make_ways_view(const struct view_store *store, const struct job_group *from, int *failed)
{
    struct ways_view view;
    memset(&view, 0, sizeof view);
    view.n = from->n;
    view.broad = from->broad;
    view.turbulence2 = (real)(from->turbulence * from->turbulence);
    view.beta = (real)from->beta;
    if (from->n == 0)
        return view;
    struct group_way *way = (struct group_way *)calloc((size_t)from->n, sizeof *way);
    for (int i = 0; way && i < from->n; i++) {
        way[i].centre = (real)from->way[i].centre;
        way[i].strength = (real)from->way[i].strength;
        way[i].damping = (real)from->way[i].damping;
        way[i].share = (real)from->way[i].share;
        way[i].turn = (real)from->way[i].turn;
        way[i].lightness = (real)from->way[i].lightness;
        way[i].recoil = (real)from->way[i].recoil;
        way[i].dipole = (real)from->way[i].dipole;
        way[i].partner = (real)from->way[i].partner;
        way[i].dipole_kind = (int)from->way[i].dipole_kind;
        way[i].opens = from->way[i].opens;
    }
    view.way = way ? (const struct group_way *)store->copy(store->owner, (size_t)from->n * sizeof *way, way) : NULL;
    free(way);
    *failed |= !view.way;
    return view;
}

/* Everything but the cells. Returns 0 when memory is exhausted. */
static inline int make_transport_view(const struct view_store *store, const struct transport_job *job,
                                      struct transport_view *view)
{
    int failed = 0;
    memset(view, 0, sizeof *view);
    view->mesh = make_mesh_view(store, &job->mesh, &failed);
    struct source_view *source = (struct source_view *)calloc((size_t)job->sources.n, sizeof *source);
    if (!source)
        return 0;
    double cumulative = 0;
    for (int s = 0; s < job->sources.n; s++) {
        cumulative += job->sources.source[s].probability;
        source[s] = make_source_view(store, &job->sources.source[s], cumulative, &failed);
    }
    view->n_source = job->sources.n;
    view->source =
        (const struct source_view *)store->copy(store->owner, (size_t)job->sources.n * sizeof *source, source);
    free(source);
    view->table = make_table_view(store, job->tables, &failed);
    view->balls = make_ball_view(store, job->balls, job->n_cell, &failed);
    view->dipole = job->dipole;
    view->analog = job->analog_absorption;
    view->dipole_core = job->dipole ? (real)job->dipole_core : R(0);
    view->dipole_wing = job->dipole ? R(1) : R(0);
    view->recoil = (real)job->recoil;
    view->group = make_ways_view(store, &job->group, &failed);
    view->skip.on = job->skip.on;
    view->skip.x_crit = (real)job->skip.x_crit;
    memcpy(view->skip.endless, job->skip.endless, sizeof view->skip.endless);
    view->key = rng_key_from_seed(job->seed);
    view->most_steps = (uint32_t)job->most_steps;
    return !failed && view->source && make_camera_views(store, job, view);
}

static inline struct vec3 make_vector(const double from[3])
{
    return vec3_make((real)from[0], (real)from[1], (real)from[2]);
}

/* Returns 0 when memory is exhausted. */
static inline int make_cone_set(const struct view_store *store, const struct transport_job *job, struct cone_set *set)
{
    memset(set, 0, sizeof *set);
    if (job->cones.n == 0)
        return 1;
    struct cone_view *cone = (struct cone_view *)calloc((size_t)job->cones.n, sizeof *cone);
    if (!cone)
        return 0;
    for (int c = 0; c < job->cones.n; c++) {
        const struct transport_cone *from = &job->cones.cone[c];
        const int all = from->share >= 1;
        cone[c].toward = make_vector(from->toward);
        cone[c].inv_size = all ? R(0) : (real)(0.5 / from->share);
        cone[c].first = all ? R(1) : R(9);
        cone[c].slope = all ? R(0) : R(12);
        cone[c].middle = make_vector(from->middle);
        cone[c].right = make_vector(from->right);
        cone[c].up = make_vector(from->up);
        cone[c].half_width = (real)from->half[0];
        cone[c].half_height = (real)from->half[1];
        set->places |= isfinite(from->half[0]) || isfinite(from->half[1]);
    }
    set->n = job->cones.n;
    set->lowest = (real)job->cones.shift[0];
    set->highest = (real)job->cones.shift[1];
    set->cone = (const struct cone_view *)store->copy(store->owner, (size_t)job->cones.n * sizeof *cone, cone);
    free(cone);
    return set->cone != NULL;
}

static inline struct tally_axes make_tally_axes(const struct transport_job *job)
{
    struct tally_axes axes;
    axes.n_bin = job->tally.n_bin;
    axes.x_first = (real)job->tally.x_first;
    axes.inv_x_step = (real)(1.0 / job->tally.x_step);
    axes.n_mu = job->tally.n_mu;
    axes.n_phi = job->tally.n_phi;
    axes.axis = job->tally.direction_axis;
    return axes;
}

static inline struct tally_deal make_tally_deal(const struct transport_job *job)
{
    return tally_deal_for(job->n_packet, job->tally.n_batch);
}

#endif
