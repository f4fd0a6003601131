/* The sums in a tally as plain arrays, for all that is done to each of them: adding, sending. */
#ifndef LR_SOLVE_TEAM_TALLY_ARRAYS_H
#define LR_SOLVE_TEAM_TALLY_ARRAYS_H

#include "backend/backend.h"

struct tally_array {
    void *data;     /* NULL: not in this run */
    size_t n, size; /* of doubles, or floats */
};

enum tally_part {
    TALLY_BATCH,
    TALLY_FACE_SPECTRUM,
    TALLY_DIRECTION_SPECTRUM,
    TALLY_FIELDS,
    TALLY_CONE,
    TALLY_EMISSIVITY_WIDE,
    TALLY_EMISSIVITY,
    TALLY_PEEL /* that of the first camera; the others follow */
};

int tally_array_count(const struct transport_job *job, const struct transport_tally *tally);
struct tally_array tally_array(const struct transport_job *job, const struct transport_tally *tally, int part);

/* A tally of the same sums, all zero, with nothing to do. tally_free() also frees one that is incomplete. */
enum lr_status tally_like(lr_context *ctx, const struct transport_job *job, const struct transport_tally *like,
                          struct transport_tally *made);
void tally_free(const struct transport_job *job, struct transport_tally *tally);

/* Adds sums and recorded packets to those of `to`, which has room for them. */
void tally_add(const struct transport_job *job, const struct transport_tally *from, struct transport_tally *to);

#endif
