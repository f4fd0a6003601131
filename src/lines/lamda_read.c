#include "lines/lamda_read.h"

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
static const double frequency_wrong = 2; /* a factor beyond which the frequency, not an energy, must be wrong */

/* ---- rows ---- */

/* One for each pair of levels, and repeated ones. */
int lamda_most_rows(const struct molecule *molecule)
{
    return (int)((int64_t)molecule->n_level * (molecule->n_level - 1));
}

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

/* ---- levels and lines ---- */

static enum lr_status read_level(struct text_table *table, int index, struct level *level, double *rounding)
{
    int number = 0;
    LR_TRY(text_table_integer(table, "the number of the level", 1, MAX_LEVEL, &number));
    if (number != index + 1)
        return TEXT_FAIL(table, "level %d; expected level %d, in order from 1", number, index + 1);
    LR_TRY(text_table_number(table, "the energy of the level in cm^-1", &level->energy, rounding));
    if (fabs(level->energy) > max_energy)
        return TEXT_FAIL(table, "energy %g cm^-1 of level %d; expected at most %g", level->energy, number, max_energy);
    LR_TRY(text_table_number(table, "the statistical weight of the level", &level->weight, NULL));
    if (!(level->weight >= least_weight && level->weight <= most_weight))
        return TEXT_FAIL(table, "weight %g of level %d; expected %g to %g", level->weight, number, least_weight,
                         most_weight);
    text_table_rest(table, level->label, sizeof level->label);
    return LR_OK;
}

static enum lr_status read_levels(struct text_table *table, struct molecule *molecule, double **rounding)
{
    int count = 0;
    LR_TRY(lamda_count(table, "the number of energy levels", 2, MAX_LEVEL, &count));
    LR_TRY(text_table_next(table, "a header line, then the energy levels"));
    for (int i = 0; i < count; i++) {
        LR_TRY(lamda_row(table, "level", i, count));
        LR_TRY(lamda_grow(table->ctx, &molecule->level, i, sizeof *molecule->level));
        LR_TRY(lamda_grow(table->ctx, rounding, i, sizeof **rounding));
        LR_TRY(read_level(table, i, &molecule->level[i], &(*rounding)[i]));
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

static enum lr_status read_line(struct text_table *table, const struct molecule *molecule, struct lamda_pairs *pairs,
                                struct transition *line, bool *repeated)
{
    LR_TRY(lamda_pair(table, molecule, pairs, &line->upper, &line->lower, repeated));
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

/* ---- frequencies and energies ---- */

/* nu = c (E_u - E_l), within the rounding of both energies. A frequency that is wrong by a large factor, as in another
 * unit than GHz, is replaced. */
static void compare_frequency(const struct molecule *molecule, const double *rounding, int at, struct transition *line,
                              struct oddity *differ, struct oddity *wrong)
{
    double energies = LR_LIGHT_SPEED * (molecule->level[line->upper].energy - molecule->level[line->lower].energy);
    double error = LR_LIGHT_SPEED * (rounding[line->upper] + rounding[line->lower]);
    if (fabs(energies - line->frequency) <= frequency_tolerance * line->frequency + error)
        return;
    bool is_wrong = energies - error > frequency_wrong * line->frequency ||
                    (energies > error && frequency_wrong * (energies + error) < line->frequency);
    oddity_count(is_wrong ? wrong : differ, at);
    if (is_wrong)
        line->frequency = energies;
}

static void warn_of_frequencies(const struct text_table *table, struct oddity differ, struct oddity wrong, int count)
{
    if (differ.n)
        lr_log(table->ctx, LR_LOG_WARNING,
               "%s:%d: %d of %d frequencies differ from the energies of their levels by more than %g %%; this is the "
               "first",
               table->name, differ.line, differ.n, count, 100.0 * frequency_tolerance);
    if (wrong.n)
        lr_log(
            table->ctx, LR_LOG_WARNING,
            "%s:%d: %d of %d frequencies contradict the energies of their levels by more than a factor of %g (not in "
            "GHz?); this is the first; frequencies from the energies are used instead",
            table->name, wrong.line, wrong.n, count, frequency_wrong);
}

static enum lr_status read_lines(struct text_table *table, struct lamda_pairs *pairs, struct molecule *molecule)
{
    int count = 0;
    struct oddity differ = {0}, wrong = {0};
    LR_TRY(lamda_count(table, "the number of radiative transitions, at most one for each pair of levels", 1,
                       lamda_most_rows(molecule), &count));
    LR_TRY(text_table_next(table, "a header line, then the radiative transitions"));
    lamda_pairs_clear(pairs);
    for (int i = 0; i < count; i++) {
        bool repeated = false;
        LR_TRY(lamda_row(table, "radiative transition", i, count));
        LR_TRY(lamda_grow(table->ctx, &molecule->line, molecule->n_line, sizeof *molecule->line));
        struct transition *line = &molecule->line[molecule->n_line];
        LR_TRY(read_line(table, molecule, pairs, line, &repeated));
        if (repeated)
            continue;
        compare_frequency(molecule, pairs->rounding, table->line, line, &differ, &wrong);
        molecule->n_line++;
    }
    warn_of_frequencies(table, differ, wrong, count);
    lamda_pairs_warn(table, pairs);
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

static enum lr_status read_sections(struct text_table *table, struct molecule *molecule, double **rounding,
                                    struct lamda_pairs *pairs)
{
    LR_TRY(read_head(table, molecule));
    LR_TRY(read_levels(table, molecule, rounding));
    if (!molecule->level || !*rounding) /* impossible, but analysers do not see that */
        return lr_fail(table->ctx, LR_ERROR_INTERNAL, "%s: no levels were read", table->name);
    count_from_lowest(molecule);
    LR_TRY(lamda_pairs_create(table->ctx, molecule->n_level, *rounding, pairs));
    LR_TRY(read_lines(table, pairs, molecule));
    LR_TRY(lamda_read_collisions(table, pairs, molecule));
    if (table->unfinished && !text_table_more(table))
        lr_log(table->ctx, LR_LOG_WARNING, "%s:%d: the last line has no newline; its last number may be truncated",
               table->name, table->line);
    return LR_OK;
}

static enum lr_status read_molecule(struct text_table *table, struct molecule *molecule)
{
    double *rounding = NULL;
    struct lamda_pairs pairs = {0};
    memset(molecule, 0, sizeof *molecule);
    enum lr_status status = read_sections(table, molecule, &rounding, &pairs);
    if (status != LR_OK)
        molecule_free(molecule);
    free(rounding);
    free(pairs.seen);
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
