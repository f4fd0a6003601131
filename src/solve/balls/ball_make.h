/* Makes tables of ball records (kernel/ball.h). */
#ifndef LR_SOLVE_BALLS_BALL_MAKE_H
#define LR_SOLVE_BALLS_BALL_MAKE_H

#include <stdint.h>

#include "backend/backend.h"
#include "kernel/ball_view.h"

struct ball_table {
    double a;
    int n_level, n_row;
    int64_t n_record;
    struct ball_level *level;
    struct ball_row *row;
    struct ball_record *record;
};

struct ball_wish {
    double a;
    int n_level;
    int dipole;
    double dipole_core, dipole_wing;
    int64_t trials;
    uint64_t seed;
    int threads;
};

/* 0: out of memory, or stopped. The monitor counts levels. */
int ball_table_make(const struct ball_wish *wish, const struct transport_monitor *monitor, struct ball_table *table);
void ball_table_free(struct ball_table *table);

#endif
