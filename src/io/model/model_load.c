/* From a document to a validated model: the tree of one line is read section by section. */
#include "io/model/model_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/document.h"
#include "io/model/model_limits.h"
#include "io/model/model_line.h"
#include "io/model/model_line_list.h"
#include "io/model/model_medium.h"
#include "io/model/model_mesh.h"
#include "io/model/model_observation.h"
#include "io/model/model_options.h"
#include "io/model/model_populations.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_source.h"
#include "io/model/model_value.h"
#include "io/snapshot/snapshot.h"
#include "model/field.h"

/* Whether a photon can be absorbed anywhere: by dust, or by gas in which scattering destroys some. */
static bool model_absorbs(const lr_model *model)
{
    const struct medium *medium = &model->medium;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    bool absorbs = false;
    for (int64_t cell = 0; cell < n_cell && !absorbs; cell++)
        absorbs = field_at(&medium->kappa, cell) > 0 ||
                  (field_at(&medium->eps, cell) > 0 && field_at(&medium->alpha0, cell) > 0);
    return absorbs;
}

/* Photons in a closed box without absorption would never end. */
static enum lr_status check_exit(const struct reader *r, const struct yaml_node *root)
{
    const lr_model *model = r->model;
    for (int face = 0; face < N_FACE; face++)
        if (model->mesh.face[face] == FACE_OPEN)
            return LR_OK;
    if (model_absorbs(model))
        return LR_OK;
    const struct yaml_node *faces = yaml_find(yaml_find(root, "mesh"), "faces");
    return READER_FAIL(r, faces ? faces : r->snapshot_node,
                       "no face is open and nothing absorbs, so photons would never leave");
}

/* Where a source is given; a molecule that emits by itself is the line. */
static const struct yaml_node *source_node(const struct reader *r, int source)
{
    const struct yaml_node *list = yaml_find(r->tree->root, "sources");
    for (const struct yaml_node *entry = list ? list->first : NULL; entry; entry = entry->next)
        if (entry->index == source)
            return entry;
    return yaml_find(r->tree->root, "line");
}

static bool masses_differ(const struct line_group *group)
{
    bool differ = false;
    for (int m = 1; m < group->n; m++)
        differ |= group->member[m].mass != group->member[0].mass;
    return differ;
}

/* What is not known of several lines. Those of a molecule have populations of their own in every cell. */
static enum lr_status check_packets_of_group(const struct reader *r, const struct yaml_node *at)
{
    const lr_model *model = r->model;
    const struct line_group *group = &model->group;
    const struct yaml_node *physics = yaml_find(r->tree->root, "physics");
    if (model->species)
        return READER_FAIL(r, at,
                           "packets are followed through a single line of a molecule, and these are %d; choose one, or "
                           "a run without packets (populations other than two-level, and run.packets: 0)",
                           group->n);
    if (model->physics.redistribution != REDISTRIBUTION_EXACT)
        return READER_FAIL(r, yaml_find(physics, "redistribution"), "a group of lines needs 'redistribution: exact'");
    if (model->physics.acceleration == ACCELERATION_JUMPS || model->physics.acceleration == ACCELERATION_SKIP)
        return READER_FAIL(r, yaml_find(physics, "acceleration"),
                           "in a group of lines every scattering is followed; use 'auto' or 'none'");
    for (int s = 0; s < model->n_source; s++)
        if (model->source[s].light == LIGHT_THERMAL)
            return READER_FAIL(r, source_node(r, s), "thermal light is that of a single line, and the model has %d",
                               group->n);
    if (masses_differ(group) && isnan(model->medium.turbulence))
        return READER_FAIL(r, at,
                           "lines of atoms with different masses need one medium.turbulence for the whole mesh: the "
                           "width of each follows from it");
    return LR_OK;
}

static enum lr_status check_group(const struct reader *r, const struct yaml_node *line)
{
    const struct yaml_node *transition = yaml_find(line, "transition");
    const struct yaml_node *emissivity = yaml_find(yaml_find(r->tree->root, "image"), "emissivity");
    const lr_model *model = r->model;
    if (model->group.n < 2)
        return LR_OK;
    if (model->image.emissivity)
        return READER_FAIL(r, emissivity,
                           "a stored emissivity is that of a single line, and the model has %d; remove this, or choose "
                           "one of them",
                           model->group.n);
    for (int s = 0; model->n_camera > 0 && s < model->n_source; s++)
        if (model->source[s].light != LIGHT_GAS && model->source[s].spectrum.kind == SPECTRUM_LOCAL)
            return READER_FAIL(r, source_node(r, s),
                               "images show this source with the profile of a single line, and the model has %d; give "
                               "it another spectrum, or use 'gas'",
                               model->group.n);
    if (masses_differ(&model->group) && model->n_camera > 0)
        return READER_FAIL(r, line, "images need lines of atoms of one mass; remove the others, or the cameras");
    if (model->run.packets == 0)
        return LR_OK;
    return check_packets_of_group(r, transition ? transition : line);
}

