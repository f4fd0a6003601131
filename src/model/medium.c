#include "model/medium.h"

#include "model/field.h"
#include "model/line.h"

void medium_free(struct medium *medium)
{
    field_free(&medium->alpha0);
    field_free(&medium->b);
    field_free(&medium->a);
    for (int d = 0; d < 3; d++)
        field_free(&medium->velocity[d]);
    field_free(&medium->kappa);
    field_free(&medium->eps);
}

void medium_derive_b(const struct line *line, int64_t n_cell, struct medium *medium, struct field *turbulence)
{
    struct field *b = &medium->b;
    if (!b->values && !turbulence->values) {
        b->constant = line_doppler_b(line, b->constant, turbulence->constant);
        return;
    }
    double temperature = b->constant;
    bool uniform = !b->values;
    if (uniform) {
        b->values = turbulence->values;
        turbulence->values = NULL;
    }
    for (int64_t cell = 0; cell < n_cell; cell++)
        b->values[cell] = uniform ? line_doppler_b(line, temperature, b->values[cell])
                                  : line_doppler_b(line, b->values[cell], field_at(turbulence, cell));
}

/* 1 - g_l n_u / (g_u n_l); below zero for an inversion. */
static double stimulated_factor(const struct line *line, double lower, double upper)
{
    if (upper == 0.0)
        return 1.0;
    return lower > 0.0 ? 1.0 - line->g_lower * upper / (line->g_upper * lower) : -1.0;
}

enum lr_status medium_derive_opacity(lr_context *ctx, const struct line *line, int64_t n_cell, struct medium *medium,
                                     const struct field *upper, int64_t *inverted)
{
    struct field *alpha0 = &medium->alpha0;
    *inverted = -1;
    if (medium->b.values || (upper && upper->values))
        LR_TRY(field_expand(ctx, alpha0, n_cell));
    int64_t n_value = alpha0->values ? n_cell : 1;
    double *value = alpha0->values ? alpha0->values : &alpha0->constant;
    for (int64_t cell = 0; cell < n_value; cell++) {
        double factor = upper ? stimulated_factor(line, value[cell], field_at(upper, cell)) : 1.0;
        if (factor < 0.0 && *inverted < 0)
            *inverted = cell;
        value[cell] *= line_cross_section(line, field_at(&medium->b, cell)) * factor;
    }
    return LR_OK;
}

enum lr_status medium_derive_damping(lr_context *ctx, const struct line *line, int64_t n_cell, struct medium *medium)
{
    medium->a.constant = line_damping(line, medium->b.constant);
    if (!medium->b.values)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof(double), &medium->a.values));
    for (int64_t cell = 0; cell < n_cell; cell++)
        medium->a.values[cell] = line_damping(line, medium->b.values[cell]);
    return LR_OK;
}

double medium_mean_b(const struct mesh *mesh, const struct medium *medium)
{
    if (!medium->b.values)
        return medium->b.constant;
    double sum = 0.0, weight = 0.0;
    int64_t cell = 0;
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++, cell++) {
                double w = field_at(&medium->alpha0, cell) * mesh_cell_volume(mesh, i, j, k);
                sum += w * medium->b.values[cell];
                weight += w;
            }
    return weight > 0.0 ? sum / weight : field_measure(&medium->b, mesh).mean;
}

double medium_line_centre_depth(const lr_model *model, int axis, bool from_centre)
{
    return field_depth(&model->medium.alpha0, &model->mesh, axis, from_centre);
}
