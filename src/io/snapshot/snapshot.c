#include "io/snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "io/hdf5/hdf5_field.h"
#include "io/hdf5/hdf5_text.h"
#include "model/field.h"
#include "model/species.h"

/* ---- Files ---- */

enum format_kind { FORMAT_UNKNOWN, FORMAT_LINERAD, FORMAT_ATHDF };

/* From attributes of the root group; *mark is the format name of a foreign file. */
static enum format_kind detect(const char *path, char *mark, size_t size, bool *opened)
{
    enum format_kind kind = FORMAT_UNKNOWN;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    *opened = file >= 0;
    mark[0] = '\0';
    if (!*opened)
        return kind;
    if (hdf5_text_attribute(file, "format", size, mark) && strcmp(mark, "linerad-model") == 0)
        kind = FORMAT_LINERAD;
    else if (H5Aexists(file, "RootGridSize") > 0 && H5Aexists(file, "MeshBlockSize") > 0)
        kind = FORMAT_ATHDF;
    H5Fclose(file);
    return kind;
}

static enum lr_status find_format(lr_context *ctx, const char *path, enum format_kind *kind)
{
    char mark[64];
    bool opened = false;
    LR_TRY(hdf5_check_file(ctx, path));
    H5E_BEGIN_TRY
    {
        *kind = detect(path, mark, sizeof mark, &opened);
    }
    H5E_END_TRY;
    if (!opened)
        return lr_fail(ctx, LR_ERROR_IO, "%s: cannot be read as HDF5; it is truncated, damaged or in another format",
                       path);
    if (*kind != FORMAT_UNKNOWN)
        return LR_OK;
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "%s: not a known snapshot format: its attribute 'format' is %s%s%s; expected 'linerad-model' "
                   "(docs/model_format.md), or an Athena++ file (.athdf)",
                   path, *mark ? "'" : "", *mark ? mark : "missing", *mark ? "'" : "");
}

enum lr_status snapshot_needs_units(lr_context *ctx, const char *path, bool *needs)
{
    enum format_kind kind = FORMAT_UNKNOWN;
    LR_TRY(find_format(ctx, path, &kind));
    *needs = kind == FORMAT_ATHDF;
    return LR_OK;
}

static enum lr_status open_quietly(struct snapshot *snapshot, const struct snapshot_options *options)
{
    enum format_kind kind = FORMAT_UNKNOWN;
    enum lr_status status = find_format(snapshot->ctx, snapshot->path, &kind);
    if (status != LR_OK)
        return status;
    H5E_BEGIN_TRY
    {
        status = kind == FORMAT_LINERAD ? snapshot_open_linerad(snapshot) : snapshot_open_athdf(snapshot, options);
    }
    H5E_END_TRY;
    return status;
}

enum lr_status snapshot_open(lr_context *ctx, const struct units *units, const char *path,
                             const struct snapshot_options *options, struct snapshot **out)
{
    struct snapshot *snapshot = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *snapshot, &snapshot));
    snapshot->ctx = ctx;
    snapshot->units = units;
    snapshot->mass_per_h2 = SPECIES_MASS_PER_H2;
    enum lr_status status = lr_copy_text(ctx, path, &snapshot->path);
    if (status == LR_OK)
        status = open_quietly(snapshot, options);
    if (status == LR_OK)
        snapshot_view_all(snapshot);
    if (status == LR_OK)
        *out = snapshot;
    else
        snapshot_close(snapshot);
    return status;
}

void snapshot_close(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    if (snapshot->format && snapshot->format->close)
        snapshot->format->close(snapshot);
    snapshot_view_free(&snapshot->view);
    mesh_free(&snapshot->mesh);
    free(snapshot->bricks.level);
    free(snapshot->bricks.position);
    free(snapshot->field);
    free(snapshot->path);
    free(snapshot);
}

/* ---- Fields ---- */

enum lr_status snapshot_add_field(struct snapshot *snapshot, const char *name, const char *origin)
{
    struct snapshot_field *grown = realloc(snapshot->field, (size_t)(snapshot->n_field + 1) * sizeof *grown);
    if (!grown)
        return lr_fail(snapshot->ctx, LR_ERROR_MEMORY, "out of memory");
    snapshot->field = grown;
    struct snapshot_field *field = &grown[snapshot->n_field++];
    *field = (struct snapshot_field){.used = false};
    snprintf(field->name, sizeof field->name, "%s", name);
    snprintf(field->origin, sizeof field->origin, "%s", origin);
    return LR_OK;
}

