/* {file: F, dataset: D} in a model file: find the dataset in the folder of the model (or, from `--set`, in the current
 * folder), and give its position in every message. {array: A} is an array in the memory of the program that loads the
 * model. */
#include "io/model/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/memory_array.h"
#include "io/model/model_value.h"

static enum lr_status text_of(const struct reader *r, const struct yaml_node *node, const char **text)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    if (yaml_is_empty(node))
        return READER_FAIL(r, node, "the name is empty");
    *text = node->text;
    return LR_OK;
}

const char *file_folder(const struct reader *r, const struct yaml_node *node)
{
    return node->setting ? "" : r->folder;
}

enum lr_status find_file(const struct reader *r, const struct yaml_node *node, char **path)
{
    const char *relative = "";
    LR_TRY(text_of(r, node, &relative));
    const char *folder = relative[0] == '/' ? "" : file_folder(r, node);
    const size_t size = strlen(folder) + strlen(relative) + 1;
    LR_TRY(lr_allocate(r->ctx, size, 1, path));
    snprintf(*path, size, "%s%s", folder, relative);
    return LR_OK;
}

enum lr_status check_dataset_keys(const struct reader *r, const struct yaml_node *map)
{
    return READER_KEYS(r, map, yaml_find(map, "array") ? &SCHEMA_ARRAY : &SCHEMA_DATASET);
}

static enum lr_status open_array(const struct reader *r, const struct yaml_node *node, struct hdf5_array **array)
{
    const char *name = "";
    LR_TRY(text_of(r, node, &name));
    if (r->n_array == 0)
        return READER_FAIL(r, node, "no arrays are available here; name an HDF5 file: {file: gas.h5, dataset: %s}",
                           name);
    for (int i = 0; i < r->n_array; i++)
        if (r->array[i].name && strcmp(r->array[i].name, name) == 0)
            return place_error(r, node, memory_array_open(r->ctx, &r->array[i], array));
    return READER_FAIL(r, node, "no array '%s' among the %d given", name, r->n_array);
}

enum lr_status open_dataset(const struct reader *r, const struct yaml_node *map, const char *dataset_key,
                            const char *dataset_default, struct hdf5_array **array)
{
    if (yaml_find(map, "array"))
        return open_array(r, yaml_find(map, "array"), array);
    const struct yaml_node *file = NULL, *dataset = yaml_find(map, dataset_key);
    const char *name = dataset_default;
    char *path = NULL;
    LR_TRY(require_key(r, map, "file", &file));
    if (!dataset && !name)
        LR_TRY(require_key(r, map, dataset_key, &dataset));
    if (dataset)
        LR_TRY(text_of(r, dataset, &name));
    LR_TRY(find_file(r, file, &path));
    enum lr_status status = hdf5_array_open(r->ctx, path, name, array);
    free(path);
    return place_error(r, file, status);
}

enum lr_status read_dataset(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                            int64_t component, double *values)
{
    if (array->memory) {
        memory_array_read(array->memory, component, values);
        return LR_OK;
    }
    return place_error(r, node, hdf5_array_read(r->ctx, array, component, values));
}

enum lr_status convert_dataset(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                               enum dimension dimension, double *values, int64_t n)
{
    if (!array->has_units && (dimension == DIMENSION_ANY || dimension == DIMENSION_NONE))
        return LR_OK;
    if (!array->has_units)
        return READER_FAIL(r, node, "the %s has no%s 'units'; give it one such as '%s'", array->label,
                           array->memory ? "" : " attribute", units_dimension_example(dimension));
    if (units_convert(r->units, array->units, dimension, values, (size_t)n) == UNIT_OK)
        return LR_OK;
    if (dimension == DIMENSION_NONE)
        return READER_FAIL(r, node, "the %s has units '%s'; it must be dimensionless (units '1')", array->label,
                           array->units);
    return READER_FAIL(r, node, "the %s has units '%s', which is not %s such as '%s'", array->label, array->units,
                       units_dimension_name(dimension), units_dimension_example(dimension));
}
