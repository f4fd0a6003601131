#include "io/model/memory_array.h"

#include <stdio.h>
#include <string.h>

enum lr_status memory_array_open(lr_context *ctx, const struct lr_array *memory, struct hdf5_array **out)
{
    if (memory->rank < 0 || memory->rank > LR_MAX_RANK || memory->rank > HDF5_MAX_RANK)
        return lr_fail(ctx, LR_ERROR_INPUT, "array '%s' has %d axes; the maximum is %d", memory->name, memory->rank,
                       HDF5_MAX_RANK);
    if (!memory->data || (int)memory->type < LR_FLOAT32 || memory->type > LR_BOOL)
        return lr_fail(ctx, LR_ERROR_INPUT, "array '%s' does not hold numbers", memory->name);
    if (memory->units && strlen(memory->units) >= HDF5_MAX_UNITS)
        return lr_fail(ctx, LR_ERROR_INPUT, "the units string of array '%s' is too long", memory->name);
    struct hdf5_array *array = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *array, &array));
    array->file = array->dataset = -1;
    array->memory = memory;
    array->rank = memory->rank;
    memcpy(array->shape, memory->shape, (size_t)memory->rank * sizeof *array->shape);
    array->has_units = memory->units != NULL;
    if (memory->units)
        snprintf(array->units, sizeof array->units, "%s", memory->units);
    snprintf(array->label, sizeof array->label, "array '%.60s'", memory->name);
    *out = array;
    return LR_OK;
}

/* n numbers that are `stride` bytes apart. Arrays of other programs need not be aligned. */
#define COPY_ROW(type)                                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        type number;                                                                                                   \
        memcpy(&number, from + i * stride, sizeof number);                                                             \
        to[i] = (double)number;                                                                                        \
    }                                                                                                                  \
    break

static void copy_row(const char *from, int64_t stride, int64_t n, enum lr_type type, double *to)
{
    switch (type) {
    case LR_FLOAT32:
        COPY_ROW(float);
    case LR_FLOAT64:
        COPY_ROW(double);
    case LR_INT32:
        COPY_ROW(int32_t);
    case LR_INT64:
        COPY_ROW(int64_t);
    case LR_BOOL:
        COPY_ROW(uint8_t);
    }
}

/* Values from `from` on, along axis `axis` and those after it; returns where the next values go. */
static double *copy_axes(const struct lr_array *memory, int axis, const char *from, double *to)
{
    const int64_t n = axis < memory->rank ? memory->shape[axis] : 1;
    const int64_t stride = axis < memory->rank ? memory->stride[axis] : 0;
    if (axis >= memory->rank - 1) {
        copy_row(from, stride, n, memory->type, to);
        return to + n;
    }
    for (int64_t i = 0; i < n; i++)
        to = copy_axes(memory, axis + 1, from + i * stride, to);
    return to;
}

void memory_array_read(const struct lr_array *memory, int64_t component, double *values)
{
    const char *first = memory->data;
    if (component < 0)
        copy_axes(memory, 0, first, values);
    else
        copy_axes(memory, 1, first + component * memory->stride[0], values);
}
