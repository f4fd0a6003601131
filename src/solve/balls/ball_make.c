/* Makes tables of balls; compiled in double precision (CMakeLists.txt).
 *
 * A level is made when all smaller ones are there: trials in chunks, whose sums are added in a fixed order, then the
 * choice of records to keep, then detailed balance (ball_balance.h). */
#include "solve/balls/ball_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/ball_work.h"
#include "base/context.h"
#include "base/threads.h"
#include "solve/balls/ball_balance.h"
#include "solve/balls/ball_thin.h"

/* Trials of a row whose exits are there to choose from, at most; levels of the first grade in which everything is
 * followed, and through whose balls those above jump. */
enum { SAMPLED = 1 << 17, FOLLOWED = 4 };

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

/* What is being made, and room for a level of it. */
struct making {
    const struct ball_wish *wish;
    struct ball_table *table;
    struct ball_gas gas;
    struct ball_balance balance;
    int64_t n_chunk, n_sampled;   /* of a row: chunks; trials whose exits are there to choose from */
    struct ball_trials *set;      /* [BALL_ROWS] */
    struct ball_sums *sums;       /* [BALL_ROWS][n_chunk] */
    struct ball_sample *sample;   /* [BALL_ROWS][BALL_EXITS][n_sampled] */
    struct ball_record *kept;     /* [BALL_ROWS][BALL_PARTS][wish->kept] */
    struct ball_stretch *stretch; /* [BALL_ROWS][wish->kept] */
};

/* Levels of balls to jump through. */
static int jump_levels(const struct ball_wish *wish, int level)
{
    return wish->inner ? wish->inner->family.n_level : level < FOLLOWED ? 0 : FOLLOWED;
}

static void trials_prepare(const struct making *making, int level, int row, struct ball_trials *set)
{
    const struct ball_table *table = making->table;
    set->gas = making->gas;
    const struct ball_table *inner = making->wish->inner ? making->wish->inner : table;
    set->family = inner->family;
    set->family.n_level = jump_levels(making->wish, level);
    set->balls = (struct ball_view){.row = inner->row, .record = inner->record};
    set->key = rng_key_from_seed(making->wish->seed);
    set->row = (uint32_t)row;
    set->radius = ball_radius(&table->family, level);
    set->x = ball_row_x(&table->family, row - level * BALL_ROWS);
    lattice_make(set->key, set->row, &set->lattice);
}

/* Puts the samples of one part, with any weight, first; returns their number. */
static int64_t part_first(struct ball_sample *sample, int64_t n, int part)
{
    int64_t n_part = 0;
    for (int64_t i = 0; i < n; i++)
        if (sample[i].weight > 0 && sample[i].part == part) {
            const struct ball_sample other = sample[n_part];
            sample[n_part++] = sample[i];
            sample[i] = other;
        }
    return n_part;
}

/* Gives the records of a part the means of all trials, those of path and scatterings by factors. */
static void means_match(const struct ball_sums *all, int part, struct ball_record *record, struct ball_row *row)
{
    const double weight = all->weight[part];
    ball_place_shift(record, row->n[part], all->place[part] / all->drawn[part]);
    const struct ball_record_means mean = ball_record_means(record, row->n[part]);
    row->path[part] = mean.path > 0 ? (float)(all->path[part] / weight / mean.path) : 1.0f;
    row->scattered[part] = (float)(all->scatterings[part] / weight / mean.scatterings);
}

/* The chances of the parts of a row are in proportion to their shares. Parts without records add nothing at all to the
 * chance of those before them, and from the last that has any on, the chance is 1: none without records is ever picked.
 */
static void chances_set(struct ball_row *row, const double *share, double sum)
{
    double before = 0;
    int last = BALL_PARTS - 1;
    while (last > 0 && share[last] == 0)
        last--;
    for (int part = 0; part < BALL_PARTS; part++) {
        before += share[part];
        row->up_to[part] = part >= last ? 1.0f : fminf((float)(before / sum), nextafterf(1, 0));
    }
}

