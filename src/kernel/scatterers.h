/* Asks the scatterer that a mode means: a line (scatterer_line.h), or a group of lines (scatterer_group.h). */
#ifndef LR_KERNEL_SCATTERERS_H
#define LR_KERNEL_SCATTERERS_H

#include "kernel/scatterer_group.h"
#include "kernel/scatterer_line.h"

/* The profile along a step, in gas of this damping and b. */
LR_FN struct profiles gas_profiles(const struct transport_view *view, const struct table_view *table, real a, real b,
                                   struct leg leg, const int mode, const int narrow)
{
    if (mode == REDISTRIBUTION_GROUP)
        return group_profiles(&view->group, a, b, leg);
    return line_profiles(table, a, leg, mode, narrow);
}

#endif
