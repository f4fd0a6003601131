#include "solve/common/skip.h"

#include <math.h>

#include "base/threads.h"
#include "kernel/core_skipping.h"

struct job_skip skip_of_model(const lr_model *model)
{
    const struct mesh *mesh = &model->mesh;
    struct job_skip skip = {.on = model->physics.acceleration == ACCELERATION_SKIP, .x_crit = model->physics.x_crit};
    const bool open = !mesh_is_endless(mesh, 0) || !mesh_is_endless(mesh, 1) || !mesh_is_endless(mesh, 2);
    for (int axis = 0; axis < 3; axis++)
        skip.endless[axis] = open && mesh_is_endless(mesh, axis); /* gas without any end is as deep as its cell */
    return skip;
}

static double half_width(const struct mesh *mesh, const struct job_skip *skip, int i, int j, int k)
{
    double low[3], high[3], least = INFINITY;
    mesh_cell_box(mesh, i, j, k, low, high);
    for (int axis = 0; axis < (mesh->kind == MESH_SHELLS ? 1 : 3); axis++)
        if (!skip->endless[axis])
            least = fmin(least, high[axis] - low[axis]);
    return 0.5 * least;
}

double skip_largest_x_crit(const lr_model *model)
{
    const struct job_skip skip = skip_of_model(model);
    const struct mesh *mesh = &model->mesh;
    const struct medium *medium = &model->medium;
    const int threads = mesh_cell_count(mesh) < 1 << 16 ? 1 : thread_count(model->run.threads);
    double deepest = 0;
    if (!skip.on || skip.x_crit > 0)
        return skip.x_crit;
#pragma omp parallel for schedule(static) reduction(max : deepest) num_threads(threads)
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const int64_t cell = mesh_cell_index(mesh, i, j, k);
                const double depth = field_at(&medium->alpha0, cell) * half_width(mesh, &skip, i, j, k);
                deepest = fmax(deepest, field_at(&medium->a, cell) * depth);
            }
    return sqrt((double)core_of_depth((real)deepest));
}
