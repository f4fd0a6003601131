/* Makes tables of balls; compiled in double precision (CMakeLists.txt).
 *
 * A level is made when all smaller ones are there. Its rows are made a few at a time: trials in chunks, whose sums are
 * added in a fixed order, then the choice of records to keep. */
#include "solve/balls/ball_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/ball_work.h"
#include "base/context.h"
#include "base/threads.h"
#include "solve/balls/ball_sums.h"
#include "solve/balls/ball_thin.h"

enum {
    ROWS_AT_ONCE = 16,
    SAMPLED = 4, /* trials whose exits are there to choose from, for each that is kept */
    N_LOW = 8,   /* levels that are called low */
    TRIALS_LOW = 2,
    WORK_LOW = 8, /* records kept while larger balls are made, for each kept in the end */
    WORK_HIGH = 2
};

/* The last row of a level is the first where fewer free paths than this fit into the radius. */
static const double LEAST_DEPTH = 2;

static void gas_make(const struct ball_wish *wish, struct ball_gas *gas)
{
    ball_gas_make(wish->a, gas);
    gas->dipole = wish->dipole;
    gas->dipole_core = wish->dipole_core;
    gas->dipole_wing = wish->dipole_wing;
}

/* A lattice that fills the cube evenly for any number of points: alpha_j = root^-(j+1), root^(n+1) = root + 1 (Roberts
 * 2018), shifted at random. */
static void lattice_make(struct rng_key key, uint32_t row, struct ball_lattice *lattice)
{
    double root = 1.1;
    for (int i = 0; i < 100; i++)
        root = pow(1 + root, 1.0 / (BALL_N_EVEN + 1));
    for (int j = 0; j < BALL_N_EVEN; j++) {
        lattice->alpha[j] = (uint32_t)(4294967296.0 * pow(root, -(j + 1)));
        lattice->shift[j] = rng_draw(key, UINT32_MAX - (uint32_t)j, 0, row).r0;
    }
}

struct level_shape {
    int n_row;
    double x_max;
};
static struct level_shape level_shape(double a, int level)
{
    int row = 1;
    while (voigt(a, ball_row_x(row)) * ball_radius(level) > LEAST_DEPTH)
        row++;
    return (struct level_shape){row + 1, ball_row_x(row)};
}

/* Small balls are used in the making of all larger ones, which add up their errors, and have few rows: they are made
 * with more trials, and more records are kept until the end. */
static int64_t trials_of(const struct ball_wish *wish, int level)
{
    const int64_t trials = wish->trials * (level < N_LOW ? TRIALS_LOW : 1);
    return (trials + BALL_CHUNK - 1) / BALL_CHUNK * BALL_CHUNK;
}

static uint32_t work_of(const struct ball_wish *wish, int level)
{
    return wish->kept * (level < N_LOW ? WORK_LOW : WORK_HIGH);
}

/* What is being made: the table, the means of its rows, and room for some rows. */
struct making {
    const struct ball_wish *wish;
    struct ball_table *table;
    struct ball_mean *mean;
    struct ball_gas gas;
    /* of a row, at most: chunks, trials whose exits are there to choose from, records of a part */
    int64_t n_chunk, n_sampled, n_work;
    struct ball_trials *set;    /* [ROWS_AT_ONCE] */
    struct ball_sums *sums;     /* [ROWS_AT_ONCE][n_chunk] */
    struct ball_sample *sample; /* [ROWS_AT_ONCE][n_sampled][2 exits] */
    struct ball_record *kept;   /* [ROWS_AT_ONCE][2 parts][n_work] */
    uint64_t *bin;              /* [ROWS_AT_ONCE][BALL_N_BIN], weights of all exits in units of 2^-32 */
};

static void trials_prepare(const struct making *making, int level, int row, struct ball_trials *set)
{
    const struct ball_table *table = making->table;
    set->gas = making->gas;
    set->smaller = (struct ball_view){
        .n_table = 1, .n_level = level, .level = table->level, .row = table->row, .record = table->record};
    set->mean = making->mean;
    set->key = rng_key_from_seed(making->wish->seed);
    set->row = (uint32_t)row;
    set->radius = ball_radius(level);
    set->x = ball_row_x(row - table->level[level].first_row);
    lattice_make(set->key, set->row, &set->lattice);
}

