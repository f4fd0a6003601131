#include "io/model/model_region.h"

#include <math.h>

#include "io/model/model_value.h"

static enum lr_status read_length(const struct reader *r, const struct yaml_node *map, const char *key, double *value)
{
    const struct yaml_node *node = NULL;
    LR_TRY(require_key(r, map, key, &node));
    return read_quantity(r, node, DIMENSION_LENGTH, value);
}

static enum lr_status read_point(const struct reader *r, const struct yaml_node *map, const char *key, double point[3])
{
    const struct yaml_node *node = NULL;
    LR_TRY(require_key(r, map, key, &node));
    return read_vector(r, node, DIMENSION_LENGTH, point);
}

/* The centre of a sphere or shell; on a mesh of shells it is theirs. */
static enum lr_status read_centre(const struct reader *r, const struct yaml_node *map, double centre[3])
{
    const struct yaml_node *node = yaml_find(map, "centre");
    if (r->model->mesh.kind != MESH_SHELLS)
        return read_point(r, map, "centre", centre);
    LR_TRY(read_vector(r, node, DIMENSION_LENGTH, centre));
    if (centre[0] != 0.0 || centre[1] != 0.0 || centre[2] != 0.0)
        return READER_FAIL(r, node, "a mesh of shells is spherically symmetric; the centre must be [0, 0, 0]");
    return LR_OK;
}

static enum lr_status read_box(const struct reader *r, const struct yaml_node *map, struct region *region)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_BOX));
    LR_TRY(read_point(r, map, "min", region->low));
    LR_TRY(read_point(r, map, "max", region->high));
    for (int d = 0; d < 3; d++)
        if (!(region->low[d] < region->high[d]))
            return READER_FAIL(r, map, "'min' is not below 'max' along %c", "xyz"[d]);
    return LR_OK;
}

static enum lr_status read_slab(const struct reader *r, const struct yaml_node *map, struct region *region)
{
    const struct yaml_node *axis_node = NULL;
    int axis = 0;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_SLAB));
    LR_TRY(require_key(r, map, "axis", &axis_node));
    LR_TRY(read_choice(r, axis_node, &SCHEMA_SLAB, "axis", &axis));
    for (int d = 0; d < 3; d++) {
        region->low[d] = -INFINITY;
        region->high[d] = INFINITY;
    }
    LR_TRY(read_length(r, map, "from", &region->low[axis]));
    LR_TRY(read_length(r, map, "to", &region->high[axis]));
    if (!(region->low[axis] < region->high[axis]))
        return READER_FAIL(r, map, "'from' is not below 'to'");
    return LR_OK;
}

static enum lr_status read_sphere(const struct reader *r, const struct yaml_node *map, struct region *region)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_SPHERE));
    region->kind = REGION_SHELL;
    LR_TRY(read_centre(r, map, region->centre));
    LR_TRY(read_length(r, map, "radius", &region->outer));
    if (!(region->outer > 0.0))
        return READER_FAIL(r, map, "the radius must be above zero");
    return LR_OK;
}

static enum lr_status read_shell(const struct reader *r, const struct yaml_node *map, struct region *region)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_SHELL));
    region->kind = REGION_SHELL;
    LR_TRY(read_centre(r, map, region->centre));
    LR_TRY(read_length(r, map, "inner", &region->inner));
    LR_TRY(read_length(r, map, "outer", &region->outer));
    if (!(region->inner >= 0.0 && region->inner < region->outer))
        return READER_FAIL(r, map, "'inner' must not be negative and must be below 'outer'");
    return LR_OK;
}

enum lr_status read_region(const struct reader *r, const struct yaml_node *entry, const struct schema *schema,
                           struct region *region)
{
    LR_TRY(READER_KEYS(r, entry, schema));
    const struct yaml_node *body = NULL;
    for (const struct yaml_node *child = entry->first; child; child = child->next) {
        if (!schema_find(schema, child->key)->map[0]) /* what the region is for */
            continue;
        if (body)
            return yaml_fail_key(r->ctx, r->tree, child, "a region has one shape; '%s' is also given", body->key);
        body = child;
    }
    if (!body)
        return READER_FAIL(r, entry, "a region needs one of: box, sphere, shell, slab");
    if (r->model->mesh.kind == MESH_SHELLS && (body->key[0] == 'b' || body->key[1] == 'l'))
        return yaml_fail_key(r->ctx, r->tree, body,
                             "a mesh of shells is spherically symmetric; use 'sphere' or 'shell'");
    *region = (struct region){.kind = REGION_BOX};
    switch (body->key[1]) {
    case 'o':
        return read_box(r, body, region);
    case 'p':
        return read_sphere(r, body, region);
    case 'h':
        return read_shell(r, body, region);
    default:
        return read_slab(r, body, region);
    }
}
