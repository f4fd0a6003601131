/* Fields from the variables of Athena++, one block at a time. Primitive variables: rho, press, vel1 to 3, r0 ...;
 * conserved ones: dens, Etot, mom1 to 3, s0 ..., from which
 *   v = mom / dens,  P = (gamma - 1) (Etot - mom^2 / (2 dens) - B^2 / 2),  r = s / dens
 * in code units, magnetic ones without 4 pi. A scalar r is an abundance relative to H2, or a mass fraction X of the
 * gas, n = rho X / m. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/snapshot/athdf.h"

/* ---- Available fields ---- */

static enum lr_status add(struct snapshot *snapshot, struct athdf *athdf, const char *name, enum athdf_kind kind,
                          int variable, int scalar)
{
    const struct athdf_variable *from = &athdf->variable[variable];
    struct athdf_field *grown = realloc(athdf->field, (size_t)(athdf->n_field + 1) * sizeof *grown);
    char origin[SNAPSHOT_NAME];
    if (!grown)
        return lr_fail(snapshot->ctx, LR_ERROR_MEMORY, "out of memory");
    athdf->field = grown;
    grown[athdf->n_field++] = (struct athdf_field){kind, variable, scalar};
    snprintf(origin, sizeof origin, "%s: %s", athdf->dataset_name[from->dataset], from->name);
    return snapshot_add_field(snapshot, name, origin);
}

/* The first of two names that exists, or -1. */
static int find_either(const struct athdf *athdf, const char *primitive, const char *conserved)
{
    const int found = athdf_find(athdf, primitive);
    return found >= 0 ? found : athdf_find(athdf, conserved);
}

static enum lr_status list_scalars(struct snapshot *snapshot, struct athdf *athdf)
{
    for (int i = 0; i < athdf->options.n_scalar; i++) {
        const struct snapshot_scalar *scalar = &athdf->options.scalar[i];
        const int variable = athdf_find(athdf, scalar->variable);
        char name[SNAPSHOT_NAME];
        if (variable < 0) {
            char there[512] = "";
            size_t length = 0;
            for (int v = 0; v < athdf->n_variable && length < sizeof there; v++)
                length += (size_t)snprintf(there + length, sizeof there - length, "%s%s", v ? ", " : "",
                                           athdf->variable[v].name);
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: no variable '%s' for %s; the file has: %s",
                           snapshot->path, scalar->variable, scalar->species, there);
        }
        snprintf(name, sizeof name, "%s_%s", scalar->mass_fraction ? "n" : "abundance", scalar->species);
        LR_TRY(add(snapshot, athdf, name, ATHDF_SCALAR, variable, i));
    }
    return LR_OK;
}

enum lr_status athdf_list_fields(struct snapshot *snapshot, struct athdf *athdf)
{
    const char *const velocities[] = {"vel1", "vel2", "vel3"}, *const momenta[] = {"mom1", "mom2", "mom3"};
    const char *const names[] = {"velocity_x", "velocity_y", "velocity_z"};
    const int density = find_either(athdf, "rho", "dens"), pressure = find_either(athdf, "press", "Etot");
    if (density >= 0)
        LR_TRY(add(snapshot, athdf, "gas_density", ATHDF_DENSITY, density, -1));
    for (int axis = 0; axis < 3; axis++) {
        const int variable = find_either(athdf, velocities[axis], momenta[axis]);
        if (variable >= 0)
            LR_TRY(add(snapshot, athdf, names[axis], ATHDF_VELOCITY, variable, -1));
    }
    if (pressure >= 0)
        LR_TRY(add(snapshot, athdf, "pressure", ATHDF_PRESSURE, pressure, -1));
    LR_TRY(list_scalars(snapshot, athdf));
    for (int v = 0; v < athdf->n_variable; v++) {
        bool known = false;
        for (int f = 0; f < athdf->n_field && !known; f++)
            known = athdf->field[f].variable == v;
        if (!known)
            LR_TRY(add(snapshot, athdf, athdf->variable[v].name, ATHDF_RAW, v, -1));
    }
    return LR_OK;
}

/* ---- Values of a block ---- */

struct work {
    struct snapshot *snapshot;
    const struct athdf *athdf;
    int64_t block;
    size_t n;                         /* cells of a block */
    double *result, *density, *other; /* [n] */
};

