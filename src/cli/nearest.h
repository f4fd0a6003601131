/* The word that was probably meant. */
#ifndef LINERAD_CLI_NEAREST_H
#define LINERAD_CLI_NEAREST_H

/* The word of a NULL-terminated list that is closest to `word` in edits; NULL if none is close. */
const char *nearest_word(const char *word, const char *const *list);

#endif
