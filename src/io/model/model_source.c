/* Section `sources`: a list; each entry is one kind of source with a spectrum and a strength. */
#include "io/model/model_source.h"

#include <float.h>
#include <math.h>

#include "base/constants.h"
#include "io/model/model_field.h"
#include "io/model/model_limits.h"
#include "io/model/model_packets.h"
#include "io/model/model_value.h"
#include "model/field.h"
#include "model/species.h"

/* ---- Strength ---- */

/* A photon rate (per area, per solid angle), or the same in energy at the line's frequency. */
static enum lr_status read_strength(const struct reader *r, const struct yaml_node *node, enum dimension photons,
                                    enum dimension energy, double *value)
{
    double power = 0.0;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    if (units_parse(r->units, node->text, energy, &power) == UNIT_OK)
        *value = power / (LR_PLANCK * r->model->line.nu0);
    else
        LR_TRY(read_quantity(r, node, photons, value));
    if (!(*value >= 0.0 && isfinite(*value)))
        return READER_FAIL(r, node, "'%s' is negative or too large", node->text);
    return LR_OK;
}

static enum lr_status check_luminosity(const struct reader *r, const struct yaml_node *node, double luminosity)
{
    if (luminosity == 0.0 || (luminosity >= LEAST_LUMINOSITY && luminosity <= MOST_LUMINOSITY))
        return LR_OK;
    return READER_FAIL(r, node, "the source emits %g photon/s; expected %g to %g, or zero", luminosity,
                       LEAST_LUMINOSITY, MOST_LUMINOSITY);
}

static double open_area(const struct mesh *mesh)
{
    double area = 0.0;
    for (int face = 0; face < N_FACE; face++)
        if (mesh->face[face] == FACE_OPEN)
            area += mesh_face_area(mesh, face);
    return area;
}

/* Exactly one of luminosity, flux and intensity, of those that apply to the kind of source. */
static enum lr_status read_luminosity(const struct reader *r, const struct yaml_node *entry, struct source *source)
{
    const struct yaml_node *luminosity = yaml_find(entry, "luminosity"), *flux = yaml_find(entry, "flux");
    const struct yaml_node *intensity = yaml_find(entry, "intensity");
    bool plane = source->kind == SOURCE_PLANE, external = source->kind == SOURCE_EXTERNAL;
    double area = plane ? mesh_face_area(&r->model->mesh, 2 * source->axis) : open_area(&r->model->mesh);
    int given = (luminosity != NULL) + (flux != NULL) + (intensity != NULL);
    if (flux && !plane && !external)
        return yaml_fail_key(r->ctx, r->tree, flux, "only plane and external sources have a flux; give 'luminosity'");
    if (intensity && !external)
        return yaml_fail_key(r->ctx, r->tree, intensity, "only external sources have an intensity");
    if (given != 1)
        return READER_FAIL(r, entry, "expected one of 'luminosity'%s%s, found %d", plane || external ? ", 'flux'" : "",
                           external ? ", 'intensity'" : "", given);
    if (luminosity) {
        LR_TRY(read_strength(r, luminosity, DIMENSION_PHOTON_RATE, DIMENSION_POWER, &source->luminosity));
        return check_luminosity(r, luminosity, source->luminosity);
    }
    LR_TRY(flux ? read_strength(r, flux, DIMENSION_PHOTON_FLUX, DIMENSION_ENERGY_FLUX, &source->luminosity)
                : read_strength(r, intensity, DIMENSION_PHOTON_INTENSITY, DIMENSION_ENERGY_INTENSITY,
                                &source->luminosity));
    source->luminosity *= flux ? area : LR_PI * area;
    return check_luminosity(r, flux ? flux : intensity, source->luminosity);
}

/* ---- Geometry ---- */

/* Words are in the order of enum angular_kind, but points have no Lambertian. */
static enum lr_status read_emission(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    const bool point = source->kind == SOURCE_POINT;
    const struct yaml_node *direction = yaml_find(map, "direction");
    int kind = 0;
    LR_TRY(read_choice(r, yaml_find(map, "emission"), point ? &SCHEMA_POINT : &SCHEMA_PLANE, "emission", &kind));
    source->angular = point && kind == 1 ? ANGULAR_BEAM : (enum angular_kind)kind;
    if (source->angular == ANGULAR_ISOTROPIC) {
        if (direction)
            return yaml_fail_key(r->ctx, r->tree, direction, "isotropic emission has no direction");
        return LR_OK;
    }
    LR_TRY(require_key(r, map, "direction", &direction));
    return read_direction(r, direction, source->direction);
}

