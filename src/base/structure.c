#include "base/structure.h"

#include <string.h>

void lr_init(void *structure, size_t size)
{
    memset(structure, 0, size);
    memcpy(structure, &size, sizeof size);
}

/* What follows the size, as far as both know it. */
static void copy_members(const void *from, void *to, size_t size)
{
    const size_t start = sizeof size;
    if (size > start)
        memcpy((char *)to + start, (const char *)from + start, size - start);
}

void structure_give(const void *from, size_t size, void *to)
{
    size_t known = 0;
    memcpy(&known, to, sizeof known);
    copy_members(from, to, known < size ? known : size);
}

enum lr_status structure_take(lr_context *ctx, const char *name, const void *from, void *to, size_t size)
{
    size_t known = 0;
    memcpy(&known, from, sizeof known);
    if (known <= sizeof known)
        return lr_fail(ctx, LR_ERROR_INPUT, "a struct %s has no size; begin with LR_INIT()", name);
    lr_init(to, size);
    copy_members(from, to, known < size ? known : size);
    return LR_OK;
}
