#include "solve/levels/level_rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/build_views.h"
#include "base/constants.h"
#include "base/context.h"
#include "kernel/walk.h"
#include "model/species.h"
#include "solve/common/quadrature.h"
#include "solve/transport/job.h"
#include "solve/transport/proposed_area.h"

/* Spacing of the rays of a regular grid, in units of the narrowest cell width. */
static const double GRID_STEP = 1;
/* Above this ratio of cell widths along an axis a grid would waste rays on large cells. */
static const double LARGEST_RATIO = 2.5;
/* Rays proposed per cell and direction, if cells differ in size. */
static const double PROPOSALS = 0.15;
enum { CORE_RINGS = 8 };

/* ---- small things ---- */

/* Uniform in [0, 1): splitmix64 (Steele et al. 2014). */
static double draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A rotation by a unit quaternion that is uniform over the sphere in four dimensions (Shoemake 1992). */
static void draw_rotation(uint64_t *state, double m[3][3])
{
    const double u = draw(state), a = 2 * LR_PI * draw(state), b = 2 * LR_PI * draw(state);
    const double x = sqrt(1 - u) * sin(a), y = sqrt(1 - u) * cos(a), z = sqrt(u) * sin(b), w = sqrt(u) * cos(b);
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static enum lr_status set_allocate(lr_context *ctx, int n_direction, struct ray_set *set)
{
    LR_TRY(lr_allocate(ctx, (size_t)n_direction, sizeof *set->direction, &set->direction));
    LR_TRY(lr_allocate(ctx, (size_t)n_direction, sizeof *set->weight, &set->weight));
    return lr_allocate(ctx, (size_t)n_direction + 1, sizeof *set->first, &set->first);
}

static enum lr_status add_ray(lr_context *ctx, struct ray_set *set, int64_t *room, int64_t n, struct level_ray ray)
{
    if (n == *room) {
        const int64_t more = *room > 0 ? 2 * *room : 4096;
        struct level_ray *grown = realloc(set->ray, (size_t)more * sizeof *grown);
        if (!grown)
            return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for %lld rays", (long long)more);
        set->ray = grown;
        *room = more;
    }
    set->ray[n] = ray;
    return LR_OK;
}

void ray_set_free(struct ray_set *set)
{
    free(set->direction);
    free(set->weight);
    free(set->first);
    free(set->ray);
    free(set->ring);
    *set = (struct ray_set){0};
}

/* ---- layers ---- */

/* mu by Gauss-Legendre on each side of the layers. */
static enum lr_status make_layers(lr_context *ctx, const struct mesh *mesh, double length_unit, int axis, int number,
                                  struct ray_set *set)
{
    _Static_assert(MOST_LAYER_DIRECTIONS <= 2 * QUADRATURE_MOST, "a model may ask for more nodes than there are");
    struct quadrature rule;
    quadrature_make((number + 1) / 2, &rule);
    LR_TRY(set_allocate(ctx, 2 * rule.n, set));
    LR_TRY(lr_allocate(ctx, (size_t)(2 * rule.n), sizeof *set->ray, &set->ray));
    for (int d = 0; d < 2 * rule.n; d++) {
        const double mu = rule.node[d / 2] * (d % 2 ? -1 : 1);
        set->direction[d][axis] = mu;
        set->direction[d][(axis + 1) % 3] = sqrt(1 - mu * mu);
        set->weight[d] = 0.5 * rule.weight[d / 2];
        set->first[d + 1] = d + 1;
        set->ray[d].area = 1;
        for (int i = 0; i < 3; i++)
            set->ray[d].point[i] = 0.5 * mesh_size(mesh, i) / length_unit;
    }
    set->rays.n_direction = 2 * rule.n;
    return LR_OK;
}

/* ---- shells ---- */

static double shell_middle(const struct mesh *mesh, int i)
{
    return 0.5 * (mesh->edge[0][i] + mesh->edge[0][i + 1]);
}

/* Rings between the mid-radii of the shells, `number` in each gap, and more inside the first one, evenly spaced in
 * mu. */
static enum lr_status make_shells(lr_context *ctx, const struct mesh *mesh, double length_unit, int number,
                                  struct ray_set *set)
{
    const int core = CORE_RINGS * number;
    const int n = core + number * (mesh->n[0] - 1);
    LR_TRY(set_allocate(ctx, 1, set));
    LR_TRY(lr_allocate(ctx, (size_t)n, sizeof *set->ray, &set->ray));
    LR_TRY(lr_allocate(ctx, (size_t)n + 1, sizeof *set->ring, &set->ring));
    for (int i = 0; i <= n; i++) {
        const int gap = i < core ? 0 : 1 + (i - core) / number;
        const double low = gap > 0 ? shell_middle(mesh, gap - 1) : 0;
        const double high = gap < mesh->n[0] ? shell_middle(mesh, gap) : low;
        const double mu = 1 - (double)i / core; /* at the mid-radius of the first shell */
        const double part = i < core ? sqrt(1 - mu * mu) : (double)((i - core) % number) / number;
        set->ring[i] = (low + part * (high - low)) / length_unit;
    }
    for (int i = 0; i < n; i++)
        set->ray[i].point[0] = sqrt(0.5 * (set->ring[i] * set->ring[i] + set->ring[i + 1] * set->ring[i + 1]));
    set->weight[0] = 1;
    set->first[1] = n;
    set->rays.n_direction = 1;
    return LR_OK;
}

/* ---- any other mesh of boxes ---- */

/* Direction d of n has z at the d-th of n equal steps, and its azimuth and the two shifts of its grid are multiples of
 * these: together they fill four dimensions evenly (Kronecker sequence of the powers of 1 / 1.2207440846, the root of
 * x^4 = x + 1), so that noise falls faster than with random shifts. The whole set is rotated and shifted at random. */
static const double SPREAD[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};

struct bearing {
    double n[3];
    double area; /* of the mesh, seen along it */
    int number;  /* in the sequence */
};

static int compare_areas(const void *a, const void *b)
{
    const struct bearing *one = a, *other = b;
    const int by_area = (one->area > other->area) - (one->area < other->area);
    return by_area ? by_area : one->number - other->number;
}

/* In the order of their areas, so that those next to each other, which ranks follow at the same time, have about as
 * many rays. */
static void spread_directions(const double size[3], int n, uint64_t *state, struct bearing *bearing)
{
    double m[3][3];
    draw_rotation(state, m);
    for (int d = 0; d < n; d++) {
        const double z = 1 - (2 * d + 1.0) / n;
        const double r = sqrt(1 - z * z);
        const double azimuth = 2 * LR_PI * SPREAD[0] * d;
        const double v[3] = {r * cos(azimuth), r * sin(azimuth), z};
        bearing[d] = (struct bearing){.number = d};
        for (int i = 0; i < 3; i++) {
            bearing[d].n[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
            bearing[d].area += fabs(bearing[d].n[i]) * size[(i + 1) % 3] * size[(i + 2) % 3];
        }
    }
    qsort(bearing, (size_t)n, sizeof *bearing, compare_areas);
}

/* Two unit vectors perpendicular to a direction. */
static void span_plane(const double n[3], double right[3], double up[3])
{
    const int axis = fabs(n[0]) < 0.6 ? 0 : 1;
    double norm = 0;
    for (int i = 0; i < 3; i++) {
        right[i] = (i == axis) - n[axis] * n[i];
        norm += right[i] * right[i];
    }
    for (int i = 0; i < 3; i++)
        right[i] /= sqrt(norm);
    for (int i = 0; i < 3; i++)
        up[i] = n[(i + 1) % 3] * right[(i + 2) % 3] - n[(i + 2) % 3] * right[(i + 1) % 3];
}

/* Whether the line p + t n crosses the box from 0 to size. */
static bool meets_box(const double p[3], const double n[3], const double size[3])
{
    double low = -HUGE_VAL;
    double high = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        if (n[axis] == 0) {
            if (p[axis] < 0 || p[axis] > size[axis])
                return false;
            continue;
        }
        const double a = -p[axis] / n[axis], b = (size[axis] - p[axis]) / n[axis];
        low = fmax(low, fmin(a, b));
        high = fmin(high, fmax(a, b));
    }
    return low < high;
}

/* Direction d is number `number` of the sequence. */
static enum lr_status add_grid(lr_context *ctx, const double size[3], double step, int d, int number,
                               const double start[2], struct ray_set *set, int64_t *room)
{
    double right[3], up[3], reach[2] = {0, 0};
    const double shift[2] = {fmod(start[0] + SPREAD[1] * number, 1), fmod(start[1] + SPREAD[2] * number, 1)};
    int64_t n = set->first[d];
    span_plane(set->direction[d], right, up);
    for (int axis = 0; axis < 3; axis++) {
        reach[0] += 0.5 * size[axis] * fabs(right[axis]);
        reach[1] += 0.5 * size[axis] * fabs(up[axis]);
    }
    const int64_t count[2] = {(int64_t)(2 * reach[0] / step) + 2, (int64_t)(2 * reach[1] / step) + 2};
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++) {
            struct level_ray ray = {.area = step * step};
            const double u = ((double)i + shift[0] - 1) * step - reach[0] + 0.5 * step;
            const double v = ((double)j + shift[1] - 1) * step - reach[1] + 0.5 * step;
            for (int axis = 0; axis < 3; axis++)
                ray.point[axis] = 0.5 * size[axis] + u * right[axis] + v * up[axis];
            if (meets_box(ray.point, set->direction[d], size))
                LR_TRY(add_ray(ctx, set, room, n++, ray));
        }
    set->first[d + 1] = n;
    return LR_OK;
}

