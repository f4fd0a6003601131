/* The source `thermal`: photons created in the gas by collisions, with the emissivity eps alpha0 H(a, x) B(T). Over the
 * line, INT H dv = sqrt(pi) b; over all directions this gives 4 pi sqrt(pi) eps alpha0 b B_v(T) photons s^-1 cm^-3. */
#include "io/model/model_source.h"

#include <float.h>
#include <math.h>

#include "base/constants.h"
#include "base/threads.h"
#include "io/model/model_field.h"
#include "io/model/model_temperature.h"
#include "model/excitation.h"
#include "model/field.h"
#include "model/line.h"

/* The medium stores b but not the temperature, which is therefore read from the model once more. */
static enum lr_status find_temperature(const struct reader *r, const struct yaml_node *map, struct field *temperature)
{
    const struct field_rule rule = {DIMENSION_TEMPERATURE, false, 0.0, MOST_TEMPERATURE};
    const struct yaml_node *node = yaml_find(map, "temperature");
    bool found = false;
    if (node)
        return read_field(r, node, &rule, temperature);
    LR_TRY(read_temperature(r, yaml_find(r->tree->root, "medium"), temperature, &found));
    if (!found)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "the gas has no temperature; write for example thermal: {temperature: 20 K}");
    return LR_OK;
}

/* Convert temperatures to emissivities, in place. */
static enum lr_status derive_emissivity(const struct reader *r, struct field *field)
{
    const lr_model *model = r->model;
    const struct medium *medium = &model->medium;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    if (medium->eps.values || medium->alpha0.values || medium->b.values)
        LR_TRY(field_expand(r->ctx, field, n_cell));
    const int64_t n_value = field->values ? n_cell : 1;
    double *value = field->values ? field->values : &field->constant;
#pragma omp parallel for schedule(static) if (n_value > 4096) num_threads(thread_count(model->run.threads))
    for (int64_t cell = 0; cell < n_value; cell++)
        value[cell] = 4.0 * LR_PI * LR_SQRT_PI * field_at(&medium->eps, cell) * field_at(&medium->alpha0, cell) *
                      field_at(&medium->b, cell) * line_planck(&model->line, value[cell]);
    field_compact(field, n_cell);
    return LR_OK;
}

/* For a two-level atom, the excess over the surroundings: gas that only scatters does not change a uniform isotropic
 * background, so only the excess has to be followed. */
static enum lr_status read_two_level(const struct reader *r, const struct yaml_node *place, struct source *source)
{
    const lr_model *model = r->model;
    const struct species *species = model->species;
    const double background = species->options.background;
    if (yaml_find(place, "temperature"))
        return yaml_fail_key(r->ctx, r->tree, yaml_find(place, "temperature"),
                             "'populations: two-level' uses 'medium.temperature'");
    if (model->run.packets == 0)
        return yaml_fail_key(r->ctx, r->tree, place, "'populations: two-level' needs packets, but run.packets is 0");
    const struct field_range range = field_measure(&species->temperature, &model->mesh);
    if (range.low < background)
        return yaml_fail_key(r->ctx, r->tree, place,
                             "the gas at %.4g K is colder than the background at %.4g K, which 'two-level' does not "
                             "support; set populations.background to 0 K and add an 'external' source",
                             range.low, background);
    if (background > 0.0 && !field_is_zero(&model->medium.kappa, mesh_cell_count(&model->mesh)))
        return yaml_fail_key(r->ctx, r->tree, place,
                             "'two-level' does not support a background together with absorption; set "
                             "populations.background to 0 K and add an 'external' source");
    LR_TRY(excitation_thermal(r->ctx, model, &model->medium.alpha0, background, &source->emissivity));
    source->luminosity = excitation_luminosity(&model->mesh, &source->emissivity);
    return LR_OK;
}

enum lr_status read_thermal(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    const struct mesh *mesh = &r->model->mesh;
    if (map)
        LR_TRY(READER_KEYS(r, map, &SCHEMA_THERMAL));
    source->light = LIGHT_THERMAL;
    source->spectrum = (struct spectrum){.kind = SPECTRUM_LOCAL, .gas_frame = true};
    if (r->model->species && r->model->species->options.method == POPULATIONS_TWO_LEVEL)
        return read_two_level(r, map ? map : yaml_find(r->tree->root, "populations"), source);
    if (field_is_zero(&r->model->medium.eps, mesh_cell_count(mesh)))
        return yaml_fail_key(r->ctx, r->tree, map,
                             "collisions that create photons also destroy them: 'medium.destruction' must be above "
                             "zero somewhere");
    LR_TRY(find_temperature(r, map, &source->emissivity));
    LR_TRY(derive_emissivity(r, &source->emissivity));
    source->luminosity = field_measure(&source->emissivity, mesh).mean * mesh_volume(mesh);
    if (!isfinite(source->luminosity))
        return yaml_fail_key(r->ctx, r->tree, map, "the gas emits %g photon/s", source->luminosity);
    return LR_OK;
}
