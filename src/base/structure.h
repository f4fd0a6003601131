/* Structures of the public interface that may grow: they begin with the size that the caller knows. */
#ifndef LR_BASE_STRUCTURE_H
#define LR_BASE_STRUCTURE_H

#include "base/context.h"

/* Copy the library's structure `from` of `size` bytes into that of a caller: as many bytes as both know, but not the
 * size. */
void structure_give(const void *from, size_t size, void *to);
/* Copy a caller's structure into that of the library, of `size` bytes; what the caller does not know is zero. Fails
 * where lr_init() was forgotten; `name` is that of the structure. */
enum lr_status structure_take(lr_context *ctx, const char *name, const void *from, void *to, size_t size);

#endif
