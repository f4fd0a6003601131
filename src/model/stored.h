/* Named arrays of numbers on their way to a file or back: what a run has summed up, independent of how it is
 * represented in memory. solve/ fills and reads such lists, io/ writes and reads their files. */
#ifndef LR_MODEL_STORED_H
#define LR_MODEL_STORED_H

#include "base/context.h"

enum stored_kind { STORED_DOUBLE, STORED_FLOAT, STORED_INT64, STORED_TEXT };
enum { STORED_MAX_RANK = 3 };

struct stored_array {
    char name[32];
    enum stored_kind kind;
    int rank;
    int64_t size[STORED_MAX_RANK];
    const void *data;
    void *own; /* the same if it belongs to the list, otherwise NULL */
};

struct stored {
    int n, room;
    struct stored_array *array;
};

/* Adds an array [n0][n1][n2] that outlives the list; n1 or n2 is 0 if it has fewer axes. */
enum lr_status stored_add(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind, int64_t n0,
                          int64_t n1, int64_t n2, const void *data);
/* Adds a copy of n numbers or characters. */
enum lr_status stored_add_copy(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind, int64_t n,
                               const void *data);
/* Adds an array with room for its values, to be filled in. */
enum lr_status stored_add_room(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind, int rank,
                               const int64_t *size, void **data);
/* Makes copies of the arrays that are not its own. */
enum lr_status stored_own(lr_context *ctx, struct stored *list);
void stored_free(struct stored *list);

/* Or NULL. */
const struct stored_array *stored_find(const struct stored *list, const char *name);
int64_t stored_count(const struct stored_array *array);
size_t stored_bytes(enum stored_kind kind);

/* Copies an array of n numbers of this kind to `to`; fails if there is none, or one of another size. */
enum lr_status stored_get(lr_context *ctx, const struct stored *list, const char *name, enum stored_kind kind,
                          int64_t n, void *to);

#endif
