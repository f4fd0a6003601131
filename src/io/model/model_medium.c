/* Section `medium`: from what users give (temperature, density or depth, ...) to what the transport needs (alpha0, b,
 * a, velocity, kappa, eps). */
#include "io/model/model_medium.h"
#include "io/model/model_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/model_field.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_species.h"
#include "io/model/model_temperature.h"
#include "io/model/model_value.h"
#include "io/snapshot/snapshot.h"
#include "model/field.h"
#include "model/line.h"
#include "model/medium.h"
#include "model/species.h"

static const struct field_rule SPEED = {DIMENSION_VELOCITY, false, 0.0, LR_LIGHT_SPEED};
static const struct field_rule POSITIVE_SPEED = {DIMENSION_VELOCITY, false, LEAST_DOPPLER, LR_LIGHT_SPEED};
static const struct field_rule VELOCITY = {DIMENSION_VELOCITY, false, -LR_LIGHT_SPEED, LR_LIGHT_SPEED};
static const struct field_rule DENSITY = {DIMENSION_DENSITY, true, 0.0, MOST_DENSITY};
static const struct field_rule OPACITY = {DIMENSION_INVERSE_LENGTH, true, 0.0, DBL_MAX};
static const struct field_rule DAMPING = {DIMENSION_NONE, false, 0.0, 10.0}; /* where kernel/voigt.h is accurate */

static enum lr_status refuse_both(const struct reader *r, const struct yaml_node *map, const char *one,
                                  const char *other)
{
    const struct yaml_node *node = yaml_find(map, other);
    if (node && yaml_find(map, one))
        return READER_FAIL(r, node, "'%s' is also given; remove one of them", one);
    return LR_OK;
}

/* This catches overflow in derived numbers, and b = 0. */
static enum lr_status check_derived(const struct reader *r, const struct yaml_node *node, const struct field *field,
                                    const char *name, double low, double high)
{
    const struct mesh *mesh = &r->model->mesh;
    int64_t n_value = field->values ? mesh_cell_count(mesh) : 1;
    for (int64_t cell = 0; cell < n_value; cell++) {
        double value = field_at(field, cell);
        if (value >= low && value <= high)
            continue;
        char place[64];
        name_cell(mesh, cell, place, sizeof place);
        if (isfinite(value) && value > high)
            return READER_FAIL(r, node, "the %s is %g at cell %s, above the limit of %g", name, value, place, high);
        if (value > 0.0 && value < low)
            return READER_FAIL(r, node, "the %s is %g at cell %s, below the limit of %g", name, value, place, low);
        return READER_FAIL(r, node, "the %s is %g at cell %s", name, value, place);
    }
    return LR_OK;
}

/* An optical depth of 1e15 across the mesh: no photon would ever finish, and single precision is close to its limit. */
static double largest_opacity(const struct reader *r)
{
    const struct mesh *mesh = &r->model->mesh;
    return 1e15 / fmax(fmax(mesh_size(mesh, 0), mesh_size(mesh, 1)), mesh_size(mesh, 2));
}

/* The thermal width needs the temperature, which has already been read for a molecule. */
static enum lr_status start_with_temperature(const struct reader *r, const struct yaml_node *map, struct field *field)
{
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    const struct field *known = r->model->species ? &r->model->species->temperature : NULL;
    bool found = false;
    if (known && (known->values || known->constant > 0.0)) {
        field->constant = known->constant;
        if (!known->values)
            return LR_OK;
        LR_TRY(lr_allocate(r->ctx, (size_t)n_cell, sizeof(double), &field->values));
        memcpy(field->values, known->values, (size_t)n_cell * sizeof(double));
        return LR_OK;
    }
    LR_TRY(read_temperature(r, map, field, &found));
    if (!found && r->snapshot)
        return fail_missing(r, map, "temperature or b", "or give medium.temperature");
    if (!found)
        return yaml_fail_key(r->ctx, r->tree, map, "'temperature' or the Doppler parameter 'b' is missing");
    return LR_OK;
}

