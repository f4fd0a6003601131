/* Reading a model: the state that its readers share. Each reads one section of the document into one part of the model,
 * checks it, and leaves CGS numbers; what a section offers to the others is in the header of its name. */
#ifndef LR_IO_MODEL_MODEL_READER_H
#define LR_IO_MODEL_MODEL_READER_H

#include "base/context.h"
#include "base/units.h"
#include "io/schema/schema.h"
#include "io/yaml/yaml_tree.h"
#include "model/model.h"

struct reader {
    lr_context *ctx;
    struct yaml_tree *tree;
    struct units *units;
    const char *folder; /* of the model file, with a trailing slash, or "": where relative paths start */
    lr_model *model;
    struct snapshot *snapshot; /* what stands in for `mesh` and for keys that `medium` leaves out; or NULL */
    const struct yaml_node *snapshot_node; /* its section */
    const struct lr_array *array;          /* [n_array] of the caller, for {array: NAME} */
    int n_array;
};

#define READER_FAIL(reader, node, ...) yaml_fail((reader)->ctx, (reader)->tree, (node), __VA_ARGS__)
#define READER_WARN(reader, node, ...) yaml_warn((reader)->ctx, (reader)->tree, (node), __VA_ARGS__)
/* Tables of keys, of which the mapping may have any. */
#define READER_KEYS(reader, map, ...)                                                                                  \
    schema_check((reader)->ctx, (reader)->tree, (map), (const struct schema *const[]){__VA_ARGS__, NULL})

/* Put file, line and key of the node in front of a message that does not name them. */
enum lr_status place_error(const struct reader *r, const struct yaml_node *node, enum lr_status status);

#endif
