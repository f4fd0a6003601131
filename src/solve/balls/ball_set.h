/* Which runs jump through deep gas (kernel/ball.h), and the tables they need. */
#ifndef LR_SOLVE_BALLS_BALL_SET_H
#define LR_SOLVE_BALLS_BALL_SET_H

#include "backend/backend.h"
#include "model/model.h"
#include "solve/balls/ball_reach.h"
#include "solve/common/worker.h"

enum { BALL_MOST_FAMILIES = 64 };

/* Of smaller dampings, the chances of far atoms would be lost in the rounding of rows. */
#define BALL_LEAST_DAMPING 1e-5

/* The tables of a run, for the dampings a_first ratio^j. */
struct ball_plan {
    int n_grade, n_family; /* 0: all scatterings are followed */
    double a_first, ratio;
    double deepest; /* radius of the largest ball that fits anywhere, in free paths at line centre */
    double largest[BALL_MOST_FAMILIES]; /* the same for the gas that uses a family; 0: none does */
    int most_second;                    /* levels of the second grade, at most */
    const char *why;                    /* packets do not jump, though they were to; otherwise NULL */
};

struct ball_set {
    struct transport_balls view; /* without tables: nothing jumps */
    struct ball_space space;
    struct ball_family *family;
    struct ball_row *row;
    struct ball_record *record;
};

/* What a run needs: depends on the model only, so that histories do too. */
struct ball_plan ball_plan_of(const lr_model *model, const struct ball_space *space);

/* The same, without anything to free. */
enum lr_status ball_plan_find(lr_context *ctx, const lr_model *model, struct ball_plan *plan);

/* Tables of records: their number; those that a run has to make, because they are not in the cache, and how long that
 * takes one CPU core; memory of all, at most. */
struct ball_needs {
    int n_table, n_missing;
    double core_seconds, bytes;
};
struct ball_needs ball_plan_needs(const lr_model *model, const struct ball_plan *plan);

/* Plans jumps, and reads or makes their tables. */
enum lr_status ball_set_prepare(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                struct ball_set *set);
void ball_set_free(struct ball_set *set);

#endif