static int sample_bin(const struct ball_sample *sample, double x_wing)
{
    return ball_bin((real)sample->x, (sample->record.mu_out + R(0.5)) / R(65536), x_wing);
}

/* Gives the samples of each bin the share that it has among all exits. */
static void match_bins(struct ball_sample *sample, int64_t n, double x_wing, const uint64_t *bins)
{
    double sum[BALL_N_BIN] = {0};
    for (int64_t i = 0; i < n; i++)
        sum[sample_bin(&sample[i], x_wing)] += (double)sample[i].weight;
    for (int64_t i = 0; i < n; i++) {
        const int bin = sample_bin(&sample[i], x_wing);
        if (sample[i].weight > 0)
            sample[i].weight *= (float)((double)bins[bin] / 4294967296.0 / sum[bin]);
    }
}

/* Puts those that left in the core first; returns their number. Without those of weight zero, `n` are left. */
static int64_t part_core(struct ball_sample *sample, int64_t *n, double x_wing)
{
    int64_t n_core = 0;
    int64_t n_used = 0;
    for (int64_t i = 0; i < *n; i++) {
        if (!(sample[i].weight > 0))
            continue;
        const struct ball_sample here = sample[i];
        sample[i] = sample[n_used];
        sample[n_used++] = here;
        if (fabs((double)here.x) <= x_wing) {
            sample[n_used - 1] = sample[n_core];
            sample[n_core++] = here;
        }
    }
    *n = n_used;
    return n_core;
}

static struct ball_row_means row_means(const struct ball_sums *sums, int64_t n_chunk)
{
    struct ball_sums all = {0};
    for (int64_t chunk = 0; chunk < n_chunk; chunk++)
        ball_sums_add(&all, &sums[chunk]);
    double y[BALL_N_WANTED];
    ball_sums_means(&all, y);
    struct ball_row_means means = {.wing = fmin(fmax(y[0], 0), 1)};
    for (int wing = 0; wing < 2; wing++) {
        const double share = wing ? means.wing : 1 - means.wing;
        means.path[wing] = share > 0 ? y[1 + wing] / share : 0;
        means.scatterings[wing] = share > 0 ? y[3 + wing] / share : 0;
        means.place[wing] = share > 0 ? y[5 + wing] / share : 0;
    }
    return means;
}

/* Gives the records of a part their known means, those of path and scatterings by factors; returns the means without
 * factors. */
static struct ball_record_means means_match(const struct ball_row_means *means, int wing, struct ball_record *record,
                                            struct ball_row *row)
{
    ball_place_shift(record, row->n[wing], means->place[wing]);
    const struct ball_record_means mean = ball_record_means(record, row->n[wing]);
    const int known = row->n[wing] > 0 && means->path[wing] > 0 && means->scatterings[wing] > 0;
    row->path[wing] = known ? (float)(means->path[wing] / mean.path) : 1.0f;
    row->scattered[wing] = known ? (float)(means->scatterings[wing] / mean.scatterings) : 1.0f;
    return mean;
}

/* Makes a row of its samples and of the means of the table. Where its records begin is not known yet. */
static void row_finish(const struct making *making, int level, int row, const uint64_t *bins,
                       struct ball_sample *sample, struct ball_record *kept)
{
    const struct ball_wish *wish = making->wish;
    const struct ball_row_means *means = &making->table->means[row];
    struct ball_row *made = &making->table->row[row];
    const int64_t trials = trials_of(wish, level);
    int64_t n = 2 * (trials < making->n_sampled ? trials : making->n_sampled);
    match_bins(sample, n, making->gas.x_wing, bins);
    const int64_t n_core = part_core(sample, &n, making->gas.x_wing);
    made->wing = (float)(n_core == n ? 0 : n_core == 0 ? 1 : means->wing);
    for (int wing = 0; wing < 2; wing++) {
        struct ball_record *mine = kept + wing * making->n_work;
        made->n[wing] = ball_thin(wing ? sample + n_core : sample, wing ? n - n_core : n_core, work_of(wish, level),
                                  rng_key_from_seed(wish->seed), (uint32_t)(2 * row + wing), mine);
        const struct ball_record_means mean = means_match(means, wing, mine, made);
        making->mean[row].path[wing] = mean.path * (double)made->path[wing];
        making->mean[row].scatterings[wing] = mean.scatterings * (double)made->scattered[wing];
    }
}