/* A snapshot can replace everything in `mesh` and `medium`: all that then remains of `mesh` is `faces`, and a missing
 * `medium` is taken as empty. */
static enum lr_status find_sections(const struct reader *r, const struct yaml_node *section[3])
{
    const char *const keys[] = {"mesh", "line", "medium"};
    const struct yaml_node *root = r->tree->root, *snapshot = yaml_find(root, "snapshot");
    for (int i = 0; i < 3; i++) {
        section[i] = yaml_find(root, keys[i]);
        if (!section[i] && (!snapshot || i == 1))
            LR_TRY(require_key(r, root, keys[i], &section[i]));
    }
    if (snapshot && section[0]) {
        LR_TRY(yaml_expect(r->ctx, r->tree, section[0], YAML_MAP));
        for (const struct yaml_node *key = section[0]->first; key; key = key->next)
            if (strcmp(key->key, "faces") != 0)
                return yaml_fail_key(r->ctx, r->tree, key,
                                     "the mesh comes from the snapshot; only 'faces' may be given here");
    }
    if (!section[2]) {
        struct yaml_node *empty = NULL;
        LR_TRY(yaml_new_node(r->ctx, r->tree, YAML_MAP, &empty));
        empty->key = keys[2];
        empty->parent = r->tree->root;
        empty->line = empty->key_line = snapshot->line;
        empty->column = empty->key_column = snapshot->column;
        empty->setting = snapshot->setting;
        section[2] = empty;
    }
    return LR_OK;
}

/* Volumes and their ratios must be finite. */
static enum lr_status check_mesh(const struct reader *r, const struct yaml_node *node)
{
    const struct mesh *mesh = &r->model->mesh;
    for (int axis = 0; axis < (mesh->kind == MESH_SHELLS ? 1 : 3); axis++) {
        double smallest = 0.0, largest = 0.0;
        mesh_widths(mesh, axis, &smallest, &largest);
        if (!(smallest >= LEAST_CELL))
            return READER_FAIL(r, node, "cells of %g cm along %c are too small; expected at least %g cm", smallest,
                               mesh->kind == MESH_SHELLS ? 'r' : "xyz"[axis], LEAST_CELL);
        if (!(fmax(fabs(mesh_lower(mesh, axis)), fabs(mesh_upper(mesh, axis))) <= MOST_LENGTH))
            return READER_FAIL(r, node, "the mesh extends from %g to %g cm along %c; expected at most %g cm",
                               mesh_lower(mesh, axis), mesh_upper(mesh, axis), "xyz"[axis], MOST_LENGTH);
    }
    return LR_OK;
}

static enum lr_status read_mesh_or_snapshot(struct reader *r, const struct yaml_node *mesh)
{
    const struct yaml_node *snapshot = yaml_find(r->tree->root, "snapshot"), *faces = yaml_find(mesh, "faces");
    if (!snapshot)
        return read_mesh(r, mesh, &r->model->mesh);
    LR_TRY(read_snapshot(r, snapshot, &r->model->mesh));
    if (faces && r->model->mesh.kind == MESH_SHELLS)
        return yaml_fail_key(r->ctx, r->tree, faces, "the boundary of a mesh of shells is always open");
    return faces ? read_faces(r, faces, &r->model->mesh) : LR_OK;
}

