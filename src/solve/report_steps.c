/* Where the line moves by more than its width from one cell to the next, photons pass between the two. */
#include "solve/report.h"

#include <math.h>

#include "base/context.h"
#include "mesh/neighbour.h"

struct step {
    double size; /* in b */
    int64_t cell;
    int axis;
};

/* Velocity difference of two cells with gas, in the smaller b. */
static double step_between(const struct medium *medium, int64_t cell, int64_t other)
{
    double step = 0.0;
    if (field_at(&medium->alpha0, cell) == 0.0 || field_at(&medium->alpha0, other) == 0.0)
        return 0.0;
    for (int d = 0; d < 3; d++)
        step = hypot(step, field_at(&medium->velocity[d], cell) - field_at(&medium->velocity[d], other));
    return step / fmin(field_at(&medium->b, cell), field_at(&medium->b, other));
}

static void check_step(const struct medium *medium, int64_t cell, int64_t other, int axis, struct step *worst)
{
    const double step = step_between(medium, cell, other);
    if (step > worst->size)
        *worst = (struct step){step, cell, axis};
}

static void check_cell(const lr_model *model, int64_t cell, struct step *worst)
{
    const struct mesh *mesh = &model->mesh;
    int at[3];
    int64_t other[MESH_MOST_NEIGHBOURS];
    double centre[MESH_MOST_NEIGHBOURS][3];
    mesh_cell_place(mesh, cell, at);
    for (int axis = 0; axis < 3; axis++) {
        const int n = mesh_neighbours(mesh, at, axis, 1, other, centre);
        for (int k = 0; k < n; k++)
            if (centre[k][axis] < mesh_upper(mesh, axis)) /* not of the next period */
                check_step(&model->medium, cell, other[k], axis, worst);
    }
}

void report_velocity_steps(lr_context *ctx, const lr_model *model)
{
    const struct medium *medium = &model->medium;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const bool shells = model->mesh.kind == MESH_SHELLS;
    struct step worst = {0.0, 0, 0};
    char place[64];
    if (!medium->velocity[0].values && !medium->velocity[1].values && !medium->velocity[2].values)
        return;
    for (int64_t cell = 0; cell < n_cell; cell++)
        if (!shells)
            check_cell(model, cell, &worst);
        else if (cell + 1 < n_cell)
            check_step(medium, cell, cell + 1, 0, &worst);
    mesh_name_cell(&model->mesh, worst.cell, place, sizeof place);
    if (worst.size > 1.0 && shells)
        lr_log(ctx, LR_LOG_WARNING,
               "the velocity changes by up to %.3g b between neighbouring shells, after shell %s: photons pass between "
               "the two without meeting the line; use thinner shells or more turbulence",
               worst.size, place);
    else if (worst.size > 1.0)
        lr_log(ctx, LR_LOG_WARNING,
               "the velocity changes by up to %.3g b between neighbouring cells, along %c after cell %s: photons pass "
               "between the two without meeting the line; use smaller cells or more turbulence",
               worst.size, "xyz"[worst.axis], place);
}
