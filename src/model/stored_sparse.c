#include "model/stored_sparse.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = sizeof((struct stored_array *)0)->name };

struct run {
    int64_t first, n;
};

static void part_name(const char *name, const char *part, char *whole)
{
    snprintf(whole, NAME_SIZE, "%.20s_%s", name, part);
}

static bool is_zero(const char *number, size_t size)
{
    uint64_t bits = 0; /* also the sign of zero must be clear */
    memcpy(&bits, number, size);
    return bits == 0;
}

/* The next run of numbers from `at` on; it begins at n if there is none. */
static struct run next_run(const char *data, size_t size, int64_t at, int64_t n)
{
    struct run run;
    while (at < n && is_zero(data + (size_t)at * size, size))
        at++;
    run.first = at;
    while (at < n && !is_zero(data + (size_t)at * size, size))
        at++;
    run.n = at - run.first;
    return run;
}

struct extent {
    int64_t n_run, n_value;
};

/* How much there is to keep; false as soon as that is not worth it. */
static bool measure(const char *data, size_t size, int64_t n, struct extent *extent)
{
    const int64_t most = n * (int64_t)size / 2;
    *extent = (struct extent){.n_run = 1};
    for (struct run run = next_run(data, size, 0, n); run.n > 0; run = next_run(data, size, run.first + run.n, n)) {
        extent->n_run++;
        extent->n_value += run.n;
        if (extent->n_run * (int64_t)sizeof run + extent->n_value * (int64_t)size > most)
            return false;
    }
    return extent->n_run * (int64_t)sizeof(struct run) <= most;
}

static enum lr_status add_runs(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind,
                               const struct extent *extent, const char *data, int64_t n)
{
    const size_t size = stored_bytes(kind);
    const int64_t shape[] = {extent->n_run, 2};
    char whole[NAME_SIZE];
    void *runs = NULL, *values = NULL;
    part_name(name, "runs", whole);
    LR_TRY(stored_add_room(ctx, list, whole, STORED_INT64, 2, shape, &runs));
    part_name(name, "values", whole);
    if (extent->n_value > 0)
        LR_TRY(stored_add_room(ctx, list, whole, kind, 1, &extent->n_value, &values));
    struct run run = {0, 0}, *to = runs;
    char *next = values;
    for (int64_t i = 0; i < extent->n_run; i++) {
        run = next_run(data, size, run.first + run.n, n);
        to[i] = run;
        if (run.n > 0)
            memcpy(next, data + (size_t)run.first * size, (size_t)run.n * size);
        next += (size_t)run.n * size;
    }
    return LR_OK;
}

enum lr_status stored_add_sparse(lr_context *ctx, struct stored *list, const char *name, enum stored_kind kind,
                                 int64_t n0, int64_t n1, int64_t n2, const void *data)
{
    const int64_t n = n0 * (n1 > 0 ? n1 : 1) * (n2 > 0 ? n2 : 1);
    struct extent extent;
    if (measure(data, stored_bytes(kind), n, &extent))
        return add_runs(ctx, list, name, kind, &extent, data, n);
    return stored_add(ctx, list, name, kind, n0, n1, n2, data);
}

/* Runs follow one another, end at n and have as many values as there are. */
static bool runs_are_sound(const struct run *run, int64_t n_run, int64_t n, int64_t n_value)
{
    int64_t end = 0, sum = 0;
    for (int64_t i = 0; i < n_run; i++) {
        if (run[i].first < end || run[i].n < 0 || run[i].first > n || run[i].n > n - run[i].first)
            return false;
        end = run[i].first + run[i].n;
        sum += run[i].n;
    }
    return n_run > 0 && run[n_run - 1].first == n && sum == n_value;
}

enum lr_status stored_get_sparse(lr_context *ctx, const struct stored *list, const char *name, enum stored_kind kind,
                                 int64_t n, void *to)
{
    char whole[NAME_SIZE];
    part_name(name, "runs", whole);
    const struct stored_array *runs = stored_find(list, whole);
    part_name(name, "values", whole);
    const struct stored_array *values = stored_find(list, whole);
    const size_t size = stored_bytes(kind);
    if (!runs)
        return stored_get(ctx, list, name, kind, n, to);
    const int64_t n_run = runs->kind == STORED_INT64 && runs->rank == 2 && runs->size[1] == 2 ? runs->size[0] : 0;
    const int64_t n_value = values && values->kind == kind ? stored_count(values) : 0;
    const struct run *run = runs->data;
    if (!runs_are_sound(run, n_run, n, n_value))
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the stored '%s' does not have the %lld numbers that this run needs; was it made with another "
                       "version of linerad, or with other memory limits (run.memory)?",
                       name, (long long)n);
    const char *next = values ? values->data : NULL;
    memset(to, 0, (size_t)n * size);
    for (int64_t i = 0; i + 1 < n_run; i++) {
        memcpy((char *)to + (size_t)run[i].first * size, next, (size_t)run[i].n * size);
        next += (size_t)run[i].n * size;
    }
    return LR_OK;
}

bool stored_has_sparse(const struct stored *list, const char *name)
{
    char whole[NAME_SIZE];
    part_name(name, "runs", whole);
    return stored_find(list, name) || stored_find(list, whole);
}
