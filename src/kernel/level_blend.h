/* Light of lines that overlap (a blend), for level populations: as level_transfer.h, on frequencies that the lines of
 * the blend share. A piece of a ray has the depth and the emission of all lines and of dust. With d_l the depth in line
 * l and S0_l, S1_l its source function at the ends,
 *
 *     I1 = I0 e + SUM_l d_l (S0_l (m - e) + S1_l (1 - m)) / h,      h = SUM_l d_l + grey.
 *
 * In the middle of a cell the light consists of the rest and of what each line of the cell has emitted on the way
 * there, own_l S_l. Line l then has
 *
 *     entering_l = rest + SUM_(m != l) own_m S_m,   lost_l = lost + SUM_(m != l) own_m,   lost = 1 - SUM_m own_m,
 *
 * averaged over its profile: own light is the light of the same line. Nothing is subtracted, all rates stay positive,
 * and the iteration splits a matrix whose off-diagonal elements have one sign, so that it converges (Varga 1962). A
 * blend of one line has the equations of level_transfer.h.
 *
 * The frequencies of a blend are shifts from that of its first line; a line at the shift d sees gas that moves with v
 * as the first line sees gas at v + d. Threads of a warp, `width` of them, share the frequencies: each works on its own
 * ones only, those that are equal to `lane` modulo width, a power of two. */
#ifndef LR_KERNEL_LEVEL_BLEND_H
#define LR_KERNEL_LEVEL_BLEND_H

#include "kernel/level_profile.h"
#include "kernel/level_transfer.h"
#include "kernel/level_way.h"

#ifdef _OPENMP
#define BLEND_LOOP _Pragma("omp simd")
#else
#define BLEND_LOOP
#endif

/* A number that is linear in frequency across the lines of a blend. */
struct blend_tilt {
    real at_zero, slope;
};

LR_FN struct blend_tilt blend_tilt_between(const struct band *band, real shift, real first, real last)
{
    struct blend_tilt tilt;
    tilt.slope = shift > R(0) ? r_div((last - first) * band->step, shift) : R(0);
    tilt.at_zero = first - tilt.slope * band_place(band, R(0));
    return tilt;
}

LR_FN real blend_tilt_at(const struct blend_tilt *tilt, real f)
{
    return tilt->at_zero + tilt->slope * f;
}

struct blend_view {
    int first, n; /* of all lines */
    struct band band;
    const real *shift;            /* [n] from the first one */
    struct blend_tilt background; /* around the mesh */
};

/* Source function of dust, from that at all lines. */
LR_FN struct blend_tilt blend_dust(const struct blend_view *blend, const real *dust)
{
    const int last = blend->n - 1;
    return blend_tilt_between(&blend->band, blend->shift[last], dust[blend->first], dust[blend->first + last]);
}

/* What is known of a ray. Rows of `own` and `depth` are `stride` apart. */
struct blend_room {
    int stride;
    real *rest, *lost;         /* [band.n] */
    real *own;                 /* [n][stride] zero except within the window */
    real *depth;               /* [n][stride] of the lines in a piece */
    real *through, *from, *to; /* [band.n] of a piece */
};

/* Number of reals that it needs. */
LR_FN int64_t blend_room_size(int n, int stride)
{
    return (int64_t)(2 * n + 5) * stride;
}

LR_FN struct blend_room blend_room_at(int n, int stride, real *room)
{
    const int64_t row = stride;
    struct blend_room made;
    made.stride = stride;
    made.own = room;
    made.depth = made.own + n * row;
    made.rest = made.depth + n * row;
    made.lost = made.rest + row;
    made.through = made.lost + row;
    made.from = made.through + row;
    made.to = made.from + row;
    return made;
}

/* ---- frequencies ---- */

/* The first frequency of a thread from `low` on. */
LR_FN int blend_first(int low, int lane, int width)
{
    return low + ((lane - low) & (width - 1));
}

/* What the pieces since the last cell that recorded have affected. */
struct blend_window {
    real low, high, inv_b; /* velocities; that of the hottest gas */
    int grey;              /* dust: all frequencies */
};

LR_FN struct blend_window blend_window_of(real v0, real v1, real inv_b, int grey)
{
    struct blend_window window;
    window.low = r_min(v0, v1);
    window.high = r_max(v0, v1);
    window.inv_b = inv_b;
    window.grey = grey;
    return window;
}

LR_FN struct blend_window blend_window_join(struct blend_window a, struct blend_window b)
{
    struct blend_window window;
    window.low = r_min(a.low, b.low);
    window.high = r_max(a.high, b.high);
    window.inv_b = r_min(a.inv_b, b.inv_b);
    window.grey = a.grey || b.grey;
    return window;
}

/* Frequencies of the lines `first` to `last` in a window. */
LR_FN struct interval blend_lines_interval(const struct blend_view *blend, const struct blend_window *window, int first,
                                           int last, real reach)
{
    return line_interval(&blend->band, window->low + blend->shift[first], window->high + blend->shift[last],
                         window->inv_b, reach);
}

