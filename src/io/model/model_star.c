/* The source kind `star`: an unresolved sphere that emits as a black body in all lines of the molecule. With
 * `populations: equilibrium` it excites the levels; images show pi R^2 B(T) photons s^-1 sr^-1 per unit velocity. */
#include <float.h>
#include <math.h>

#include "base/constants.h"
#include "io/model/model_source.h"
#include "io/model/model_value.h"
#include "model/line.h"
#include "model/species.h"

/* The width of the smallest of the up to eight cells of a refined mesh that touch a point. */
static double narrowest_around(const struct mesh *mesh, const double position[3])
{
    double narrowest = DBL_MAX;
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        int at[3];
        for (int axis = 0; axis < 3; axis++)
            point[axis] = position[axis] + (corner >> axis & 1 ? 1e-9 : -1e-9) * mesh_size(mesh, axis);
        mesh_find_point(mesh, point, at);
        narrowest = fmin(narrowest, mesh_cell_width(mesh, at[0], at[1], at[2]));
    }
    return narrowest;
}

/* The space available to a star: the cavity of shells, otherwise half of its cell. */
static double largest_radius(const struct mesh *mesh, const double position[3])
{
    double narrowest = DBL_MAX;
    if (mesh->kind == MESH_SHELLS)
        return mesh->edge[0][0] > 0.0 ? mesh->edge[0][0] : 0.5 * mesh->edge[0][1];
    if (mesh->kind == MESH_AMR)
        return 0.5 * narrowest_around(mesh, position);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < mesh->n[axis]; i++)
            if (mesh->edge[axis][i] <= position[axis] && position[axis] <= mesh->edge[axis][i + 1])
                narrowest = fmin(narrowest, mesh->edge[axis][i + 1] - mesh->edge[axis][i]);
    return 0.5 * narrowest;
}

static enum lr_status check_faces(const struct reader *r, const struct yaml_node *map)
{
    for (int face = 0; face < N_FACE; face++)
        if (r->model->mesh.face[face] == FACE_PERIODIC)
            return yaml_fail_key(r->ctx, r->tree, map,
                                 "a star in a periodic mesh would repeat in every period; make all faces open");
    return LR_OK;
}

/* Flat over a band around the shift `centre`: L = 4 pi pi R^2 B_v(T) width. */
static void fill_band(const lr_model *model, double centre, double width, struct source *source)
{
    source->spectrum = (struct spectrum){.kind = SPECTRUM_BAND, .centre = centre, .width = width};
    source->luminosity =
        4.0 * LR_PI * LR_PI * source->radius * source->radius * width * line_planck(&model->line, source->temperature);
}

enum lr_status read_star(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    const double band = 20.0; /* in units of reference_b, if there are no channels */
    const struct yaml_node *radius = NULL, *temperature = NULL;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_STAR));
    LR_TRY(check_faces(r, map));
    LR_TRY(read_source_position(r, map, source));
    LR_TRY(require_key(r, map, "radius", &radius));
    LR_TRY(require_key(r, map, "temperature", &temperature));
    LR_TRY(read_quantity(r, radius, DIMENSION_LENGTH, &source->radius));
    LR_TRY(read_quantity(r, temperature, DIMENSION_TEMPERATURE, &source->temperature));
    if (!(source->radius > 0.0))
        return READER_FAIL(r, radius, "the radius of a star must be above zero, not '%s'", radius->text);
    if (!(source->temperature > 0.0 && isfinite(source->temperature)))
        return READER_FAIL(r, temperature, "the temperature of a star must be above zero, not '%s'", temperature->text);
    const double most = largest_radius(&r->model->mesh, source->position);
    if (source->radius > most)
        return READER_FAIL(
            r, radius,
            "a star must be unresolved, but this one is larger than %.4g cm, %s; make it smaller, or give it more room",
            most,
            r->model->mesh.kind != MESH_SHELLS ? "half the size of its cell"
            : r->model->mesh.edge[0][0] > 0.0  ? "the inner radius of the shells"
                                               : "half of the first shell");
    source->light = LIGHT_STAR;
    fill_band(r->model, 0.0, band * r->model->reference_b, source);
    return LR_OK;
}

void spread_stars(lr_model *model)
{
    const double range = model->channels.n * model->channels.width;
    for (int i = 0; i < model->n_source && model->n_camera > 0; i++)
        if (model->source[i].light == LIGHT_STAR)
            fill_band(model, -(model->channels.first + 0.5 * range), 1.01 * range, &model->source[i]);
}

/* ---- What excites levels ---- */

static bool has_gas_source(const lr_model *model)
{
    for (int i = 0; i < model->n_source; i++)
        if (model->source[i].light == LIGHT_GAS)
            return true;
    return false;
}

/* Sources that the method would ignore are errors. */
static enum lr_status check_source(const struct reader *r, const struct yaml_node *entry, const struct source *source)
{
    const enum population_method method = r->model->species ? r->model->species->options.method : POPULATIONS_TWO_LEVEL;
    const bool star = source->light == LIGHT_STAR;
    if (star && !has_gas_source(r->model))
        return READER_FAIL(r, entry,
                           "a 'star' excites the levels of a molecule, which needs a 'gas' source: add '- gas: {}' to "
                           "the list. To emit packets, use a 'point' with a 'spectrum' and a 'luminosity'");
    if (source->light == LIGHT_GAS || !population_method_collides(method) || method == POPULATIONS_TWO_LEVEL)
        return LR_OK;
    if (method != POPULATIONS_EQUILIBRIUM)
        return READER_FAIL(r, entry,
                           "with 'populations: %s' only populations.background excites the levels, and this source "
                           "would not; use 'populations: equilibrium' with a 'star', or remove it",
                           population_method_name(method));
    if (star)
        return LR_OK;
    return READER_FAIL(r, entry,
                       "this source would not excite the levels: 'populations: equilibrium' takes only light from the "
                       "gas, its dust, populations.background and 'star' sources. Make it a 'star', or remove it");
}

enum lr_status check_pumping(const struct reader *r, const struct yaml_node *list)
{
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next)
        LR_TRY(check_source(r, entry, &r->model->source[entry->index]));
    return LR_OK;
}
