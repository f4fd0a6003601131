/* Makes the records of kernel/ball.h for one damping parameter, level by level, with the trials of kernel/ball_trial.h.
 * The same wish gives the same table on any number of threads. */
#ifndef LR_SOLVE_BALLS_BALL_MAKE_H
#define LR_SOLVE_BALLS_BALL_MAKE_H

#include "backend/backend.h"
#include "kernel/ball_view.h"

struct ball_table;

struct ball_wish {
    double a, x_start, x_wing; /* damping; photons start below x_start; where the wing begins */
    double least;              /* the smallest radius */
    int n_level;
    int dipole; /* or isotropic; fractions as in kernel/phase.h */
    double dipole_core, dipole_wing;
    int64_t trials; /* of each row */
    uint32_t kept;  /* records of each part of a row, at most */
    uint64_t seed;
    const struct lr_backend *backend; /* that runs the trials */
    int device, threads;              /* threads = 0: all */
    lr_context *ctx;                  /* for errors of the device */
    const struct ball_table *inner;   /* balls of the first grade to jump through; NULL: everything is followed */
    /* If not NULL, called now and then with what has been done, 0 .. 1; other than 0 stops. */
    int (*report)(void *to, double done);
    void *report_to;
};

struct ball_table {
    struct ball_family family;
    int n_row;
    int64_t n_record;
    struct ball_row *row;
    struct ball_record *record;
};

enum ball_made { BALL_MADE, BALL_NO_MEMORY, BALL_STOPPED, BALL_FAILED };

/* Unless all is made, the table is empty. */
enum ball_made ball_table_make(const struct ball_wish *wish, struct ball_table *table);
void ball_table_free(struct ball_table *table);

#endif
