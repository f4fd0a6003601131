/* The table modes: velocity sampling from tabulated distributions and opacity from a tabulated profile, kept for
 * comparison with codes that work this way.
 *
 * For damping planes a_k and rows |x_i| the table holds the cumulative distribution of w = 1/v in (0, 1], the variable
 * of redistribution.h, at n_node nodes that resolve the resonance (w about a) and the wing (1 - w^2 about 1/x^2) for
 * any damping. Rows and planes are chosen at random with linear weights, so that the distribution, not its quantiles,
 * is interpolated; u = x (1 - w^2) + w N(0, 1/2) uses the photon's own x: no shift by a bin. */
#ifndef LR_KERNEL_TABLES_H
#define LR_KERNEL_TABLES_H

#include "kernel/redistribution.h"
#include "kernel/views.h"

/* w at a node of the plane with damping a: 0; then logarithmic in w from a/6 (erfc(6) = 2e-17 lies below) to sqrt(1/2);
 * then logarithmic in y = 1 - w^2 from 1/2 down to 1e-6; then 1. */
LR_FN real table_node(real a, int node, int n_node)
{
    const int half = n_node / 2; /* node `half` is w^2 = 1/2 */
    const real log_first = r_log(r_min(a, R(1)) * R(0.16666666666666667));
    const real log_half = R(-0.34657359027997265);
    const real low = r_exp(log_half + (log_first - log_half) * (real)(half - node) / (real)(half - 1));
    const real y = R(0.5) * r_exp(R(-13.122363377404328) * (real)(node - half) / (real)(n_node - 2 - half));
    const real high = r_sqrt(R(1) - y);
    return node == 0 ? R(0) : node >= n_node - 1 ? R(1) : node < half ? low : high;
}

struct table_position {
    int index;
    real fraction; /* 0..1 towards index + 1 */
};

LR_FN struct table_position table_split(real position, int n)
{
    struct table_position result;
    const real bounded = r_min(r_max(position, R(0)), (real)(n - 1));
    const int index = (int)bounded;
    result.index = index < n - 2 ? index : (n > 1 ? n - 2 : 0);
    result.fraction = bounded - (real)result.index;
    return result;
}

/* Position on an axis that is uniform up to x_join (n_uniform points) and logarithmic beyond. */
LR_FN real table_axis_position(real x, real x_join, real inv_step, real log_join, real inv_log_step, int n_uniform)
{
    const real beyond = (real)(n_uniform - 1) + (r_log(r_max(x, x_join)) - log_join) * inv_log_step;
    return x < x_join ? x * inv_step : beyond;
}

LR_FN struct velocity_proposal propose_velocity_table(const struct table_view *table, real a, real x_signed,
                                                      struct random4 random)
{
    const real x = r_abs(x_signed);
    struct table_position row =
        table_split(table_axis_position(x, table->x_join, table->inv_row_step, table->log_x_join,
                                        table->inv_row_log_step, table->n_row_uniform),
                    table->n_row);
    /* In the wing, 1 - w^2 has mean 1/x^2: weights linear in 1/x^2 preserve that mean between logarithmic rows. */
    if (row.index >= table->n_row_uniform - 1) {
        const real step = r_div(R(2), table->inv_row_log_step);
        row.fraction = r_div(R(1) - r_exp(-row.fraction * step), R(1) - r_exp(-step));
    }
    const struct table_position plane =
        table_split((r_log(r_max(a, LR_DAMPING_FLOOR)) - table->log_a_first) * table->inv_log_a_step, table->n_a);
    /* The low bits of the Gaussian's random words choose row and plane; they change the Gaussian by at most 1e-5. */
    const real pick_row = (real)(random.r2 & 0xffffu) * R(1.52587890625e-5);
    const real pick_plane = (real)(random.r3 & 0xffffu) * R(1.52587890625e-5);
    const int r = row.index + (pick_row < row.fraction ? 1 : 0);
    const int p = plane.index + (pick_plane < plane.fraction ? 1 : 0);
    const int n_node = table->n_node;
    const float *cdf = table->cdf + ((int64_t)p * table->n_row + r) * n_node;

    const real target = rng_uniform(random.r0);
    int low = 0;
    int high = n_node - 1;
    LR_NO_UNROLL
    for (int step = 0; step < 8; step++) { /* 2^8 = 256 nodes at most */
        const int middle = (low + high) / 2;
        const int above = (real)cdf[middle] <= target;
        low = above ? middle : low;
        high = above ? high : middle;
    }
    low = low < n_node - 2 ? low : n_node - 2;
    const real a_plane = table->n_a > 1 ? r_exp(table->log_a_first + r_div((real)p, table->inv_log_a_step)) : a;
    const real w_low = table_node(a_plane, low, n_node);
    const real w_high = table_node(a_plane, low + 1, n_node);
    const real c_low = (real)cdf[low];
    const real c_high = (real)cdf[low + 1];
    const real part = c_high > c_low ? r_div(target - c_low, c_high - c_low) : R(0.5);
    const real w = w_low + r_min(r_max(part, R(0)), R(1)) * (w_high - w_low);

    const struct normal_pair thermal = thermal_pair(random.r2, random.r3);
    const real u = x * (R(1) - w * w) + w * thermal.second;
    struct velocity_proposal result;
    result.u = x_signed < R(0) ? -u : u;
    result.uniform = rng_uniform(random.r1);
    result.chance = R(1);
    return result;
}

/* H(a, x) by interpolation of ln H, linear in ln a and in x below voigt_join, in ln x above. */
LR_FN real voigt_table(const struct table_view *table, real a, real x_signed)
{
    const real x = r_abs(x_signed);
    const struct table_position at =
        table_split(table_axis_position(x, table->voigt_join, table->inv_voigt_step, table->log_voigt_join,
                                        table->inv_voigt_log_step, table->n_voigt_uniform),
                    table->n_voigt);
    const struct table_position plane =
        table_split((r_log(r_max(a, LR_DAMPING_FLOOR)) - table->log_a_first) * table->inv_log_a_step, table->n_a);
    const float *low = table->log_voigt + (int64_t)plane.index * table->n_voigt + at.index;
    const float *high = table->n_a > 1 ? low + table->n_voigt : low;
    const real h_low = (real)low[0] + at.fraction * (real)(low[1] - low[0]);
    const real h_high = (real)high[0] + at.fraction * (real)(high[1] - high[0]);
    return r_exp(h_low + plane.fraction * (h_high - h_low));
}

#endif
