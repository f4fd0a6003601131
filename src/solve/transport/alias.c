/* Vose's construction (1991, IEEE Trans. Softw. Eng. 17, 972). One index array serves as both stacks: light entries
 * grow from the front, heavy ones from the back. */
#include "solve/transport/alias.h"

#include <stdlib.h>

#include "base/context.h"

enum lr_status alias_build(lr_context *ctx, int64_t n, double (*weight)(const void *user, int64_t k), const void *user,
                           struct alias *alias)
{
    int32_t *stack = NULL;
    double total = 0;
    enum lr_status status = LR_OK;
    *alias = (struct alias){.n = n};
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n, sizeof *alias->keep, &alias->keep));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n, sizeof *alias->other, &alias->other));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n, sizeof *stack, &stack));
    for (int64_t k = 0; k < n; k++)
        total += weight(user, k);

    int64_t n_light = 0;
    int64_t n_heavy = 0;
    for (int64_t k = 0; k < n; k++) {
        alias->keep[k] = weight(user, k) / total * (double)n;
        alias->other[k] = (int32_t)k;
        if (alias->keep[k] < 1)
            stack[n_light++] = (int32_t)k;
        else
            stack[n - ++n_heavy] = (int32_t)k;
    }
    while (n_light > 0 && n_heavy > 0) {
        const int32_t light = stack[--n_light];
        const int32_t heavy = stack[n - n_heavy];
        alias->other[light] = heavy;
        alias->keep[heavy] -= 1 - alias->keep[light];
        if (alias->keep[heavy] < 1) {
            n_heavy--;
            stack[n_light++] = heavy;
        }
    }
    while (n_light > 0) /* left over because of rounding */
        alias->keep[stack[--n_light]] = 1;
    while (n_heavy > 0)
        alias->keep[stack[n - n_heavy--]] = 1;
done:
    free(stack);
    if (status != LR_OK)
        alias_free(alias);
    return status;
}

void alias_free(struct alias *alias)
{
    free(alias->keep);
    free(alias->other);
    *alias = (struct alias){0};
}
