/* Keeps what a run has done so far, so that another session can go on from it: io/ says where, solve/ says what. */
#ifndef LR_MODEL_KEEPER_H
#define LR_MODEL_KEEPER_H

#include <stdbool.h>

#include "model/stored.h"

struct lr_keeper {
    enum lr_status (*save)(lr_context *ctx, struct lr_keeper *keeper, const struct stored *state);
    struct stored found; /* the state that an earlier session left; empty: there is none */
    char *path;          /* of the result; statepoints are next to it */
    char *model;         /* as YAML, with settings applied */
    int64_t packets;     /* that it asks for */
    int64_t first;       /* number of the first of them */
    bool sums;           /* the result is to contain sums */
    uint64_t print;      /* of the numbers that the model has read from other files */
    bool kept;           /* there is a statepoint of this run: written, or gone on from */
    double saved,
        cost; /* when the last one was written or the session began, as lr_seconds(), and seconds that it took */
};

#endif
