/* Level populations on the CPU: radiation along rays (threads over rays, vector loops over frequencies), then the rate
 * equations cell by cell. Compiled once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/build_views.h"
#include "backend/cpu_level_track.h"
#include "backend/cpu_variants.h"
#include "backend/flush_denormals.h"
#include "base/context.h"
#include "kernel/level_solve.h"

enum { N_PAST = 3 };

struct levels {
    struct level_job job; /* as given; what it points to stays with the caller */
    int threads;
    struct block *chain; /* owns what follows */
    struct mesh_view mesh;
    struct shell_view shells;
    struct gas_view *gas;
    double *strength; /* [n_cell] density / b */
    double *most_gain;
    real *dust;             /* [n_cell][n_line] its source function, where any shines; or NULL */
    struct line_glow *glow; /* [n_cell][n_line] */
    double *entering, *own; /* [n_cell][n_line] of the finished directions */
    double *entering_now, *own_now;
    double *length_now, *seen; /* [n_cell]: weights of the direction at work, of the directions that met the cell */
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

static void make_glow(struct levels *levels)
{
    const struct level_job *job = &levels->job;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t cell = 0; cell < job->n_cell; cell++)
        for (int l = 0; l < job->n_line; l++) {
            const struct level_line *line = &job->line[l];
            const double *x = levels->x + cell * job->n_level;
            levels->glow[cell * job->n_line + l] =
                line_glow_of(x[line->upper], x[line->lower], line->weight_ratio, levels->strength[cell] * line->opacity,
                             levels->most_gain[cell]);
        }
}

/* A thread's frequencies of one line. */
struct band {
    int n;
    real first, step;
    real *entering, *own, *profile;
};

struct interval {
    int low, high; /* [low, high) */
};

/* Frequencies at which the piece does anything: within reach of the line, all where there is dust. */
static struct interval reach_of(const struct band *band, const struct piece *piece, const struct gas_view *gas,
                                real alpha)
{
    struct interval interval = {0, band->n};
    if (gas->kappa > R(0))
        return interval;
    const real excess = r_max(r_abs(alpha) * piece->length, R(1)) * R(1e6);
    const real reach = r_div(r_sqrt(r_log(excess)), gas->inv_b);
    const real low = (r_min(piece->v0, piece->v1) - reach - band->first) / band->step;
    const real high = (r_max(piece->v0, piece->v1) + reach - band->first) / band->step;
    interval.low = low > R(0) ? (int)r_min(low, (real)band->n) : 0;
    interval.high = high < (real)(band->n - 1) ? (int)r_max(high + R(1), R(0)) : band->n;
    return interval;
}

static void fill_profile(const struct band *band, const struct piece *piece, real inv_b, struct interval at)
{
    const int panels = profile_panels(piece->v0, piece->v1, inv_b);
    const real x0 = (band->first - piece->v0) * inv_b;
    const real step = band->step * inv_b;
    real *profile = band->profile;
    if (panels == 0) {
#pragma omp simd
        for (int f = at.low; f < at.high; f++) {
            const real x = x0 + step * (real)f;
            profile[f] = r_exp(-x * x);
        }
        return;
    }
    const real part = (piece->v0 - piece->v1) * inv_b / (real)panels;
    const real scale = R(0.5) / (real)panels;
    for (int p = 0; p < panels; p++) {
        const real low = x0 + part * ((real)p + R(0.21132486540518711775));
        const real high = x0 + part * ((real)p + R(0.78867513459481288225));
#pragma omp simd
        for (int f = at.low; f < at.high; f++) {
            const real a = low + step * (real)f;
            const real b = high + step * (real)f;
            const real sum = (r_exp(-a * a) + r_exp(-b * b)) * scale;
            profile[f] = p == 0 ? sum : profile[f] + sum;
        }
    }
}

/* Source functions at the ends of a piece: the part of the target cell, as a weight, and the rest. */
struct ends {
    real own0, own1, rest0, rest1;
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
    ends.own0 = is_cell ? R(1) - u0 : is_other ? u0 : R(0);
    ends.own1 = is_cell ? R(1) - u1 : is_other ? u1 : R(0);
    ends.rest0 = (is_cell ? R(0) : (R(1) - u0) * source) + (is_other ? R(0) : u0 * source_other);
    ends.rest1 = (is_cell ? R(0) : (R(1) - u1) * source) + (is_other ? R(0) : u1 * source_other);
    return ends;
}

static void add(double *to, double value)
{
#pragma omp atomic
    *to += value;
}

