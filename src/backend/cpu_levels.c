/* Level populations on the CPU: radiation along rays (threads over rays, vector loops over frequencies), then the rate
 * equations cell by cell. Compiled once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/build_views.h"
#include "backend/cpu_level_star.h"
#include "backend/cpu_level_track.h"
#include "backend/cpu_variants.h"
#include "backend/flush_denormals.h"
#include "base/context.h"
#include "kernel/level_solve.h"

enum { N_PAST = 3 };

/* What the rays of one direction left with the cells, of one thread. */
struct sums {
    real *entering, *lost; /* [n_cell][n_line] */
    real *length;          /* [n_cell] weights */
};

struct levels {
    struct level_job job; /* as given; what it points to stays with the caller */
    int threads;
    struct block *chain; /* owns what follows */
    struct mesh_view mesh;
    struct shell_view shells;
    struct gas_view *gas;
    double *strength; /* [n_cell] density / b */
    double *width;    /* [n_cell] the longest of the cell */
    double *most_gain;
    real reach;              /* |x| */
    real *dust;              /* [n_cell][n_line] its source function, where any shines; or NULL */
    struct line_glow *glow;  /* [n_cell][n_line] */
    double *entering, *lost; /* [n_cell][n_line] of the finished directions */
    double *seen;            /* [n_cell] weights of the directions that met the cell */
    double *star;            /* [n_cell][n_line] direct light of stars; or NULL */
    struct sums *sums;       /* [threads] */
    double *x, *past[N_PAST];
    int n_past;
    float *residual;
    struct level_rays rays;
};

static size_t voxels(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_line;
}

static size_t populations(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_level;
}

/* ---- radiation --------------------------------------------------------------------------------------------------- */

/* Opacities and source functions; and |x| up to which the line of the thickest way through a cell counts, where it is
 * a depth of 1e-7. */
static void make_glow(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    double thickest = 1;
#pragma omp parallel for schedule(static) num_threads(levels->threads) reduction(max : thickest)
    for (int64_t cell = 0; cell < job->n_cell; cell++)
        for (int l = 0; l < job->n_line; l++) {
            const struct level_line *line = &job->line[l];
            const double *x = levels->x + cell * job->n_level;
            const struct line_glow glow = line_glow_of(x[line->upper], x[line->lower], line->weight_ratio,
                                                       levels->strength[cell] * line->opacity, levels->most_gain[cell]);
            levels->glow[cell * job->n_line + l] = glow;
            thickest = fmax(thickest, fabs((double)glow.alpha) * levels->width[cell]);
        }
    levels->reach = (real)sqrt(log(1e7 * thickest));
}

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
    return gas->kappa > R(0) ? all : line_interval(desk->band, piece->v0, piece->v1, gas->inv_b, reach);
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
        fill_profile(desk->band, piece->v0, piece->v1, gas->inv_b, at, profile);
        if (!(piece->weight > R(0)))
            continue;
        real *end = desk->end_profile + (size_t)i * (size_t)desk->band.n;
        real sum = R(0);
        memset(end, 0, (size_t)desk->band.n * sizeof *end);
        fill_profile(desk->band, piece->v1, piece->v1, gas->inv_b, at, end);
        for (int f = at.low; f < at.high; f++)
            sum += end[f];
        desk->end_sum[i] = sum;
    }
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
        desk->sums->entering[to] += scale * sum_entering;
        desk->sums->lost[to] += scale * sum_lost;
    }
    if (l == 0)
        desk->sums->length[piece->cell] += piece->weight;
}