int snapshot_find(const struct snapshot *snapshot, const char *name)
{
    for (int i = 0; snapshot && i < snapshot->n_field; i++)
        if (strcmp(snapshot->field[i].name, name) == 0)
            return i;
    return -1;
}

enum lr_status snapshot_read(struct snapshot *snapshot, int field, const struct field_rule *rule, struct field *to)
{
    const struct snapshot_view *view = &snapshot->view;
    int64_t n_cell = 1;
    for (int axis = 0; axis < 3; axis++)
        n_cell *= view->count[axis];
    if (snapshot->has_bricks) {
        n_cell = 0;
        for (int64_t b = 0; b < snapshot->bricks.n; b++)
            n_cell += view->brick[b] >= 0 ? view->cells_per_brick : 0;
    }
    enum lr_status status = lr_allocate(snapshot->ctx, (size_t)n_cell, sizeof(double), &to->values);
    H5E_BEGIN_TRY
    {
        if (status == LR_OK)
            status = snapshot->format->read(snapshot, field, rule, to);
    }
    H5E_END_TRY;
    LR_TRY(status);
    snapshot->field[field].used = true;
    field_compact(to, n_cell);
    return LR_OK;
}

void snapshot_list(const struct snapshot *snapshot, bool used, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < snapshot->n_field && length < size; i++)
        if (snapshot->field[i].used == used)
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", snapshot->field[i].name);
    if (length == 0)
        snprintf(text, size, "nothing");
}

/* ---- Boxes of values ---- */

static int64_t brick_base(const struct snapshot_view *view, const struct snapshot_box *box)
{
    if (!view->brick)
        return 0;
    return view->brick[box->brick] < 0 ? -1 : view->brick[box->brick] * view->cells_per_brick;
}

bool snapshot_wants(const struct snapshot *snapshot, const struct snapshot_box *box)
{
    const struct snapshot_view *view = &snapshot->view;
    if (brick_base(view, box) < 0)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        bool any = false;
        for (int i = 0; i < box->count[axis] && !any; i++)
            any = view->place[axis][box->first[axis] + i] >= 0;
        if (!any)
            return false;
    }
    return true;
}

static enum lr_status fail_at(const struct snapshot *snapshot, const struct snapshot_box *box, const int at[3],
                              const char *origin, double value, const char *fault)
{
    char place[96];
    if (snapshot->mesh.kind == MESH_SHELLS)
        snprintf(place, sizeof place, "cell [%d]", at[0]);
    else if (snapshot->brick_word)
        snprintf(place, sizeof place, "%s %lld, cell i = %d, j = %d, k = %d", snapshot->brick_word,
                 (long long)box->brick, at[0] - box->first[0], at[1] - box->first[1], at[2] - box->first[2]);
    else
        snprintf(place, sizeof place, "cell [%d, %d, %d]", at[0], at[1], at[2]);
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s': the value %g at %s %s", snapshot->path, origin, value,
                   place, fault);
}

enum lr_status snapshot_place(const struct snapshot *snapshot, const struct snapshot_box *box, const char *origin,
                              const struct field_rule *rule, double *values)
{
    const struct snapshot_view *view = &snapshot->view;
    const int64_t base = brick_base(view, box);
    if (base < 0)
        return LR_OK;
    const int *const place_z = view->place[2] + box->first[2];
    for (int i = 0; i < box->count[0]; i++) {
        const int x = view->place[0][box->first[0] + i];
        for (int j = 0; x >= 0 && j < box->count[1]; j++) {
            const int y = view->place[1][box->first[1] + j];
            if (y < 0)
                continue;
            double *to = values + base + x * view->stride[0] + y * view->stride[1];
            const double *from = box->values + i * box->step[0] + j * box->step[1];
            for (int k = 0; k < box->count[2]; k++) {
                const double value = from[k * box->step[2]];
                if (place_z[k] < 0)
                    continue;
                if (!(value >= rule->low && value <= rule->high)) {
                    const int at[3] = {box->first[0] + i, box->first[1] + j, box->first[2] + k};
                    return fail_at(snapshot, box, at, origin, value, field_rule_fault(rule, value));
                }
                to[place_z[k] * view->stride[2]] = value;
            }
        }
    }
    return LR_OK;
}
