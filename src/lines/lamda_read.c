#include "lines/lamda_read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "lines/lamda_parts.h"

enum { MAX_LEVEL = 20000, FIRST_ROWS = 32 };

static const double hz_per_ghz = 1e9;
static const double max_energy = 1e9; /* cm^-1, 124 keV: above every line; keeps sums finite */
/* Far beyond every molecule and atom; numbers outside are typing errors, and make rates overflow. */
static const double least_mass = 1e-4, most_mass = 1e6;            /* atomic mass units */
static const double least_weight = 1e-3, most_weight = 1e9;        /* statistical weight */
static const double most_einstein_a = 1e25;                        /* s^-1 */
static const double least_frequency = 1e-9, most_frequency = 3e10; /* GHz */
static const double frequency_tolerance = 0.03;                    /* of a frequency from the energies of its levels */

/* ---- pairs of levels ---- */

static size_t pair_bytes(int n_level)
{
    return (size_t)n_level * (size_t)(n_level - 1) / 2 / 8 + 1;
}

enum lr_status pair_set_create(lr_context *ctx, int n_level, struct pair_set *set)
{
    set->n_level = n_level;
    return lr_allocate(ctx, pair_bytes(n_level), 1, &set->bits);
}

bool pair_set_add(struct pair_set *set, int one, int other)
{
    size_t high = (size_t)(one > other ? one : other), low = (size_t)(one > other ? other : one);
    size_t bit = high * (high - 1) / 2 + low;
    unsigned char mask = (unsigned char)(1u << (bit % 8));
    bool fresh = !(set->bits[bit / 8] & mask);
    set->bits[bit / 8] |= mask;
    return fresh;
}

void pair_set_clear(struct pair_set *set)
{
    memset(set->bits, 0, pair_bytes(set->n_level));
}

/* ---- rows ---- */

enum lr_status lamda_grow(lr_context *ctx, void *array, int used, size_t size)
{
    bool full = used == 0 || (used >= FIRST_ROWS && (used & (used - 1)) == 0); /* 32, 64, 128, ... */
    if (!full)
        return LR_OK;
    void *old = NULL;
    memcpy(&old, array, sizeof old);
    void *more = realloc(old, (size_t)(used ? 2 * used : FIRST_ROWS) * size);
    if (!more)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory after %d rows of a molecule", used);
    memcpy(array, &more, sizeof more);
    return LR_OK;
}

enum lr_status lamda_count(struct text_table *table, const char *expected, int low, int high, int *value)
{
    char header[128];
    snprintf(header, sizeof header, "a header line, then %s", expected);
    LR_TRY(text_table_next(table, header));
    LR_TRY(text_table_next(table, expected));
    return text_table_integer(table, expected, low, high, value);
}

enum lr_status lamda_row(struct text_table *table, const char *what, int index, int count)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%s %d of %d", what, index + 1, count);
    return text_table_next(table, expected);
}

enum lr_status lamda_pair(struct text_table *table, const struct molecule *molecule, const double *tolerance,
                          struct pair_set *seen, int *upper, int *lower)
{
    int number = 0;
    LR_TRY(text_table_integer(table, "the number of this row", 0, INT_MAX, &number));
    LR_TRY(text_table_integer(table, "the number of the upper level", 1, molecule->n_level, upper));
    LR_TRY(text_table_integer(table, "the number of the lower level", 1, molecule->n_level, lower));
    const int u = --*upper, l = --*lower;
    if (u == l)
        return TEXT_FAIL(table, "upper and lower level are both %d; expected two levels", u + 1);
    double rise = molecule->level[u].energy - molecule->level[l].energy;
    if (rise < -(tolerance[u] + tolerance[l]))
        return TEXT_FAIL(table, "upper level %d lies %g cm^-1 below lower level %d; expected the higher one first",
                         u + 1, -rise, l + 1);
    if (!pair_set_add(seen, u, l))
        return TEXT_FAIL(table, "levels %d and %d appear twice in this table; expected each pair once", u + 1, l + 1);
    return LR_OK;
}