/* Makes a row of its sums and samples. Where its records begin is not known yet. */
static void row_finish(const struct making *making, int row, const struct ball_sums *sums, struct ball_sample *sample,
                       struct ball_stretch *stretch, struct ball_record *kept)
{
    const struct ball_wish *wish = making->wish;
    struct ball_row *made = &making->table->row[row];
    struct ball_sums all;
    double *total = (double *)&all;
    memset(&all, 0, sizeof all);
    for (int64_t chunk = 0; chunk < making->n_chunk; chunk++)
        for (size_t i = 0; i < sizeof all / sizeof *total; i++)
            total[i] += ((const double *)&sums[chunk])[i];
    double share[BALL_PARTS], sum = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        struct ball_record *mine = kept + part * wish->kept;
        const int64_t n = part_first(sample, BALL_EXITS * making->n_sampled, part);
        made->n[part] = ball_thin(&making->table->family, sample, n, wish->kept, rng_key_from_seed(wish->seed),
                                  (uint32_t)(row * BALL_PARTS + part), stretch, mine);
        made->path[part] = made->scattered[part] = 1;
        if (!(all.weight[part] > 0)) /* a sample on the limit between two parts */
            made->n[part] = 0;
        if (made->n[part] > 0)
            means_match(&all, part, mine, made);
        share[part] = made->n[part] > 0 ? all.weight[part] : 0;
        sum += share[part];
    }
    chances_set(made, share, sum);
}

static enum lr_status trials_run(const struct making *making, int level, int threads)
{
    const struct ball_wish *wish = making->wish;
    const int first = level * BALL_ROWS;
    const int n_jump = jump_levels(wish, level);
    for (int i = 0; i < BALL_ROWS; i++)
        trials_prepare(making, level, first + i, &making->set[i]);
    const struct ball_work work = {.n_row = BALL_ROWS,
                                   .set = making->set,
                                   .n_known = n_jump * BALL_ROWS,
                                   .n_record = n_jump == 0 ? 0 : (wish->inner ? wish->inner : making->table)->n_record,
                                   .n_chunk = making->n_chunk,
                                   .n_sampled = making->n_sampled,
                                   .stop = &wish->ctx->stop,
                                   .sums = making->sums,
                                   .sample = making->sample};
    return wish->backend->balls(wish->ctx, wish->device, threads, &work);
}

static enum ball_made level_make(const struct making *making, int level)
{
    const int threads = thread_count(making->wish->threads);
    const int first = level * BALL_ROWS;
    if (trials_run(making, level, threads) != LR_OK)
        return BALL_FAILED;
    if (making->wish->ctx->stop)
        return BALL_STOPPED;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < BALL_ROWS; i++)
        row_finish(making, first + i, &making->sums[i * making->n_chunk],
                   &making->sample[BALL_EXITS * i * making->n_sampled],
                   &making->stretch[i * (int64_t)making->wish->kept],
                   &making->kept[i * (int64_t)BALL_PARTS * making->wish->kept]);
    return BALL_MADE;
}

/* Moves what was kept of a level to the end of the table. */
static int level_append(const struct making *making, int level)
{
    struct ball_table *table = making->table;
    struct ball_row *row = &table->row[level * BALL_ROWS];
    int64_t more = 0;
    for (int i = 0; i < BALL_ROWS; i++)
        for (int part = 0; part < BALL_PARTS; part++)
            more += row[i].n[part];
    struct ball_record *record = realloc(table->record, sizeof *record * (size_t)(table->n_record + more));
    if (!record)
        return 0;
    table->record = record;
    for (int i = 0; i < BALL_ROWS; i++)
        for (int part = 0; part < BALL_PARTS; part++) {
            row[i].first[part] = (uint32_t)table->n_record;
            memcpy(record + table->n_record, &making->kept[(i * BALL_PARTS + part) * (int64_t)making->wish->kept],
                   sizeof *record * row[i].n[part]);
            table->n_record += row[i].n[part];
        }
    table->family.n_level++;
    return 1;
}

