/* Walker's alias method: draw an index with given weights in constant time. */
#ifndef LR_SOLVE_TRANSPORT_ALIAS_H
#define LR_SOLVE_TRANSPORT_ALIAS_H

#include "backend/backend.h"

struct alias {
    int64_t n;
    double *keep;   /* probability of keeping entry k */
    int32_t *other; /* what replaces it */
};

/* `weight(user, k)` >= 0, n < 2^31, not all zero. */
enum lr_status alias_build(lr_context *ctx, int64_t n, double (*weight)(const void *user, int64_t k), const void *user,
                           struct alias *alias);
void alias_free(struct alias *alias);

#endif
