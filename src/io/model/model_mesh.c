/* Section `mesh`: cells and size, optionally refined, or edges, or spherical shells; and what happens at each face.
 * Edges are lists, datasets or arrays. */
#include "io/model/model_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/model_file.h"
#include "io/model/model_value.h"

/* 1024^3 is the design size; cell indices stay below 2^31. */
static const int MAX_AXIS = 1 << 20;
static const int64_t MAX_CELL = INT32_MAX;

static enum lr_status check_count(const struct reader *r, const struct yaml_node *node, const struct mesh *mesh)
{
    if ((double)mesh->n[0] * mesh->n[1] * mesh->n[2] > (double)MAX_CELL)
        return READER_FAIL(r, node, "%d x %d x %d cells are too many; the maximum is %lld", mesh->n[0], mesh->n[1],
                           mesh->n[2], (long long)MAX_CELL);
    return LR_OK;
}

static enum lr_status read_uniform(const struct reader *r, const struct yaml_node *map, struct mesh *mesh)
{
    const struct yaml_node *cells = NULL, *size_node = NULL;
    LR_TRY(require_key(r, map, "cells", &cells));
    LR_TRY(require_key(r, map, "size", &size_node));
    LR_TRY(yaml_expect(r->ctx, r->tree, cells, YAML_LIST));
    if (cells->n_child != 3)
        return READER_FAIL(r, cells, "expected three numbers of cells, found %d", cells->n_child);
    int axis = 0;
    for (const struct yaml_node *item = cells->first; item; item = item->next)
        LR_TRY(read_int(r, item, 1, MAX_AXIS, &mesh->n[axis++]));
    LR_TRY(check_count(r, cells, mesh));

    double size[3] = {0}, lower[3] = {0};
    LR_TRY(read_vector(r, size_node, DIMENSION_LENGTH, size));
    for (axis = 0; axis < 3; axis++) {
        if (!(size[axis] > 0.0))
            return READER_FAIL(r, size_node, "the size along %c must be above zero", "xyz"[axis]);
        lower[axis] = -0.5 * size[axis];
    }
    LR_TRY(read_vector(r, yaml_find(map, "origin"), DIMENSION_LENGTH, lower));
    const struct yaml_node *refine = yaml_find(map, "refine"), *bricks = yaml_find(map, "bricks");
    if (refine && bricks)
        return yaml_fail_key(r->ctx, r->tree, bricks, "'refine' is also given; remove one of them");
    if (refine)
        return read_refined(r, map, mesh->n, lower, size, mesh);
    if (bricks)
        return read_bricks(r, map, mesh->n, lower, size, mesh);
    if (yaml_find(map, "brick"))
        return yaml_fail_key(r->ctx, r->tree, yaml_find(map, "brick"),
                             "'brick' needs a mesh with 'refine' or 'bricks'");
    return mesh_build_uniform(r->ctx, mesh->n, lower, size, mesh);
}

static enum lr_status read_edge_list(const struct reader *r, const struct yaml_node *list, int *n, double **edge)
{
    *n = list->n_child - 1;
    LR_TRY(lr_allocate(r->ctx, (size_t)list->n_child, sizeof(double), edge));
    int i = 0;
    for (const struct yaml_node *item = list->first; item; item = item->next)
        LR_TRY(read_quantity(r, item, DIMENSION_LENGTH, *edge + i++));
    return LR_OK;
}

static enum lr_status read_edge_file(const struct reader *r, const struct yaml_node *map, int *n, double **edge)
{
    struct hdf5_array *array = NULL;
    LR_TRY(check_dataset_keys(r, map));
    LR_TRY(open_dataset(r, map, "dataset", NULL, &array));
    enum lr_status status = LR_OK;
    int64_t count = array->rank == 1 ? array->shape[0] : 0;
    if (count < 1 || count > MAX_AXIS + 1) {
        status = READER_FAIL(r, map, "edges must be a one-dimensional dataset of at most %d values", MAX_AXIS + 1);
        goto close;
    }
    *n = (int)count - 1;
    LR_TRY_OR(close, status, lr_allocate(r->ctx, (size_t)count, sizeof(double), edge));
    LR_TRY_OR(close, status, read_dataset(r, map, array, -1, *edge));
    LR_TRY_OR(close, status, convert_dataset(r, map, array, DIMENSION_LENGTH, *edge, count));
close:
    hdf5_array_close(array);
    return status;
}

