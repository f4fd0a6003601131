/* How many draws a statistical test makes: an eighth in instrumented code, which is slow and only has to run through
 * all of it. Bounds follow from the number of draws. */
#ifndef LR_TESTS_DRAWS_H
#define LR_TESTS_DRAWS_H

#ifdef __SANITIZE_ADDRESS__
#define DRAWS(n) ((n) / 8)
#else
#define DRAWS(n) (n)
#endif

#endif