enum lr_status read_source_position(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    const struct yaml_node *position = NULL;
    LR_TRY(require_key(r, map, "position", &position));
    LR_TRY(read_vector(r, position, DIMENSION_LENGTH, source->position));
    if (!mesh_contains(&r->model->mesh, source->position))
        return READER_FAIL(r, position, "the source lies outside the mesh");
    if (r->model->mesh.kind == MESH_SHELLS &&
        (source->position[0] != 0.0 || source->position[1] != 0.0 || source->position[2] != 0.0))
        return READER_FAIL(
            r, position,
            "on a mesh of shells a point source must be at the centre, [0, 0, 0], to keep spherical symmetry");
    return LR_OK;
}

static enum lr_status read_point(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_POINT));
    LR_TRY(read_source_position(r, map, source));
    LR_TRY(read_emission(r, map, source));
    if (r->model->mesh.kind == MESH_SHELLS && source->angular != ANGULAR_ISOTROPIC)
        return READER_FAIL(r, yaml_find(map, "emission"), "on a mesh of shells a point source must be isotropic");
    return check_beam(r, map, source);
}

static enum lr_status read_plane(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    if (r->model->mesh.kind == MESH_SHELLS)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "a mesh of shells is spherically symmetric and has no planes; use point, volume, "
                             "external, packets or thermal");
    const struct yaml_node *axis = NULL, *at = NULL;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_PLANE));
    LR_TRY(require_key(r, map, "axis", &axis));
    LR_TRY(require_key(r, map, "at", &at));
    LR_TRY(read_choice(r, axis, &SCHEMA_PLANE, "axis", &source->axis));
    LR_TRY(read_quantity(r, at, DIMENSION_LENGTH, &source->offset));
    const struct mesh *mesh = &r->model->mesh;
    if (!(source->offset >= mesh_lower(mesh, source->axis) && source->offset <= mesh_upper(mesh, source->axis)))
        return READER_FAIL(r, at, "the plane lies outside the mesh");
    LR_TRY(read_emission(r, map, source));
    if (source->angular == ANGULAR_LAMBERTIAN && fabs(source->direction[source->axis]) < 1.0)
        return READER_FAIL(r, yaml_find(map, "direction"), "a Lambertian plane must face +%c or -%c",
                           "xyz"[source->axis], "xyz"[source->axis]);
    return check_beam(r, map, source);
}

static enum lr_status read_volume(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    const struct field_rule rule = {DIMENSION_ANY, true, 0.0, DBL_MAX};
    LR_TRY(READER_KEYS(r, map, &SCHEMA_VOLUME));
    const struct yaml_node *emissivity = yaml_find(map, "emissivity");
    source->emissivity.constant = 1.0;
    if (!emissivity)
        return LR_OK;
    LR_TRY(read_field(r, emissivity, &rule, &source->emissivity));
    if (field_is_zero(&source->emissivity, mesh_cell_count(&r->model->mesh)))
        return READER_FAIL(r, emissivity, "the emissivity is zero everywhere");
    return LR_OK;
}

static enum lr_status read_external(const struct reader *r, const struct yaml_node *map)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_NOTHING));
    if (open_area(&r->model->mesh) == 0.0)
        return READER_FAIL(r, map, "no face is open, so nothing can come in from outside");
    return LR_OK;
}

static enum lr_status read_body(const struct reader *r, const struct yaml_node *body, struct source *source)
{
    switch (source->kind) {
    case SOURCE_POINT:
        return read_point(r, body, source);
    case SOURCE_PLANE:
        return read_plane(r, body, source);
    case SOURCE_VOLUME:
        return read_volume(r, body, source);
    case SOURCE_EXTERNAL:
        return read_external(r, body);
    case SOURCE_PACKETS:
        break;
    }
    return read_packets(r, body, source);
}