static enum lr_status read_doppler(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    const struct yaml_node *temperature = yaml_find(map, "temperature"), *b = yaml_find(map, "b");
    if (r->model->species)
        LR_TRY(read_species_temperature(r, map)); /* allowed together with b, which is then the total width */
    else
        LR_TRY(refuse_both(r, map, "temperature", "b"));
    LR_TRY(refuse_both(r, map, "b", "turbulence"));
    /* A width given in the model replaces that of the snapshot. */
    const bool told = yaml_find(map, "turbulence") || (temperature && !r->model->species);
    const int whole = told ? -1 : snapshot_find(r->snapshot, "b");
    if (b)
        return read_field(r, b, &POSITIVE_SPEED, &medium->b);
    if (whole >= 0)
        return read_snapshot_field(r, whole, &POSITIVE_SPEED, &medium->b);
    LR_TRY(start_with_temperature(r, map, &medium->b));
    struct field extra = {0};
    bool found = false;
    enum lr_status status = read_medium_field(r, map, "turbulence", "turbulence", &SPEED, &extra, &found);
    medium->turbulence = extra.values ? (double)NAN : extra.constant;
    if (status == LR_OK)
        medium_derive_b(&r->model->line, mesh_cell_count(&r->model->mesh), medium, &extra);
    field_free(&extra);
    LR_TRY(status);
    field_compact(&medium->b, mesh_cell_count(&r->model->mesh));
    return check_derived(r,
                         temperature        ? temperature
                         : r->snapshot_node ? r->snapshot_node
                                            : map,
                         &medium->b, "Doppler parameter b in cm/s", LEAST_DOPPLER, LR_LIGHT_SPEED);
}

static enum lr_status read_density(const struct reader *r, const struct yaml_node *map, const struct yaml_node *density,
                                   struct medium *medium)
{
    const struct yaml_node *upper = yaml_find(map, "upper_density");
    const struct mesh *mesh = &r->model->mesh;
    struct field excited = {0};
    int64_t inverted = -1;
    LR_TRY(read_field(r, density, &DENSITY, &medium->alpha0));
    enum lr_status status = upper ? read_field(r, upper, &DENSITY, &excited) : LR_OK;
    if (status == LR_OK)
        status = medium_derive_opacity(r->ctx, &r->model->line, mesh_cell_count(mesh), medium, upper ? &excited : NULL,
                                       &inverted);
    field_free(&excited);
    LR_TRY(status);
    if (inverted >= 0) {
        char place[64];
        name_cell(mesh, inverted, place, sizeof place);
        return READER_FAIL(r, upper, "the level populations are inverted (a maser) at cell %s", place);
    }
    return LR_OK;
}

/* If h nu < k T, stimulated emission cancels most of the absorption: without the upper level, the opacity of a radio
 * line comes out far too large. Depths given as numbers are used as they are. */
static enum lr_status warn_of_stimulated_emission(const struct reader *r, const struct yaml_node *map)
{
    const struct yaml_node *density = yaml_find(map, "density");
    if (!density || yaml_find(map, "b") || yaml_find(map, "upper_density") || yaml_find(map, "tau_mean") ||
        yaml_find(map, "tau_centre"))
        return LR_OK;
    struct field kelvin = {0};
    bool found = false;
    enum lr_status status = read_temperature(r, map, &kelvin, &found);
    if (status == LR_OK && found) {
        double hottest = field_measure(&kelvin, &r->model->mesh).high;
        double ratio = line_energy_ratio(&r->model->line, hottest);
        if (ratio < 1.0)
            READER_WARN(r, density,
                        "without 'upper_density' there is no stimulated emission; in LTE at %.4g K the opacity would "
                        "be %.4g times lower, 1 / (1 - exp(-h nu / k T))",
                        hottest, -1.0 / expm1(-ratio));
    }
    field_free(&kelvin);
    return status;
}

/* Scale the field so that its depth from the centre of the mesh to the +x face is `depth`; a field that was not given
 * is uniform. */
static enum lr_status scale_to_depth(const struct reader *r, const struct yaml_node *node, double depth, bool shaped,
                                     struct field *field)
{
    if (!shaped)
        field->constant = 1.0;
    double now = field_depth(field, &r->model->mesh, 0, true);
    if (!(now > 0.0 && isfinite(now)))
        return READER_FAIL(
            r, node, "cannot scale the opacity: the optical depth from the centre of the mesh to its +x face is %g",
            now);
    field_scale(field, mesh_cell_count(&r->model->mesh), depth / now);
    return LR_OK;
}

