/* Text files of numbers in rows: line by line, word by word, with errors that name the file and the line. Blank lines
 * are skipped; tabs, carriage returns and other control characters count as blanks. */
#ifndef LR_LINES_TEXT_TABLE_H
#define LR_LINES_TEXT_TABLE_H

#include "base/context.h"

struct text_table {
    lr_context *ctx;
    const char *name; /* of the file, for messages */
    char *text, *end; /* owned; lines and words are cut off in place */
    char *next;       /* start of the next line */
    char *word;       /* the rest of this line */
    int line;         /* number of this line, from 1 */
    bool unfinished;  /* no newline ended this line: its last word may be truncated */
};

/* Free `table->text` after either, whatever they return. */
enum lr_status text_table_open(lr_context *ctx, const char *path, struct text_table *table);
enum lr_status text_table_copy(lr_context *ctx, const char *name, const char *text, size_t size,
                               struct text_table *table);

/* Whether there is another line that is not blank. */
bool text_table_more(const struct text_table *table);
/* Whether the next line that is not blank starts with n numbers. */
bool text_table_numbers_follow(const struct text_table *table, int n);
/* Move to the next line that is not blank; an error that names what was expected at the end of the file. */
enum lr_status text_table_next(struct text_table *table, const char *expected);

/* Next word of this line, NULL if there is none. */
const char *text_table_word(struct text_table *table);
/* The rest of this line, without surrounding blanks and quotes, runs of blanks collapsed, truncated to size. */
void text_table_rest(struct text_table *table, char *rest, size_t size);

/* The next word as a number. Fortran's forms 1.0D-8 and 1.0-108 are numbers, nan and infinity are not. `last_place`,
 * unless NULL, is one unit of the last digit written. */
enum lr_status text_table_number(struct text_table *table, const char *expected, double *value, double *last_place);
enum lr_status text_table_integer(struct text_table *table, const char *expected, int low, int high, int *value);

#define TEXT_FAIL(table, ...) text_table_fail((table), (table)->line, __VA_ARGS__)
enum lr_status text_table_fail(const struct text_table *table, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