/* The profile-weighted mean at the end of a piece goes to its cell. */
static void record(struct levels *levels, const struct band *band, const struct piece *piece, int l)
{
    const real inv_b = levels->gas[piece->cell].inv_b;
    const real x0 = (band->first - piece->v1) * inv_b;
    const real step = band->step * inv_b;
    real sum = R(0);
    real entering = R(0);
    real own = R(0);
#pragma omp simd reduction(+ : sum, entering, own)
    for (int f = 0; f < band->n; f++) {
        const real x = x0 + step * (real)f;
        const real profile = r_exp(-x * x);
        sum += profile;
        entering += profile * band->entering[f];
        own += profile * band->own[f];
    }
    const size_t at = (size_t)piece->cell * (size_t)levels->job.n_line + (size_t)l;
    if (sum > R(0)) {
        add(&levels->entering_now[at], (double)(piece->weight * entering / sum));
        add(&levels->own_now[at], (double)(piece->weight * own / sum));
    }
    if (l == 0)
        add(&levels->length_now[piece->cell], (double)piece->weight);
}

static void cross_piece(const struct band *band, const struct ends *ends, struct interval at, real depth, real grey,
                        real dust)
{
    real *entering = band->entering;
    real *own = band->own;
    const real *profile = band->profile;
    if (!(grey > R(0))) {
#pragma omp simd
        for (int f = at.low; f < at.high; f++) {
            const struct step_weights w = step_weights_of(depth * profile[f]);
            entering[f] = entering[f] * w.through + ends->rest0 * w.from + ends->rest1 * w.to;
            own[f] = own[f] * w.through + ends->own0 * w.from + ends->own1 * w.to;
        }
        return;
    }
#pragma omp simd
    for (int f = at.low; f < at.high; f++) {
        const real line = depth * profile[f];
        const real all = line + grey;
        const real share = all != R(0) ? line / all : R(0);
        const struct step_weights w = step_weights_of(all);
        entering[f] = entering[f] * w.through + share * (ends->rest0 * w.from + ends->rest1 * w.to) +
                      (R(1) - share) * dust * (w.from + w.to);
        own[f] = own[f] * w.through + share * (ends->own0 * w.from + ends->own1 * w.to);
    }
}

/* One line along a track. */
static void follow_track(struct levels *levels, const struct band *band, const struct track *track, int l)
{
    const int n_line = levels->job.n_line;
    const real background = (real)levels->job.line[l].background;
    for (int f = 0; f < band->n; f++) {
        band->entering[f] = background;
        band->own[f] = R(0);
    }
    for (int first = 0; first < track->n;) {
        int last = first;
        struct interval span = {band->n, 0};
        while (last < track->n - 1 && !(track->piece[last].weight > R(0)))
            last++;
        if (!(track->piece[last].weight > R(0)))
            return; /* the way out of the mesh: nobody looks */
        const int target = track->piece[last].cell;
        for (int i = first; i <= last; i++) {
            const struct piece *piece = &track->piece[i];
            const struct line_glow glow = levels->glow[(size_t)piece->cell * (size_t)n_line + (size_t)l];
            const struct line_glow other = levels->glow[(size_t)piece->other * (size_t)n_line + (size_t)l];
            const struct gas_view *gas = &levels->gas[piece->cell];
            const struct interval at = reach_of(band, piece, gas, glow.alpha);
            const struct ends ends = piece_ends(piece, target, glow.source, other.source);
            const real dust = levels->dust ? levels->dust[(size_t)piece->cell * (size_t)n_line + (size_t)l] : R(0);
            span.low = at.low < span.low ? at.low : span.low;
            span.high = at.high > span.high ? at.high : span.high;
            fill_profile(band, piece, gas->inv_b, at);
            cross_piece(band, &ends, at, glow.alpha * piece->length, gas->kappa * piece->length, dust);
        }
        record(levels, band, &track->piece[last], l);
        const real source = levels->glow[(size_t)target * (size_t)n_line + (size_t)l].source;
        for (int f = span.low; f < span.high; f++) {
            band->entering[f] += band->own[f] * source;
            band->own[f] = R(0);
        }
        first = last + 1;
    }
}

/* Mean over the directions met so far; each counts alike however many of its rays met the cell. */
static void finish_direction(struct levels *levels, double weight)
{
    const int n_line = levels->job.n_line;
#pragma omp for schedule(static)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
        const double length = levels->length_now[cell];
        if (!(length > 0))
            continue;
        levels->seen[cell] += weight;
        for (int64_t at = cell * n_line; at < (cell + 1) * n_line; at++) {
            levels->entering[at] += weight * levels->entering_now[at] / length;
            levels->own[at] += weight * levels->own_now[at] / length;
            levels->entering_now[at] = levels->own_now[at] = 0;
        }
        levels->length_now[cell] = 0;
    }
}

