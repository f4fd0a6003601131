/* Radiation along one ray (kernel/level_transfer.h): the profiles of its pieces, which all lines share, then for each
 * line the light from piece to piece, in vector loops over frequencies. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_FOLLOW_H
#define LR_BACKEND_CPU_CPU_LEVEL_FOLLOW_H

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_level_blend.h"
#include "backend/cpu/cpu_level_profile.h"
#include "backend/cpu/cpu_level_state.h"
#include "kernel/level_transfer.h"

/* Working memory of a thread: profiles along a ray, common to all lines, and the intensities of one line. */
struct desk {
    struct band band;
    struct track track;
    int room;          /* pieces */
    real *profile;     /* [room][n] mean over each piece */
    real *end_profile; /* [room][n] at its end, if recorded there */
    real *end_sum;     /* [room] */
    struct interval *at;
    real *entering, *lost;
    struct ray_record *record; /* of the ray */
    struct blend_desk blend;
    int failed;
};

/* Frequencies that the piece affects: within reach of the line, or all if there is dust. */
static struct interval reach_of(const struct desk *desk, const struct piece *piece, const struct gas_view *gas,
                                real reach)
{
    const struct interval all = {0, desk->band.n};
    return gas->kappa > R(0) ? all : line_interval(&desk->band, piece->v0, piece->v1, gas->inv_b, reach);
}

static void make_profiles(const struct levels *levels, struct desk *desk)
{
    const struct track *track = &desk->track;
    if (track->n > desk->room) {
        const size_t n = (size_t)track->n;
        const size_t row = (size_t)desk->band.n;
        free(desk->profile);
        free(desk->end_profile);
        free(desk->end_sum);
        free(desk->at);
        desk->profile = (real *)malloc(n * row * sizeof(real));
        desk->end_profile = (real *)malloc(n * row * sizeof(real));
        desk->end_sum = (real *)malloc(n * sizeof(real));
        desk->at = (struct interval *)malloc(n * sizeof *desk->at);
        desk->room = track->n;
        if (!desk->profile || !desk->end_profile || !desk->end_sum || !desk->at) {
            desk->room = 0;
            desk->failed = 1;
            return;
        }
    }
    for (int i = 0; i < track->n; i++) {
        const struct piece *piece = &track->piece[i];
        const struct gas_view *gas = &levels->gas[piece->cell];
        const struct interval at = reach_of(desk, piece, gas, levels->reach);
        real *profile = desk->profile + (size_t)i * (size_t)desk->band.n;
        desk->at[i] = at;
        fill_profile(&desk->band, piece->v0, piece->v1, gas->inv_b, at, profile);
        if (!(piece->weight > R(0)))
            continue;
        real *end = desk->end_profile + (size_t)i * (size_t)desk->band.n;
        real sum = R(0);
        memset(end, 0, (size_t)desk->band.n * sizeof *end);
        fill_profile(&desk->band, piece->v1, piece->v1, gas->inv_b, at, end);
        for (int f = at.low; f < at.high; f++)
            sum += end[f];
        desk->end_sum[i] = sum;
    }
}

static void desk_make(const struct levels *levels, struct desk *desk)
{
    const struct level_job *job = &levels->job;
    const size_t n = (size_t)job->n_frequency;
    *desk = (struct desk){.band = band_make(job->n_frequency, job->frequency_first, job->frequency_step),
                          .entering = (real *)calloc(n, sizeof(real)),
                          .lost = (real *)calloc(n, sizeof(real))};
    desk->failed = !blend_desk_make(levels, &desk->blend) || !desk->entering || !desk->lost;
}

static void desk_free(const struct levels *levels, struct desk *desk)
{
    blend_desk_free(levels, &desk->blend);
    free(desk->track.piece);
    free(desk->profile);
    free(desk->end_profile);
    free(desk->end_sum);
    free(desk->at);
    free(desk->entering);
    free(desk->lost);
}

/* An empty record with room for every piece of the track. */
static void record_begin(const struct levels *levels, struct desk *desk, struct ray_record *record)
{
    const size_t n = (size_t)desk->track.n;
    desk->record = record;
    record->n = 0;
    if (desk->track.n <= record->room)
        return;
    free(record->cell);
    free(record->weight);
    free(record->light);
    record->cell = (int *)malloc(n * sizeof *record->cell);
    record->weight = (real *)malloc(n * sizeof *record->weight);
    record->light = (struct line_light *)malloc(n * (size_t)levels->job.n_line * sizeof *record->light);
    record->room = desk->track.n;
    if (!record->cell || !record->weight || !record->light) {
        record->room = 0;
        desk->failed = 1;
    }
}

