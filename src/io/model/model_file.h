/* Files that values are read from: {file: F, dataset: D}, or {array: A} in memory. */
#ifndef LR_IO_MODEL_MODEL_FILE_H
#define LR_IO_MODEL_MODEL_FILE_H

#include "io/model/model_reader.h"

struct hdf5_array;

/* Open the dataset and fail unless it is numeric. `file` and `dataset` are keys of `map`; dataset may have a default. A
 * map with the key `array` refers to an array in memory. */
enum lr_status open_dataset(const struct reader *r, const struct yaml_node *map, const char *dataset_key,
                            const char *dataset_default, struct hdf5_array **array);
/* All values, or those of one component of the first axis. */
enum lr_status read_dataset(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                            int64_t component, double *values);
/* Fails if a map has keys other than {file, dataset}, or {array}. */
enum lr_status check_dataset_keys(const struct reader *r, const struct yaml_node *map);
/* Convert to CGS using the dataset's `units` attribute. */
enum lr_status convert_dataset(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                               enum dimension dimension, double *values, int64_t n);
/* The path of a file that is given relative to the model; free() it. */
enum lr_status find_file(const struct reader *r, const struct yaml_node *node, char **path);
/* Where a relative path in this node starts, "" or with a trailing slash: the folder of the model file, or for `--set`
 * the current folder. */
const char *file_folder(const struct reader *r, const struct yaml_node *node);

#endif
