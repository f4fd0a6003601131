/* How far the same gas extends around the cells of a refined mesh.
 *
 * Let D be a distance around a cell, in the maximum norm, within which all gas is like that of the cell, and s the
 * smallest width of the cell and of all that touch it, at faces, edges and corners. Within s of a cell there are no
 * others than those. Hence, if they are all alike,
 *
 *     D = s + min D of the cells that touch it,
 *
 * and otherwise D = 0. This is found by sweeps through the cells until nothing changes. Of two cells that touch, the
 * smaller one, or either of two equal ones, finds the other: it contains one of the 26 places beside it. The ends of
 * the mesh count as other gas. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "solve/balls/ball_reach.h"
#include "solve/transport/job.h"

struct refined {
    const lr_model *model;
    float *width, *distance; /* s and D, cm */
};

static double least_width(const struct mesh *mesh, const int at[3], double low[3], double high[3])
{
    mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
    return fmin(high[0] - low[0], fmin(high[1] - low[1], high[2] - low[2]));
}

/* The cells of at least its size that touch a cell, up to 26; returns their number, and in *inside whether there are
 * places for 26, none outside the mesh. */
static int touching(const struct mesh *mesh, const int at[3], int64_t other[26], bool *inside)
{
    double low[3], high[3], there_low[3], there_high[3];
    const double width = least_width(mesh, at, low, high);
    int n = 0;
    *inside = true;
    for (int number = 0; number < 27; number++) {
        const int step[3] = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
        double point[3];
        int there[3];
        bool in = number != 13;
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = 0.5 * (low[axis] + high[axis]) + step[axis] * (high[axis] - low[axis]);
            in &= point[axis] > mesh_lower(mesh, axis) && point[axis] < mesh_upper(mesh, axis);
        }
        *inside &= in || number == 13;
        if (!in)
            continue;
        mesh_find_point(mesh, point, there);
        if (least_width(mesh, there, there_low, there_high) > 0.75 * width)
            other[n++] = mesh_cell_index(mesh, there[0], there[1], there[2]);
    }
    return n;
}

/* Sets D to 0 or infinity, and s. */
static void compare_cells(struct refined *refined, int64_t n_cell)
{
    const struct mesh *mesh = &refined->model->mesh;
    for (int64_t cell = 0; cell < n_cell; cell++) {
        int at[3];
        double low[3], high[3];
        mesh_cell_place(mesh, cell, at);
        refined->width[cell] = (float)least_width(mesh, at, low, high);
        refined->distance[cell] = INFINITY;
    }
    for (int64_t cell = 0; cell < n_cell; cell++) {
        int64_t other[26];
        int at[3];
        bool inside;
        mesh_cell_place(mesh, cell, at);
        const int n = touching(mesh, at, other, &inside);
        if (!inside)
            refined->distance[cell] = 0;
        for (int i = 0; i < n; i++) {
            refined->width[other[i]] = fminf(refined->width[other[i]], refined->width[cell]);
            if (!ball_space_alike(&refined->model->medium, cell, other[i]))
                refined->distance[cell] = refined->distance[other[i]] = 0;
        }
    }
}

static bool lower(struct refined *refined, int64_t cell, int64_t beside)
{
    const float reach = refined->width[cell] + refined->distance[beside];
    if (!(reach < refined->distance[cell]))
        return false;
    refined->distance[cell] = reach;
    return true;
}

static bool sweep(struct refined *refined, int64_t n_cell, bool upward)
{
    const struct mesh *mesh = &refined->model->mesh;
    bool changed = false;
    for (int64_t step = 0; step < n_cell; step++) {
        const int64_t cell = upward ? step : n_cell - 1 - step;
        int64_t other[26];
        int at[3];
        bool inside;
        mesh_cell_place(mesh, cell, at);
        const int n = touching(mesh, at, other, &inside);
        for (int i = 0; i < n; i++) {
            changed |= lower(refined, cell, other[i]);
            changed |= lower(refined, other[i], cell);
        }
    }
    return changed;
}

static bool any_alike(const struct refined *refined, int64_t n_cell)
{
    for (int64_t cell = 0; cell < n_cell; cell++)
        if (refined->distance[cell] > 0)
            return true;
    return false;
}

enum lr_status ball_space_find_refined(lr_context *ctx, const lr_model *model, struct ball_space *space)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const double unit = code_length(&model->mesh);
    struct refined refined = {.model = model};
    enum lr_status status = LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof *refined.width, &refined.width));
    LR_TRY_OR(end, status, lr_allocate(ctx, (size_t)n_cell, sizeof *refined.distance, &refined.distance));
    compare_cells(&refined, n_cell);
    if (!any_alike(&refined, n_cell))
        goto end;
    for (bool upward = true; sweep(&refined, n_cell, upward);)
        upward = !upward;
    LR_TRY_OR(end, status, lr_allocate(ctx, (size_t)n_cell, sizeof *space->beyond, &space->beyond));
    for (int64_t cell = 0; cell < n_cell; cell++) {
        const float reach = (float)((double)refined.distance[cell] / unit);
        space->beyond[cell] = (struct ball_reach){reach, reach};
    }
end:
    free(refined.width);
    free(refined.distance);
    return status;
}