/* Depths below a quarter everywhere: the series of step_weights_of() is all there is to it. */
static void cross_thin_piece(const struct desk *desk, const struct ends *ends, const real *profile, struct interval at,
                             real depth)
{
    real *entering = desk->entering;
    real *lost = desk->lost;
    const struct ends end = *ends;
#pragma omp simd
    for (int f = at.low; f < at.high; f++) {
        const real t = depth * profile[f];
        const real to = t * (R(1.0 / 2) - t * (R(1.0 / 6) - t * (R(1.0 / 24) - t * R(1.0 / 120))));
        const real from = t * (R(1.0 / 2) - t * (R(1.0 / 3) - t * (R(1.0 / 8) - t * R(1.0 / 30))));
        const real through = R(1) - from - to;
        entering[f] = entering[f] * through + end.rest0 * from + end.rest1 * to;
        lost[f] = lost[f] * through + end.lost0 * from + end.lost1 * to;
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
    const real depth = glow.alpha * piece->length;
    const real grey = levels->gas[piece->cell].kappa * piece->length;
    if (grey > R(0))
        cross_dusty_piece(desk, &ends, profile, at, depth, grey,
                          levels->dust ? levels->dust[(size_t)piece->cell * (size_t)n_line + (size_t)l] : R(0));
    else if (r_abs(depth) < R(0.25))
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

/* Mean over the directions met so far; each counts alike however many of its rays met the cell. */
static void finish_direction(struct levels *levels, double weight)
{
    const int n_line = levels->job.n_line;
#pragma omp for schedule(static)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
        double length = 0;
        for (int t = 0; t < levels->threads; t++)
            length += (double)levels->sums[t].length[cell];
        if (!(length > 0))
            continue;
        levels->seen[cell] += weight;
        for (int t = 0; t < levels->threads; t++) {
            struct sums *sums = &levels->sums[t];
            if (!(sums->length[cell] > R(0)))
                continue;
            for (int64_t at = cell * n_line; at < (cell + 1) * n_line; at++) {
                levels->entering[at] += weight * (double)sums->entering[at] / length;
                levels->lost[at] += weight * (double)sums->lost[at] / length;
                sums->entering[at] = sums->lost[at] = R(0);
            }
            sums->length[cell] = R(0);
        }
    }
}

static void desk_make(const struct level_job *job, struct sums *sums, struct desk *desk)
{
    const size_t n = (size_t)job->n_frequency;
    *desk = (struct desk){.band = {job->n_frequency, (real)job->frequency_first, (real)job->frequency_step},
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

static void sweep_thread(struct levels *levels, volatile sig_atomic_t *stop, int *failed)
{
    const unsigned denormals = flush_denormals();
    const struct level_job *job = &levels->job;
    const struct level_rays *rays = &levels->rays;
    struct desk desk;
    desk_make(job, &levels->sums[omp_get_thread_num()], &desk);
    for (int d = 0; d < rays->n_direction; d++) {
#pragma omp for schedule(dynamic, 4)
        for (int64_t r = rays->first[d]; r < rays->first[d + 1]; r++) {
            if (desk.failed || desk.track.failed || *stop)
                continue;
            if (job->shells)
                track_shells(&levels->shells, levels->gas, rays->ray[r].point[0], rays->ring + r, &desk.track);
            else
                track_cartesian(&levels->mesh, levels->gas, rays->direction[d], &rays->ray[r], &desk.track);
            make_profiles(levels, &desk);
            for (int l = 0; !desk.failed && l < job->n_line; l++)
                follow_track(levels, &desk, l);
        }
        finish_direction(levels, rays->weight[d]);
    }
    if (desk.failed || desk.track.failed)
#pragma omp atomic write
        *failed = 1;
    desk_free(&desk);
    restore_denormals(denormals);
}

/* Direct light of stars: on shells one ray, otherwise one to each cell. */
static void shine_thread(struct levels *levels, volatile sig_atomic_t *stop, int *failed)
{
    const unsigned denormals = flush_denormals();
    const struct level_job *job = &levels->job;
    const struct star_scene scene = {job->n_line, levels->reach, levels->gas, levels->glow};
    struct star_desk desk;
    star_desk_make(job, &desk);
    for (int s = 0; s < job->n_star; s++) {
        const struct level_star *star = &job->star[s];
        if (job->shells) {
#pragma omp single
            if (!desk.failed)
                shine_on_shells(&scene, &levels->shells, star, &desk, levels->star);
            continue;
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t cell = 0; cell < job->n_cell; cell++)
            if (!desk.failed && !desk.track.failed && !*stop && levels->gas[cell].has_gas)
                shine_on_cell(&scene, &levels->mesh, star, cell, &desk, levels->star + cell * job->n_line);
    }
    if (desk.failed || desk.track.failed)
#pragma omp atomic write
        *failed = 1;
    star_desk_free(&desk);
    restore_denormals(denormals);
}

static enum lr_status sweep(lr_context *ctx, void *state, volatile sig_atomic_t *stop)
{
    struct levels *levels = state;
    int failed = 0;
    make_glow(levels);
    memset(levels->entering, 0, voxels(levels) * sizeof *levels->entering);
    memset(levels->lost, 0, voxels(levels) * sizeof *levels->lost);
    memset(levels->seen, 0, (size_t)levels->job.n_cell * sizeof *levels->seen);
#pragma omp parallel num_threads(levels->threads)
    sweep_thread(levels, stop, &failed);
    if (levels->star) {
        memset(levels->star, 0, voxels(levels) * sizeof *levels->star);
#pragma omp parallel num_threads(levels->threads)
        shine_thread(levels, stop, &failed);
    }
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the rays of level populations") : LR_OK;
}

/* ---- rate equations ---------------------------------------------------------------------------------------------- */

static void add_radiation(const struct levels *levels, int64_t cell, double *rates)
{
    const struct level_job *job = &levels->job;
    const double seen = levels->seen[cell];
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        const double around = seen > 0 ? levels->entering[cell * job->n_line + l] / seen : line->background;
        const double entering = around + (levels->star ? levels->star[cell * job->n_line + l] : 0);
        const double lost = seen > 0 ? levels->lost[cell * job->n_line + l] / seen : 1;
        rates[line->upper * job->n_level + line->lower] += line->a_ul * (lost + entering);
        rates[line->lower * job->n_level + line->upper] += line->a_ul * line->weight_ratio * entering;
    }
}

/* The oldest populations are forgotten; the newest become past ones. */
static double *shift_past(struct levels *levels)
{
    double *room = levels->past[N_PAST - 1];
    for (int i = N_PAST - 1; i > 0; i--)
        levels->past[i] = levels->past[i - 1];
    levels->past[0] = levels->x;
    levels->x = room;
    levels->n_past = levels->n_past < N_PAST ? levels->n_past + 1 : N_PAST;
    return room;
}

static enum lr_status step(lr_context *ctx, void *state, struct level_change *change)
{
    struct levels *levels = state;
    const int n = levels->job.n_level;
    const double *old = levels->x;
    double *x = shift_past(levels);
    double largest = 0;
    double square = 0;
    double count = 0;
    int failed = 0;
#pragma omp parallel num_threads(levels->threads) reduction(max : largest) reduction(+ : square, count)
    {
        double *rates = malloc((size_t)n * (size_t)n * sizeof *rates);
        if (!rates)
#pragma omp atomic write
            failed = 1;
#pragma omp for schedule(dynamic, 64)
        for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
            double *here = x + cell * n;
            double most = 0;
            memcpy(here, old + cell * n, (size_t)n * sizeof *here);
            levels->residual[cell] = 0;
            if (!rates || !levels->gas[cell].has_gas)
                continue;
            levels->job.read_rates(levels->job.medium, cell, rates);
            add_radiation(levels, cell, rates);
            level_solve(n, n, rates, here);
            for (int i = 0; i < n; i++) {
                if (here[i] < LEVEL_MATTERS)
                    continue;
                const double relative = fabs(here[i] - old[cell * n + i]) / here[i];
                most = fmax(most, relative);
                square += relative * relative;
                count += 1;
            }
            levels->residual[cell] = (float)most;
            largest = fmax(largest, most);
        }
        free(rates);
    }
    if (!isfinite(square))
        return lr_fail(ctx, LR_ERROR_INTERNAL, "level populations are not numbers any more");
    change->largest = largest;
    change->rms = count > 0 ? sqrt(square / count) : 0;
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for rate equations") : LR_OK;
}

/* Whether a guess turns an absorbing line into one that amplifies. */
static bool inverts(const struct level_job *job, const double *x, const double *guess)
{
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        if (line->weight_ratio * guess[line->lower] <= guess[line->upper] &&
            line->weight_ratio * x[line->lower] > x[line->upper])
            return true;
    }
    return false;
}