/* Records the light in the middle of the cell where piece i ends, as number `at`, then adds the cell's own light. */
static void record_light(const struct levels *levels, const struct desk *desk, int i, int at, int l,
                         struct interval span, real source)
{
    const struct piece *piece = &desk->track.piece[i];
    const real *profile = desk->end_profile + (size_t)i * (size_t)desk->band.n;
    real *entering = desk->entering;
    real *lost = desk->lost;
    real sum_entering = R(0);
    real sum_lost = R(0);
#pragma omp simd reduction(+ : sum_entering, sum_lost)
    for (int f = span.low; f < span.high; f++) {
        const struct line_light light = light_limited((struct line_light){entering[f], lost[f]});
        sum_entering += profile[f] * light.entering;
        sum_lost += profile[f] * light.lost;
        entering[f] = light_leaving(light, source);
        lost[f] = R(1);
    }
    struct ray_record *record = desk->record;
    const real scale = desk->end_sum[i] > R(0) ? piece->weight / desk->end_sum[i] : R(0);
    record->light[(size_t)at * (size_t)levels->job.n_line + (size_t)l] =
        (struct line_light){scale * sum_entering, scale * sum_lost};
    record->cell[at] = piece->cell;
    record->weight[at] = piece->weight;
    record->n = at + 1;
}

/* What one line meets in a piece. */
struct line_piece {
    struct piece_ends ends;
    real depth, grey; /* of the line at its centre; of dust */
    real dust;        /* source function */
};

/* Takes all frequencies of the interval through a piece. There are three such loops, each with `matter` constant. */
static inline __attribute__((always_inline)) void cross_frequencies(enum matter matter, const struct desk *desk,
                                                                    const struct line_piece *line, const real *profile,
                                                                    struct interval at)
{
    real *entering = desk->entering;
    real *lost = desk->lost;
    const struct line_piece here = *line;
#pragma omp simd
    for (int f = at.low; f < at.high; f++) {
        const struct piece_weights weights = piece_weights_of(matter, here.depth * profile[f], here.grey);
        const struct line_light light =
            light_cross(matter, (struct line_light){entering[f], lost[f]}, weights, here.ends, here.dust);
        entering[f] = light.entering;
        lost[f] = light.lost;
    }
}

static void follow_piece(const struct levels *levels, const struct desk *desk, int i, int target, int l)
{
    const int n_line = levels->job.n_line;
    const struct piece *piece = &desk->track.piece[i];
    const size_t here = (size_t)piece->cell * (size_t)n_line + (size_t)l;
    const struct line_glow glow = levels->glow[here];
    const struct line_glow other = levels->glow[(size_t)piece->other * (size_t)n_line + (size_t)l];
    const struct line_piece line = {
        piece_ends_of(piece->cell == target, piece->other == target, piece->u0, piece->u1, glow.source, other.source),
        piece_depth(glow.alpha, piece->length, levels->least_depth), levels->gas[piece->cell].kappa * piece->length,
        levels->dust ? levels->dust[here] : R(0)};
    const real *profile = desk->profile + (size_t)i * (size_t)desk->band.n;
    if (line.grey > R(0))
        cross_frequencies(MATTER_DUSTY, desk, &line, profile, desk->at[i]);
    else if (r_abs(line.depth) < STEP_IS_THIN) /* at line centre, hence everywhere */
        cross_frequencies(MATTER_THIN, desk, &line, profile, desk->at[i]);
    else
        cross_frequencies(MATTER_CLEAR, desk, &line, profile, desk->at[i]);
}

/* Follows one line along a track. */
static void follow_track(const struct levels *levels, const struct desk *desk, int l)
{
    const struct track *track = &desk->track;
    const real background = (real)levels->job.line[l].background;
    for (int f = 0; f < desk->band.n; f++) {
        desk->entering[f] = background;
        desk->lost[f] = R(1);
    }
    int recorded = 0;
    for (int first = 0; first < track->n;) {
        int last = first;
        struct interval span = {desk->band.n, 0};
        while (last < track->n - 1 && !(track->piece[last].weight > R(0)))
            last++;
        if (!(track->piece[last].weight > R(0)))
            return; /* on the way out of the mesh: nothing more is recorded */
        const int target = track->piece[last].cell;
        for (int i = first; i <= last; i++) {
            span.low = desk->at[i].low < span.low ? desk->at[i].low : span.low;
            span.high = desk->at[i].high > span.high ? desk->at[i].high : span.high;
            follow_piece(levels, desk, i, target, l);
        }
        record_light(levels, desk, last, recorded++, l, span,
                     levels->glow[(size_t)target * (size_t)levels->job.n_line + (size_t)l].source);
        first = last + 1;
    }
}

#endif
