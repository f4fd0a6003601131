/* Frees the records of a level from most of their noise, by detailed balance. */
#ifndef LR_SOLVE_BALLS_BALL_BALANCE_H
#define LR_SOLVE_BALLS_BALL_BALANCE_H

#include <signal.h>

#include "kernel/ball_trial.h"
#include "solve/balls/ball_make.h"

/* Exits into the wing: by atoms that are neither fast nor far, and the rare ones of ball_trial.h. */
enum ball_way { BALL_WAY_COMMON, BALL_WAY_FAST, BALL_WAY_FAR, BALL_WAYS };

/* What is known exactly about endless gas. */
enum { BALL_BALANCE_STEPS = 256 };
struct ball_balance {
    double fraction[BALL_WAYS];         /* of the scatterings in the core */
    double step;                        /* of abs(x), up to the wing; in each step: */
    double exits[BALL_BALANCE_STEPS];   /* rate of all exits, p(x) H(a, x), in the middle */
    double returns[BALL_BALANCE_STEPS]; /* photons that come back from the wing there or below; up to 1 */
};
void ball_balance_prepare(const struct ball_gas *gas, struct ball_balance *balance);

/* Levels with more jumps in a cycle are left as they are. */
enum { BALL_MANY_JUMPS = 32 };

/* Factors for all rows of a level: of the chance of each way, and of paths and scatterings. They are 1 after a `stop`,
 * and for tables that are left as they are. */
struct ball_factors {
    double chance[BALL_WAYS], scatterings;
};
struct ball_factors ball_balance_factors(const struct ball_balance *balance, const struct ball_gas *gas,
                                         const struct ball_table *table, int level, uint64_t seed, int threads,
                                         const volatile sig_atomic_t *stop);

/* The way of the exits in a part of the records; BALL_WAYS: through the surface. */
enum ball_way ball_way_of(const struct ball_gas *gas, int part);

#endif
