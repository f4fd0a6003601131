/* Reading a model: the state shared by its readers. Each reads one section of the document into one part of the model,
 * checks it and converts it to CGS; what a section offers to the others is in the header of the same name. */
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
    const char *folder; /* of the model file, with a trailing slash, or "": relative paths start here */
    lr_model *model;
    struct snapshot *snapshot;             /* replaces `mesh` and the keys missing from `medium`; or NULL */
    const struct yaml_node *snapshot_node; /* its section */
    const struct lr_array *array;          /* [n_array] of the caller, for {array: NAME} */
    int n_array;
};

#define READER_FAIL(reader, node, ...) yaml_fail((reader)->ctx, (reader)->tree, (node), __VA_ARGS__)
#define READER_WARN(reader, node, ...) yaml_warn((reader)->ctx, (reader)->tree, (node), __VA_ARGS__)
/* The mapping may have the keys of any of these tables. */
#define READER_KEYS(reader, map, ...)                                                                                  \
    schema_check((reader)->ctx, (reader)->tree, (map), (const struct schema *const[]){__VA_ARGS__, NULL})

/* Prefix a message that does not name them with file, line and key of the node. */
enum lr_status place_error(const struct reader *r, const struct yaml_node *node, enum lr_status status);

#endif
