/* The tables of the redistribution modes table-global and table-constant. */
#ifndef LR_SOLVE_TRANSPORT_REDISTRIBUTION_TABLES_H
#define LR_SOLVE_TRANSPORT_REDISTRIBUTION_TABLES_H

#include "backend/backend.h"

struct tables {
    struct transport_tables view;
    double *cdf;
    double *log_voigt;
};

/* Damping from a_min to a_max; `constant` asks for the layout that fits in 64 KiB of constant memory and needs
 * a_min = a_max. */
enum lr_status tables_build(lr_context *ctx, double a_min, double a_max, bool constant, struct tables *tables);
void tables_free(struct tables *tables);

#endif
