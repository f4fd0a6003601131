#include "solve/balls/ball_reach.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/context.h"
#include "model/field.h"
#include "solve/transport/job.h"

bool ball_space_alike(const struct medium *medium, int64_t p, int64_t q)
{
    bool same = true;
    for (int axis = 0; axis < 3; axis++)
        same &= field_at(&medium->velocity[axis], p) == field_at(&medium->velocity[axis], q);
    return same && field_at(&medium->alpha0, p) == field_at(&medium->alpha0, q) &&
           field_at(&medium->a, p) == field_at(&medium->a, q) && field_at(&medium->b, p) == field_at(&medium->b, q) &&
           field_at(&medium->kappa, p) == field_at(&medium->kappa, q) &&
           field_at(&medium->eps, p) == field_at(&medium->eps, q);
}

/* Whether nothing changes or ends along an axis. With fields, jumps stay in their cell: it must be the only one. */
static bool is_endless(const lr_model *model, int axis)
{
    const struct mesh *mesh = &model->mesh;
    if (mesh->kind != MESH_CARTESIAN || model->output.fields)
        return mesh_is_endless(mesh, axis);
    if (mesh->face[2 * axis] != FACE_PERIODIC)
        return false;
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const int first[3] = {axis == 0 ? 0 : i, axis == 1 ? 0 : j, axis == 2 ? 0 : k};
                if (!ball_space_alike(&model->medium, mesh_cell_index(mesh, i, j, k),
                                      mesh_cell_index(mesh, first[0], first[1], first[2])))
                    return false;
            }
    return true;
}

/* ---- boxes ---- */

/* Layers of cells around each cell that are like it: the Chebyshev distance to the nearest cell with a neighbour, or an
 * end of the mesh, that is not, found in two sweeps. Endless axes count as one cell. */
struct layers {
    const lr_model *model;
    const int *endless;
    int n[3];
    int32_t *around;
};

static int64_t layer_index(const struct layers *layers, const int at[3])
{
    return ((int64_t)at[0] * layers->n[1] + at[1]) * layers->n[2] + at[2];
}

/* Neighbour number 0..26 (13 is the cell itself); false if it lies outside the mesh. */
static bool neighbour(const struct layers *layers, const int at[3], int number, int there[3])
{
    const int step[3] = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
    for (int axis = 0; axis < 3; axis++) {
        there[axis] = at[axis] + (layers->endless[axis] ? 0 : step[axis]);
        if (there[axis] < 0 || there[axis] >= layers->n[axis])
            return false;
    }
    return true;
}

static int32_t first_guess(const struct layers *layers, const int at[3])
{
    const struct mesh *mesh = &layers->model->mesh;
    const int64_t cell = mesh_cell_index(mesh, at[0], at[1], at[2]);
    for (int number = 0; number < 27; number++) {
        int there[3];
        if (!neighbour(layers, at, number, there) ||
            !ball_space_alike(&layers->model->medium, cell, mesh_cell_index(mesh, there[0], there[1], there[2])))
            return 0;
    }
    return INT32_MAX - 1;
}

static void place_of(const struct layers *layers, int64_t index, int at[3])
{
    at[2] = (int)(index % layers->n[2]);
    at[1] = (int)(index / layers->n[2] % layers->n[1]);
    at[0] = (int)(index / layers->n[2] / layers->n[1]);
}

static void sweep(const struct layers *layers, int64_t n, bool upward)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t cell = upward ? step : n - 1 - step;
        int at[3], there[3];
        place_of(layers, cell, at);
        for (int number = 0; number < 13; number++)
            if (neighbour(layers, at, upward ? number : 26 - number, there)) {
                const int32_t more = layers->around[layer_index(layers, there)] + 1;
                if (more < layers->around[cell])
                    layers->around[cell] = more;
            }
    }
}

static double box_reach(const struct layers *layers, const int at[3])
{
    const struct mesh *mesh = &layers->model->mesh;
    const int32_t around = layers->around[layer_index(layers, at)];
    double reach = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        const double *edge = mesh->edge[axis];
        if (layers->endless[axis])
            continue;
        reach = fmin(reach, edge[at[axis]] - edge[at[axis] - around]);
        reach = fmin(reach, edge[at[axis] + 1 + around] - edge[at[axis] + 1]);
    }
    return reach;
}