static enum lr_status read_edges(const struct reader *r, const struct yaml_node *map, struct mesh *mesh)
{
    const char *const axes[] = {"x", "y", "z"};
    LR_TRY(READER_KEYS(r, map, &SCHEMA_EDGES));
    for (int axis = 0; axis < 3; axis++) {
        const struct yaml_node *node = NULL;
        LR_TRY(require_key(r, map, axes[axis], &node));
        if (node->kind == YAML_LIST)
            LR_TRY(read_edge_list(r, node, &mesh->n[axis], &mesh->edge[axis]));
        else
            LR_TRY(read_edge_file(r, node, &mesh->n[axis], &mesh->edge[axis]));
        if (mesh->n[axis] < 1 || mesh->n[axis] > MAX_AXIS)
            return READER_FAIL(r, node, "edges need between 2 and %d values", MAX_AXIS + 1);
    }
    return check_count(r, map, mesh);
}

/* ---- Shells ---- */

static enum lr_status read_shell_edges(const struct reader *r, const struct yaml_node *map, struct mesh *mesh)
{
    const struct yaml_node *edges = NULL;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_SHELL_EDGES));
    LR_TRY(require_key(r, map, "edges", &edges));
    mesh->n[1] = mesh->n[2] = 1;
    if (edges->kind == YAML_LIST)
        LR_TRY(read_edge_list(r, edges, &mesh->n[0], &mesh->edge[0]));
    else
        LR_TRY(read_edge_file(r, edges, &mesh->n[0], &mesh->edge[0]));
    if (mesh->n[0] < 1 || mesh->n[0] > MAX_AXIS)
        return READER_FAIL(r, edges, "edges need between 2 and %d values", MAX_AXIS + 1);
    if (!(mesh->edge[0][0] >= 0.0))
        return READER_FAIL(r, edges, "the first radius is negative");
    const int i = mesh_find_disorder(mesh, 0);
    if (i >= 0)
        return READER_FAIL(r, edges, "the radii do not increase from %d to %d", i, i + 1);
    return LR_OK;
}

static enum lr_status read_spaced_shells(const struct reader *r, const struct yaml_node *map,
                                         const struct yaml_node *number, struct mesh *mesh)
{
    enum { LINEAR, LOG }; /* in the order of the words in the schema */
    const struct yaml_node *outer_node = NULL, *inner_node = yaml_find(map, "inner");
    double inner = 0.0, outer = 0.0;
    int n = 0, spacing = LINEAR;
    LR_TRY(read_int(r, number, 1, MAX_AXIS, &n));
    LR_TRY(require_key(r, map, "outer", &outer_node));
    LR_TRY(read_quantity(r, outer_node, DIMENSION_LENGTH, &outer));
    LR_TRY(read_quantity(r, inner_node, DIMENSION_LENGTH, &inner));
    LR_TRY(read_choice(r, yaml_find(map, "spacing"), &SCHEMA_MESH, "spacing", &spacing));
    if (!(inner >= 0.0 && inner < outer && isfinite(outer)))
        return READER_FAIL(r, inner_node ? inner_node : outer_node,
                           "'inner' must not be negative and must be below 'outer'");
    if (spacing == LOG && !(inner > 0.0))
        return READER_FAIL(r, yaml_find(map, "spacing"), "'spacing: log' needs 'inner' above zero");
    LR_TRY(mesh_build_shells(r->ctx, n, inner, outer, spacing == LOG, mesh));
    if (mesh_find_disorder(mesh, 0) >= 0)
        return READER_FAIL(r, number, "%d shells are too many for these radii", n);
    return LR_OK;
}