/* A variable used for one field counts as used; each scalar is a separate field. */
static void mark_used(const struct work *work, int variable)
{
    for (int f = 0; f < work->athdf->n_field; f++)
        if (work->athdf->field[f].variable == variable && work->athdf->field[f].kind != ATHDF_SCALAR)
            work->snapshot->field[f].used = true;
}

/* One variable of a block, without ghost zones: [k][j][i]. */
static enum lr_status load(const struct work *work, int variable, double *values)
{
    const struct athdf *athdf = work->athdf;
    const struct athdf_variable *from = &athdf->variable[variable];
    const hsize_t start[5] = {(hsize_t)from->index, (hsize_t)work->block, (hsize_t)athdf->ghost[2],
                              (hsize_t)athdf->ghost[1], (hsize_t)athdf->ghost[0]};
    const hsize_t count[5] = {1, 1, (hsize_t)athdf->block[2], (hsize_t)athdf->block[1], (hsize_t)athdf->block[0]};
    hid_t file = H5Dget_space(athdf->dataset[from->dataset]), memory = H5Screate_simple(5, count, NULL);
    bool good = file >= 0 && memory >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(athdf->dataset[from->dataset], H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
    if (good) {
        mark_used(work, variable);
        return LR_OK;
    }
    return lr_fail(athdf->file.ctx, LR_ERROR_IO,
                   "%s: '%s' cannot be read at block %lld; the file is truncated or damaged", athdf->file.path,
                   athdf->dataset_name[from->dataset], (long long)work->block);
}

static bool is_conserved(const struct athdf *athdf, int variable)
{
    const char *name = athdf->variable[variable].name;
    return strncmp(name, "mom", 3) == 0 || strcmp(name, "Etot") == 0 ||
           (name[0] == 's' && name[1] >= '0' && name[1] <= '9');
}

static enum lr_status load_density(const struct work *work)
{
    const int density = find_either(work->athdf, "rho", "dens");
    if (density < 0)
        return lr_fail(work->athdf->file.ctx, LR_ERROR_INPUT, "%s: no density, 'rho' or 'dens'",
                       work->athdf->file.path);
    return load(work, density, work->density);
}

/* result = variable, divided by the density if it is a conserved one. */
static enum lr_status load_primitive(const struct work *work, int variable, double unit)
{
    const bool divide = is_conserved(work->athdf, variable);
    LR_TRY(load(work, variable, work->result));
    if (divide)
        LR_TRY(load_density(work));
    for (size_t i = 0; i < work->n; i++)
        work->result[i] = (divide ? work->result[i] / work->density[i] : work->result[i]) * unit;
    return LR_OK;
}

/* All three components must be present; otherwise the remaining energy would be taken as heat. */
static enum lr_status subtract_squares(const struct work *work, const char *const names[3], bool by_density)
{
    for (int axis = 0; axis < 3; axis++) {
        const int variable = athdf_find(work->athdf, names[axis]);
        if (variable < 0)
            return lr_fail(work->athdf->file.ctx, LR_ERROR_INPUT,
                           "%s: the pressure is derived from the energy 'Etot' and needs '%s', which is missing; give "
                           "medium.temperature",
                           work->athdf->file.path, names[axis]);
        LR_TRY(load(work, variable, work->other));
        for (size_t i = 0; i < work->n; i++)
            work->result[i] -= 0.5 * work->other[i] * work->other[i] / (by_density ? work->density[i] : 1.0);
    }
    return LR_OK;
}

static bool has_any(const struct athdf *athdf, const char *const names[3])
{
    return athdf_find(athdf, names[0]) >= 0 || athdf_find(athdf, names[1]) >= 0 || athdf_find(athdf, names[2]) >= 0;
}

static enum lr_status load_pressure(const struct work *work, int variable, double unit)
{
    const char *const momenta[] = {"mom1", "mom2", "mom3"}, *const fields[] = {"Bcc1", "Bcc2", "Bcc3"};
    const double gamma = work->athdf->options.gamma;
    LR_TRY(load(work, variable, work->result));
    if (is_conserved(work->athdf, variable)) {
        if (!(gamma > 1.0))
            return lr_fail(work->athdf->file.ctx, LR_ERROR_INPUT,
                           "%s: to derive the pressure from the energy 'Etot', give snapshot.gamma, such as 1.667",
                           work->athdf->file.path);
        LR_TRY(load_density(work));
        LR_TRY(subtract_squares(work, momenta, true));
        work->snapshot->without_magnetic_energy = !has_any(work->athdf, fields);
        if (!work->snapshot->without_magnetic_energy)
            LR_TRY(subtract_squares(work, fields, false));
        unit *= gamma - 1.0;
    }
    for (size_t i = 0; i < work->n; i++)
        work->result[i] *= unit;
    return LR_OK;
}

static enum lr_status load_scalar(const struct work *work, const struct athdf_field *field)
{
    const struct snapshot_scalar *scalar = &work->athdf->options.scalar[field->scalar];
    LR_TRY(load_primitive(work, field->variable, 1.0));
    if (!scalar->mass_fraction)
        return LR_OK;
    LR_TRY(load_density(work));
    const double unit = work->athdf->options.density / scalar->mass;
    for (size_t i = 0; i < work->n; i++)
        work->result[i] *= work->density[i] * unit;
    return LR_OK;
}

static enum lr_status load_field(const struct work *work, const struct athdf_field *field)
{
    const struct snapshot_options *unit = &work->athdf->options;
    switch (field->kind) {
    case ATHDF_DENSITY:
        return load_primitive(work, field->variable, unit->density);
    case ATHDF_VELOCITY:
        return load_primitive(work, field->variable, unit->velocity);
    case ATHDF_PRESSURE:
        return load_pressure(work, field->variable, unit->density * unit->velocity * unit->velocity);
    case ATHDF_SCALAR:
        return load_scalar(work, field);
    case ATHDF_RAW:
        break;
    }
    return load(work, field->variable, work->result);
}

/* ---- Whole fields ---- */

static enum dimension dimension_of(const struct athdf *athdf, const struct athdf_field *field)
{
    switch (field->kind) {
    case ATHDF_DENSITY:
        return DIMENSION_MASS_DENSITY;
    case ATHDF_VELOCITY:
        return DIMENSION_VELOCITY;
    case ATHDF_PRESSURE:
        return DIMENSION_PRESSURE;
    case ATHDF_SCALAR:
        return athdf->options.scalar[field->scalar].mass_fraction ? DIMENSION_DENSITY : DIMENSION_NONE;
    case ATHDF_RAW:
        break;
    }
    return DIMENSION_NONE;
}

static enum lr_status read_blocks(const struct snapshot *snapshot, struct work *work, int index,
                                  const struct field_rule *rule, double *values)
{
    const struct athdf *athdf = work->athdf;
    struct snapshot_box box = {.count = {athdf->block[0], athdf->block[1], athdf->block[2]}, .values = work->result};
    box.step[0] = 1;
    box.step[1] = athdf->block[0];
    box.step[2] = (int64_t)athdf->block[0] * athdf->block[1];
    for (int64_t b = 0; b < athdf->n_block; b++) {
        box.brick = work->block = b;
        for (int axis = 0; axis < 3 && athdf->location; axis++)
            box.first[axis] = athdf->location[b][axis] * athdf->block[axis];
        if (!snapshot_wants(snapshot, &box))
            continue;
        LR_TRY(load_field(work, &athdf->field[index]));
        LR_TRY(snapshot_place(snapshot, &box, snapshot->field[index].origin, rule, values));
    }
    return LR_OK;
}

enum lr_status athdf_read_field(struct snapshot *snapshot, int index, const struct field_rule *rule, struct field *to)
{
    const struct athdf *athdf = snapshot->state;
    const enum dimension dimension = dimension_of(athdf, &athdf->field[index]);
    if (rule->dimension != dimension && rule->dimension != DIMENSION_ANY)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' is %s; expected %s", snapshot->path,
                       snapshot->field[index].origin, units_dimension_name(dimension),
                       units_dimension_name(rule->dimension));
    struct work work = {.snapshot = snapshot, .athdf = athdf, .n = (size_t)athdf->block[0] * (size_t)athdf->block[1]};
    work.n *= (size_t)athdf->block[2];
    double *memory = NULL;
    LR_TRY(lr_allocate(snapshot->ctx, 3 * work.n, sizeof(double), &memory));
    work.result = memory;
    work.density = memory + work.n;
    work.other = memory + 2 * work.n;
    enum lr_status status = read_blocks(snapshot, &work, index, rule, to->values);
    free(memory);
    return status;
}