/* Ng (1974, J. Chem. Phys. 61, 2680): the combination of the last iterates whose changes are smallest, with weights 1 /
 * x (with relative ones, 1 / x^2, what matters least decides, and thick layers diverge). Cells that it would invert
 * keep what they have. With x0 the newest,
 *
 *     q1 = x0 - 2 x1 + x2,  q2 = x0 - x1 - x2 + x3,  q3 = x0 - x1,  x = (1 - a - b) x0 + a x1 + b x2. */
static enum lr_status accelerate(lr_context *ctx, void *state, bool *done)
{
    (void)ctx;
    struct levels *levels = state;
    const int n = levels->job.n_level;
    double a11 = 0, a12 = 0, a22 = 0, c1 = 0, c2 = 0;
    *done = false;
    if (levels->n_past < N_PAST)
        return LR_OK;
    double *x0 = levels->x;
    const double *x1 = levels->past[0];
    const double *x2 = levels->past[1];
    const double *x3 = levels->past[2];
    const int64_t count = levels->job.n_cell * n;
#pragma omp parallel for schedule(static) num_threads(levels->threads) reduction(+ : a11, a12, a22, c1, c2)
    for (int64_t i = 0; i < count; i++) {
        if (x0[i] < LEVEL_MATTERS)
            continue;
        const double q1 = (x0[i] - 2 * x1[i] + x2[i]) / sqrt(x0[i]);
        const double q2 = (x0[i] - x1[i] - x2[i] + x3[i]) / sqrt(x0[i]);
        const double q3 = (x0[i] - x1[i]) / sqrt(x0[i]);
        a11 += q1 * q1;
        a12 += q1 * q2;
        a22 += q2 * q2;
        c1 += q1 * q3;
        c2 += q2 * q3;
    }
    const double determinant = a11 * a22 - a12 * a12;
    levels->n_past = 0;
    if (!(determinant > 1e-12 * a11 * a22))
        return LR_OK;
    const double a = (c1 * a22 - c2 * a12) / determinant;
    const double b = (c2 * a11 - c1 * a12) / determinant;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
        double *guess = levels->past[2] + cell * n; /* no longer needed */
        double sum = 0;
        for (int i = 0; i < n; i++) {
            const int64_t at = cell * n + i;
            const double x = (1 - a - b) * x0[at] + a * x1[at] + b * x2[at];
            guess[i] = x > 0.1 * x0[at] && x < 10 * x0[at] ? x : x0[at];
            sum += guess[i];
        }
        if (!inverts(&levels->job, x0 + cell * n, guess))
            for (int i = 0; i < n; i++)
                x0[cell * n + i] = guess[i] / sum;
    }
    *done = true;
    return LR_OK;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void close_levels(void *state)
{
    struct levels *levels = state;
    if (levels)
        chain_free(levels->chain);
    free(levels);
}