/* All frequencies that a window affects. */
LR_FN struct interval blend_interval(const struct blend_view *blend, const struct blend_window *window, real reach)
{
    struct interval all;
    all.low = 0;
    all.high = blend->band.n;
    return window->grey ? all : blend_lines_interval(blend, window, 0, blend->n - 1, reach);
}

/* ---- along a ray ---- */

/* Before a ray. `own` must be zero. */
LR_FN void blend_begin(const struct blend_view *blend, struct blend_room room, int lane, int width)
{
    BLEND_LOOP
    for (int f = lane; f < blend->band.n; f += width) {
        room.rest[f] = blend_tilt_at(&blend->background, (real)f);
        room.lost[f] = R(1);
    }
}

/* As step_weights_of(), per unit of depth. */
LR_FN struct step_weights blend_weights_of(real h)
{
    const int is_thin = r_abs(h) < STEP_IS_THIN;
    const real e = r_exp(-h);
    const real m = r_div(R(1) - e, h); /* not used where h = 0 */
    const real thin = R(1.0 / 2) - h * (R(1.0 / 6) - h * (R(1.0 / 24) - h * (R(1.0 / 120) - h * R(1.0 / 720))));
    struct step_weights weights;
    weights.through = e;
    weights.from = is_thin ? R(1) - thin * (R(1) + h) : r_div(m - e, h);
    weights.to = is_thin ? thin : r_div(R(1) - m, h);
    return weights;
}

/* A piece of a ray on its way to the target, the cell that records next. */
struct blend_piece {
    const struct line_glow *here, *other; /* [all lines] of the cell, and of the one that S is mixed with */
    int is_target, is_other;              /* which of the two is the target */
    real length, u0, u1, v0, v1, inv_b;
    real grey, least;       /* depth of dust; inversion limit of half a cell */
    struct blend_tilt dust; /* its source function */
};

/* Depths of line m in a piece, which are added to those of the others in room.through. */
LR_FN void blend_add_depth(const struct blend_view *blend, const struct blend_piece *piece, int m, struct interval at,
                           int lane, int width, struct blend_room room)
{
    const real shift = blend->shift[m];
    const struct slide slide = slide_over(&blend->band, piece->v0 + shift, piece->v1 + shift, piece->inv_b);
    const real depth = piece_depth(piece->here[blend->first + m].alpha, piece->length, piece->least);
    const real scaled = depth * slide_scale(&slide);
    real *row = room.depth + m * (int64_t)room.stride;
    const int low = blend_first(at.low, lane, width);
    if (slide.panels == 0) {
        BLEND_LOOP
        for (int f = low; f < at.high; f += width)
            row[f] = depth * slide_still(&slide, (real)f);
    } else {
        BLEND_LOOP
        for (int f = low; f < at.high; f += width)
            row[f] = R(0);
        for (int p = 0; p < slide.panels; p++) {
            BLEND_LOOP
            for (int f = low; f < at.high; f += width)
                row[f] += scaled * slide_panel(&slide, (real)f, p);
        }
    }
    BLEND_LOOP
    for (int f = low; f < at.high; f += width)
        room.through[f] += row[f];
}

/* Weights of the step at each frequency, and the effect of dust. */
LR_FN void blend_weigh(const struct blend_piece *piece, struct interval all, int lane, int width,
                       struct blend_room room)
{
    const real grey = piece->grey;
    const struct blend_tilt dust = piece->dust;
    BLEND_LOOP
    for (int f = blend_first(all.low, lane, width); f < all.high; f += width) {
        const struct step_weights weights = blend_weights_of(r_max(room.through[f], piece->least));
        const real by_dust = grey * (weights.from + weights.to);
        room.through[f] = weights.through;
        room.from[f] = weights.from;
        room.to[f] = weights.to;
        room.rest[f] = room.rest[f] * weights.through + by_dust * blend_tilt_at(&dust, (real)f);
        room.lost[f] = room.lost[f] * weights.through + by_dust;
    }
}

/* Emission of line m in a piece. `window` includes the piece. */
LR_FN void blend_add_light(const struct blend_view *blend, const struct blend_piece *piece, int m, struct interval at,
                           struct interval seen, int lane, int width, struct blend_room room)
{
    const int line = blend->first + m;
    const struct piece_ends ends = piece_ends_of(piece->is_target, piece->is_other, piece->u0, piece->u1,
                                                 piece->here[line].source, piece->other[line].source);
    const real own0 = R(1) - ends.lost0, own1 = R(1) - ends.lost1;
    real *own = room.own + m * (int64_t)room.stride;
    const real *row = room.depth + m * (int64_t)room.stride;
    BLEND_LOOP
    for (int f = blend_first(seen.low, lane, width); f < seen.high; f += width)
        own[f] *= room.through[f];
    BLEND_LOOP
    for (int f = blend_first(at.low, lane, width); f < at.high; f += width) {
        const real from = row[f] * room.from[f], to = row[f] * room.to[f];
        room.rest[f] += ends.rest0 * from + ends.rest1 * to;
        room.lost[f] += ends.lost0 * from + ends.lost1 * to;
        own[f] += own0 * from + own1 * to;
    }
}

