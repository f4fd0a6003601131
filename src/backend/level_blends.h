/* Lines of a level populations job that overlap, and those that do not. Compiled with the driver, in its precision. */
#ifndef LR_BACKEND_LEVEL_BLENDS_H
#define LR_BACKEND_LEVEL_BLENDS_H

#include "backend/build_views.h"
#include "kernel/level_blend.h"

/* The number of lines that overlap with none, the first ones. */
static inline int level_alone_count(const struct level_job *job)
{
    return job->n_blend > 0 ? job->blend[0].first : job->n_line;
}

/* The blend as kernels read it. */
static inline struct blend_view level_blend_view(const struct view_store *store, const struct level_job *job,
                                                 int number, int *failed)
{
    const struct level_blend *blend = &job->blend[number];
    const struct level_line *line = &job->line[blend->first], *last = &line[blend->n - 1];
    double *shift = (double *)malloc((size_t)blend->n * sizeof *shift);
    struct blend_view view;
    for (int m = 0; shift && m < blend->n; m++)
        shift[m] = line[m].shift;
    view.first = blend->first;
    view.n = blend->n;
    view.band = band_make(blend->n_frequency, blend->frequency_first, job->frequency_step);
    view.shift = shift ? store_reals(store, blend->n, shift, failed) : NULL;
    view.background = blend_tilt_between(&view.band, (real)last->shift, (real)line->background, (real)last->background);
    *failed = *failed || !shift;
    free(shift);
    return view;
}

#endif