/* ---- levels and lines ---- */

static enum lr_status read_level(struct text_table *table, int index, struct level *level, double *tolerance)
{
    int number = 0;
    LR_TRY(text_table_integer(table, "the number of the level", 1, MAX_LEVEL, &number));
    if (number != index + 1)
        return TEXT_FAIL(table, "level %d; expected level %d, in order from 1", number, index + 1);
    LR_TRY(text_table_number(table, "the energy of the level in cm^-1", &level->energy, tolerance));
    if (fabs(level->energy) > max_energy)
        return TEXT_FAIL(table, "energy %g cm^-1 of level %d; expected at most %g", level->energy, number, max_energy);
    LR_TRY(text_table_number(table, "the statistical weight of the level", &level->weight, NULL));
    if (!(level->weight >= least_weight && level->weight <= most_weight))
        return TEXT_FAIL(table, "weight %g of level %d; expected %g to %g", level->weight, number, least_weight,
                         most_weight);
    text_table_rest(table, level->label, sizeof level->label);
    return LR_OK;
}

static enum lr_status read_levels(struct text_table *table, struct molecule *molecule, double **tolerance)
{
    int count = 0;
    LR_TRY(lamda_count(table, "the number of energy levels", 2, MAX_LEVEL, &count));
    LR_TRY(text_table_next(table, "a header line, then the energy levels"));
    for (int i = 0; i < count; i++) {
        LR_TRY(lamda_row(table, "level", i, count));
        LR_TRY(lamda_grow(table->ctx, &molecule->level, i, sizeof *molecule->level));
        LR_TRY(lamda_grow(table->ctx, tolerance, i, sizeof **tolerance));
        LR_TRY(read_level(table, i, &molecule->level[i], &(*tolerance)[i]));
        molecule->n_level = i + 1;
    }
    return LR_OK;
}

static void count_from_lowest(struct molecule *molecule)
{
    molecule->lowest = molecule->level[0].energy;
    for (int i = 1; i < molecule->n_level; i++)
        molecule->lowest = fmin(molecule->lowest, molecule->level[i].energy);
    for (int i = 0; i < molecule->n_level; i++)
        molecule->level[i].energy -= molecule->lowest;
}

static enum lr_status read_line(struct text_table *table, const struct molecule *molecule, const double *tolerance,
                                struct pair_set *seen, struct transition *line)
{
    LR_TRY(lamda_pair(table, molecule, tolerance, seen, &line->upper, &line->lower));
    LR_TRY(text_table_number(table, "the Einstein coefficient A in s^-1", &line->a_ul, NULL));
    if (!(line->a_ul >= 0.0 && line->a_ul <= most_einstein_a))
        return TEXT_FAIL(table, "Einstein coefficient %g; expected 0 to %g s^-1", line->a_ul, most_einstein_a);
    double frequency = 0.0;
    LR_TRY(text_table_number(table, "the frequency in GHz", &frequency, NULL));
    line->frequency = frequency * hz_per_ghz;
    if (!(frequency >= least_frequency && frequency <= most_frequency))
        return TEXT_FAIL(table, "frequency %g GHz; expected %g to %g", frequency, least_frequency, most_frequency);
    return LR_OK;
}

/* nu = c (E_u - E_l), within the rounding of both energies. */
static bool frequency_agrees(const struct molecule *molecule, const double *tolerance, const struct transition *line)
{
    double energies = LR_LIGHT_SPEED * (molecule->level[line->upper].energy - molecule->level[line->lower].energy);
    double rounding = LR_LIGHT_SPEED * (tolerance[line->upper] + tolerance[line->lower]);
    return fabs(energies - line->frequency) <= frequency_tolerance * line->frequency + rounding;
}