static enum lr_status read_source(const struct reader *r, const struct yaml_node *entry, struct source *source)
{
    enum { THERMAL = 5, GAS = 6, STAR = 7, N_KIND = 8 }; /* the kinds come first in the schema */
    const struct schema_key *const keys = SCHEMA_SOURCE.key;
    LR_TRY(READER_KEYS(r, entry, &SCHEMA_SOURCE));
    const struct yaml_node *body = NULL, *spectrum = NULL;
    int chosen = 0;
    for (int kind = 0; kind < N_KIND; kind++) {
        const struct yaml_node *found = yaml_find(entry, keys[kind].name);
        if (found && body)
            return yaml_fail_key(r->ctx, r->tree, found, "a source has one kind; '%s' is also given", body->key);
        if (found) {
            body = found;
            chosen = kind;
            source->kind = kind == STAR ? SOURCE_POINT : kind >= THERMAL ? SOURCE_VOLUME : (enum source_kind)kind;
        }
    }
    if (!body)
        return READER_FAIL(r, entry,
                           "a source must be one of: point, plane, volume, external, packets, thermal, gas, star");
    LR_TRY(chosen == THERMAL ? read_thermal(r, body, source)
           : chosen == GAS   ? read_gas(r, body, body, source)
           : chosen == STAR  ? read_star(r, body, source)
                             : read_body(r, body, source));
    if (chosen >= THERMAL || source->kind == SOURCE_PACKETS) {
        for (int i = N_KIND; i < SCHEMA_SOURCE.n_key; i++)
            if (yaml_find(entry, keys[i].name))
                return yaml_fail_key(r->ctx, r->tree, yaml_find(entry, keys[i].name), "the %s already sets this",
                                     chosen == STAR      ? "temperature of the star"
                                     : chosen >= THERMAL ? "gas"
                                                         : "packet list");
        return LR_OK;
    }
    LR_TRY(require_key(r, entry, "spectrum", &spectrum));
    LR_TRY(read_spectrum(r, spectrum, source->kind == SOURCE_VOLUME, &source->spectrum));
    return read_luminosity(r, entry, source);
}

/* Without a list, a molecule emits by itself: from its levels, or as a two-level atom through collisions. */
static enum lr_status read_default_source(const struct reader *r)
{
    lr_model *model = r->model;
    const struct yaml_node *root = r->tree->root, *line = yaml_find(root, "line");
    if (!model->species)
        return yaml_fail_key(r->ctx, r->tree, root, "the key 'sources' is missing");
    LR_TRY(lr_allocate(r->ctx, 1, sizeof *model->source, &model->source));
    model->n_source = 1;
    if (model->species->options.method == POPULATIONS_TWO_LEVEL) {
        model->source->kind = SOURCE_VOLUME;
        return read_thermal(r, NULL, model->source);
    }
    return read_gas(r, NULL, line, model->source);
}

/* Whether a run will compute populations, other than LTE or read from a file. */
static bool finds_populations(const lr_model *model)
{
    return model->species && population_method_collides(model->species->options.method);
}

enum lr_status read_sources(const struct reader *r, const struct yaml_node *node)
{
    lr_model *model = r->model;
    if (!node)
        return read_default_source(r);
    if (yaml_is_empty(node))
        return READER_FAIL(r, node, "the list of sources is empty");
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (!node->first)
        return READER_FAIL(r, node, "the list of sources is empty");
    LR_TRY(lr_allocate(r->ctx, (size_t)node->n_child, sizeof *model->source, &model->source));
    model->n_source = node->n_child;
    double total = 0.0;
    for (const struct yaml_node *entry = node->first; entry; entry = entry->next) {
        LR_TRY(read_source(r, entry, &model->source[entry->index]));
        total += model->source[entry->index].luminosity;
    }
    LR_TRY(check_pumping(r, node));
    if (finds_populations(model) && isfinite(total))
        return LR_OK; /* the emission of the gas is not known yet */
    if (!(total > 0.0 && isfinite(total)))
        return READER_FAIL(r, node, "the sources emit nothing: the total luminosity is %g photon/s", total);
    return LR_OK;
}
