#include "solve/levels/derive.h"

#include <stdlib.h>
#include <string.h>

#include "model/field.h"

static bool follows_levels(const lr_model *model, const struct source *source)
{
    return source->light == LIGHT_GAS ||
           (source->light == LIGHT_THERMAL && model->species->options.method == POPULATIONS_TWO_LEVEL);
}

enum lr_status derive_model(lr_context *ctx, const lr_model *model, const double *x, lr_model *derived,
                            struct inversion *inversion)
{
    struct field gas = {0};
    enum lr_status status = LR_OK;
    *derived = *model;
    derived->source = NULL;
    derived->medium.alpha0 = (struct field){0};
    derived->group.strength = NULL;
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)model->n_source, sizeof *derived->source, &derived->source));
    memcpy(derived->source, model->source, (size_t)model->n_source * sizeof *derived->source);
    for (int s = 0; s < model->n_source; s++)
        if (follows_levels(model, &derived->source[s]))
            derived->source[s].emissivity = (struct field){0};
    LR_TRY_OR(fail, status, excitation_line(ctx, model, x, &derived->medium.alpha0, &gas, inversion));
    for (int s = 0; s < model->n_source; s++) {
        struct source *source = &derived->source[s];
        if (!follows_levels(model, source))
            continue;
        if (source->light == LIGHT_GAS) {
            source->emissivity = gas;
            gas = (struct field){0};
        } else {
            LR_TRY_OR(fail, status,
                      excitation_thermal(ctx, model, &derived->medium.alpha0, model->species->options.background,
                                         &source->emissivity));
        }
        source->luminosity = excitation_luminosity(&model->mesh, &source->emissivity);
        if (model->group.n > 1 && source->light == LIGHT_GAS)
            LR_TRY_OR(fail, status, excitation_group_luminosity(ctx, model, x, &source->luminosity));
    }
    if (model->group.n > 1)
        LR_TRY_OR(fail, status, excitation_group(ctx, model, x, &derived->group.strength, inversion));
    field_free(&gas);
    return LR_OK;
fail:
    field_free(&gas);
    derive_free(model, derived);
    return status;
}

void derive_free(const lr_model *model, lr_model *derived)
{
    for (int s = 0; derived->source && s < derived->n_source; s++)
        if (follows_levels(model, &derived->source[s]))
            field_free(&derived->source[s].emissivity);
    free(derived->source);
    if (derived->path) {
        field_free(&derived->medium.alpha0);
        free(derived->group.strength);
    }
    *derived = (lr_model){0};
}