static enum lr_status read_lines(struct text_table *table, const double *tolerance, struct pair_set *seen,
                                 struct molecule *molecule)
{
    int count = 0, n_odd = 0, first_odd = 0;
    int64_t pairs = (int64_t)molecule->n_level * (molecule->n_level - 1) / 2;
    LR_TRY(lamda_count(table, "the number of radiative transitions, at most one for each pair of levels", 1, (int)pairs,
                       &count));
    LR_TRY(text_table_next(table, "a header line, then the radiative transitions"));
    for (int i = 0; i < count; i++) {
        LR_TRY(lamda_row(table, "radiative transition", i, count));
        LR_TRY(lamda_grow(table->ctx, &molecule->line, i, sizeof *molecule->line));
        LR_TRY(read_line(table, molecule, tolerance, seen, &molecule->line[i]));
        molecule->n_line = i + 1;
        if (!frequency_agrees(molecule, tolerance, &molecule->line[i]) && n_odd++ == 0)
            first_odd = table->line;
    }
    if (n_odd)
        lr_log(table->ctx, LR_LOG_WARNING,
               "%s:%d: %d of %d frequencies differ from the energies of their levels by more than %g %%; this is the "
               "first",
               table->name, first_odd, n_odd, count, 100.0 * frequency_tolerance);
    return LR_OK;
}

/* ---- the file ---- */

static enum lr_status read_head(struct text_table *table, struct molecule *molecule)
{
    LR_TRY(text_table_next(table, "a header line, then the name of the molecule"));
    LR_TRY(text_table_next(table, "the name of the molecule"));
    text_table_rest(table, molecule->name, sizeof molecule->name);
    LR_TRY(text_table_next(table, "a header line, then the molecular weight"));
    LR_TRY(text_table_next(table, "the molecular weight"));
    double weight = 0.0;
    LR_TRY(text_table_number(table, "the molecular weight in atomic mass units", &weight, NULL));
    if (!(weight >= least_mass && weight <= most_mass))
        return TEXT_FAIL(table, "molecular weight %g; expected %g to %g", weight, least_mass, most_mass);
    molecule->mass = weight * LR_ATOMIC_MASS_UNIT;
    return LR_OK;
}

static enum lr_status read_sections(struct text_table *table, struct molecule *molecule, double **tolerance,
                                    struct pair_set *seen)
{
    LR_TRY(read_head(table, molecule));
    LR_TRY(read_levels(table, molecule, tolerance));
    if (!molecule->level || !*tolerance) /* impossible, but analysers do not see that */
        return lr_fail(table->ctx, LR_ERROR_INTERNAL, "%s: no levels were read", table->name);
    count_from_lowest(molecule);
    LR_TRY(pair_set_create(table->ctx, molecule->n_level, seen));
    LR_TRY(read_lines(table, *tolerance, seen, molecule));
    LR_TRY(lamda_read_collisions(table, *tolerance, seen, molecule));
    if (table->unfinished && !text_table_more(table))
        lr_log(table->ctx, LR_LOG_WARNING, "%s:%d: the last line has no newline; its last number may be truncated",
               table->name, table->line);
    return LR_OK;
}

static enum lr_status read_molecule(struct text_table *table, struct molecule *molecule)
{
    double *tolerance = NULL;
    struct pair_set seen = {0};
    memset(molecule, 0, sizeof *molecule);
    enum lr_status status = read_sections(table, molecule, &tolerance, &seen);
    if (status != LR_OK)
        molecule_free(molecule);
    free(tolerance);
    free(seen.bits);
    return status;
}

enum lr_status lamda_read(lr_context *ctx, const char *path, struct molecule *molecule)
{
    struct text_table table;
    enum lr_status status = text_table_open(ctx, path, &table);
    if (status == LR_OK)
        status = read_molecule(&table, molecule);
    free(table.text);
    return status;
}

enum lr_status lamda_read_text(lr_context *ctx, const char *name, const char *text, size_t size,
                               struct molecule *molecule)
{
    struct text_table table;
    enum lr_status status = text_table_copy(ctx, name, text, size, &table);
    if (status == LR_OK)
        status = read_molecule(&table, molecule);
    free(table.text);
    return status;
}