static enum lr_status find_boxes(lr_context *ctx, const lr_model *model, struct ball_space *space)
{
    const struct mesh *mesh = &model->mesh;
    const double unit = code_length(mesh);
    struct layers layers = {.model = model, .endless = space->endless};
    int64_t n = 1;
    for (int axis = 0; axis < 3; axis++) {
        layers.n[axis] = space->endless[axis] ? 1 : mesh->n[axis];
        n *= layers.n[axis];
    }
    LR_TRY(lr_allocate(ctx, (size_t)n, sizeof *layers.around, &layers.around));
    for (int64_t cell = 0; cell < n; cell++) {
        int at[3];
        place_of(&layers, cell, at);
        layers.around[cell] = first_guess(&layers, at);
    }
    sweep(&layers, n, true);
    sweep(&layers, n, false);
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const int at[3] = {space->endless[0] ? 0 : i, space->endless[1] ? 0 : j, space->endless[2] ? 0 : k};
                const float reach = (float)fmin(box_reach(&layers, at) / unit, 1e30);
                space->beyond[mesh_cell_index(mesh, i, j, k)] = (struct ball_reach){reach, reach};
            }
    free(layers.around);
    return LR_OK;
}

/* ---- shells ---- */

static void find_shells(const lr_model *model, struct ball_space *space)
{
    const struct mesh *mesh = &model->mesh;
    const double unit = code_length(mesh);
    const int n = mesh->n[0];
    for (int low = 0, high; low < n; low = high) {
        for (high = low + 1; high < n && ball_space_alike(&model->medium, low, high);)
            high++;
        for (int i = low; i < high; i++)
            space->beyond[i + space->cavity] =
                (struct ball_reach){(float)((mesh->edge[0][i] - mesh->edge[0][low]) / unit),
                                    (float)((mesh->edge[0][high] - mesh->edge[0][i + 1]) / unit)};
    }
}

enum lr_status ball_space_find(lr_context *ctx, const lr_model *model, struct ball_space *space)
{
    *space = (struct ball_space){.cavity = job_cavity(&model->mesh)};
    for (int axis = 0; axis < 3; axis++)
        space->endless[axis] = is_endless(model, axis);
    if (model->output.fields)
        return LR_OK;
    if (model->mesh.kind == MESH_AMR)
        return ball_space_find_refined(ctx, model, space);
    const int64_t n_cell = mesh_cell_count(&model->mesh) + space->cavity;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof *space->beyond, &space->beyond));
    if (model->mesh.kind == MESH_SHELLS) {
        find_shells(model, space);
        return LR_OK;
    }
    return find_boxes(ctx, model, space);
}

void ball_space_free(struct ball_space *space)
{
    free(space->beyond);
    space->beyond = NULL;
}

/* The largest radius in a shell that flows, where the velocity changes little over it and over the margin around it
 * (packet_ball_level() in kernel/packet_jump.h); cm. */
static double steady_room(const lr_model *model, int shell, double margin)
{
    const struct medium *medium = &model->medium;
    const double flow = fabs(field_at(&medium->velocity[0], shell)) / field_at(&medium->b, shell);
    const double steady = model->mesh.edge[0][shell + 1] / flow; /* infinite at rest */
    return margin > BALL_STEADY_MARGIN * steady ? 0 : BALL_STEADY * steady;
}

bool ball_space_recoils(const lr_model *model, double b)
{
    const double recoil = LR_PLANCK * model->line.nu0 / (model->line.mass * LR_LIGHT_SPEED);
    return model->physics.recoil && recoil > BALL_MOST_RECOIL * b;
}

double ball_space_room(const lr_model *model, const struct ball_space *space, int i, int j, int k, double margin)
{
    const struct mesh *mesh = &model->mesh;
    const int64_t cell = mesh_cell_index(mesh, i, j, k);
    const double unit = code_length(mesh);
    const struct ball_reach beyond = space->beyond ? space->beyond[cell + space->cavity] : (struct ball_reach){0, 0};
    const double alpha0 = field_at(&model->medium.alpha0, cell);
    double room = INFINITY, steady = INFINITY;
    if (ball_space_recoils(model, field_at(&model->medium.b, cell)))
        return 0;
    if (mesh->kind == MESH_SHELLS) {
        const double width = mesh_cell_width(mesh, i, j, k), inner = mesh->edge[0][i] - unit * (double)beyond.below;
        const double below = unit * (double)beyond.below, above = unit * (double)beyond.above;
        const double best = fmin(fmax(0.5 * (width + above - below), 0), width); /* from the inner edge of the shell */
        room = inner > 0 ? fmin(best + below, width - best + above) : mesh->edge[0][i + 1] + above;
        steady = alpha0 > 0 ? steady_room(model, i, margin / alpha0) : 0;
    } else {
        double low[3], high[3];
        mesh_cell_box(mesh, i, j, k, low, high);
        for (int axis = 0; axis < 3; axis++)
            room =
                space->endless[axis] ? room : fmin(room, 0.5 * (high[axis] - low[axis]) + unit * (double)beyond.below);
    }
    return fmin(fmin(room * alpha0 - margin, steady * alpha0), BALL_DEEPEST);
}
