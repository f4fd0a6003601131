/* The path of a ray through the mesh as a list of pieces (kernel/level_way.h), for level populations. Included by
 * cpu_levels.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_TRACK_H
#define LR_BACKEND_CPU_CPU_LEVEL_TRACK_H

#include <math.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "kernel/level_shells.h"
#include "kernel/level_way.h"

struct track {
    int n, room;
    struct piece *piece;
    int failed;
};

static void track_add(struct track *track, struct piece piece)
{
    if (!(piece.length > R(0)) && !(piece.weight > R(0)))
        return;
    if (track->n == track->room) {
        const int room = track->room ? 2 * track->room : 256;
        struct piece *grown = (struct piece *)realloc(track->piece, (size_t)room * sizeof *grown);
        if (!grown) {
            track->failed = 1;
            return;
        }
        track->piece = grown;
        track->room = room;
    }
    track->piece[track->n++] = piece;
}

/* ---- Cartesian ---- */

static void track_cartesian(const struct mesh_view *mesh, const struct gas_view *gas, const double direction[3],
                            const struct level_ray *from, struct track *track)
{
    struct point3 p, n;
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = from->point[axis];
        n.x[axis] = direction[axis];
    }
    struct ray ray = ray_enter(mesh, p, n, -RAY_FAR, RAY_FAR);
    struct visit last = visit_none();
    track->n = 0;
    for (int more = ray.hits; more && !track->failed;) {
        const struct passage way = pass_cell(mesh, &ray);
        more = way.more;
        if (!(way.length > R(0)))
            continue;
        const struct visit here = visit_cell(gas, way.cell, way.length, ray.n);
        const struct face face = face_between(&last, &here);
        if (last.cell >= 0)
            track_add(track, piece_to_face(&last, &here, &face));
        track_add(track, piece_from_face(&last, &here, &face, visit_weight(&here, (real)from->area)));
        last = here;
    }
}

/* ---- shells ---- */

struct shell_walk {
    const struct shell_view *shells;
    const struct gas_view *gas;
    double p;       /* impact parameter */
    double ring[2]; /* around it */
    struct track *track;
};

static void add_shell_piece(const struct shell_walk *walk, int cell, int other, double r0, double r1, int side, real u0,
                            real u1, int recorded)
{
    const real weight = recorded ? shell_ring_weight(walk->shells, cell, walk->ring[0], walk->ring[1]) : R(0);
    track_add(walk->track, shell_piece(walk->shells, walk->gas, walk->p, cell, other, r0, r1, side, u0, u1, weight));
}

/* Between the middles of shells i and i - 1, through the sphere they share: inward (side -1) or outward (+1). */
static void cross_face(const struct shell_walk *walk, int i, int side)
{
    const struct shell_view *shells = walk->shells;
    const double face = shells->edge[i];
    const real u = shell_inner_share(shells, i, face);
    if (side < 0) {
        add_shell_piece(walk, i, i - 1, shells->middle[i], face, side, R(0), u, 0);
        add_shell_piece(walk, i - 1, i, face, shells->middle[i - 1], side, R(1) - u, R(0), 1);
    } else {
        add_shell_piece(walk, i - 1, i, shells->middle[i - 1], face, side, R(0), R(1) - u, 0);
        add_shell_piece(walk, i, i - 1, face, shells->middle[i], side, u, R(0), 1);
    }
}

/* From the middle of shell i past the point closest to the centre and out to the same middle. */
static void turn_around(const struct shell_walk *walk, int i)
{
    const struct shell_view *shells = walk->shells;
    const double face = shells->edge[i];
    const double lowest = fmax(walk->p, i > 0 ? 0 : face); /* there is nothing inside the first edge */
    const int other = i > 0 ? i - 1 : i;
    if (i == 0 || walk->p >= face) {
        const real u = i > 0 ? shell_inner_share(shells, i, lowest) : R(0);
        add_shell_piece(walk, i, other, shells->middle[i], lowest, -1, R(0), u, 0);
        add_shell_piece(walk, i, other, lowest, shells->middle[i], 1, u, R(0), 1);
        return;
    }
    const real u_face = shell_inner_share(shells, i, face);
    const real u_low = shell_inner_share(shells, i, lowest);
    add_shell_piece(walk, i, other, shells->middle[i], face, -1, R(0), u_face, 0);
    add_shell_piece(walk, other, i, face, lowest, -1, R(1) - u_face, R(1) - u_low, 0);
    add_shell_piece(walk, other, i, lowest, face, 1, R(1) - u_low, R(1) - u_face, 0);
    add_shell_piece(walk, i, other, face, shells->middle[i], 1, u_face, R(0), 1);
}

static void track_shells(const struct shell_view *shells, const struct gas_view *gas, double p, const double ring[2],
                         struct track *track)
{
    const struct shell_walk walk = {shells, gas, p, {ring[0], ring[1]}, track};
    const int last = shells->n - 1;
    int i = last;
    track->n = 0;
    add_shell_piece(&walk, last, last, shells->edge[last + 1], shells->middle[last], -1, R(0), R(0), 1);
    for (; i > 0 && shells->middle[i - 1] > p; i--)
        cross_face(&walk, i, -1);
    turn_around(&walk, i);
    for (; i < last; i++)
        cross_face(&walk, i + 1, 1);
}

#endif