static enum lr_status write_populations(lr_context *ctx, void *state, const double *x)
{
    (void)ctx;
    struct levels *levels = state;
    memcpy(levels->x, x, populations(levels) * sizeof *x);
    levels->n_past = 0;
    return LR_OK;
}

static enum lr_status read_populations(lr_context *ctx, void *state, double *x, float *residual)
{
    (void)ctx;
    const struct levels *levels = state;
    memcpy(x, levels->x, populations(levels) * sizeof *x);
    if (residual)
        memcpy(residual, levels->residual, (size_t)levels->job.n_cell * sizeof *residual);
    return LR_OK;
}

static enum lr_status set_rays(lr_context *ctx, void *state, const struct level_rays *rays)
{
    (void)ctx;
    struct levels *levels = state;
    levels->rays = *rays;
    levels->n_past = 0;
    return LR_OK;
}

/* The largest width of a cell, but not along axes without an end, whose width means nothing. */
static double widest(const struct level_job *job, int64_t cell)
{
    if (job->shells)
        return job->width[0][cell];
    const int64_t at[3] = {cell / job->n[2] / job->n[1], cell / job->n[2] % job->n[1], cell % job->n[2]};
    double width = 0;
    for (int axis = 0; axis < 3; axis++)
        if (job->n[axis] > 1 || job->face[2 * axis] != TRANSPORT_PERIODIC)
            width = fmax(width, job->width[axis][at[axis]]);
    return width;
}

static int read_medium(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const size_t cells = (size_t)job->n_cell;
    bool shines = false;
    levels->gas = chain_copy(&levels->chain, cells * sizeof *levels->gas, NULL);
    levels->strength = chain_copy(&levels->chain, cells * sizeof *levels->strength, NULL);
    levels->most_gain = chain_copy(&levels->chain, cells * sizeof *levels->most_gain, NULL);
    levels->width = chain_copy(&levels->chain, cells * sizeof *levels->width, NULL);
    double *dust_temperature = malloc(cells * sizeof *dust_temperature);
    if (!levels->gas || !levels->strength || !levels->most_gain || !levels->width || !dust_temperature) {
        free(dust_temperature);
        return 0;
    }
    for (int64_t cell = 0; cell < job->n_cell; cell++) {
        struct level_gas gas;
        job->read_gas(job->medium, cell, 1, &gas);
        struct gas_view *view = &levels->gas[cell];
        view->inv_b = (real)(1 / gas.b);
        for (int axis = 0; axis < 3; axis++)
            view->v[axis] = (real)gas.velocity[axis];
        view->kappa = (real)gas.kappa;
        view->has_gas = gas.density > 0;
        levels->strength[cell] = gas.density / gas.b;
        dust_temperature[cell] = gas.dust_temperature;
        shines = shines || (gas.kappa > 0 && gas.dust_temperature > 0);
        levels->width[cell] = widest(job, cell);
        levels->most_gain[cell] = job->inversion_limit / levels->width[cell];
    }
    int ok = 1;
    if (shines) {
        levels->dust = chain_copy(&levels->chain, voxels(levels) * sizeof *levels->dust, NULL);
        ok = levels->dust != NULL;
        for (int64_t cell = 0; ok && cell < job->n_cell; cell++)
            for (int l = 0; l < job->n_line; l++)
                levels->dust[cell * job->n_line + l] =
                    dust_temperature[cell] > 0 ? (real)(1 / expm1(job->line[l].energy / dust_temperature[cell])) : R(0);
    }
    free(dust_temperature);
    return ok;
}