/* Multiplies the chances of exits into the wing, and leaves the rest to those through the surface. */
static void row_balance(const struct making *making, const struct ball_factors *factors, struct ball_row *row)
{
    double share[BALL_PARTS];
    double surface = 0, wing = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        const enum ball_way way = ball_way_of(&making->gas, part);
        share[part] = (double)row->up_to[part] - (part > 0 ? (double)row->up_to[part - 1] : 0);
        if (way == BALL_WAYS)
            surface += share[part];
        else
            wing += share[part] *= factors->chance[way];
        row->path[part] *= (float)factors->scatterings;
        row->scattered[part] *= (float)factors->scatterings;
    }
    for (int part = 0; part < BALL_SURFACE_PARTS && surface > 0; part++)
        share[part] *= fmax(1 - wing, 0) / surface;
    chances_set(row, share, surface > 0 ? fmax(wing, 1) : wing);
}

static void level_balance(const struct making *making, int level)
{
    const struct ball_factors factors =
        ball_balance_factors(&making->balance, &making->gas, making->table, level, making->wish->seed,
                             thread_count(making->wish->threads), &making->wish->ctx->stop);
    for (int i = 0; i < BALL_ROWS; i++)
        row_balance(making, &factors, &making->table->row[level * BALL_ROWS + i]);
}

static enum ball_made levels_make(const struct making *making)
{
    const struct ball_wish *wish = making->wish;
    for (int level = 0; level < wish->n_level; level++) {
        const enum ball_made made = level_make(making, level);
        if (made != BALL_MADE)
            return made;
        if (!level_append(making, level))
            return BALL_NO_MEMORY;
        level_balance(making, level);
        if (wish->report && wish->report(wish->report_to, (level + 1.0) / wish->n_level))
            return BALL_STOPPED;
    }
    return BALL_MADE;
}

static int table_begin(const struct ball_wish *wish, struct ball_table *table)
{
    table->family = (struct ball_family){.a = (float)wish->a,
                                         .x_start = (float)wish->x_start,
                                         .x_wing = (float)wish->x_wing,
                                         .least = (float)wish->least,
                                         .isotropic = !wish->dipole};
    table->n_row = wish->n_level * BALL_ROWS;
    table->row = calloc((size_t)table->n_row, sizeof *table->row);
    for (int i = 0; table->row && i < table->n_row; i++)
        table->row[i].at = (float)ball_coordinate(wish->a, ball_row_x(&table->family, i % BALL_ROWS));
    return table->row != NULL;
}

enum ball_made ball_table_make(const struct ball_wish *wish, struct ball_table *table)
{
    *table = (struct ball_table){0};
    struct making making = {.wish = wish, .table = table};
    const int64_t trials = (wish->trials + BALL_CHUNK - 1) / BALL_CHUNK * BALL_CHUNK;
    making.n_chunk = trials / BALL_CHUNK;
    making.n_sampled = trials < SAMPLED ? trials : SAMPLED;
    enum ball_made made = BALL_NO_MEMORY;
    if (table_begin(wish, table)) {
        making.set = malloc(BALL_ROWS * sizeof *making.set);
        making.sums = malloc(sizeof *making.sums * (size_t)(BALL_ROWS * making.n_chunk));
        making.sample = malloc(sizeof *making.sample * (size_t)(BALL_EXITS * BALL_ROWS * making.n_sampled));
        making.kept = malloc(sizeof *making.kept * (size_t)(BALL_ROWS * BALL_PARTS) * wish->kept);
        making.stretch = malloc(sizeof *making.stretch * (size_t)BALL_ROWS * wish->kept);
        if (making.set && making.sums && making.sample && making.kept && making.stretch) {
            ball_gas_make(wish->a, (double)(float)wish->x_wing, wish->dipole, wish->dipole_core, wish->dipole_wing,
                          &making.gas);
            ball_balance_prepare(&making.gas, &making.balance);
            made = levels_make(&making);
        }
    }
    free(making.set);
    free(making.sums);
    free(making.sample);
    free(making.kept);
    free(making.stretch);
    if (made != BALL_MADE)
        ball_table_free(table);
    return made;
}

void ball_table_free(struct ball_table *table)
{
    free(table->row);
    free(table->record);
    *table = (struct ball_table){0};
}
