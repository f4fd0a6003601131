/* Light of the gas itself: the source `gas`, n x_u A_ul photons s^-1 cm^-3 with the profile of the cell; and dust,
 * whose grey absorption emits kappa B(T_dust). */
#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "io/model/model_source.h"
#include "model/excitation.h"
#include "model/field.h"
#include "model/line.h"

/* Absorption in the line is already part of the populations, so nothing may scatter. */
static enum lr_status check_gas(const struct reader *r, const struct yaml_node *place)
{
    const struct yaml_node *root = r->tree->root, *destruction = yaml_find(yaml_find(root, "medium"), "destruction");
    const struct yaml_node *packets = yaml_find(yaml_find(root, "run"), "packets");
    const struct species *species = r->model->species;
    if (!species)
        return yaml_fail_key(r->ctx, r->tree, place,
                             "only a molecule has levels that emit; write for example line: {molecule: co.dat}");
    if (species->options.method == POPULATIONS_TWO_LEVEL)
        return yaml_fail_key(r->ctx, r->tree, place,
                             "in a two-level atom, collisions create the photons; use 'thermal' instead");
    if (destruction)
        return yaml_fail_key(r->ctx, r->tree, destruction,
                             "with a 'gas' source, absorbed photons are part of the level populations; remove this");
    if (packets && r->model->run.packets > 0)
        return READER_FAIL(r, packets,
                           "the light of this model comes from level populations, which contain all scattering "
                           "already, so there are no "
                           "packets to follow; leave out their number, or use 'populations: two-level'");
    return LR_OK;
}

enum lr_status read_gas(const struct reader *r, const struct yaml_node *map, const struct yaml_node *place,
                        struct source *source)
{
    lr_model *model = r->model;
    struct field unused = {0};
    struct inversion inversion;
    if (map)
        LR_TRY(READER_KEYS(r, map, &SCHEMA_NOTHING));
    LR_TRY(check_gas(r, place));
    for (int i = 0; i < model->n_source; i++)
        if (&model->source[i] != source && model->source[i].light == LIGHT_GAS)
            return yaml_fail_key(r->ctx, r->tree, place, "only one 'gas' source is allowed");
    enum lr_status status =
        excitation_line(r->ctx, model, model->species->populations, &unused, &source->emissivity, &inversion);
    field_free(&unused);
    LR_TRY(status);
    model->run.packets = 0;
    model->medium.eps.constant = 1.0;
    source->kind = SOURCE_VOLUME;
    source->light = LIGHT_GAS;
    source->spectrum = (struct spectrum){.kind = SPECTRUM_LOCAL, .gas_frame = true};
    source->luminosity = excitation_luminosity(&model->mesh, &source->emissivity);
    if (model->group.n > 1)
        LR_TRY(excitation_group_luminosity(r->ctx, model, model->species->populations, &source->luminosity));
    return isfinite(source->luminosity)
               ? LR_OK
               : yaml_fail_key(r->ctx, r->tree, place, "the gas emits %g photon/s", source->luminosity);
}

/* Packets of a two-level atom carry the excess over its background, and so must its images. */
enum lr_status check_two_level_images(const struct reader *r)
{
    const lr_model *model = r->model;
    const struct yaml_node *node = yaml_find(yaml_find(r->tree->root, "image"), "background");
    if (!model->species || model->species->options.method != POPULATIONS_TWO_LEVEL || !node ||
        !(model->species->options.background > 0.0) || !(model->image.background > 0.0))
        return LR_OK;
    return READER_FAIL(r, node,
                       "with 'populations: two-level', images show the excess over populations.background; remove "
                       "this, or set that to 0 K");
}

/* Flat over all channels of the images, which alone show it: 4 pi kappa B_v(T) per unit velocity. */
enum lr_status read_dust_light(const struct reader *r)
{
    lr_model *model = r->model;
    const struct species *species = model->species;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    if (!species || model->n_camera == 0 || field_is_zero(&species->dust_temperature, n_cell) ||
        field_is_zero(&model->medium.kappa, n_cell))
        return LR_OK;
    struct source *grown = realloc(model->source, (size_t)(model->n_source + 1) * sizeof *grown);
    if (!grown)
        return lr_fail(r->ctx, LR_ERROR_MEMORY, "out of memory");
    model->source = grown;
    struct source *source = &grown[model->n_source++];
    const double range = model->channels.n * model->channels.width;
    *source = (struct source){.kind = SOURCE_VOLUME, .light = LIGHT_DUST};
    source->spectrum = (struct spectrum){
        .kind = SPECTRUM_BAND, .centre = -(model->channels.first + 0.5 * range), .width = 1.01 * range};
    const bool many = species->dust_temperature.values || model->medium.kappa.values;
    if (many)
        LR_TRY(field_expand(r->ctx, &source->emissivity, n_cell));
    for (int64_t cell = 0; cell < (many ? n_cell : 1); cell++)
        *(many ? &source->emissivity.values[cell] : &source->emissivity.constant) =
            4.0 * LR_PI * field_at(&model->medium.kappa, cell) * source->spectrum.width *
            line_planck(&model->line, field_at(&species->dust_temperature, cell));
    source->luminosity = excitation_luminosity(&model->mesh, &source->emissivity);
    return LR_OK;
}
