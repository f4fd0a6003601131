/* Radiation along one ray (kernel/level_transfer.h): profiles of its pieces, which all lines share, then line by line
 * the light from piece to piece, in vector loops over frequencies. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_FOLLOW_H
#define LR_BACKEND_CPU_CPU_LEVEL_FOLLOW_H

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_level_profile.h"
#include "backend/cpu/cpu_level_state.h"
#include "kernel/level_transfer.h"

/* A thread's desk: profiles along a ray, which are those of all lines, and the intensities of one line. */
struct desk {
    struct band band;
    struct track track;
    int room;          /* pieces */
    real *profile;     /* [room][n] mean over each piece */
    real *end_profile; /* [room][n] at its end, where it is recorded */
    real *end_sum;     /* [room] */
    struct interval *at;
    real *entering, *lost;
    struct sums *sums;
    int failed;
};

/* Frequencies at which the piece does anything: within reach of the line, all where there is dust. */
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

static void desk_make(const struct level_job *job, struct sums *sums, struct desk *desk)
{
    const size_t n = (size_t)job->n_frequency;
    *desk = (struct desk){.band = band_make(job->n_frequency, job->frequency_first, job->frequency_step),
                          .entering = (real *)calloc(n, sizeof(real)),
                          .lost = (real *)calloc(n, sizeof(real)),
                          .sums = sums};
    desk->failed = !desk->entering || !desk->lost;
}

static void desk_free(struct desk *desk)
{
    free(desk->track.piece);
    free(desk->profile);
    free(desk->end_profile);
    free(desk->end_sum);
    free(desk->at);
    free(desk->entering);
    free(desk->lost);
}

/* Source functions at the ends of a piece: one minus the weight of the target cell, and what others give. */
struct ends {
    real lost0, lost1, rest0, rest1;
};

static struct ends piece_ends(const struct piece *piece, int target, real source, real source_other)
{
    /* an inverted cell has a source function of its own sign: nothing to interpolate */
    const int apart = source < R(0) || source_other < R(0);
    const real u0 = apart ? R(0) : piece->u0;
    const real u1 = apart ? R(0) : piece->u1;
    const int is_cell = piece->cell == target;
    const int is_other = piece->other == target && !is_cell;
    struct ends ends;
    ends.lost0 = is_cell ? u0 : is_other ? R(1) - u0 : R(1);
    ends.lost1 = is_cell ? u1 : is_other ? R(1) - u1 : R(1);
    ends.rest0 = (is_cell ? R(0) : (R(1) - u0) * source) + (is_other ? R(0) : u0 * source_other);
    ends.rest1 = (is_cell ? R(0) : (R(1) - u1) * source) + (is_other ? R(0) : u1 * source_other);
    return ends;
}

/* The profile-weighted mean at the end of a piece goes to its cell; then its own light joins the rest. */
static void record(const struct levels *levels, const struct desk *desk, int i, int l, struct interval span,
                   real source)
{
    const struct piece *piece = &desk->track.piece[i];
    const real *profile = desk->end_profile + (size_t)i * (size_t)desk->band.n;
    real *entering = desk->entering;
    real *lost = desk->lost;
    real sum_entering = R(0);
    real sum_lost = R(0);
#pragma omp simd reduction(+ : sum_entering, sum_lost)
    for (int f = span.low; f < span.high; f++) {
        sum_entering += profile[f] * entering[f];
        sum_lost += profile[f] * lost[f];
        entering[f] += (R(1) - lost[f]) * source;
        lost[f] = R(1);
    }
    const size_t to = (size_t)piece->cell * (size_t)levels->job.n_line + (size_t)l;
    if (desk->end_sum[i] > R(0)) {
        const real scale = piece->weight / desk->end_sum[i];
        desk->sums->light[to].entering += scale * sum_entering;
        desk->sums->light[to].lost += scale * sum_lost;
    }
    if (l == 0)
        desk->sums->length[piece->cell] += piece->weight;
}

/* Thin at line centre, so thin everywhere. */
static void cross_thin_piece(const struct desk *desk, const struct ends *ends, const real *profile, struct interval at,
                             real depth)
{
    real *entering = desk->entering;
    real *lost = desk->lost;
    const struct ends end = *ends;
#pragma omp simd
    for (int f = at.low; f < at.high; f++) {
        const struct step_weights w = step_weights_thin(depth * profile[f]);
        entering[f] = entering[f] * w.through + end.rest0 * w.from + end.rest1 * w.to;
        lost[f] = lost[f] * w.through + end.lost0 * w.from + end.lost1 * w.to;
    }
}

