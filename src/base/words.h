/* Which word was meant. */
#ifndef LR_BASE_WORDS_H
#define LR_BASE_WORDS_H

#include <stddef.h>

/* The index of the word among `words`, or -1; *nearest is then that of one of which a third at most would be wrong, or
 * -1. */
int words_match(const char *word, const char *const *words, int n_word, int *nearest);
/* The word in small letters, cut to what fits. */
void words_lower(const char *word, char *text, size_t size);

#endif
