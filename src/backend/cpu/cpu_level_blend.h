/* Lines that overlap along one ray (kernel/level_blend.h), all frequencies in one thread. Included by cpu_levels.c,
 * once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_BLEND_H
#define LR_BACKEND_CPU_CPU_LEVEL_BLEND_H

#include <stdbool.h>
#include <stdlib.h>

#include "backend/cpu/cpu_level_state.h"
#include "backend/level_blends.h"

/* Working memory of a thread. */
struct blend_desk {
    real **room; /* [n_blend] */
};

static bool blend_desk_make(const struct levels *levels, struct blend_desk *desk)
{
    const size_t n = (size_t)levels->job.n_blend;
    desk->room = n > 0 ? (real **)calloc(n, sizeof *desk->room) : NULL;
    bool ok = n == 0 || desk->room;
    for (size_t i = 0; desk->room && i < n; i++) {
        const struct blend_view *blend = &levels->blend[i];
        desk->room[i] = (real *)calloc((size_t)blend_room_size(blend->n, blend->band.n), sizeof(real));
        ok = ok && desk->room[i];
    }
    return ok;
}

static void blend_desk_free(const struct levels *levels, struct blend_desk *desk)
{
    for (int i = 0; desk->room && i < levels->job.n_blend; i++)
        free(desk->room[i]);
    free(desk->room);
}

static struct blend_piece blend_piece_of(const struct levels *levels, const struct blend_view *blend,
                                         const struct piece *piece, int target)
{
    const struct gas_view *gas = &levels->gas[piece->cell];
    const size_t n_line = (size_t)levels->job.n_line, here = (size_t)piece->cell * n_line;
    struct blend_piece made = {.here = levels->glow + here,
                               .other = levels->glow + (size_t)piece->other * n_line,
                               .is_target = piece->cell == target,
                               .is_other = piece->other == target,
                               .length = piece->length,
                               .u0 = piece->u0,
                               .u1 = piece->u1,
                               .v0 = piece->v0,
                               .v1 = piece->v1,
                               .inv_b = gas->inv_b,
                               .grey = gas->kappa * piece->length,
                               .least = levels->least_depth};
    if (levels->dust)
        made.dust = blend_dust(blend, levels->dust + here);
    return made;
}

static struct blend_window blend_window_at(const struct levels *levels, const struct piece *piece)
{
    const struct gas_view *gas = &levels->gas[piece->cell];
    return blend_window_of(piece->v0, piece->v1, gas->inv_b, gas->kappa > R(0));
}

/* Records the light of all lines where a piece ends, as number `at`, and goes on with that of the cell. */
static void record_blend(const struct levels *levels, const struct blend_view *blend, const struct piece *piece,
                         const struct blend_window *window, int at, struct ray_record *record, struct blend_room room)
{
    const int n_line = levels->job.n_line;
    const struct line_glow *glow = levels->glow + (size_t)piece->cell * (size_t)n_line;
    struct line_light *light = record->light + (size_t)at * (size_t)n_line;
    for (int m = 0; m < blend->n; m++) {
        const struct blend_record seen =
            blend_see(blend, glow, window, m, piece->v1, levels->gas[piece->cell].inv_b, levels->reach, 0, 1, room);
        const real scale = seen.profile > R(0) ? piece->weight / seen.profile : R(0);
        light[blend->first + m] = (struct line_light){scale * seen.entering, scale * seen.lost};
    }
    blend_leave(blend, glow, window, levels->reach, 0, 1, room);
    record->cell[at] = piece->cell;
    record->weight[at] = piece->weight;
    record->n = at + 1;
}

/* Follows the lines of a blend along a track. */
static void follow_blend(const struct levels *levels, const struct track *track, int number, struct blend_desk *desk,
                         struct ray_record *record)
{
    const struct blend_view *blend = &levels->blend[number];
    const struct blend_room room = blend_room_at(blend->n, blend->band.n, desk->room[number]);
    int recorded = 0;
    blend_begin(blend, room, 0, 1);
    for (int first = 0; first < track->n;) {
        int last = first;
        while (last < track->n - 1 && !(track->piece[last].weight > R(0)))
            last++;
        if (!(track->piece[last].weight > R(0)))
            return; /* on the way out of the mesh: nothing more is recorded */
        struct blend_window window = blend_window_at(levels, &track->piece[first]);
        for (int i = first; i <= last; i++) {
            const struct blend_piece piece = blend_piece_of(levels, blend, &track->piece[i], track->piece[last].cell);
            window = blend_window_join(window, blend_window_at(levels, &track->piece[i]));
            blend_cross(blend, &piece, &window, levels->reach, 0, 1, room);
        }
        record_blend(levels, blend, &track->piece[last], &window, recorded++, record, room);
        first = last + 1;
    }
}

#endif
