#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "model/field.h"
#include "model/medium.h"
#include "model/model_blocks.h"
#include "model/species.h"

static void source_free(struct source *source)
{
    free(source->spectrum.shift);
    free(source->spectrum.density);
    field_free(&source->emissivity);
    free(source->packet_position);
    free(source->packet_direction);
    free(source->packet_shift);
    free(source->packet_weight);
}

void lr_model_free(lr_model *model)
{
    if (!model)
        return;
    model_blocks_forget(model);
    for (int i = 0; i < model->n_source; i++)
        source_free(&model->source[i]);
    free(model->source);
    free(model->group.member);
    medium_free(&model->medium);
    species_free(model->species);
    mesh_free(&model->mesh);
    free(model->camera);
    free(model->text);
    free(model->resolved);
    free(model->snapshot);
    free(model->path);
    if (model->shared.release)
        model->shared.release(model->shared.owner, model->shared.memory);
    free(model);
}

double model_luminosity(const lr_model *model)
{
    double sum = 0;
    for (int s = 0; s < model->n_source; s++)
        sum += model->source[s].luminosity;
    return sum;
}

const char *lr_model_text(const lr_model *model, const char *name)
{
    if (strcmp(name, "model") == 0)
        return model->text;
    return strcmp(name, "model_resolved") == 0 ? model->resolved : NULL;
}
