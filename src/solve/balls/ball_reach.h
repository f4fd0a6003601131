/* How far gas that is the same as in a cell extends around it: balls may span cells that are alike. */
#ifndef LR_SOLVE_BALLS_BALL_REACH_H
#define LR_SOLVE_BALLS_BALL_REACH_H

#include "kernel/ball_view.h"
#include "model/model.h"

struct ball_space {
    int endless[3];            /* periodic, and the same everywhere along this axis */
    struct ball_reach *beyond; /* [cells], in code units; or NULL: balls stay in their cells */
    int cavity;                /* an empty cell before all others (solve/transport/job.h) */
};

/* Fields of single cells need jumps that stay in them. */
enum lr_status ball_space_find(lr_context *ctx, const lr_model *model, struct ball_space *space);
void ball_space_free(struct ball_space *space);

/* Radius of the largest ball around any place in a cell, with a margin of the same gas around it, in free paths at line
 * centre; at most BALL_DEEPEST, as in gas without end. */
#define BALL_DEEPEST 1e10
double ball_space_room(const lr_model *model, const struct ball_space *space, int i, int j, int k, double margin);

/* Whether the recoil of atoms is too strong for jumps in gas of this b. */
bool ball_space_recoils(const lr_model *model, double b);

/* Whether two cells have the same gas. */
bool ball_space_alike(const struct medium *medium, int64_t p, int64_t q);

/* Refined meshes (ball_reach_refined.c): finds `beyond`, which remains NULL if no cell has only cells like it around
 * it. */
enum lr_status ball_space_find_refined(lr_context *ctx, const lr_model *model, struct ball_space *space);

#endif
