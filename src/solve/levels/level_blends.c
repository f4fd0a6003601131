#include "solve/levels/level_blends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/context.h"

/* Frequencies of all lines of a blend, at most. */
enum { MOST_FREQUENCIES = 8192 };

struct place {
    double frequency;
    int line;
};

static int by_frequency(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    return a->frequency != b->frequency ? (a->frequency > b->frequency) - (a->frequency < b->frequency)
                                        : (a->line > b->line) - (a->line < b->line);
}

/* Doppler shift between two lines, in units of the job: logarithms, because shifts of gas add to them. */
static double shift_between(const struct prepared_levels *prepared, const struct place *low, const struct place *high)
{
    return LR_LIGHT_SPEED * log(high->frequency / low->frequency) / prepared->unit.velocity;
}

/* The number of lines, from this one on, each within reach of the next: a line affects frequencies up to `half` from
 * its own, at any velocity of the gas. */
static int count_chain(const struct prepared_levels *prepared, const struct place *place, int left, double half)
{
    int n = 1;
    while (n < left && shift_between(prepared, &place[n - 1], &place[n]) < 2 * half)
        n++;
    return n;
}

/* The lines `place`, in the job from `first` on, as a blend. */
static enum lr_status add_blend(lr_context *ctx, struct prepared_levels *prepared, int first, const struct place *place,
                                int n, double half)
{
    struct level_job *job = &prepared->job;
    struct level_line *line = &prepared->line[first];
    for (int i = 0; i < n; i++)
        line[i].shift = shift_between(prepared, &place[0], &place[i]);
    const double number = ceil((line[n - 1].shift + 2 * half) / job->frequency_step) + 1;
    if (number > MOST_FREQUENCIES)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: at the velocities of this gas %d lines of %s overlap in a chain of %.4g km/s, which needs "
                       "%g frequencies, more than %d; 'overlap: false' in 'populations' solves each line by itself",
                       prepared->model->path, n, prepared->model->species->molecule.name,
                       line[n - 1].shift * prepared->unit.velocity / 1e5, number, MOST_FREQUENCIES);
    prepared->blend[job->n_blend++] =
        (struct level_blend){.first = first, .n = n, .n_frequency = (int)number, .frequency_first = -half};
    return LR_OK;
}

/* Lines of the job in a new order: those that stand alone, then blend after blend. `old` are the present ones. */
static enum lr_status sort_lines(lr_context *ctx, struct prepared_levels *prepared, const struct place *place,
                                 const struct level_line *old, double half)
{
    const int n_line = prepared->job.n_line;
    int to = 0;
    for (int blended = 0; blended < 2; blended++)
        for (int i = 0, n; i < n_line; i += n) {
            n = count_chain(prepared, &place[i], n_line - i, half);
            if ((n > 1) != blended)
                continue;
            for (int k = 0; k < n; k++)
                prepared->line[to + k] = old[place[i + k].line];
            if (blended)
                LR_TRY(add_blend(ctx, prepared, to, &place[i], n, half));
            to += n;
        }
    return LR_OK;
}

enum lr_status level_blends_make(lr_context *ctx, struct prepared_levels *prepared)
{
    struct level_job *job = &prepared->job;
    const size_t n_line = (size_t)job->n_line;
    const double half = -job->frequency_first;
    struct place *place = NULL;
    struct level_line *old = NULL;
    bool any = false;
    enum lr_status status = LR_OK;
    if (!prepared->model->species->options.overlap)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, n_line, sizeof *place, &place));
    for (int l = 0; l < job->n_line; l++)
        place[l] = (struct place){prepared->model->species->molecule.line[l].frequency, l};
    qsort(place, n_line, sizeof *place, by_frequency);
    for (int l = 0; l < job->n_line; l++)
        any = any || count_chain(prepared, &place[l], job->n_line - l, half) > 1;
    if (!any)
        goto done; /* lines stay in the order of the file */
    LR_TRY_OR(done, status, lr_allocate(ctx, n_line, sizeof *prepared->blend, &prepared->blend));
    LR_TRY_OR(done, status, lr_allocate(ctx, n_line, sizeof *old, &old));
    memcpy(old, prepared->line, n_line * sizeof *old);
    LR_TRY_OR(done, status, sort_lines(ctx, prepared, place, old, half));
    job->blend = prepared->blend;
done:
    free(place);
    free(old);
    return status;
}

void level_blends_free(struct prepared_levels *prepared)
{
    free(prepared->blend);
    prepared->blend = NULL;
}
