#include "model/light_rows.h"

#include <math.h>

#include "base/constants.h"

struct light_rows light_rows_make(const struct mesh *mesh, int n_aspect)
{
    return (struct light_rows){.n_aspect = n_aspect, .n = mesh_cell_count(mesh) * n_aspect};
}

/* The projected area of a sphere at cosines from |low| to |high|: pi r^2 |high^2 - low^2|. */
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
    int at[3];
    if (rows->n_aspect > 1)
        return ring_area(rows, mesh, row) * length;
    mesh_cell_place(mesh, row, at);
    return mesh_cell_volume(mesh, at[0], at[1], at[2]);
}
