#include "model/light_rows.h"

#include <math.h>

#include "base/constants.h"

/* Elements of screens are as the cells at the faces; on refined meshes those of the finest level with which there are
 * no more of them than cells. */
static void choose_elements(const struct mesh *mesh, int screen[3])
{
    int level = 0;
    for (int axis = 0; axis < 3; axis++)
        screen[axis] = mesh->n[axis];
    if (mesh->kind != MESH_AMR)
        return;
    const struct mesh_tree *tree = &mesh->tree;
    for (int axis = 0; axis < 3; axis++)
        screen[axis] = tree->root[axis] * tree->brick[axis];
    while (level < tree->deepest) {
        const double across =
            4 * ((double)screen[0] * screen[1] + (double)screen[1] * screen[2] + (double)screen[2] * screen[0]);
        if (across > (double)mesh_cell_count(mesh))
            break;
        for (int axis = 0; axis < 3; axis++)
            screen[axis] *= 2;
        level++;
    }
}

struct light_rows light_rows_make(const struct mesh *mesh, int n_aspect)
{
    struct light_rows rows = {.n_aspect = n_aspect, .n_cell = mesh_cell_count(mesh) * n_aspect};
    rows.n = rows.n_cell;
    choose_elements(mesh, rows.screen);
    for (int axis = 0; axis < 3; axis++) {
        const bool open = mesh->kind != MESH_SHELLS && mesh->face[2 * axis] == FACE_OPEN;
        rows.screen_first[axis] = open ? (int)rows.n : -1;
        if (open)
            rows.n += (int64_t)rows.screen[axis == 0 ? 1 : 0] * rows.screen[axis == 2 ? 1 : 2];
    }
    return rows;
}

static double element_width(const struct light_rows *rows, const struct mesh *mesh, int axis, int64_t index)
{
    if (mesh->kind == MESH_AMR)
        return mesh_size(mesh, axis) / rows->screen[axis];
    return mesh->edge[axis][index + 1] - mesh->edge[axis][index];
}

static double screen_area(const struct light_rows *rows, const struct mesh *mesh, int64_t row)
{
    int across = 2;
    while (rows->screen_first[across] < 0 || row < rows->screen_first[across])
        across--;
    const int u = across == 0 ? 1 : 0;
    const int v = across == 2 ? 1 : 2;
    const int64_t element = row - rows->screen_first[across];
    return element_width(rows, mesh, u, element / rows->screen[v]) *
           element_width(rows, mesh, v, element % rows->screen[v]);
}

/* The part of a sphere that is seen under cosines from |low| to |high|: pi r^2 |high^2 - low^2|. */
static double ring_area(const struct light_rows *rows, const struct mesh *mesh, int64_t row)
{
    const int64_t shell = row / rows->n_aspect;
    const double step = 2.0 / rows->n_aspect;
    const double low = -1 + step * (double)(row % rows->n_aspect);
    const double radius = mesh->edge[0][low < -0.5 * step ? shell : shell + 1];
    return LR_PI * radius * radius * fabs((low + step) * (low + step) - low * low);
}

double light_row_volume(const struct light_rows *rows, const struct mesh *mesh, int64_t row, double length)
{
    if (rows->n_aspect > 1)
        return ring_area(rows, mesh, row) * length;
    if (row >= rows->n_cell)
        return screen_area(rows, mesh, row) * length;
    int at[3];
    mesh_cell_place(mesh, row, at);
    return mesh_cell_volume(mesh, at[0], at[1], at[2]);
}
