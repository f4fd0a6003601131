/* If the line shifts by more than its width from one cell to the next, photons slip through between the two. Neighbours
 * are compared along x, y and z; in large meshes only in every n-th row of cells, to keep this below a second. */
#include "solve/report/report.h"

#include <math.h>

#include "base/context.h"
#include "base/threads.h"
#include "mesh/neighbour.h"

/* The number of cells to compare: within a block of equal cells neighbours are cheap to find, but those across the
 * border of a brick of a refined mesh have to be searched for. */
enum { MOST_CELLS = 1 << 25, MOST_BORDERS = 1 << 20 };

struct steps {
    double faces, beyond; /* between cells with gas, and how many of these have a step of more than b */
    double square;        /* of the largest step, in b */
    int64_t cell;         /* before it, and its axis */
    int axis;
};

/* The square of the velocity difference between two cells with gas, in units of the smaller b. */
static void look_at(const struct medium *medium, int64_t cell, int64_t other, int axis, double weight,
                    struct steps *steps)
{
    double square = 0.0;
    if (field_at(&medium->alpha0, cell) == 0.0 || field_at(&medium->alpha0, other) == 0.0)
        return;
    for (int d = 0; d < 3; d++) {
        const double change = field_at(&medium->velocity[d], cell) - field_at(&medium->velocity[d], other);
        square += change * change;
    }
    const double b = fmin(field_at(&medium->b, cell), field_at(&medium->b, other));
    square /= b * b;
    steps->faces += weight;
    steps->beyond += square > 1.0 ? weight : 0.0;
    if (square > steps->square) {
        steps->square = square;
        steps->cell = cell;
        steps->axis = axis;
    }
}

/* Across the border of a brick. */
static void look_out(const lr_model *model, const int at[3], int axis, struct steps *steps)
{
    const struct mesh *mesh = &model->mesh;
    int64_t other[MESH_MOST_NEIGHBOURS];
    double centre[MESH_MOST_NEIGHBOURS][3];
    const int n = mesh_neighbours(mesh, at, axis, 1, other, centre);
    for (int k = 0; k < n; k++)
        if (centre[k][axis] < mesh_upper(mesh, axis)) /* not in the next period */
            look_at(&model->medium, mesh_cell_index(mesh, at[0], at[1], at[2]), other[k], axis, 1.0 / n, steps);
}

/* Cells (i, j, 0) to (i, j, n_z - 1). In a block, the mesh itself or a brick of it, neighbours are equal and at fixed
 * distances. */
static void look_along(const lr_model *model, int i, int j, struct steps *steps)
{
    const struct mesh *mesh = &model->mesh;
    const bool refined = mesh->kind == MESH_AMR;
    const int *block = refined ? mesh->tree.brick : mesh->n;
    const int64_t distance[3] = {(int64_t)mesh->n[1] * mesh->n[2], mesh->n[2], 1};
    const int64_t first = mesh_cell_index(mesh, i, j, 0);
    for (int axis = 0; axis < 3; axis++) {
        const int inside[3] = {i % block[0], j, 0};
        const int end = axis == 2 || inside[axis] + 1 < block[axis] ? mesh->n[2] - (axis == 2) : 0;
        for (int k = 0; k < end; k++)
            look_at(&model->medium, first + k, first + k + distance[axis], axis, 1.0, steps);
        for (int k = end; refined && k < mesh->n[2]; k++)
            look_out(model, (const int[3]){i, j, k}, axis, steps);
    }
}

static void add_steps(const struct steps *mine, struct steps *all)
{
    const bool larger = mine->square > all->square;
    const bool same = mine->square == all->square && mine->cell < all->cell;
    all->faces += mine->faces;
    all->beyond += mine->beyond;
    if (larger || same) { /* the same cell is named, regardless of threads */
        all->square = mine->square;
        all->cell = mine->cell;
        all->axis = mine->axis;
    }
}

/* n, if every n-th row of cells is compared. */
static int row_interval(const struct mesh *mesh)
{
    const int64_t n_cell = mesh_cell_count(mesh);
    int64_t interval = 1 + n_cell / MOST_CELLS;
    if (mesh->kind == MESH_AMR)
        for (int axis = 0; axis < 3; axis++)
            interval += n_cell / mesh->tree.brick[axis] / MOST_BORDERS;
    return (int)interval;
}

static struct steps find_steps(const lr_model *model)
{
    const struct mesh *mesh = &model->mesh;
    const int n_y = mesh->n[1], interval = row_interval(mesh);
    const int64_t n_row = (int64_t)mesh->n[0] * n_y;
    const int threads = thread_count(model->run.threads);
    struct steps all = {.cell = INT64_MAX};
#pragma omp parallel num_threads(threads)
    {
        struct steps mine = {.cell = INT64_MAX};
#pragma omp for schedule(static)
        for (int64_t row = 0; row < n_row; row += interval)
            look_along(model, (int)(row / n_y), (int)(row % n_y), &mine);
#pragma omp critical
        add_steps(&mine, &all);
    }
    return all;
}

static struct steps find_shell_steps(const lr_model *model)
{
    struct steps steps = {.cell = 0};
    for (int64_t shell = 0; shell + 1 < mesh_cell_count(&model->mesh); shell++)
        look_at(&model->medium, shell, shell + 1, 0, 1.0, &steps);
    return steps;
}

/* The effect of the steps. Packets see cells that move as a whole; rays through gas that does not scatter take the
 * velocity as linear inside cells. */
static const char *meaning(const lr_model *model)
{
    if (model->run.packets > 0 || model->n_camera == 0)
        return "photons can pass from one to the other without meeting the line; use smaller cells or more turbulence";
    if (!model->image.step_velocity)
        return "rays can jump over the line between the two; turn on image.subcell, or use smaller cells or more "
               "turbulence";
    return "images interpolate between them in steps of b/4 (image.subcell); where line shapes matter, use smaller "
           "cells, or turbulence to represent the unresolved motion";
}

void report_velocity_steps(lr_context *ctx, const lr_model *model)
{
    const struct medium *medium = &model->medium;
    const bool shells = model->mesh.kind == MESH_SHELLS, all = shells || row_interval(&model->mesh) == 1;
    char place[64], share[16], axis[16] = "";
    if (!medium->velocity[0].values && !medium->velocity[1].values && !medium->velocity[2].values)
        return;
    const struct steps steps = shells ? find_shell_steps(model) : find_steps(model);
    if (!(steps.square > 1.0))
        return;
    const double beyond = 100.0 * steps.beyond / steps.faces;
    snprintf(share, sizeof share, beyond < 10.0 ? "%.2g" : "%.0f", beyond);
    mesh_name_cell(&model->mesh, steps.cell, place, sizeof place);
    if (!shells)
        snprintf(axis, sizeof axis, "along %c ", "xyz"[steps.axis]);
    lr_log(ctx, LR_LOG_WARNING,
           "the velocity changes by more than b between %s %% of neighbouring %s, by %s%.3g b%s %safter %s %s: %s",
           share, shells ? "shells" : "cells", all ? "up to " : "", sqrt(steps.square), all ? "" : " or more", axis,
           shells ? "shell" : "cell", place, meaning(model));
}