static int make_shells(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const int n = job->n[0];
    levels->shells.n = n;
    levels->shells.edge = chain_copy(&levels->chain, ((size_t)n + 1) * sizeof(double), NULL);
    levels->shells.middle = chain_copy(&levels->chain, (size_t)n * sizeof(double), NULL);
    if (!levels->shells.edge || !levels->shells.middle)
        return 0;
    levels->shells.edge[0] = job->inner;
    for (int i = 0; i < n; i++) {
        levels->shells.edge[i + 1] = levels->shells.edge[i] + job->width[0][i];
        levels->shells.middle[i] = levels->shells.edge[i] + 0.5 * job->width[0][i];
    }
    return 1;
}

static int make_arrays(struct levels *levels)
{
    struct block **chain = &levels->chain;
    const size_t cells = (size_t)levels->job.n_cell;
    const size_t wide = voxels(levels) * sizeof(double);
    levels->glow = chain_copy(chain, voxels(levels) * sizeof *levels->glow, NULL);
    levels->entering = chain_copy(chain, wide, NULL);
    levels->lost = chain_copy(chain, wide, NULL);
    levels->seen = chain_copy(chain, cells * sizeof(double), NULL);
    levels->star = levels->job.n_star > 0 ? chain_copy(chain, wide, NULL) : NULL;
    levels->residual = chain_copy(chain, cells * sizeof *levels->residual, NULL);
    levels->x = chain_copy(chain, populations(levels) * sizeof(double), NULL);
    int ok = levels->glow && levels->entering && levels->lost && levels->seen && levels->residual && levels->x;
    ok = ok && (levels->job.n_star == 0 || levels->star);
    levels->sums = chain_copy(chain, (size_t)levels->threads * sizeof *levels->sums, NULL);
    for (int t = 0; ok && levels->sums && t < levels->threads; t++) {
        struct sums *sums = &levels->sums[t];
        sums->entering = chain_copy(chain, voxels(levels) * sizeof(real), NULL);
        sums->lost = chain_copy(chain, voxels(levels) * sizeof(real), NULL);
        sums->length = chain_copy(chain, cells * sizeof(real), NULL);
        ok = sums->entering && sums->lost && sums->length;
    }
    ok = ok && levels->sums;
    for (int i = 0; i < N_PAST; i++) {
        levels->past[i] = chain_copy(chain, populations(levels) * sizeof(double), NULL);
        ok = ok && levels->past[i];
    }
    return ok;
}

static enum lr_status open_levels(lr_context *ctx, int device, int threads, const struct level_job *job, void **state)
{
    (void)device;
    struct levels *levels = calloc(1, sizeof *levels);
    int failed = !levels;
    if (levels) {
        levels->job = *job;
        levels->threads = threads > 0 ? threads : omp_get_max_threads();
        const struct view_store store = {&levels->chain, chain_copy};
        if (job->shells)
            failed = !make_shells(levels);
        else
            levels->mesh = make_mesh_view(&store, job->n, job->width, job->face, &failed);
        failed = failed || !read_medium(levels) || !make_arrays(levels);
    }
    if (failed) {
        close_levels(levels);
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the level populations of %lld cells",
                       (long long)job->n_cell);
    }
    *state = levels;
    return LR_OK;
}

#define NAME_JOIN(prefix, variant) prefix##variant
#define NAME_EXPAND(prefix, variant) NAME_JOIN(prefix, variant)

const struct level_backend NAME_EXPAND(cpu_levels_, LR_CPU_VARIANT) = {.open = open_levels,
                                                                       .close = close_levels,
                                                                       .write = write_populations,
                                                                       .read = read_populations,
                                                                       .set_rays = set_rays,
                                                                       .sweep = sweep,
                                                                       .step = step,
                                                                       .accelerate = accelerate};