static void sweep_thread(struct levels *levels, volatile sig_atomic_t *stop, int *failed)
{
    const unsigned denormals = flush_denormals();
    const struct level_job *job = &levels->job;
    const struct level_rays *rays = &levels->rays;
    const size_t n = (size_t)job->n_frequency;
    struct track track = {0};
    real *room = (real *)malloc(3 * n * sizeof *room);
    const struct band band = {job->n_frequency,       (real)job->frequency_first, (real)job->frequency_step, room,
                              room ? room + n : NULL, room ? room + 2 * n : NULL};
    for (int d = 0; d < rays->n_direction; d++) {
#pragma omp for schedule(dynamic, 4)
        for (int64_t r = rays->first[d]; r < rays->first[d + 1]; r++) {
            if (!room || track.failed || *stop)
                continue;
            if (job->shells)
                track_shells(&levels->shells, levels->gas, rays->ray[r].point[0], rays->ring + r, &track);
            else
                track_cartesian(&levels->mesh, levels->gas, rays->direction[d], &rays->ray[r], &track);
            for (int l = 0; l < job->n_line; l++)
                follow_track(levels, &band, &track, l);
        }
        finish_direction(levels, rays->weight[d]);
    }
    if (!room || track.failed)
#pragma omp atomic write
        *failed = 1;
    free(room);
    free(track.piece);
    restore_denormals(denormals);
}

static enum lr_status sweep(lr_context *ctx, void *state, volatile sig_atomic_t *stop)
{
    struct levels *levels = state;
    int failed = 0;
    make_glow(levels);
    memset(levels->entering, 0, voxels(levels) * sizeof *levels->entering);
    memset(levels->own, 0, voxels(levels) * sizeof *levels->own);
    memset(levels->seen, 0, (size_t)levels->job.n_cell * sizeof *levels->seen);
#pragma omp parallel num_threads(levels->threads)
    sweep_thread(levels, stop, &failed);
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the rays of level populations") : LR_OK;
}

/* ---- rate equations ---------------------------------------------------------------------------------------------- */

static void add_radiation(const struct levels *levels, int64_t cell, double *rates)
{
    const struct level_job *job = &levels->job;
    const double seen = levels->seen[cell];
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        const double entering = seen > 0 ? levels->entering[cell * job->n_line + l] / seen : line->background;
        const double own = seen > 0 ? levels->own[cell * job->n_line + l] / seen : 0;
        rates[line->upper * job->n_level + line->lower] += line->a_ul * (1 - own + entering);
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
    change->largest = largest;
    change->rms = count > 0 ? sqrt(square / count) : 0;
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for rate equations") : LR_OK;
}

/* Ng (1974, J. Chem. Phys. 61, 2680): the combination of the last iterates whose changes are smallest, with relative
 * weights. With x0 the newest,
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
        const double q1 = (x0[i] - 2 * x1[i] + x2[i]) / x0[i];
        const double q2 = (x0[i] - x1[i] - x2[i] + x3[i]) / x0[i];
        const double q3 = (x0[i] - x1[i]) / x0[i];
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
        double sum = 0;
        for (int64_t i = cell * n; i < (cell + 1) * n; i++) {
            const double guess = (1 - a - b) * x0[i] + a * x1[i] + b * x2[i];
            x0[i] = guess > 0.1 * x0[i] && guess < 10 * x0[i] ? guess : x0[i];
            sum += x0[i];
        }
        for (int64_t i = cell * n; i < (cell + 1) * n; i++)
            x0[i] /= sum;
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
    double *dust_temperature = malloc(cells * sizeof *dust_temperature);
    if (!levels->gas || !levels->strength || !levels->most_gain || !dust_temperature) {
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
        levels->most_gain[cell] = job->inversion_limit / widest(job, cell);
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
    levels->own = chain_copy(chain, wide, NULL);
    levels->entering_now = chain_copy(chain, wide, NULL);
    levels->own_now = chain_copy(chain, wide, NULL);
    levels->length_now = chain_copy(chain, cells * sizeof(double), NULL);
    levels->seen = chain_copy(chain, cells * sizeof(double), NULL);
    levels->residual = chain_copy(chain, cells * sizeof *levels->residual, NULL);
    levels->x = chain_copy(chain, populations(levels) * sizeof(double), NULL);
    int ok = levels->glow && levels->entering && levels->own && levels->entering_now && levels->own_now &&
             levels->length_now && levels->seen && levels->residual && levels->x;
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
