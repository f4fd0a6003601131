/* Section `snapshot`: a simulation file, which part of it to use, and what the file itself does not say. It replaces
 * `mesh`, and anything missing from `medium`. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/model_field.h"
#include "io/model/model_file.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_value.h"
#include "io/snapshot/snapshot.h"
#include "model/species.h"

/* ---- Code units and scalars of a file that has none ---- */

static enum lr_status read_code_units(const struct reader *r, const struct yaml_node *map,
                                      struct snapshot_options *options)
{
    const struct yaml_node *units = yaml_find(map, "units");
    if (!units)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "an Athena++ file has no units; give its code units, for example units: "
                             "{length: 1 pc, density: 1e-21 g/cm^3, velocity: 1 km/s}");
    LR_TRY(READER_KEYS(r, units, &SCHEMA_CODE_UNITS));
    LR_TRY(read_positive(r, units, "length", DIMENSION_LENGTH, &options->length));
    LR_TRY(read_positive(r, units, "density", DIMENSION_MASS_DENSITY, &options->density));
    return read_positive(r, units, "velocity", DIMENSION_VELOCITY, &options->velocity);
}

static enum lr_status copy_name(const struct reader *r, const struct yaml_node *node, const char *text, size_t size,
                                char *to)
{
    if (*text == '\0' || strlen(text) >= size || strchr(text, '/'))
        return READER_FAIL(r, node, "'%s' is not a name", text);
    memcpy(to, text, strlen(text) + 1);
    return LR_OK;
}

/* SPECIES: VARIABLE, or SPECIES: {variable, as: abundance | mass-fraction, mass}. */
static enum lr_status read_scalar(const struct reader *r, const struct yaml_node *node, struct snapshot_scalar *scalar)
{
    const struct species *species = r->model->species;
    const struct yaml_node *variable = node;
    int word = 0;
    if (node->kind == YAML_MAP) {
        LR_TRY(READER_KEYS(r, node, &SCHEMA_SCALAR));
        LR_TRY(require_key(r, node, "variable", &variable));
        LR_TRY(read_choice(r, yaml_find(node, "as"), &SCHEMA_SCALAR, "as", &word));
        LR_TRY(read_quantity(r, yaml_find(node, "mass"), DIMENSION_MASS, &scalar->mass));
    }
    LR_TRY(yaml_expect(r->ctx, r->tree, variable, YAML_SCALAR));
    LR_TRY(copy_name(r, node, node->key, sizeof scalar->species, scalar->species));
    LR_TRY(copy_name(r, variable, variable->text, sizeof scalar->variable, scalar->variable));
    scalar->mass_fraction = word == 1;
    if (scalar->mass_fraction && !(scalar->mass > 0.0) && species && strcmp(species->name, scalar->species) == 0)
        scalar->mass = species->molecule.mass;
    if (scalar->mass_fraction && !(scalar->mass > 0.0))
        return READER_FAIL(r, node, "a mass fraction needs the mass of a molecule, such as mass: 28 u");
    return LR_OK;
}

static enum lr_status read_code(const struct reader *r, const struct yaml_node *map, struct snapshot_options *options)
{
    const struct yaml_node *scalars = yaml_find(map, "scalars");
    LR_TRY(read_code_units(r, map, options));
    LR_TRY(read_number(r, yaml_find(map, "gamma"), 1.000001, 10.0, &options->gamma));
    if (!scalars)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, scalars, YAML_MAP));
    for (const struct yaml_node *item = scalars->first; item; item = item->next) {
        if (options->n_scalar == MAX_SCALAR)
            return READER_FAIL(r, scalars, "more than %d scalars", MAX_SCALAR);
        LR_TRY(read_scalar(r, item, &options->scalar[options->n_scalar++]));
    }
    return LR_OK;
}

static enum lr_status refuse_code(const struct reader *r, const struct yaml_node *map)
{
    const char *const keys[] = {"units", "gamma", "scalars"};
    for (int i = 0; i < 3; i++)
        if (yaml_find(map, keys[i]))
            return yaml_fail_key(r->ctx, r->tree, yaml_find(map, keys[i]),
                                 "this file already contains this; only Athena++ files need '%s'", keys[i]);
    return LR_OK;
}

/* ---- The part that is wanted ---- */

static enum lr_status read_roll(const struct reader *r, const struct yaml_node *map)
{
    const char *const axes[] = {"x", "y", "z"};
    if (!map)
        return LR_OK;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_ROLL));
    for (int axis = 0; axis < 3; axis++) {
        const struct yaml_node *node = yaml_find(map, axes[axis]);
        double length = 0.0;
        LR_TRY(read_quantity(r, node, DIMENSION_LENGTH, &length));
        if (node)
            LR_TRY(place_error(r, node, snapshot_view_roll(r->snapshot, axis, length)));
    }
    return LR_OK;
}

