#include "solve/levels/level_star.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/context.h"
#include "solve/common/quadrature.h"

/* ---- what a point sees of a box ---- */

/* INT dx dy / (x^2 + y^2 + d^2) over a rectangle. With y = d sinh(t) it is INT [atan(x / s)] dt, s = d cosh(t), which
 * is smooth however small d is. */
static double rectangle_integral(const struct quadrature *rule, const double x[2], double y0, double y1, double d)
{
    if (y0 < 0 && y1 > 0) /* where s is smallest */
        return rectangle_integral(rule, x, y0, 0, d) + rectangle_integral(rule, x, 0, y1, d);
    const double t0 = asinh(y0 / d), t1 = asinh(y1 / d);
    double sum = 0;
    for (int i = 0; i < rule->n; i++) {
        const double s = d * cosh(t0 + (t1 - t0) * rule->node[i]);
        sum += rule->weight[i] * (atan(x[1] / s) - atan(x[0] / s));
    }
    return sum * (t1 - t0);
}

/* The corner formula for a rectangle, from the foot of the perpendicular. */
static double corner_angle(double x, double y, double d)
{
    return atan(x * y / (d * sqrt(x * x + y * y + d * d)));
}

/* Because div(r / r^2) = 1 / r^2, the integral is that of d / r^2 over the faces, where d is the distance of a face
 * along its outward normal. Light leaves through the faces with d > 0, and fills their solid angle. */
struct box_view level_star_box(const double low[3], const double high[3])
{
    enum { NODES = 16 };
    struct quadrature rule;
    struct box_view seen = {0, 0};
    quadrature_make(NODES, &rule);
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const double d = face % 2 ? high[axis] : -low[axis];
        const double x[2] = {low[a], high[a]};
        if (fabs(d) < 1e-9 * (high[axis] - low[axis]))
            continue;
        seen.inverse_square += d * rectangle_integral(&rule, x, low[b], high[b], fabs(d));
        if (d > 0)
            seen.solid_angle += corner_angle(x[1], high[b], d) - corner_angle(x[0], high[b], d) -
                                corner_angle(x[1], low[b], d) + corner_angle(x[0], low[b], d);
    }
    return seen;
}

/* ---- cells ---- */

/* W = (1 - sqrt(1 - u)) / 2 with u = (R / r)^2, where r^-2 is the mean over the cell; the mean path of the light
 * through it is l = INT dV / r^2 / solid angle. */
static void fill_cell(const struct box_view *seen, double volume, double radius, double *dilution, double *length)
{
    const double u = fmin(radius * radius * seen->inverse_square / volume, 1);
    *dilution = 0.5 * u / (1 + sqrt(1 - u));
    *length = seen->inverse_square / seen->solid_angle;
}

static void fill_shells(const struct prepared_levels *prepared, const struct source *source, double *dilution,
                        double *length)
{
    const struct mesh *mesh = &prepared->model->mesh;
    for (int i = 0; i < mesh->n[0]; i++) {
        const double width = mesh->edge[0][i + 1] - mesh->edge[0][i];
        const struct box_view seen = {4 * LR_PI * width, 4 * LR_PI};
        fill_cell(&seen, mesh_cell_volume(mesh, i, 0, 0), source->radius, &dilution[i], &length[i]);
        length[i] /= prepared->unit.length;
    }
}

static void fill_boxes(const struct prepared_levels *prepared, const struct source *source, double *dilution,
                       double *length)
{
    const struct mesh *mesh = &prepared->model->mesh;
    int64_t cell = 0;
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++, cell++) {
                double low[3], high[3];
                mesh_cell_box(mesh, i, j, k, low, high);
                for (int axis = 0; axis < 3; axis++) {
                    low[axis] -= source->position[axis];
                    high[axis] -= source->position[axis];
                }
                const struct box_view seen = level_star_box(low, high);
                fill_cell(&seen, mesh_cell_volume(mesh, i, j, k), source->radius, &dilution[cell], &length[cell]);
                length[cell] /= prepared->unit.length;
            }
}

/* ---- stars ---- */

static enum lr_status make_star(lr_context *ctx, struct prepared_levels *prepared, const struct source *source,
                                struct level_star *star)
{
    const struct level_job *job = &prepared->job;
    const struct mesh *mesh = &prepared->model->mesh;
    double *light = NULL, *dilution = NULL, *length = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)job->n_line, sizeof *light, &light));
    star->light = light;
    LR_TRY(lr_allocate(ctx, (size_t)job->n_cell, sizeof *dilution, &dilution));
    star->dilution = dilution;
    LR_TRY(lr_allocate(ctx, (size_t)job->n_cell, sizeof *length, &length));
    star->length = length;
    for (int l = 0; l < job->n_line; l++)
        light[l] = 1 / expm1(job->line[l].energy / source->temperature);
    for (int axis = 0; axis < (mesh->kind == MESH_SHELLS ? 1 : 3); axis++)
        star->point[axis] = (source->position[axis] - mesh_lower(mesh, axis)) / prepared->unit.length;
    (mesh->kind == MESH_SHELLS ? fill_shells : fill_boxes)(prepared, source, dilution, length);
    return LR_OK;
}

enum lr_status level_stars_make(lr_context *ctx, struct prepared_levels *prepared)
{
    const lr_model *model = prepared->model;
    LR_TRY(lr_allocate(ctx, (size_t)model->n_source, sizeof *prepared->star, &prepared->star));
    prepared->job.star = prepared->star;
    for (int s = 0; s < model->n_source; s++)
        if (model->source[s].light == LIGHT_STAR)
            LR_TRY(make_star(ctx, prepared, &model->source[s], &prepared->star[prepared->job.n_star++]));
    return LR_OK;
}

void level_stars_free(struct prepared_levels *prepared)
{
    for (int s = 0; s < prepared->job.n_star; s++) {
        free((void *)prepared->star[s].light);
        free((void *)prepared->star[s].dilution);
        free((void *)prepared->star[s].length);
    }
    free(prepared->star);
    prepared->star = NULL;
}
