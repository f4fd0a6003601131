/* A field of the medium: a value with a unit, an HDF5 dataset or array with the shape of the mesh, a formula, or a
 * default with regions. */
#include "io/model/model_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/model_file.h"
#include "io/model/model_formula.h"
#include "io/model/model_region.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_value.h"
#include "io/snapshot/snapshot.h"
#include "model/field.h"

void name_cell(const struct mesh *mesh, int64_t cell, char *text, size_t size)
{
    mesh_name_cell(mesh, cell, text, size);
}

static enum lr_status read_field_value(const struct reader *r, const struct yaml_node *node,
                                       const struct field_rule *rule, double *value)
{
    LR_TRY(read_quantity(r, node, rule->dimension, value));
    const char *fault = field_rule_fault(rule, *value);
    return fault ? READER_FAIL(r, node, "'%s' %s", node->text, fault) : LR_OK;
}

/* ---- HDF5 ---- */

static enum lr_status check_shape(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                                  const int64_t *expected, int rank)
{
    struct hdf5_shapes shapes;
    if (hdf5_array_has_shape(array, expected, rank, &shapes))
        return LR_OK;
    return READER_FAIL(r, node, "the %s has shape %s; the mesh needs %s", array->label, shapes.found, shapes.wanted);
}

static enum lr_status read_component(const struct reader *r, const struct yaml_node *node,
                                     const struct field_rule *rule, const struct hdf5_array *array, int64_t component,
                                     struct field *field)
{
    const struct mesh *mesh = &r->model->mesh;
    int64_t n_cell = mesh_cell_count(mesh);
    LR_TRY(lr_allocate(r->ctx, (size_t)n_cell, sizeof(double), &field->values));
    LR_TRY(read_dataset(r, node, array, component, field->values));
    LR_TRY(convert_dataset(r, node, array, rule->dimension, field->values, n_cell));
    for (int64_t cell = 0; cell < n_cell; cell++) {
        const char *fault = field_rule_fault(rule, field->values[cell]);
        if (fault) {
            char place[64];
            name_cell(mesh, cell, place, sizeof place);
            return READER_FAIL(r, node, "the value %g%s%s at cell %s %s", field->values[cell],
                               array->memory ? " of " : "", array->memory ? array->label : "", place, fault);
        }
    }
    field_compact(field, n_cell);
    return LR_OK;
}

static enum lr_status read_field_file(const struct reader *r, const struct yaml_node *node,
                                      const struct field_rule *rule, int n_component, struct field *field)
{
    LR_TRY(check_dataset_keys(r, node));
    struct hdf5_array *array = NULL;
    LR_TRY(open_dataset(r, node, "dataset", NULL, &array));
    int shape[MESH_MAX_RANK];
    const int axes = mesh_field_shape(&r->model->mesh, shape), skip = n_component == 1 ? 1 : 0;
    int64_t expected[MESH_MAX_RANK + 1] = {n_component};
    for (int i = 0; i < axes; i++)
        expected[i + 1] = shape[i];
    enum lr_status status = check_shape(r, node, array, expected + skip, axes + 1 - skip);
    for (int c = 0; c < n_component && status == LR_OK; c++)
        status = read_component(r, node, rule, array, n_component == 1 ? -1 : c, &field[c]);
    hdf5_array_close(array);
    return status;
}

/* {snapshot: NAME}: a dataset that linerad attaches no meaning to. */
static enum lr_status read_field_snapshot(const struct reader *r, const struct yaml_node *map,
                                          const struct field_rule *rule, struct field *field)
{
    const struct yaml_node *name = yaml_find(map, "snapshot");
    LR_TRY(READER_KEYS(r, map, &SCHEMA_OF_SNAPSHOT));
    LR_TRY(yaml_expect(r->ctx, r->tree, name, YAML_SCALAR));
    if (!r->snapshot)
        return READER_FAIL(r, name, "there is no section 'snapshot'");
    const int index = snapshot_find(r->snapshot, name->text);
    return index >= 0 ? read_snapshot_field(r, index, rule, field) : fail_missing(r, name, name->text, "");
}