static enum lr_status read_sections(struct reader *r)
{
    const struct yaml_node *root = r->tree->root, *section[3] = {NULL};
    lr_model *model = r->model;
    LR_TRY(READER_KEYS(r, root, &SCHEMA_MODEL));
    LR_TRY(find_sections(r, section));
    /* The cheap sections first, so that typing errors show up before large files are read. */
    LR_TRY(read_run(r, yaml_find(root, "run"), &model->run));
    LR_TRY(read_line(r, section[1], &model->line));
    LR_TRY(read_mesh_or_snapshot(r, section[0]));
    LR_TRY(check_mesh(r, r->snapshot_node ? r->snapshot_node : section[0]));
    LR_TRY(read_populations(r, yaml_find(root, "populations")));
    LR_TRY(read_medium(r, section[2], &model->medium));
    LR_TRY(read_reference_b(r, yaml_find(root, "output")));
    LR_TRY(read_physics(r, yaml_find(root, "physics"), &model->physics));
    LR_TRY(read_output(r, yaml_find(root, "output"), &model->output));
    LR_TRY(read_sources(r, yaml_find(root, "sources")));
    LR_TRY(read_imaging(r));
    spread_stars(model);
    LR_TRY(read_dust_light(r));
    LR_TRY(check_two_level_images(r));
    LR_TRY(check_group(r, section[1]));
    LR_TRY(describe_snapshot(r));
    return check_exit(r, root);
}

/* The original text, then each setting as a comment, and which of its lines this is. */
static enum lr_status keep_text(lr_context *ctx, const lr_document *document, const char *line, char **copy)
{
    size_t length = strlen(document->text), size = length + 2 + (line ? strlen(line) + 16 : 0);
    for (int i = 0; i < document->n_setting; i++)
        size += strlen(document->setting[i]) + 16;
    LR_TRY(lr_allocate(ctx, size, 1, copy));
    memcpy(*copy, document->text, length);
    if (length && document->text[length - 1] != '\n')
        (*copy)[length++] = '\n';
    for (int i = 0; i < document->n_setting; i++) {
        size_t start = length;
        length += (size_t)snprintf(*copy + length, size - length, "# --set %s\n", document->setting[i]);
        for (size_t c = start; c + 1 < length; c++)
            if ((*copy)[c] == '\n')
                (*copy)[c] = ' ';
    }
    if (line && *line)
        snprintf(*copy + length, size - length, "# line: %s\n", line);
    return LR_OK;
}

/* With several lines, errors name the line. */
static enum lr_status name_line(lr_context *ctx, const char *line, enum lr_status status)
{
    if (status == LR_OK || status == LR_ERROR_MEMORY || !line || !*line)
        return status;
    char message[sizeof ctx->error];
    memcpy(message, ctx->error, sizeof message);
    return lr_fail(ctx, status, "line '%s': %s", line, message);
}

enum lr_status model_create(lr_context *ctx, struct units *units, const lr_document *document, const char *line,
                            lr_model **out)
{
    struct reader r = {
        .ctx = ctx, .units = units, .folder = document->folder, .array = document->array, .n_array = document->n_array};
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, lr_allocate(ctx, 1, sizeof *r.model, &r.model));
    LR_TRY_OR(done, status, lr_copy_text(ctx, document->name, &r.model->path));
    LR_TRY_OR(done, status, keep_text(ctx, document, line, &r.model->text));
    LR_TRY_OR(done, status, yaml_copy(ctx, document->tree, &r.tree));
    LR_TRY_OR(done, status, model_lines_choose(ctx, r.tree, line));
    snprintf(r.model->line_name, sizeof r.model->line_name, "%s", line ? line : "");
    LR_TRY_OR(done, status, name_line(ctx, line, read_sections(&r)));
    LR_TRY_OR(done, status, yaml_write(ctx, r.tree, &r.model->resolved));
    *out = r.model;
    r.model = NULL;
done:
    snapshot_close(r.snapshot);
    yaml_free(r.tree);
    lr_model_free(r.model);
    return status;
}

enum lr_status model_load_text(lr_context *ctx, struct units *units, const char *path, const char *text, size_t length,
                               const char *const *settings, int n_setting, lr_model **model)
{
    lr_document *document = NULL;
    LR_TRY(document_create_beside(ctx, path, text, length, settings, n_setting, &document));
    const enum lr_status status = model_create(ctx, units, document, NULL, model);
    lr_document_free(document);
    return status;
}

enum lr_status lr_model_create(lr_context *ctx, const lr_document *document, const char *line, lr_model **model)
{
    struct units *units = NULL;
    *model = NULL;
    LR_TRY(units_of(ctx, &units));
    return model_create(ctx, units, document, line, model);
}

enum lr_status lr_model_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                             lr_model **model)
{
    lr_document *document = NULL;
    *model = NULL;
    LR_TRY(lr_document_load(ctx, path, settings, n_setting, &document));
    const enum lr_status status = lr_model_create(ctx, document, NULL, model);
    lr_document_free(document);
    return status;
}
