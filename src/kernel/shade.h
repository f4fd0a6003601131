/* How well cells are hidden from a camera.
 *
 * Most photons that a scattering in thick gas sends toward a camera are lost, and for most of them the frequency alone
 * tells. Let a block be a cell and those ahead of it, `size` cells in each direction, where "ahead" means the octant
 * that contains the camera. A photon from anywhere in the cell crosses all layers of the block but the first along one
 * of the axes, on a path of length
 *
 *     way >= minimum over the axes of the sum of the widths of these layers,
 *
 * through gas in which its frequency is |x_n| <= (|x| b + |v - v_n|) / b_n = far. With
 *
 *     H(a, x) > (1 - 2 a / sqrt(pi)) exp(-x^2)     and     H(a, x) > a / [sqrt(pi) (1 + a^2) (1 + x^2)]
 *
 * the depth ahead of it is
 *
 *     tau >= max[ core exp(-far^2), wing / (1 + far^2) ],     far = ratio |x| + drift,
 *
 * with the smallest opacity and b in the block and the largest velocity difference. This applies to light that is
 * followed out of the mesh (sight.h). Large blocks are deep, in small ones velocities differ little; each cell keeps
 * the block that hides the widest part of the line.
 *
 * Packets ask at every scattering whether any camera could see it, so the answer must take only a few operations. Light
 * is abandoned at a depth of SURE + t, where t is a free path (sight.h). With the tangents at t = 1,
 *
 *     ln(SURE + t) <= 0.4507 + 0.4192 t     and     1 / (SURE + t) >= 0.5946 - 0.1757 t,
 *
 * it is lost wherever far^2 < A - B t, where A and B are those of the core or of the wing. The square root of this is
 * concave in t, so up to any T it lies above the chord:
 *
 *     |x| < reach - slope t,     t < T = min[ 10, (A - drift^2) / B ],
 *
 *     reach = [sqrt(A) - drift] / ratio,     slope = [sqrt(A) - sqrt(A - B T)] / (ratio T). */
#ifndef LR_KERNEL_SHADE_H
#define LR_KERNEL_SHADE_H

#include "kernel/walk.h"

LR_FN real shade_core(real a)
{
    return r_max(R(1) - R(2) * R_INV_SQRT_PI * a, R(0));
}

LR_FN real shade_wing(real a)
{
    return r_div(R_INV_SQRT_PI * a, R(1) + a * a);
}

/* Lower limit of the depth along a path through one cell. */
LR_FN real shade_own_depth(real alpha0, real a, real kappa, real x, real length)
{
    const real square = x * x;
    const real core = shade_core(a) * r_exp(-r_min(square, R(80)));
    return length * (alpha0 * r_max(core, r_div(shade_wing(a), R(1) + square)) + kappa);
}

struct LR_ALIGNED(16) shade_view {
    real core, wing, drift, ratio;
};

LR_FN struct shade_view shade_none(void)
{
    struct shade_view shade;
    shade.core = shade.wing = shade.drift = R(0);
    shade.ratio = R(1);
    return shade;
}

/* Lower limit of the depth ahead. */
LR_FN real shade_depth(struct shade_view shade, real x)
{
    const real far = shade.ratio * r_abs(x) + shade.drift;
    const real square = far * far;
    return r_max(shade.core * r_exp(-r_min(square, R(80))), r_div(shade.wing, R(1) + square));
}

/* How much of the line is hidden: the |x| at which the depth ahead is SHADE_DEEP. */
#define SHADE_DEEP R(3)

LR_FN real shade_reach(struct shade_view shade)
{
    const real core = r_sqrt(r_max(r_log(r_max(shade.core / SHADE_DEEP, R(1))), R(0)));
    const real wing = r_sqrt(r_max(shade.wing / SHADE_DEEP - R(1), R(0)));
    return (r_max(core, wing) - shade.drift) / shade.ratio;
}

/* The part of the line that no camera sees. */
#define HIDDEN_UP_TO R(10)

struct LR_ALIGNED(2 * sizeof(real)) hidden_view {
    real reach, slope;
};

LR_FN struct hidden_view hidden_none(void)
{
    struct hidden_view hidden;
    hidden.reach = hidden.slope = R(0);
    return hidden;
}

LR_FN int hidden_is(struct hidden_view hidden, real x, real free_path)
{
    return (r_abs(x) < hidden.reach - hidden.slope * free_path) & (free_path < HIDDEN_UP_TO);
}

LR_FN struct hidden_view hidden_below(struct shade_view shade, real recoil, real a, real b)
{
    const real drift = shade.drift + recoil;
    const real left = a - drift * drift;
    struct hidden_view hidden = hidden_none();
    if (left > R(0)) {
        hidden.reach = (r_sqrt(a) - drift) / shade.ratio;
        const real end = r_min(HIDDEN_UP_TO, left / b);
        hidden.slope = (r_sqrt(a) - r_sqrt(r_max(a - b * end, R(0)))) / (shade.ratio * end);
    }
    return hidden;
}

/* What a shade hides; `recoil` is the largest effect that the recoil of a scattering can have. */
LR_FN struct hidden_view hidden_by(struct shade_view shade, real recoil)
{
    const struct hidden_view core =
        hidden_below(shade, recoil, r_log(r_max(shade.core, R(1e-30))) - R(0.4507), R(0.4192));
    const struct hidden_view wing = hidden_below(shade, recoil, shade.wing * R(0.5946) - R(1), shade.wing * R(0.1757));
    return core.reach - core.slope > wing.reach - wing.slope ? core : wing;
}