static enum lr_status read_opacity(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    const struct yaml_node *density = yaml_find(map, "density"), *opacity = yaml_find(map, "opacity");
    const struct yaml_node *mean = yaml_find(map, "tau_mean"), *centre = yaml_find(map, "tau_centre");
    if (r->model->species) {
        LR_TRY(read_species(r, map, medium));
        return check_derived(r, map, &medium->alpha0, "line-centre opacity in 1/cm", 0.0, largest_opacity(r));
    }
    LR_TRY(refuse_both(r, map, "density", "opacity"));
    LR_TRY(refuse_both(r, map, "tau_mean", "tau_centre"));
    if (!density && !opacity && !mean && !centre)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "one of 'density', 'opacity', 'tau_mean' and 'tau_centre' is missing%s",
                             r->snapshot ? "; name the density of the lower level in the snapshot, such as "
                                           "density: {snapshot: n_H}"
                                         : "");
    if (!density && yaml_find(map, "upper_density"))
        return READER_FAIL(r, yaml_find(map, "upper_density"), "this needs 'density', the density of the lower level");
    if (density)
        LR_TRY(read_density(r, map, density, medium));
    if (opacity)
        LR_TRY(read_field(r, opacity, &OPACITY, &medium->alpha0));
    if (mean || centre) {
        double depth = 0.0;
        LR_TRY(read_number(r, mean ? mean : centre, 0.0, DBL_MAX, &depth));
        LR_TRY(scale_to_depth(r, mean ? mean : centre, mean ? depth / LR_SQRT_PI : depth, density || opacity,
                              &medium->alpha0));
    }
    LR_TRY(warn_of_stimulated_emission(r, map));
    field_compact(&medium->alpha0, mesh_cell_count(&r->model->mesh));
    return check_derived(r, map, &medium->alpha0, "line-centre opacity in 1/cm", 0.0, largest_opacity(r));
}

static enum lr_status read_damping(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    const struct yaml_node *damping = yaml_find(map, "damping");
    if (damping)
        return read_field(r, damping, &DAMPING, &medium->a);
    LR_TRY(medium_derive_damping(r->ctx, &r->model->line, mesh_cell_count(&r->model->mesh), medium));
    return check_derived(r, map, &medium->a, "damping parameter", 0.0, DAMPING.high);
}

static enum lr_status read_absorption(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    const struct yaml_node *absorption = yaml_find(map, "absorption"), *depth_node = yaml_find(map, "tau_absorption");
    bool found = false;
    LR_TRY(read_medium_field(r, map, "absorption", "absorption", &OPACITY, &medium->kappa, &found));
    if (depth_node) {
        double depth = 0.0;
        LR_TRY(read_number(r, depth_node, 0.0, DBL_MAX, &depth));
        LR_TRY(scale_to_depth(r, depth_node, depth, found, &medium->kappa));
        field_compact(&medium->kappa, mesh_cell_count(&r->model->mesh)); /* a depth of zero */
    }
    return check_derived(r,
                         depth_node   ? depth_node
                         : absorption ? absorption
                                      : map,
                         &medium->kappa, "absorption in 1/cm", 0.0, largest_opacity(r));
}

static enum lr_status read_velocity(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    const char *const names[] = {"velocity_x", "velocity_y", "velocity_z"};
    const struct yaml_node *velocity = yaml_find(map, "velocity");
    const bool shells = r->model->mesh.kind == MESH_SHELLS;
    if (velocity)
        return read_vector_field(r, velocity, &VELOCITY, medium->velocity);
    for (int d = 0; r->snapshot && d < (shells ? 1 : 3); d++) {
        const int index = snapshot_find(r->snapshot, shells ? "velocity_r" : names[r->snapshot->view.axis[d]]);
        if (index >= 0)
            LR_TRY(read_snapshot_field(r, index, &VELOCITY, &medium->velocity[d]));
    }
    if (r->snapshot)
        warn_of_unread_velocity(r);
    return LR_OK;
}

enum lr_status read_medium(const struct reader *r, const struct yaml_node *node, struct medium *medium)
{
    LR_TRY(READER_KEYS(r, node, &SCHEMA_MEDIUM));
    LR_TRY(refuse_species_keys(r, node));
    if (r->model->species)
        LR_TRY(read_colliders(r, node));
    LR_TRY(read_doppler(r, node, medium));
    LR_TRY(read_opacity(r, node, medium));
    LR_TRY(read_damping(r, node, medium));
    LR_TRY(read_velocity(r, node, medium));
    LR_TRY(read_absorption(r, node, medium));
    LR_TRY(check_plausible(r, node, medium));
    return read_destruction(r, yaml_find(node, "destruction"), &medium->eps);
}