/* The trials of rows first .. first + n of a level. */
static enum lr_status trials_run(const struct making *making, int level, int first, int n, int threads)
{
    const struct ball_table *table = making->table;
    const struct ball_wish *wish = making->wish;
    for (int i = 0; i < n; i++)
        trials_prepare(making, level, first + i, &making->set[i]);
    memset(making->bin, 0, sizeof *making->bin * ROWS_AT_ONCE * BALL_N_BIN);
    const struct ball_work work = {.n_row = n,
                                   .set = making->set,
                                   .n_level = level,
                                   .n_known = table->level[level].first_row,
                                   .n_record = table->n_record,
                                   .n_chunk = trials_of(wish, level) / BALL_CHUNK,
                                   .most_chunks = making->n_chunk,
                                   .n_sampled = making->n_sampled,
                                   .stop = &wish->ctx->stop,
                                   .sums = making->sums,
                                   .bin = making->bin,
                                   .sample = making->sample};
    return wish->backend->balls(wish->ctx, wish->device, threads, &work);
}

/* Rows first .. first + n of a level. */
static enum ball_made rows_make(const struct making *making, int level, int first, int n)
{
    const int threads = thread_count(making->wish->threads);
    const int64_t n_chunk = trials_of(making->wish, level) / BALL_CHUNK;
    if (trials_run(making, level, first, n, threads) != LR_OK)
        return BALL_FAILED;
    if (making->wish->ctx->stop)
        return BALL_STOPPED;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < n; i++) {
        making->table->means[first + i] = making->wish->known ? making->wish->known[first + i]
                                                              : row_means(&making->sums[i * making->n_chunk], n_chunk);
        row_finish(making, level, first + i, &making->bin[i * BALL_N_BIN], &making->sample[2 * i * making->n_sampled],
                   &making->kept[2 * i * making->n_work]);
    }
    return BALL_MADE;
}

/* Moves what was kept of n rows to the end of the table. */
static int rows_append(const struct making *making, int first, int n)
{
    struct ball_table *table = making->table;
    int64_t more = 0;
    for (int i = first; i < first + n; i++)
        more += (int64_t)table->row[i].n[0] + table->row[i].n[1];
    struct ball_record *record = realloc(table->record, sizeof *record * (size_t)(table->n_record + more));
    if (!record)
        return 0;
    table->record = record;
    for (int i = 0; i < n; i++) {
        for (int wing = 0; wing < 2; wing++) {
            struct ball_row *row = &table->row[first + i];
            row->first[wing] = (uint32_t)table->n_record;
            memcpy(record + table->n_record, &making->kept[(2 * i + wing) * making->n_work],
                   sizeof *record * row->n[wing]);
            table->n_record += row->n[wing];
        }
    }
    return 1;
}

/* Leaves at most wish->kept records to each part: one at random from each of as many equal stretches, since ball_thin()
 * has put alike ones side by side. */
static void table_thin(const struct ball_wish *wish, struct ball_table *table)
{
    const struct rng_key key = rng_key_from_seed(wish->seed);
    int64_t n_record = 0;
    for (int i = 0; i < table->n_row; i++) {
        struct ball_row *row = &table->row[i];
        for (int wing = 0; wing < 2; wing++) {
            const struct ball_record *from = &table->record[row->first[wing]];
            struct ball_record *to = &table->record[n_record];
            const uint32_t n = row->n[wing];
            const uint32_t m = n < wish->kept ? n : wish->kept;
            for (uint32_t j = 0; j < m; j++) {
                const double uniform = rng_uniform(rng_draw(key, j, (uint32_t)(2 * i + wing), UINT32_MAX - 1).r0);
                to[j] = from[n == m ? j : (uint32_t)fmin((j + uniform) * n / m, n - 1)];
            }
            row->first[wing] = (uint32_t)n_record;
            row->n[wing] = m;
            n_record += m;
            means_match(&table->means[i], wing, to, row);
        }
    }
    table->n_record = n_record;
    struct ball_record *record = realloc(table->record, sizeof *record * (size_t)n_record);
    if (record)
        table->record = record;
}