/* {shells: N, inner, outer, spacing}, or {shells: {edges: ...}}. */
static enum lr_status read_shells(const struct reader *r, const struct yaml_node *map, const struct yaml_node *shells,
                                  struct mesh *mesh)
{
    const char *const refused[] = {"cells", "size", "origin", "edges", "refine", "brick", "bricks"};
    const char *const spaced[] = {"inner", "outer", "spacing"};
    const struct yaml_node *faces = yaml_find(map, "faces");
    mesh->kind = MESH_SHELLS;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (yaml_find(map, refused[i]))
            return yaml_fail_key(r->ctx, r->tree, yaml_find(map, refused[i]),
                                 "a mesh of shells has no '%s'; set its radii with inner, outer and spacing, or by "
                                 "shells: {edges: [...]}",
                                 refused[i]);
    if (faces) {
        const char *const rules[] = {"open"};
        int rule = 0;
        LR_TRY(read_word(r, faces, rules, 1, &rule));
    }
    if (shells->kind != YAML_MAP)
        return read_spaced_shells(r, map, shells, mesh);
    for (int i = 0; i < 3; i++)
        if (yaml_find(map, spaced[i]))
            return yaml_fail_key(r->ctx, r->tree, yaml_find(map, spaced[i]),
                                 "the edges of the shells are also given; remove one of them");
    return read_shell_edges(r, shells, mesh);
}

enum lr_status read_faces(const struct reader *r, const struct yaml_node *node, struct mesh *mesh)
{
    int rule = FACE_OPEN;
    if (node->kind == YAML_SCALAR && !yaml_is_empty(node)) {
        LR_TRY(read_choice(r, node, &SCHEMA_MESH, "faces", &rule));
        for (int face = 0; face < N_FACE; face++)
            mesh->face[face] = (enum face_rule)rule;
        return LR_OK;
    }
    LR_TRY(READER_KEYS(r, node, &SCHEMA_FACES));
    for (int face = 0; face < N_FACE; face++) {
        const char *const key = SCHEMA_FACES.key[face].name, *const axis = SCHEMA_FACES.key[N_FACE + face / 2].name;
        const struct yaml_node *one = yaml_find(node, key), *both = yaml_find(node, axis);
        if (one && both)
            return READER_FAIL(r, one, "'%s' already sets this face", both->key);
        rule = FACE_OPEN;
        LR_TRY(read_choice(r, one ? one : both, &SCHEMA_FACES, key, &rule));
        mesh->face[face] = (enum face_rule)rule;
    }
    for (int axis = 0; axis < 3; axis++)
        if ((mesh->face[2 * axis] == FACE_PERIODIC) != (mesh->face[2 * axis + 1] == FACE_PERIODIC))
            return READER_FAIL(r, node, "%c is periodic on one side only; write '%c: periodic'", "xyz"[axis],
                               "xyz"[axis]);
    return LR_OK;
}

enum lr_status read_mesh(const struct reader *r, const struct yaml_node *node, struct mesh *mesh)
{
    const char *const of_shells[] = {"inner", "outer", "spacing"};
    const char *const of_uniform[] = {"cells", "size", "origin", "refine", "brick", "bricks"};
    LR_TRY(READER_KEYS(r, node, &SCHEMA_MESH));
    if (yaml_find(node, "shells"))
        return read_shells(r, node, yaml_find(node, "shells"), mesh);
    for (int i = 0; i < 3; i++)
        if (yaml_find(node, of_shells[i]))
            return yaml_fail_key(r->ctx, r->tree, yaml_find(node, of_shells[i]),
                                 "'%s' is only for a mesh of shells; add 'shells: N'", of_shells[i]);
    const struct yaml_node *edges = yaml_find(node, "edges"), *faces = yaml_find(node, "faces");
    if (edges) {
        for (int i = 0; i < 6; i++)
            if (yaml_find(node, of_uniform[i]))
                return READER_FAIL(r, yaml_find(node, of_uniform[i]), "%s",
                                   i < 3 ? "'edges' is also given; remove one of them"
                                         : "only meshes of equal 'cells' can be refined");
        LR_TRY(read_edges(r, edges, mesh));
    } else {
        LR_TRY(read_uniform(r, node, mesh));
    }
    for (int axis = 0; axis < mesh_axis_count(mesh); axis++) {
        int i = mesh_find_disorder(mesh, axis);
        if (i >= 0)
            return READER_FAIL(r, edges ? edges : node, "the edges along %c do not increase from %d to %d", "xyz"[axis],
                               i, i + 1);
    }
    return faces ? read_faces(r, faces, mesh) : LR_OK;
}