/* Takes the light through a piece. `window` includes it. */
LR_FN void blend_cross(const struct blend_view *blend, const struct blend_piece *piece,
                       const struct blend_window *window, real reach, int lane, int width, struct blend_room room)
{
    const struct interval all = blend_interval(blend, window, reach);
    const struct blend_window here = blend_window_of(piece->v0, piece->v1, piece->inv_b, 0);
    BLEND_LOOP
    for (int f = blend_first(all.low, lane, width); f < all.high; f += width)
        room.through[f] = piece->grey;
    for (int m = 0; m < blend->n; m++)
        blend_add_depth(blend, piece, m, blend_lines_interval(blend, &here, m, m, reach), lane, width, room);
    blend_weigh(piece, all, lane, width, room);
    for (int m = 0; m < blend->n; m++)
        blend_add_light(blend, piece, m, blend_lines_interval(blend, &here, m, m, reach),
                        blend_lines_interval(blend, window, m, m, reach), lane, width, room);
}

/* ---- the middle of a cell ---- */

/* Sums over frequencies of the profile of a line, alone and times both parts of the light. */
struct blend_record {
    real profile, entering, lost;
};

/* If lines that amplify leave more light of a line than it has emitted, the excess counts as entering. */
LR_FN struct line_light blend_light(real rest, real lost, real source)
{
    const real excess = r_max(-lost, R(0));
    struct line_light light;
    light.entering = rest + excess * source;
    light.lost = lost + excess;
    return light_limited(light);
}

/* What line m sees, in a cell with this glow, as far as one thread has the frequencies. Overwrites room.from and
 * room.to. */
LR_FN struct blend_record blend_see(const struct blend_view *blend, const struct line_glow *glow,
                                    const struct blend_window *window, int m, real v, real inv_b, real reach, int lane,
                                    int width, struct blend_room room)
{
    const struct blend_window here = blend_window_of(v, v, inv_b, 0);
    const struct interval at = blend_lines_interval(blend, &here, m, m, reach);
    const struct slide slide = slide_at(&blend->band, v + blend->shift[m], inv_b);
    const real source = glow[blend->first + m].source;
    const int low = blend_first(at.low, lane, width);
    real sum_profile = R(0), sum_entering = R(0), sum_lost = R(0);
    BLEND_LOOP
    for (int f = low; f < at.high; f += width) {
        room.from[f] = room.rest[f];
        room.to[f] = room.lost[f];
    }
    for (int k = 0; k < blend->n; k++) {
        const struct interval seen = blend_lines_interval(blend, window, k, k, reach);
        const int begin = blend_first(seen.low > at.low ? seen.low : at.low, lane, width);
        const int end = seen.high < at.high ? seen.high : at.high;
        const real *own = room.own + k * (int64_t)room.stride;
        const real light = glow[blend->first + k].source;
        if (k == m)
            continue;
        BLEND_LOOP
        for (int f = begin; f < end; f += width) {
            room.from[f] += own[f] * light;
            room.to[f] += own[f];
        }
    }
#ifdef _OPENMP
#pragma omp simd reduction(+ : sum_profile, sum_entering, sum_lost)
#endif
    for (int f = low; f < at.high; f += width) {
        const real profile = slide_still(&slide, (real)f);
        const struct line_light light = blend_light(room.from[f], room.to[f], source);
        sum_profile += profile;
        sum_entering += profile * light.entering;
        sum_lost += profile * light.lost;
    }
    struct blend_record record;
    record.profile = sum_profile;
    record.entering = sum_entering;
    record.lost = sum_lost;
    return record;
}

/* The light that continues: the rest plus the light of the cell. */
LR_FN void blend_leave(const struct blend_view *blend, const struct line_glow *glow, const struct blend_window *window,
                       real reach, int lane, int width, struct blend_room room)
{
    const struct interval all = blend_interval(blend, window, reach);
    BLEND_LOOP
    for (int f = blend_first(all.low, lane, width); f < all.high; f += width) {
        room.rest[f] = r_min(room.rest[f], BRIGHTEST);
        room.lost[f] = R(1);
    }
    for (int m = 0; m < blend->n; m++) {
        const struct interval seen = blend_lines_interval(blend, window, m, m, reach);
        const real source = glow[blend->first + m].source;
        real *own = room.own + m * (int64_t)room.stride;
        BLEND_LOOP
        for (int f = blend_first(seen.low, lane, width); f < seen.high; f += width) {
            room.rest[f] += own[f] * source;
            own[f] = R(0);
        }
    }
}

#endif