/* Rays through random points of random cells (proposed_area.h). */
static enum lr_status add_proposals(lr_context *ctx, const struct mesh *mesh, const struct mesh_view *view,
                                    double length_unit, int d, struct ray_set *set, int64_t *room, uint64_t *state)
{
    proposed_area_fn *const area = mesh->kind == MESH_AMR ? proposed_area_refined : proposed_area_rectilinear;
    const int64_t n_cell = mesh_cell_count(mesh);
    int64_t n = set->first[d];
    for (int64_t cell = 0; cell < n_cell; cell++) {
        struct level_ray ray;
        int at[3];
        double low[3], high[3];
        if (draw(state) >= PROPOSALS)
            continue;
        mesh_cell_place(mesh, cell, at);
        mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
        for (int axis = 0; axis < 3; axis++) {
            const double x = low[axis] + draw(state) * (high[axis] - low[axis]);
            ray.point[axis] = (x - mesh_lower(mesh, axis)) / length_unit;
        }
        ray.area = area(view, ray.point, set->direction[d], PROPOSALS);
        if (ray.area > 0)
            LR_TRY(add_ray(ctx, set, room, n++, ray));
    }
    set->first[d + 1] = n;
    return LR_OK;
}

struct widths {
    double narrowest, ratio; /* ratio: largest over smallest along one axis */
};

