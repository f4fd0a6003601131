/* LAMDA files: collision partners and their rates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines/lamda_parts.h"

enum { MAX_TEMPERATURE = 1000 };

/* Far beyond any that were ever computed. */
static const double hottest = 1e12;  /* K */
static const double most_rate = 1e3; /* cm^3 s^-1 */

/* "2 CO-pH2 from ...": the number, then the reference. */
static enum lr_status read_collider(struct text_table *table, const struct molecule *molecule, struct partner *partner)
{
    LR_TRY(text_table_next(table, "a header line, then a collision partner"));
    LR_TRY(text_table_next(table, "the number of a collision partner and its reference"));
    char *end = NULL;
    long number = strtol(table->word, &end, 10);
    if (end == table->word || strchr("0123456789.", *end ? *end : ' '))
        return TEXT_FAIL(table,
                         "'%.40s'; expected a collision partner: 1 (H2), 2 (p-H2), 3 (o-H2), 4 (e), 5 (H), "
                         "6 (He) or 7 (H+), then its reference",
                         table->word);
    if (number < 1 || number >= N_COLLIDER)
        return TEXT_FAIL(table,
                         "collision partner %ld; expected 1 (H2), 2 (p-H2), 3 (o-H2), 4 (e), 5 (H), 6 (He) or "
                         "7 (H+)",
                         number);
    partner->collider = (enum collider)number;
    for (int p = 0; p < molecule->n_partner; p++)
        if (molecule->partner[p].collider == partner->collider)
            return TEXT_FAIL(table, "collision partner %ld (%s) appears twice; expected each once", number,
                             collider_name(partner->collider));
    table->word = end;
    text_table_rest(table, partner->reference, sizeof partner->reference);
    return LR_OK;
}

static enum lr_status read_temperatures(struct text_table *table, int count, struct partner *partner)
{
    LR_TRY(text_table_next(table, "a header line, then the temperatures of the collision rates"));
    LR_TRY(text_table_next(table, "the temperatures of the collision rates"));
    LR_TRY(lr_allocate(table->ctx, (size_t)count, sizeof(double), &partner->temperature));
    double below = 0.0;
    for (int t = 0; t < count; t++) {
        char expected[64];
        snprintf(expected, sizeof expected, "temperature %d of %d in K", t + 1, count);
        LR_TRY(text_table_number(table, expected, &partner->temperature[t], NULL));
        if (!(partner->temperature[t] > below))
            return TEXT_FAIL(table, "temperature %g K after %g K; expected increasing temperatures",
                             partner->temperature[t], below);
        if (!(partner->temperature[t] <= hottest))
            return TEXT_FAIL(table, "temperature %g K; expected at most %g", partner->temperature[t], hottest);
        below = partner->temperature[t];
    }
    partner->n_temperature = count;
    return LR_OK;
}

static enum lr_status read_rates(struct text_table *table, int n, double *rate)
{
    for (int t = 0; t < n; t++) {
        char expected[64];
        snprintf(expected, sizeof expected, "collision rate %d of %d in cm^3 s^-1", t + 1, n);
        LR_TRY(text_table_number(table, expected, &rate[t], NULL));
        if (!(rate[t] >= 0.0 && rate[t] <= most_rate))
            return TEXT_FAIL(table, "collision rate %g; expected 0 to %g cm^3 s^-1", rate[t], most_rate);
    }
    return LR_OK;
}

static enum lr_status read_row(struct text_table *table, const struct molecule *molecule, struct lamda_pairs *pairs,
                               struct partner *partner)
{
    const int i = partner->n_transition, n = partner->n_temperature;
    bool repeated = false;
    LR_TRY(lamda_grow(table->ctx, &partner->upper, i, sizeof *partner->upper));
    LR_TRY(lamda_grow(table->ctx, &partner->lower, i, sizeof *partner->lower));
    LR_TRY(lamda_grow(table->ctx, &partner->rate, i, (size_t)n * sizeof *partner->rate));
    LR_TRY(lamda_pair(table, molecule, pairs, &partner->upper[i], &partner->lower[i], &repeated));
    LR_TRY(read_rates(table, n, partner->rate + (size_t)i * (size_t)n));
    partner->n_transition += !repeated;
    return LR_OK;
}

/* Some files have more rows than they state: what follows with as many numbers as a row is one of them. */
static enum lr_status read_table(struct text_table *table, const struct molecule *molecule, struct lamda_pairs *pairs,
                                 int count, struct partner *partner)
{
    struct oddity more = {0};
    LR_TRY(text_table_next(table, "a header line, then the collision rates"));
    lamda_pairs_clear(pairs);
    for (int i = 0; i < count; i++) {
        LR_TRY(lamda_row(table, "collisional transition", i, count));
        LR_TRY(read_row(table, molecule, pairs, partner));
    }
    while (text_table_numbers_follow(table, 3 + partner->n_temperature)) {
        LR_TRY(text_table_next(table, "a collisional transition"));
        oddity_count(&more, table->line);
        LR_TRY(read_row(table, molecule, pairs, partner));
    }
    if (more.n)
        lr_log(table->ctx, LR_LOG_WARNING, "%s:%d: %d rows of collision rates, but %d are stated; all are used",
               table->name, more.line, count + more.n, count);
    lamda_pairs_warn(table, pairs);
    return LR_OK;
}

static enum lr_status read_partner(struct text_table *table, const struct molecule *molecule, struct lamda_pairs *pairs,
                                   struct partner *partner)
{
    int n_transition = 0, n_temperature = 0;
    LR_TRY(lamda_count(table, "the number of collisional transitions, at most one for each pair of levels", 1,
                       lamda_most_rows(molecule), &n_transition));
    LR_TRY(lamda_count(table, "the number of temperatures", 1, MAX_TEMPERATURE, &n_temperature));
    LR_TRY(read_temperatures(table, n_temperature, partner));
    return read_table(table, molecule, pairs, n_transition, partner);
}

enum lr_status lamda_read_collisions(struct text_table *table, struct lamda_pairs *pairs, struct molecule *molecule)
{
    if (!text_table_more(table))
        return LR_OK;
    int count = 0;
    LR_TRY(lamda_count(table, "the number of collision partners", 0, N_COLLIDER - 1, &count));
    LR_TRY(lr_allocate(table->ctx, (size_t)count, sizeof *molecule->partner, &molecule->partner));
    for (int p = 0; p < count; p++) {
        struct partner *partner = &molecule->partner[p];
        LR_TRY(read_collider(table, molecule, partner));
        molecule->n_partner = p + 1;
        LR_TRY(read_partner(table, molecule, pairs, partner));
    }
    return LR_OK;
}
