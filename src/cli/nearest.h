/* The word somebody probably meant. */
#ifndef LINERAD_CLI_NEAREST_H
#define LINERAD_CLI_NEAREST_H

/* Of a NULL-terminated list, the word fewest edits away from `word`; NULL when none is close. */
const char *nearest_word(const char *word, const char *const *list);

#endif