static enum lr_status read_cut(const struct reader *r, const struct yaml_node *map)
{
    const char *const axes[] = {"x", "y", "z"};
    if (!map)
        return LR_OK;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_CUT));
    for (int axis = 0; axis < 3; axis++) {
        const struct yaml_node *node = yaml_find(map, axes[axis]);
        double low = 0.0, high = 0.0;
        if (!node)
            continue;
        LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
        if (node->n_child != 2)
            return READER_FAIL(r, node, "expected two lengths [from, to], found %d", node->n_child);
        LR_TRY(read_quantity(r, node->first, DIMENSION_LENGTH, &low));
        LR_TRY(read_quantity(r, node->last, DIMENSION_LENGTH, &high));
        if (!(low < high))
            return READER_FAIL(r, node, "the first of the two must be the lower one");
        LR_TRY(place_error(r, node, snapshot_view_cut(r->snapshot, axis, low, high)));
    }
    return LR_OK;
}

static enum lr_status read_axes(const struct reader *r, const struct yaml_node *node)
{
    int axis[3] = {0, 1, 2}, i = 0;
    if (!node)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child != 3)
        return READER_FAIL(r, node, "expected the three axes in a new order, such as [z, x, y]");
    for (const struct yaml_node *item = node->first; item; item = item->next)
        LR_TRY(read_axis(r, item, &axis[i++]));
    if (axis[0] == axis[1] || axis[1] == axis[2] || axis[0] == axis[2])
        return READER_FAIL(r, node, "each of x, y and z must appear once");
    if ((axis[1] - axis[0] + 3) % 3 == 2)
        READER_WARN(r, node, "this order mirrors the gas; [y, z, x] and [z, x, y] rotate it");
    snapshot_view_turn(r->snapshot, axis);
    return LR_OK;
}

static enum lr_status read_view(const struct reader *r, const struct yaml_node *map)
{
    const char *const keys[] = {"roll", "region", "axes"};
    for (int i = 0; i < 3 && r->snapshot->mesh.kind == MESH_SHELLS; i++)
        if (yaml_find(map, keys[i]))
            return yaml_fail_key(r->ctx, r->tree, yaml_find(map, keys[i]), "shells have no axes");
    LR_TRY(read_roll(r, yaml_find(map, "roll")));
    LR_TRY(read_cut(r, yaml_find(map, "region")));
    return read_axes(r, yaml_find(map, "axes"));
}

/* ---- The section ---- */

static enum lr_status open_file(struct reader *r, const struct yaml_node *map, const struct yaml_node *file)
{
    struct snapshot_options options = {.length = 0.0};
    char *path = NULL;
    bool bare = false;
    LR_TRY(find_file(r, file, &path));
    enum lr_status status = place_error(r, file, snapshot_needs_units(r->ctx, path, &bare));
    if (status == LR_OK && bare)
        status = read_code(r, map ? map : file, &options);
    else if (status == LR_OK && map)
        status = refuse_code(r, map);
    if (status == LR_OK)
        status = place_error(r, file, snapshot_open(r->ctx, r->units, path, &options, &r->snapshot));
    free(path);
    return status;
}

enum lr_status read_snapshot(struct reader *r, const struct yaml_node *node, struct mesh *mesh)
{
    const struct yaml_node *map = node->kind == YAML_SCALAR ? NULL : node, *file = node;
    r->snapshot_node = node;
    if (map) {
        LR_TRY(READER_KEYS(r, map, &SCHEMA_SNAPSHOT));
        LR_TRY(require_key(r, map, "file", &file));
    }
    LR_TRY(open_file(r, map, file));
    double weight = r->snapshot->mass_per_h2 / LR_ATOMIC_MASS_UNIT;
    LR_TRY(read_number(r, yaml_find(map, "mass_per_h2"), 2.0, 1000.0, &weight));
    r->snapshot->mass_per_h2 = weight * LR_ATOMIC_MASS_UNIT;
    LR_TRY(read_number(r, yaml_find(map, "mean_molecular_weight"), 0.1, 1000.0, &r->snapshot->mean_molecular_weight));
    LR_TRY(read_view(r, map));
    return place_error(r, node, snapshot_view_mesh(r->snapshot, mesh));
}

/* ---- Fields ---- */

enum lr_status read_snapshot_field(const struct reader *r, int index, const struct field_rule *rule,
                                   struct field *field)
{
    return place_error(r, r->snapshot_node, snapshot_read(r->snapshot, index, rule, field));
}

enum lr_status read_medium_field(const struct reader *r, const struct yaml_node *map, const char *key, const char *name,
                                 const struct field_rule *rule, struct field *field, bool *found)
{
    const struct yaml_node *node = yaml_find(map, key);
    const int index = node ? -1 : snapshot_find(r->snapshot, name);
    *found = node || index >= 0;
    if (node)
        return read_field(r, node, rule, field);
    return index >= 0 ? read_snapshot_field(r, index, rule, field) : LR_OK;
}

