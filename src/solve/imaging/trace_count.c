/* Estimates the work of an image before it is traced. */
#include <math.h>

#include "mesh/amr.h"
#include "solve/imaging/rings.h"
#include "solve/imaging/trace.h"
#include "solve/imaging/trace_choice.h"

/* How many cells a line along the axis crosses on average: SUM(area of a cell) / area of the mesh. */
static double cells_in_row(const struct mesh *mesh, int axis)
{
    if (mesh->kind != MESH_AMR)
        return mesh->n[axis];
    const struct mesh_tree *tree = &mesh->tree;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double in_brick = (double)tree->brick[0] * tree->brick[1] * tree->brick[2];
    double area = 0;
    for (int64_t b = 0; b < tree->n_brick; b++) {
        double width[3];
        amr_cell_width(tree, (int)b * tree->brick[0], width);
        area += in_brick * width[u] * width[v];
    }
    return area / (tree->size[u] * tree->size[v]);
}

/* Cells crossed by rays with this spacing (cm): each cell is hit in proportion to its projected area, so rows of n
 * cells across the face A of an axis give n A |t|. Only the part within the image counts. */
static double cells_met(const struct mesh *mesh, const struct camera *view, double spacing)
{
    double met = 0;
    double shown = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double area = mesh_size(mesh, (axis + 1) % 3) * mesh_size(mesh, (axis + 2) % 3);
        met += cells_in_row(mesh, axis) * area * fabs(view->toward[axis]);
        shown += area * fabs(view->toward[axis]);
    }
    const double rays = view->rays > 0 ? view->rays : 1;
    const double image = view->pixels[0] * rays * spacing * view->pixels[1] * rays * spacing;
    return met / (spacing * spacing) * fmin(image / shown, 1);
}

enum lr_status trace_count(lr_context *ctx, const struct mesh *mesh, const struct medium *gas,
                           const struct channels *channels, const struct camera *view, double *steps)
{
    struct camera seen = *view;
    *steps = (double)channels->n * trace_choose_samples(ctx, mesh, gas, NULL, channels->width, channels->samples);
    if (mesh->kind == MESH_SHELLS) {
        struct rings rings = {0};
        LR_TRY(rings_make(ctx, mesh, trace_largest_speed(mesh, gas, NULL), view, &rings));
        *steps *= (double)rings.n * RING_NODES * mesh->n[0]; /* about half of the rays cross a given shell, twice */
        rings_free(&rings);
        return LR_OK;
    }
    double square = 0;
    for (int axis = 0; axis < 3; axis++)
        square += pow(view->position[axis] - view->centre[axis], 2);
    const double distance = view->kind == CAMERA_PERSPECTIVE ? sqrt(square) : 1;
    seen.rays = trace_choose_rays(ctx, mesh, view);
    if (mesh_layer_axis(mesh) >= 0)
        *steps *= mesh_cell_count(mesh) * seen.rays * seen.rays;
    else
        *steps *= cells_met(mesh, &seen, camera_pixel_size(view) * distance / seen.rays);
    return LR_OK;
}
