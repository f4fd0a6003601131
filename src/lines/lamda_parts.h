/* Shared by the two halves of the LAMDA reader. A file consists of, with every odd line a header that is ignored: name;
 * mass; levels; lines; partners, each with its collisions. */
#ifndef LR_LINES_LAMDA_PARTS_H
#define LR_LINES_LAMDA_PARTS_H

#include "lines/molecule.h"
#include "lines/text_table.h"

/* Rows that the format does not allow but real files have. */
struct oddity {
    int n, line; /* how many, and the line of the first */
};
void oddity_count(struct oddity *oddity, int line);

/* What is known of the rows of a table, each of which is about a pair of levels. */
struct lamda_pairs {
    int n_level;
    const double *rounding; /* of the energy of each level, cm^-1 */
    unsigned char *seen;    /* one bit for each pair, in either order */
    struct oddity exchanged, repeated;
};
enum lr_status lamda_pairs_create(lr_context *ctx, int n_level, const double *rounding, struct lamda_pairs *pairs);
/* Before the first row of a table. */
void lamda_pairs_clear(struct lamda_pairs *pairs);
/* After the last one: says what was odd, and what was made of it. */
void lamda_pairs_warn(const struct text_table *table, const struct lamda_pairs *pairs);

/* Makes room for element number `used` of *array. Counts in files are not trusted until their rows are read. */
enum lr_status lamda_grow(lr_context *ctx, void *array, int used, size_t size);

/* The largest number of rows that a table about pairs of levels may state. */
int lamda_most_rows(const struct molecule *molecule);

/* A header line, and after it a line that starts with a count. */
enum lr_status lamda_count(struct text_table *table, const char *expected, int low, int high, int *value);

/* The line of row `index` (from 0) of `count`; `what` describes one in errors. */
enum lr_status lamda_row(struct text_table *table, const char *what, int index, int count);

/* Number, upper and lower level at the start of a row. Equal energies are allowed, because files of hyperfine levels
 * round them. If the upper level lies below the lower one, the two are exchanged: the format lists downward rates. A
 * row is `repeated` if an earlier one is about the same levels; the caller drops it. */
enum lr_status lamda_pair(struct text_table *table, const struct molecule *molecule, struct lamda_pairs *pairs,
                          int *upper, int *lower, bool *repeated);

/* The section of collisions, which may be missing. */
enum lr_status lamda_read_collisions(struct text_table *table, struct lamda_pairs *pairs, struct molecule *molecule);

#endif
