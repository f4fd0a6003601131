/* Shared by the two halves of the LAMDA reader. A file consists of, with every odd line a header that is ignored: name;
 * mass; levels; lines; partners, each with its collisions. */
#ifndef LR_LINES_LAMDA_PARTS_H
#define LR_LINES_LAMDA_PARTS_H

#include "lines/molecule.h"
#include "lines/text_table.h"

/* Which pairs of levels have been seen, in either order. */
struct pair_set {
    int n_level;
    unsigned char *bits;
};
enum lr_status pair_set_create(lr_context *ctx, int n_level, struct pair_set *set);
/* False if the pair was seen before. */
bool pair_set_add(struct pair_set *set, int one, int other);
void pair_set_clear(struct pair_set *set);

/* Makes room for element number `used` of *array. Counts in files are not trusted until their rows are read. */
enum lr_status lamda_grow(lr_context *ctx, void *array, int used, size_t size);

/* A header line, and after it a line that starts with a count. */
enum lr_status lamda_count(struct text_table *table, const char *expected, int low, int high, int *value);

/* The line of row `index` (from 0) of `count`; `what` describes one in errors. */
enum lr_status lamda_row(struct text_table *table, const char *what, int index, int count);

/* Number, upper and lower level at the start of a row. Equal energies are allowed, because files of hyperfine levels
 * round them; `tolerance` is the rounding of each level. */
enum lr_status lamda_pair(struct text_table *table, const struct molecule *molecule, const double *tolerance,
                          struct pair_set *seen, int *upper, int *lower);

/* The section of collisions, which may be missing. */
enum lr_status lamda_read_collisions(struct text_table *table, const double *tolerance, struct pair_set *seen,
                                     struct molecule *molecule);

#endif