static enum ball_made levels_make(struct making *making)
{
    const struct ball_wish *wish = making->wish;
    struct ball_table *table = making->table;
    for (int level = 0; level < wish->n_level; level++) {
        const struct ball_level *at = &table->level[level];
        for (int done = 0; done < at->n_row; done += ROWS_AT_ONCE) {
            const int n = at->n_row - done < ROWS_AT_ONCE ? at->n_row - done : ROWS_AT_ONCE;
            const enum ball_made made = rows_make(making, level, at->first_row + done, n);
            if (made != BALL_MADE)
                return made;
            if (!rows_append(making, at->first_row + done, n))
                return BALL_NO_MEMORY;
            if (wish->report && wish->report(wish->report_to, (double)(at->first_row + done + n) / table->n_row))
                return BALL_STOPPED;
        }
        table->n_level++;
    }
    return BALL_MADE;
}

/* Sizes of all levels, and room for all rows. */
static int table_begin(const struct ball_wish *wish, struct ball_table *table)
{
    table->a = wish->a;
    table->level = calloc((size_t)wish->n_level, sizeof *table->level);
    if (!table->level)
        return 0;
    for (int level = 0; level < wish->n_level; level++) {
        const struct level_shape shape = level_shape(wish->a, level);
        table->level[level] = (struct ball_level){table->n_row, shape.n_row, (float)shape.x_max};
        table->n_row += shape.n_row;
    }
    table->row = calloc((size_t)table->n_row, sizeof *table->row);
    table->means = calloc((size_t)table->n_row, sizeof *table->means);
    for (int level = 0; table->row && level < wish->n_level; level++)
        for (int i = 0; i < table->level[level].n_row; i++)
            table->row[table->level[level].first_row + i].at = (float)ball_coordinate(wish->a, ball_row_x(i));
    return table->row && table->means;
}

enum ball_made ball_table_make(const struct ball_wish *wish, struct ball_table *table)
{
    *table = (struct ball_table){0};
    struct making making = {.wish = wish, .table = table};
    making.n_chunk = trials_of(wish, 0) / BALL_CHUNK;
    making.n_work = work_of(wish, 0);
    making.n_sampled = (SAMPLED * making.n_work + BALL_CHUNK - 1) / BALL_CHUNK * BALL_CHUNK;
    enum ball_made made = BALL_NO_MEMORY;
    if (table_begin(wish, table)) {
        making.mean = calloc((size_t)table->n_row, sizeof *making.mean);
        making.set = malloc(ROWS_AT_ONCE * sizeof *making.set);
        making.sums = malloc(sizeof *making.sums * (size_t)(ROWS_AT_ONCE * making.n_chunk));
        making.sample = malloc(sizeof *making.sample * (size_t)(2 * ROWS_AT_ONCE * making.n_sampled));
        making.kept = malloc(sizeof *making.kept * (size_t)(2 * ROWS_AT_ONCE * making.n_work));
        making.bin = malloc(sizeof *making.bin * ROWS_AT_ONCE * BALL_N_BIN);
        if (making.mean && making.set && making.sums && making.sample && making.kept && making.bin) {
            gas_make(wish, &making.gas);
            made = levels_make(&making);
        }
    }
    free(making.mean);
    free(making.set);
    free(making.sums);
    free(making.sample);
    free(making.kept);
    free(making.bin);
    if (made == BALL_MADE)
        table_thin(wish, table);
    else
        ball_table_free(table);
    return made;
}

void ball_table_free(struct ball_table *table)
{
    free(table->level);
    free(table->row);
    free(table->record);
    free(table->means);
    *table = (struct ball_table){0};
}
