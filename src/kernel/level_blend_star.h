/* Direct starlight in lines that overlap, for level populations: as level_star.h, with the depth of all lines,
 *
 *     J_l = W n SUM_f p_l e^-tau (1 - e^-h) / h / SUM_f p_l,    h = (SUM_m alpha_m p_m + kappa) l. */
#ifndef LR_KERNEL_LEVEL_BLEND_STAR_H
#define LR_KERNEL_LEVEL_BLEND_STAR_H

#include "kernel/level_blend.h"
#include "kernel/level_star.h"

/* A path through a cell on which the velocity is linear from v[0] to v[1], and then, in the second of two parts of
 * equal length, to v[2]. */
struct star_span {
    real v[3];
    int parts;
    real inv_b, length;
    const struct line_glow *glow; /* [all lines] of the cell */
};

struct blend_star_room {
    real *tau;     /* [band.n] from the star so far, without dust */
    real *depth;   /* [band.n] of a path */
    real *profile; /* [band.n] */
};

enum { BLEND_STAR_ROWS = 3 };

LR_FN struct blend_star_room blend_star_room_at(int stride, real *room)
{
    struct blend_star_room made;
    made.tau = room;
    made.depth = made.tau + stride;
    made.profile = made.depth + stride;
    return made;
}

/* Frequencies of the lines `first` to `last`. */
LR_FN struct interval blend_star_interval(const struct blend_view *blend, const struct star_span *span, int first,
                                          int last, real reach)
{
    const real end = span->parts == 2 ? span->v[2] : span->v[1];
    const struct blend_window window = blend_window_join(blend_window_of(span->v[0], span->v[1], span->inv_b, 0),
                                                         blend_window_of(span->v[1], end, span->inv_b, 0));
    return blend_lines_interval(blend, &window, first, last, reach);
}

/* Mean profile of line m along the path. */
LR_FN void blend_star_profile(const struct blend_view *blend, const struct star_span *span, int m, struct interval at,
                              int lane, int width, real *profile)
{
    const int low = blend_first(at.low, lane, width);
    const real shift = blend->shift[m];
    for (int part = 0; part < span->parts; part++) {
        const struct slide slide =
            slide_over(&blend->band, span->v[part] + shift, span->v[part + 1] + shift, span->inv_b);
        const real scale = slide_scale(&slide) * (span->parts == 2 ? R(0.5) : R(1));
        for (int f = low; f < at.high; f += width) {
            const real mean = scale * slide_sum(&slide, (real)f, slide.panels);
            profile[f] = part == 0 ? mean : profile[f] + mean;
        }
    }
}

/* room.depth of all lines along the path. */
LR_FN void blend_star_depth(const struct blend_view *blend, const struct star_span *span, real reach, int lane,
                            int width, struct blend_star_room room)
{
    const struct interval all = blend_star_interval(blend, span, 0, blend->n - 1, reach);
    for (int f = blend_first(all.low, lane, width); f < all.high; f += width)
        room.depth[f] = R(0);
    for (int m = 0; m < blend->n; m++) {
        const struct interval at = blend_star_interval(blend, span, m, m, reach);
        const real depth = span->glow[blend->first + m].alpha * span->length;
        blend_star_profile(blend, span, m, at, lane, width, room.profile);
        for (int f = blend_first(at.low, lane, width); f < at.high; f += width)
            room.depth[f] += depth * room.profile[f];
    }
}

/* Attenuates the light by the lines on the path. */
LR_FN void blend_star_dim(const struct blend_view *blend, const struct star_span *span, real least, real reach,
                          int lane, int width, struct blend_star_room room)
{
    const struct interval all = blend_star_interval(blend, span, 0, blend->n - 1, reach);
    blend_star_depth(blend, span, reach, lane, width, room);
    for (int f = blend_first(all.low, lane, width); f < all.high; f += width)
        room.tau[f] = star_dim(room.tau[f], room.depth[f], least);
}

/* What line m sees, once room.depth is that of the path through the cell. Dust has the depths `before` and `grey` up to
 * the cell and in it. */
LR_FN struct blend_record blend_star_see(const struct blend_view *blend, const struct star_span *span, int m,
                                         real before, real grey, real brightest, real reach, int lane, int width,
                                         struct blend_star_room room)
{
    const struct interval at = blend_star_interval(blend, span, m, m, reach);
    struct blend_record record;
    record.profile = record.entering = record.lost = R(0);
    blend_star_profile(blend, span, m, at, lane, width, room.profile);
    for (int f = blend_first(at.low, lane, width); f < at.high; f += width) {
        record.profile += room.profile[f];
        record.entering += room.profile[f] * star_seen(room.tau[f] + before, room.depth[f] + grey, brightest);
    }
    return record;
}

#endif