/* Whether a name is a usual one for velocities: vel..., gas_velocity, v_x, vx, v1, momentum. */
static bool is_like_velocity(const char *name)
{
    char text[SNAPSHOT_NAME];
    size_t n = 0;
    for (; *name && n + 1 < sizeof text; name++)
        if (isalnum((unsigned char)*name))
            text[n++] = (char)tolower((unsigned char)*name);
    text[n] = '\0';
    if (strstr(text, "disp") || strstr(text, "turb"))
        return false;
    return strstr(text, "veloc") || strncmp(text, "vel", 3) == 0 || strncmp(text, "mom", 3) == 0 ||
           (text[0] == 'v' && text[1] && strchr("xyzr123", text[1]) && text[2] == '\0');
}

void warn_of_unread_velocity(const struct reader *r)
{
    const struct snapshot *snapshot = r->snapshot;
    char names[256] = "";
    size_t length = 0;
    bool moves = false;
    for (int i = 0; i < snapshot->n_field && length < sizeof names; i++) {
        const struct snapshot_field *field = &snapshot->field[i];
        moves |= field->used && strncmp(field->name, "velocity_", 9) == 0;
        if (!field->used && is_like_velocity(field->name))
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", field->name);
    }
    if (length > 0)
        READER_WARN(r, r->snapshot_node,
                    "%s of the snapshot %s not used, so %s; velocities must be called %s (docs/model_format.md), or be "
                    "given as medium.velocity",
                    names, strchr(names, ',') ? "are" : "is",
                    moves ? "that velocity component is 0" : "the gas is at rest",
                    r->model->mesh.kind == MESH_SHELLS ? "velocity_r" : "velocity_x, velocity_y and velocity_z");
}

static void list_all(const struct snapshot *snapshot, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < snapshot->n_field && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", snapshot->field[i].name);
}

enum lr_status fail_missing(const struct reader *r, const struct yaml_node *map, const char *needed, const char *advice)
{
    char there[512];
    list_all(r->snapshot, there, sizeof there);
    return yaml_fail_key(r->ctx, r->tree, map, "the snapshot has no %s, which is needed%s%s%s; it has: %s", needed,
                         *advice ? " (" : "", advice, *advice ? ")" : "", *there ? there : "nothing");
}

/* ---- For the report ---- */

static void write_part(FILE *out, const struct snapshot *snapshot)
{
    const struct snapshot_view *view = &snapshot->view;
    const char *unit = snapshot->has_bricks ? "bricks" : "cells";
    for (int axis = 0; axis < 3; axis++) {
        if (view->shift[axis])
            fprintf(out, "  rolled      by %d %s along %c\n", view->shift[axis], unit, "xyz"[axis]);
        if (view->count[axis] < view->n[axis])
            fprintf(out, "  taken       %s %d to %d of %d along %c\n", unit, view->first[axis],
                    view->first[axis] + view->count[axis] - 1, view->n[axis], "xyz"[axis]);
    }
    if (view->axis[0] != 0 || view->axis[1] != 1)
        fprintf(out, "  axes        x, y, z of the mesh are %c, %c, %c of the file\n", "xyz"[view->axis[0]],
                "xyz"[view->axis[1]], "xyz"[view->axis[2]]);
}

enum lr_status describe_snapshot(const struct reader *r)
{
    const struct snapshot *snapshot = r->snapshot;
    char used[1024], others[1024];
    size_t size = 0;
    if (!snapshot)
        return LR_OK;
    snapshot_list(snapshot, true, used, sizeof used);
    snapshot_list(snapshot, false, others, sizeof others);
    FILE *out = open_memstream(&r->model->snapshot, &size);
    if (!out)
        return lr_fail(r->ctx, LR_ERROR_MEMORY, "out of memory");
    fprintf(out, "snapshot      %s: %s\n", snapshot->path, snapshot->note);
    write_part(out, snapshot);
    fprintf(out, "  used        %s\n  not used    %s\n", used, others);
    if (!yaml_find(yaml_find(r->tree->root, "medium"), "velocity") && !strstr(used, "velocity_"))
        fprintf(out, "  velocity    0: there is no %s\n",
                r->model->mesh.kind == MESH_SHELLS ? "velocity_r" : "velocity_x, velocity_y or velocity_z");
    if (snapshot->h2_from_mass)
        fprintf(out, "  H2          from gas_density, with %.5g u of gas per H2 molecule\n",
                snapshot->mass_per_h2 / LR_ATOMIC_MASS_UNIT);
    if (snapshot->without_magnetic_energy)
        fprintf(out, "  pressure    from Etot without a magnetic part: the file has no Bcc1, Bcc2, Bcc3\n");
    return fclose(out) == 0 ? LR_OK : lr_fail(r->ctx, LR_ERROR_MEMORY, "out of memory");
}