static void cross_piece(const struct desk *desk, const struct ends *ends, const real *profile, struct interval at,
                        real depth)
{
    real *entering = desk->entering;
    real *lost = desk->lost;
    const struct ends end = *ends;
#pragma omp simd
    for (int f = at.low; f < at.high; f++) {
        const struct step_weights w = step_weights_of(depth * profile[f]);
        entering[f] = entering[f] * w.through + end.rest0 * w.from + end.rest1 * w.to;
        lost[f] = lost[f] * w.through + end.lost0 * w.from + end.lost1 * w.to;
    }
}

/* With dust, each source function counts with its share of the depth. */
static void cross_dusty_piece(const struct desk *desk, const struct ends *ends, const real *profile, struct interval at,
                              real depth, real grey, real dust)
{
    real *entering = desk->entering;
    real *lost = desk->lost;
    const struct ends end = *ends;
#pragma omp simd
    for (int f = at.low; f < at.high; f++) {
        const real line = depth * profile[f];
        const real all = line + grey;
        const real share = all != R(0) ? line / all : R(0);
        const struct step_weights w = step_weights_of(all);
        entering[f] = entering[f] * w.through + share * (end.rest0 * w.from + end.rest1 * w.to) +
                      (R(1) - share) * dust * (w.from + w.to);
        lost[f] =
            lost[f] * w.through + share * (end.lost0 * w.from + end.lost1 * w.to) + (R(1) - share) * (w.from + w.to);
    }
}

static void follow_piece(const struct levels *levels, const struct desk *desk, int i, int target, int l)
{
    const int n_line = levels->job.n_line;
    const struct piece *piece = &desk->track.piece[i];
    const struct line_glow glow = levels->glow[(size_t)piece->cell * (size_t)n_line + (size_t)l];
    const struct line_glow other = levels->glow[(size_t)piece->other * (size_t)n_line + (size_t)l];
    const struct ends ends = piece_ends(piece, target, glow.source, other.source);
    const real *profile = desk->profile + (size_t)i * (size_t)desk->band.n;
    const struct interval at = desk->at[i];
    /* rays that graze a layer are long: also for them the limit is that of half a cell */
    const real depth = r_max(glow.alpha * piece->length, (real)(-0.5 * levels->job.inversion_limit));
    const real grey = levels->gas[piece->cell].kappa * piece->length;
    if (grey > R(0))
        cross_dusty_piece(desk, &ends, profile, at, depth, grey,
                          levels->dust ? levels->dust[(size_t)piece->cell * (size_t)n_line + (size_t)l] : R(0));
    else if (r_abs(depth) < STEP_IS_THIN)
        cross_thin_piece(desk, &ends, profile, at, depth);
    else
        cross_piece(desk, &ends, profile, at, depth);
    if (glow.alpha < R(0)) /* cells in a row amplify without a limit */
        for (int f = at.low; f < at.high; f++)
            desk->entering[f] = r_min(desk->entering[f], BRIGHTEST);
}

/* One line along a track. */
static void follow_track(const struct levels *levels, const struct desk *desk, int l)
{
    const struct track *track = &desk->track;
    const real background = (real)levels->job.line[l].background;
    for (int f = 0; f < desk->band.n; f++) {
        desk->entering[f] = background;
        desk->lost[f] = R(1);
    }
    for (int first = 0; first < track->n;) {
        int last = first;
        struct interval span = {desk->band.n, 0};
        while (last < track->n - 1 && !(track->piece[last].weight > R(0)))
            last++;
        if (!(track->piece[last].weight > R(0)))
            return; /* the way out of the mesh: nobody looks */
        const int target = track->piece[last].cell;
        for (int i = first; i <= last; i++) {
            span.low = desk->at[i].low < span.low ? desk->at[i].low : span.low;
            span.high = desk->at[i].high > span.high ? desk->at[i].high : span.high;
            follow_piece(levels, desk, i, target, l);
        }
        record(levels, desk, last, l, span,
               levels->glow[(size_t)target * (size_t)levels->job.n_line + (size_t)l].source);
        first = last + 1;
    }
}

#endif
