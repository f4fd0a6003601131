/* Lines that overlap in the gas of a cell. With d the offset of a line from the first one, a shift s from the first is
 *
 *     s_l = (s - c d) / (1 + d)
 *
 * from the line itself. The cell has one opacity alpha0 and one emission; line l has its share of both,
 *
 *     alpha(s) = alpha0 SUM_l share_l H(a_l, (s_l - v) / b),
 *
 * known per cell, or in LTE from the temperature. Then the cell has those of the base, the line with the lowest lower
 * level: in cold gas nothing is left of lines from higher levels, from which others could not be computed. With its
 * frequency nu_b, y = h nu_b / k T, e = (nu - nu_b) / nu_b, and the lower level at E >= 0 above that of the base,
 *
 *     opacity_l = C_l exp(-E y / h nu_b) (1 - exp(-(1 + e) y)) / (1 - exp(-y)),
 *     shine_l   = D_l exp(-(E / h nu_b + e) y).
 */
#ifndef LR_KERNEL_LINE_GROUP_H
#define LR_KERNEL_LINE_GROUP_H

#include "kernel/real.h"

struct group_line {
    real offset;         /* c d, code velocity */
    real squeeze;        /* 1 / (1 + d) */
    real damping;        /* a of this line / a of the first */
    real opacity, shine; /* C and D */
    real from_base;      /* e */
    real lower;          /* E / h nu_b, >= 0 */
};

struct group_view {
    int n; /* 0: the cell's line is alone */
    const struct group_line *line;
    int lte, stimulated; /* stimulated emission is included */
    const real *cell;    /* [n_cell] y; without LTE [n_cell][n][2] shares of opacity and emission */
};

/* The shift from a line itself. */
LR_FN real group_shift(const struct group_line *line, real shift)
{
    return (shift - line->offset) * line->squeeze;
}

/* 1 - exp(-z) */
LR_FN real group_fall(real z)
{
    const real series =
        z * (R(1) -
             z * R(1.0 / 2) *
                 (R(1) - z * R(1.0 / 3) *
                             (R(1) - z * R(1.0 / 4) *
                                         (R(1) - z * R(1.0 / 5) *
                                                     (R(1) - z * R(1.0 / 6) *
                                                                 (R(1) - z * R(1.0 / 7) * (R(1) - z * R(1.0 / 8))))))));
    return r_abs(z) < R(0.2) ? series : R(1) - r_exp(r_max(r_min(-z, R(80)), R(-80)));
}

struct group_share {
    real opacity, shine;
};

LR_FN struct group_share group_share_of(const struct group_view *group, int cell, int l)
{
    struct group_share share;
    if (group->lte) {
        const struct group_line *line = &group->line[l];
        const real y = group->cell[cell];
        const real level = r_exp(r_max(-line->lower * y, R(-80)));
        const real fall = group_fall(line->from_base * y);
        /* 1 / (exp(y) - 1) = (1 - f) / f with f = 1 - exp(-y) */
        const real f = group_fall(y);
        const real excess = group->stimulated ? r_div(fall * (R(1) - f), f) : R(0);
        share.opacity = line->opacity * level * (R(1) + excess);
        share.shine = line->shine * level * (R(1) - fall);
    } else {
        const real *own = group->cell + 2 * ((int64_t)cell * group->n + l);
        share.opacity = own[0];
        share.shine = own[1];
    }
    return share;
}

#endif
