/* The key `bricks` of the section `mesh`: level and position of each brick of a refined mesh, as arrays or datasets of
 * shape (n) and (n, 3), in the order used by fields. */
#include <math.h>
#include <stdlib.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/model_file.h"
#include "io/model/model_mesh.h"
#include "io/model/model_value.h"

enum { MOST_IN_BRICK = 64 };

/* Whole numbers of shape (n) or (n, 3); the first array sets n. */
static enum lr_status read_whole(const struct reader *r, const struct yaml_node *map, const char *key, int width,
                                 int64_t *n, int **whole)
{
    const struct yaml_node *node = NULL;
    struct hdf5_array *array = NULL;
    double *values = NULL;
    LR_TRY(require_key(r, map, key, &node));
    LR_TRY(check_dataset_keys(r, node));
    LR_TRY(open_dataset(r, node, "dataset", NULL, &array));
    enum lr_status status = LR_OK;
    const bool fits = array->rank == (width == 1 ? 1 : 2) && (width == 1 || array->shape[1] == width) &&
                      array->shape[0] > 0 && (*n == 0 || array->shape[0] == *n);
    if (!fits) {
        char shape[128];
        hdf5_shape_text(array->shape, array->rank, shape, sizeof shape);
        status = READER_FAIL(r, node, "the %s has shape %s; expected (n%s), one entry per brick", array->label, shape,
                             width == 1 ? "" : ", 3");
        goto done;
    }
    *n = array->shape[0];
    const size_t count = (size_t)*n * (size_t)width;
    LR_TRY_OR(done, status, lr_allocate(r->ctx, count, sizeof *values, &values));
    LR_TRY_OR(done, status, lr_allocate(r->ctx, count, sizeof **whole, whole));
    LR_TRY_OR(done, status, read_dataset(r, node, array, -1, values));
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= 0.0 && values[i] <= INT32_MAX && values[i] == floor(values[i]))) {
            status = READER_FAIL(r, node, "%g of brick %lld is not a whole number of zero or more", values[i],
                                 (long long)(i / (size_t)width));
            goto done;
        }
        (*whole)[i] = (int)values[i];
    }
done:
    free(values);
    hdf5_array_close(array);
    return status;
}

enum lr_status read_bricks(const struct reader *r, const struct yaml_node *map, const int cells[3],
                           const double lower[3], const double size[3], struct mesh *mesh)
{
    const struct yaml_node *bricks = yaml_find(map, "bricks"), *brick_node = yaml_find(map, "brick");
    int brick = 1, root[3], *level = NULL, *position = NULL;
    int64_t n = 0;
    enum lr_status status = LR_OK;
    LR_TRY(READER_KEYS(r, bricks, &SCHEMA_BRICKS));
    LR_TRY(read_int(r, brick_node, 1, MOST_IN_BRICK, &brick));
    for (int axis = 0; axis < 3; axis++) {
        if (cells[axis] % brick != 0)
            return READER_FAIL(r, brick_node, "%d cells along %c are not a whole number of bricks of %d", cells[axis],
                               "xyz"[axis], brick);
        root[axis] = cells[axis] / brick;
    }
    LR_TRY_OR(done, status, read_whole(r, bricks, "level", 1, &n, &level));
    LR_TRY_OR(done, status, read_whole(r, bricks, "position", 3, &n, &position));
    const int shape[3] = {brick, brick, brick};
    status = place_error(r, bricks,
                         mesh_build_amr(r->ctx, root, shape, lower, size, n, level, (const int(*)[3])position, mesh));
done:
    free(level);
    free(position);
    return status;
}
