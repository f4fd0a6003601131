/* Where the cells of a model are. */
#include <stddef.h>

#include "base/context.h"
#include "linerad_tools.h"
#include "model/model.h"

enum lr_status lr_model_centres(lr_context *ctx, const lr_model *model, int shape[4], int *rank, double **centres)
{
    const struct mesh *mesh = &model->mesh;
    const int64_t n = mesh_cell_count(mesh);
    const int n_axis = mesh->kind == MESH_SHELLS ? 1 : 3;
    *rank = mesh_field_shape(mesh, shape);
    LR_TRY(lr_allocate(ctx, (size_t)n * (size_t)n_axis, sizeof(double), centres));
    for (int64_t cell = 0; cell < n; cell++) {
        int at[3];
        double low[3], high[3];
        mesh_cell_place(mesh, cell, at);
        mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
        for (int axis = 0; axis < n_axis; axis++)
            (*centres)[axis * n + cell] = 0.5 * (low[axis] + high[axis]);
    }
    return LR_OK;
}
