/* Which word was probably meant. */
#ifndef LR_BASE_WORDS_H
#define LR_BASE_WORDS_H

#include <stddef.h>

/* The index of the word among `words`, or -1; *nearest is then the index of a word that differs by at most a third, or
 * -1. */
int words_match(const char *word, const char *const *words, int n_word, int *nearest);
/* The word in lower case, truncated to fit. */
void words_lower(const char *word, char *text, size_t size);

#endif