/* ---- Regions ---- */

/* Quantities of arbitrary dimension are not converted, so all must be given in the same unit. */
static enum lr_status check_same_unit(const struct reader *r, const struct yaml_node *first,
                                      const struct yaml_node *node)
{
    double number = 0.0;
    const char *unit = "", *first_unit = "";
    units_split(first->text, &number, &first_unit);
    units_split(node->text, &number, &unit);
    if (strcmp(unit, first_unit) != 0)
        return READER_FAIL(r, node, "'%s' must have the same unit as the default '%s'", node->text, first->text);
    return LR_OK;
}

static enum lr_status paint_entry(const struct reader *r, const struct yaml_node *entry, const struct yaml_node *base,
                                  const struct field_rule *rule, struct field *field)
{
    const struct yaml_node *value_node = NULL;
    struct region region;
    double value = 0.0;
    LR_TRY(read_region(r, entry, &SCHEMA_REGION, &region));
    LR_TRY(require_key(r, entry, "value", &value_node));
    LR_TRY(read_field_value(r, value_node, rule, &value));
    if (rule->dimension == DIMENSION_ANY)
        LR_TRY(check_same_unit(r, base, value_node));
    LR_TRY(field_expand(r->ctx, field, mesh_cell_count(&r->model->mesh)));
    region_paint(&region, &r->model->mesh, rule->extensive, value, field->values);
    return LR_OK;
}

static enum lr_status read_field_regions(const struct reader *r, const struct yaml_node *node,
                                         const struct field_rule *rule, struct field *field)
{
    const struct yaml_node *base = NULL, *regions = NULL;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_PAINTED));
    LR_TRY(require_key(r, node, "default", &base));
    LR_TRY(require_key(r, node, "regions", &regions));
    LR_TRY(read_field_value(r, base, rule, &field->constant));
    LR_TRY(yaml_expect(r->ctx, r->tree, regions, YAML_LIST));
    for (const struct yaml_node *entry = regions->first; entry; entry = entry->next)
        LR_TRY(paint_entry(r, entry, base, rule, field));
    field_compact(field, mesh_cell_count(&r->model->mesh));
    return LR_OK;
}

enum lr_status read_field(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                          struct field *field)
{
    if (node->kind == YAML_SCALAR)
        return read_field_value(r, node, rule, &field->constant);
    if (node->kind == YAML_LIST)
        return READER_FAIL(r, node, "expected a value, {file, dataset}, {formula} or {default, regions}, found a list");
    LR_TRY(READER_KEYS(r, node, &SCHEMA_DATASET, &SCHEMA_PAINTED, &SCHEMA_OF_SNAPSHOT, &SCHEMA_ARRAY, &SCHEMA_FORMULA));
    if (yaml_find(node, "formula"))
        return read_field_formula(r, node, rule, 1, field);
    if (yaml_find(node, "snapshot"))
        return read_field_snapshot(r, node, rule, field);
    return yaml_find(node, "file") || yaml_find(node, "dataset") || yaml_find(node, "array")
               ? read_field_file(r, node, rule, 1, field)
               : read_field_regions(r, node, rule, field);
}

enum lr_status read_vector_field(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                                 struct field field[3])
{
    if (r->model->mesh.kind == MESH_SHELLS) {
        if (node->kind == YAML_LIST)
            return READER_FAIL(r, node, "on a mesh of shells vectors are radial; give one field, positive = outward");
        return read_field(r, node, rule, field);
    }
    if (node->kind == YAML_MAP)
        return yaml_find(node, "formula") ? read_field_formula(r, node, rule, 3, field)
                                          : read_field_file(r, node, rule, 3, field);
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child != 3)
        return READER_FAIL(r, node, "expected three components [x, y, z], found %d", node->n_child);
    int d = 0;
    for (const struct yaml_node *item = node->first; item; item = item->next)
        LR_TRY(read_field(r, item, rule, &field[d++]));
    return LR_OK;
}
