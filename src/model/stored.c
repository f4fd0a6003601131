#include "model/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t stored_bytes(enum stored_kind kind)
{
    return kind == STORED_FLOAT ? sizeof(float) : kind == STORED_TEXT ? 1 : sizeof(double);
}

int64_t stored_count(const struct stored_array *array)
{
    int64_t n = 1;
    for (int axis = 0; axis < array->rank; axis++)
        n *= array->size[axis];
    return n;
}

static enum lr_status next(lr_context *ctx, struct stored *list, const char *name, struct stored_array **array)
{
    if (list->n == list->room) {
        const int room = list->room ? 2 * list->room : 32;
        struct stored_array *grown = realloc(list->array, (size_t)room * sizeof *grown);
        if (!grown)
            return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
        list->array = grown;
        list->room = room;
    }
    *array = &list->array[list->n++];
    **array = (struct stored_array){.rank = 1};
    snprintf((*array)->name, sizeof(*array)->name, "%s", name);
    return LR_OK;
}

enum lr_status stored_add(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind, int64_t n0,
                          int64_t n1, int64_t n2, const void *data)
{
    struct stored_array *array = NULL;
    LR_TRY(next(ctx, list, name, &array));
    array->kind = kind;
    array->rank = n2 > 0 ? 3 : n1 > 0 ? 2 : 1;
    array->size[0] = n0;
    array->size[1] = n1;
    array->size[2] = n2;
    array->data = data;
    return LR_OK;
}

enum lr_status stored_add_room(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind, int rank,
                               const int64_t *size, void **data)
{
    struct stored_array *array = NULL;
    LR_TRY(next(ctx, list, name, &array));
    array->kind = kind;
    array->rank = rank;
    for (int axis = 0; axis < rank; axis++)
        array->size[axis] = size[axis];
    LR_TRY(lr_allocate(ctx, (size_t)stored_count(array), stored_bytes(kind), &array->own));
    *data = array->own;
    array->data = array->own;
    return LR_OK;
}

enum lr_status stored_add_copy(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind, int64_t n,
                               const void *data)
{
    void *copy = NULL;
    LR_TRY(stored_add_room(ctx, list, name, kind, 1, &n, &copy));
    memcpy(copy, data, (size_t)n * stored_bytes(kind));
    return LR_OK;
}

enum lr_status stored_own(lr_context *ctx, struct stored *list)
{
    for (int i = 0; i < list->n; i++) {
        struct stored_array *array = &list->array[i];
        const size_t n = (size_t)stored_count(array);
        if (array->own)
            continue;
        LR_TRY(lr_allocate(ctx, n, stored_bytes(array->kind), &array->own));
        memcpy(array->own, array->data, n * stored_bytes(array->kind));
        array->data = array->own;
    }
    return LR_OK;
}

void stored_free(struct stored *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->array[i].own);
    free(list->array);
    *list = (struct stored){0};
}

const struct stored_array *stored_find(const struct stored *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->array[i].name, name) == 0)
            return &list->array[i];
    return NULL;
}

enum lr_status stored_get(lr_context *ctx, const struct stored *list, const char *name, enum stored_kind kind,
                          int64_t n, void *to)
{
    const struct stored_array *array = stored_find(list, name);
    const int64_t found = array && array->kind == kind ? stored_count(array) : -1;
    if (found != n)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the stored '%s' has %lld numbers where this run needs %lld; was it made with another version "
                       "of linerad, or with other memory limits (run.memory)?",
                       name, (long long)(found < 0 ? 0 : found), (long long)n);
    memcpy(to, array->data, (size_t)n * stored_bytes(kind));
    return LR_OK;
}