static struct widths measure_widths(const struct mesh *mesh)
{
    struct widths result = {HUGE_VAL, 1};
    for (int axis = 0; axis < 3; axis++) {
        double low, high;
        if (mesh_is_endless(mesh, axis))
            continue;
        mesh_widths(mesh, axis, &low, &high);
        result.narrowest = fmin(result.narrowest, low);
        result.ratio = fmax(result.ratio, high / low);
    }
    return result;
}

static void *host_copy(void *owner, size_t bytes, const void *data)
{
    void ***list = owner;
    void *copy = malloc(bytes);
    if (copy && data)
        memcpy(copy, data, bytes);
    if (copy)
        *(*list)++ = copy;
    return copy;
}

static enum lr_status make_boxes(lr_context *ctx, const struct mesh *mesh, double length_unit, int number,
                                 uint64_t seed, struct ray_set *set)
{
    uint64_t state = seed * 0x2545f4914f6cdd1du + 1;
    const struct widths widths = measure_widths(mesh);
    enum { MAX_COPY = 8 };
    void *copy[MAX_COPY] = {NULL};
    void **next = copy;
    const struct view_store store = {&next, host_copy};
    struct own_mesh made = {0};
    struct bearing *bearing = NULL;
    double size[3];
    int64_t room = 0;
    int failed = 0;
    enum lr_status status = LR_OK;
    for (int axis = 0; axis < 3; axis++)
        size[axis] = mesh_size(mesh, axis) / length_unit;
    LR_TRY(job_mesh_make(ctx, mesh, job_cavity(mesh), length_unit, &made));
    const struct mesh_view view = make_mesh_view(&store, &made.job, &failed);
    status = failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for rays") : set_allocate(ctx, number, set);
    if (status == LR_OK)
        status = lr_allocate(ctx, (size_t)number, sizeof *bearing, &bearing);
    if (status == LR_OK)
        spread_directions(size, number, &state, bearing);
    const double start[2] = {draw(&state), draw(&state)};
    const double step = GRID_STEP * widths.narrowest / length_unit;
    for (int d = 0; status == LR_OK && d < number; d++) {
        memcpy(set->direction[d], bearing[d].n, sizeof bearing[d].n);
        set->weight[d] = 1.0 / number;
        status = widths.ratio > LARGEST_RATIO ? add_proposals(ctx, mesh, &view, length_unit, d, set, &room, &state)
                                              : add_grid(ctx, size, step, d, bearing[d].number, start, set, &room);
    }
    set->rays.n_direction = number;
    free(bearing);
    job_mesh_free(&made);
    for (int i = 0; i < MAX_COPY; i++)
        free(copy[i]);
    return status;
}

/* ---- all ---- */

bool ray_set_is_fixed(const struct mesh *mesh)
{
    return mesh->kind == MESH_SHELLS || mesh_layer_axis(mesh) >= 0;
}

int ray_set_default(const struct mesh *mesh)
{
    return mesh->kind == MESH_SHELLS ? 1 : mesh_layer_axis(mesh) >= 0 ? 8 : 16;
}

int ray_set_most(const struct mesh *mesh)
{
    return mesh->kind == MESH_SHELLS ? 8 : mesh_layer_axis(mesh) >= 0 ? 64 : 3072;
}

enum lr_status ray_set_make(lr_context *ctx, const struct mesh *mesh, double length_unit, int number, uint64_t seed,
                            struct ray_set *set)
{
    const int axis = mesh_layer_axis(mesh);
    *set = (struct ray_set){0};
    const enum lr_status status = mesh->kind == MESH_SHELLS ? make_shells(ctx, mesh, length_unit, number, set)
                                  : axis >= 0               ? make_layers(ctx, mesh, length_unit, axis, number, set)
                                                            : make_boxes(ctx, mesh, length_unit, number, seed, set);
    if (status != LR_OK) {
        ray_set_free(set);
        return status;
    }
    set->rays.direction = (const double(*)[3])set->direction;
    set->rays.weight = set->weight;
    set->rays.first = set->first;
    set->rays.ray = set->ray;
    set->rays.ring = set->ring;
    return LR_OK;
}
