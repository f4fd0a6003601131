#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

enum lr_status mesh_build_uniform(lr_context *ctx, const int n[3], const double lower[3], const double size[3],
                                  struct mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++) {
        mesh->n[axis] = n[axis];
        LR_TRY(lr_allocate(ctx, (size_t)n[axis] + 1, sizeof(double), &mesh->edge[axis]));
        for (int i = 0; i < n[axis]; i++)
            mesh->edge[axis][i] = lower[axis] + size[axis] * i / n[axis];
        mesh->edge[axis][n[axis]] = lower[axis] + size[axis];
    }
    return LR_OK;
}

enum lr_status mesh_copy(lr_context *ctx, const struct mesh *from, struct mesh *to)
{
    for (int axis = 0; axis < 3; axis++) {
        const size_t n = (size_t)from->n[axis] + 1;
        LR_TRY(lr_allocate(ctx, n, sizeof(double), &to->edge[axis]));
        memcpy(to->edge[axis], from->edge[axis], n * sizeof(double));
        to->n[axis] = from->n[axis];
    }
    memcpy(to->face, from->face, sizeof to->face);
    return LR_OK;
}

void mesh_free(struct mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++) {
        free(mesh->edge[axis]);
        mesh->edge[axis] = NULL;
    }
}

int mesh_find_disorder(const struct mesh *mesh, int axis)
{
    for (int i = 0; i < mesh->n[axis]; i++)
        if (!(mesh->edge[axis][i] < mesh->edge[axis][i + 1]))
            return i;
    return -1;
}

int mesh_find_cell(const struct mesh *mesh, int axis, double x)
{
    const double *edge = mesh->edge[axis];
    int low = 0, high = mesh->n[axis];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (edge[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool mesh_contains(const struct mesh *mesh, const double point[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (!(point[axis] >= mesh->edge[axis][0] && point[axis] <= mesh->edge[axis][mesh->n[axis]]))
            return false;
    return true;
}

double mesh_face_area(const struct mesh *mesh, int face)
{
    int axis = face / 2;
    return mesh_size(mesh, (axis + 1) % 3) * mesh_size(mesh, (axis + 2) % 3);
}