LR_FN struct hidden_view hidden_by_both(struct hidden_view one, struct hidden_view other)
{
    struct hidden_view both;
    both.reach = r_min(one.reach, other.reach);
    both.slope = r_max(one.slope, other.slope);
    return both;
}

/* The gas of one cell, or of a block. */
struct shade_block {
    real core, wing; /* smallest opacity; 0 if the block extends beyond the mesh */
    real low[3], high[3];
    real b; /* smallest in the block */
};

LR_FN struct shade_block shade_block_of(const struct cell_view *cell)
{
    struct shade_block block;
    block.core = cell->alpha0 * shade_core(cell->a);
    block.wing = cell->alpha0 * shade_wing(cell->a);
    block.low[0] = block.high[0] = cell->vx;
    block.low[1] = block.high[1] = cell->vy;
    block.low[2] = block.high[2] = cell->vz;
    block.b = cell->b;
    return block;
}

/* Octants are numbered by the signs of the direction: 1, 2 and 4 for -x, -y and -z. */
LR_FN int shade_octant(struct vec3 toward)
{
    return (toward.x < R(0)) | (toward.y < R(0)) << 1 | (toward.z < R(0)) << 2;
}

#if defined(LR_WALK_SHELLS) || defined(LR_WALK_AMR)

/* What lies ahead is known only on rectilinear meshes. */
enum { WALK_KNOWS_SHADE = 0 };

#else

enum { WALK_KNOWS_SHADE = 1, SHADE_SIZE = 16 };

/* The index `steps` ahead along an axis, or -1. */
LR_FN int shade_ahead(const struct mesh_view *mesh, int octant, int axis, int index, int steps)
{
    const int n = mesh->n[axis];
    const int back = octant >> axis & 1;
    const int to = back ? index - steps : index + steps;
    if (to >= 0 && to < n)
        return to;
    return mesh->face[2 * axis + !back] == FACE_PERIODIC ? (to % n + n) % n : -1;
}

LR_FN int64_t shade_index(const struct mesh_view *mesh, const int at[3])
{
    return ((int64_t)at[0] * mesh->n[1] + at[1]) * mesh->n[2] + at[2];
}

/* The block of a cell, combined from blocks half as long along one axis. */
LR_FN struct shade_block shade_doubled(const struct mesh_view *mesh, const struct shade_block *half, const int at[3],
                                       int octant, int axis, int size)
{
    struct shade_block block = half[shade_index(mesh, at)];
    int ahead[3];
    for (int i = 0; i < 3; i++)
        ahead[i] = i == axis ? shade_ahead(mesh, octant, axis, at[axis], size) : at[i];
    if (ahead[axis] < 0) {
        block.core = block.wing = R(0);
        return block;
    }
    const struct shade_block other = half[shade_index(mesh, ahead)];
    block.core = r_min(block.core, other.core);
    block.wing = r_min(block.wing, other.wing);
    block.b = r_min(block.b, other.b);
    for (int i = 0; i < 3; i++) {
        block.low[i] = r_min(block.low[i], other.low[i]);
        block.high[i] = r_max(block.high[i], other.high[i]);
    }
    return block;
}

/* The better of the known shade and that of a block of this size. */
LR_FN struct shade_view shade_better(const struct mesh_view *mesh, const struct cell_view *cells,
                                     const struct shade_block *blocks, const int at[3], int octant, int size,
                                     struct shade_view known)
{
    const struct cell_view *cell = &cells[shade_index(mesh, at)];
    const struct shade_block block = blocks[shade_index(mesh, at)];
    const real velocity[3] = {cell->vx, cell->vy, cell->vz};
    real way = R_HUGE;
    real drift = R(0);
    struct shade_view shade;
    if (block.core <= R(0) && block.wing <= R(0))
        return known;
    for (int axis = 0; axis < 3; axis++) {
        real length = R(0);
        for (int steps = 1; steps < size; steps++)
            length += mesh->width[axis][shade_ahead(mesh, octant, axis, at[axis], steps)];
        const real most = r_max(velocity[axis] - block.low[axis], block.high[axis] - velocity[axis]);
        way = r_min(way, length);
        drift += most * most;
    }
    shade.core = block.core * way;
    shade.wing = block.wing * way;
    shade.drift = r_sqrt(drift) / block.b;
    shade.ratio = cell->b / block.b;
    return shade_reach(shade) > shade_reach(known) ? shade : known;
}

/* What is hidden from all cameras, if all are far away. */
LR_FN struct hidden_view hidden_from_all(const struct transport_view *view, const struct cell_view *cells,
                                         const struct shade_view *shade, int64_t cell)
{
    struct hidden_view hidden = hidden_none();
    for (int s = 0; s < view->n_shade; s++) {
        const struct shade_view one = shade[s * view->n_cell + cell];
        const struct hidden_view by = hidden_by(one, one.ratio * R(2) * view->recoil / cells[cell].b);
        hidden = s == 0 ? by : hidden_by_both(hidden, by);
    }
    return hidden;
}

#endif

#endif
