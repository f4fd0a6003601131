/* Lines that overlap in gas with a large velocity gradient (Sobolev 1960). A photon goes through uniform gas, in which
 * its frequency w falls steadily, if the gas expands, from blue to red. With the profiles phi_j(w), normalised to 1,
 * and the Sobolev depths k_j D_j of the lines,
 *
 *     dn/d(-w) = SUM_j k_j phi_j (x_u(j) - D_j n),    nbar_i = INT phi_i n dw,
 *
 * starting from the light outside. The net downward rate of line i is written without own light that is absorbed again:
 *
 *     R_i = A_i (x_u - D_i nbar_i) = A_i <a (x_u - nbar_outside D_i) + G>_i,
 *     G(w) = INT_w^inf exp(T(w') - T(w)) (x_u T'(w') - D_i E'(w')) dw',
 *
 * a = e^-T, T(w) the depth of all lines from the blue end to w, T'(w) and E'(w) the opacity and emission of the lines
 * other than i. Without these, <a> = (1 - e^-tau) / tau. Light of a line meets redder lines where the gas expands and
 * bluer ones where it contracts. */
#ifndef LR_LINES_OVERLAP_FLOW_H
#define LR_LINES_OVERLAP_FLOW_H

#include <stdbool.h>

#include "lines/escape_parts.h"

/* Derivatives of a rate with respect to D and x_u of a line. */
struct overlap_slope {
    double excess, upper;
};

/* Doubles of working memory for so many lines. */
int overlap_flow_size(int n_line);

/* R_i / A_i of the first of n lines, member[n], at the distances offset[n] from it (in Doppler widths, blue > 0), and
 * its derivatives with respect to all. `sign`: 1 where the gas expands, -1 where it contracts. *beyond is set if the
 * gas amplifies beyond the limit, where its depth is held. */
double overlap_flow_rate(const struct escape_problem *problem, const struct escape_workspace *escape, int n,
                         const int *member, const double *offset, double sign, const double *x, double *room,
                         struct overlap_slope *slope, bool *beyond);

#endif
