/* Stored arrays that are mostly zero, such as light toward cameras in channels without the line: only the numbers in
 * between are kept, bit for bit. Of an array NAME these are NAME_values, and NAME_runs says where they belong: the
 * place of the first number of each run, and how many follow one another; then how many numbers there are in all, and
 * 0. */
#ifndef LR_MODEL_STORED_SPARSE_H
#define LR_MODEL_STORED_SPARSE_H

#include "model/stored.h"

/* The same as stored_add(), but in that form if it takes half the memory or less. Not for texts. */
enum lr_status stored_add_sparse(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind,
                                 int64_t n0, int64_t n1, int64_t n2, const void *data);
/* The same as stored_get(), from either form. */
enum lr_status stored_get_sparse(lr_context *ctx, const struct stored *list, const char *name, enum stored_kind kind,
                                 int64_t n, void *to);
/* It is there in either form. */
bool stored_has_sparse(const struct stored *list, const char *name);

#endif
