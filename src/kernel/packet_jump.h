/* A packet that is about to scatter in the core of the line, in the middle of deep gas, jumps to where it leaves a ball
 * around it or the core (ball.h) and flies on from there; its free path starts anew, since flights have no memory.
 *
 * The balls are made for scattering without loss. At the centre the packet has survived, and at each of the N - 1
 * further encounters with an atom it survives with the chance 1 - eps; over the path l in the ball it meets grey
 * absorption. Its weight therefore falls by
 *
 *     exp(-D),   D = kappa l - (N - 1) ln(1 - eps),
 *
 * and path and scatterings count with the mean weight (1 - exp(-D)) / D.
 *
 * Cameras see light that scatterings inside the ball send them beyond x_seen. (What they send at smaller |x| does not
 * get through the gas around the ball: its margin has a depth of about 12 there, or more.) A scattering off an atom
 * that sends a part P of all directions beyond x_wing is the last of the jump with the chance P. To count, at the last
 * one only,
 *
 *     1/P  if its light toward the camera is beyond x_seen, and nothing otherwise,
 *
 * therefore counts every scattering of the jump that sends light there once, on average: exact for isotropic
 * scattering. x_seen is somewhat larger than x_wing, so that 1/P cannot become large.
 *
 * In a shell that flows the velocity of the gas differs from place to place, by at most BALL_STEADY Doppler widths over
 * the radius of a ball. The place where the photon leaves, or was scattered into the wing, has a frame of its own, and
 * so has that of its last scattering: the last flight is exact, and what the flow does to those before it is left out.
 */
#ifndef LR_KERNEL_PACKET_JUMP_H
#define LR_KERNEL_PACKET_JUMP_H

#include "kernel/ball_recoil.h"
#include "kernel/packet_events.h"
#include "kernel/packet_show.h"

/* The radius of the largest ball around the packet, in free paths at line centre. */
LR_FN real packet_room(const struct transport_view *view, const struct packet *p)
{
    struct ball_reach beyond;
    beyond.below = beyond.above = 0.0f;
    if (view->balls.beyond)
        beyond = view->balls.beyond[p->cell];
    return p->alpha0 * walk_room(&view->balls, p->at.local, p->at.width, beyond);
}

/* The same for one in which the velocity of the gas changes little. */
LR_FN real packet_steady_room(const struct packet *p)
{
    return R(BALL_STEADY) * p->alpha0 * walk_steady(p->at.local, p->at.width, p->outflow);
}

/* Whether a jump is worth a try. */
LR_FN int packet_may_jump(const struct transport_view *view, const struct packet *p)
{
    return (int)(p->state == PACKET_WAITING) & (int)(packet_room(view, p) >= (real)view->balls.room_least) &
           (int)(packet_steady_room(p) >= BALL_LEAST);
}

/* A ball that the packet may use. */
struct packet_ball {
    const struct ball_family *family; /* NULL: there is none for this damping */
    int number;                       /* of the family */
    int level;                        /* -1: there is none */
    real scale;                       /* of lengths and numbers of scatterings */
    real radius;                      /* in free paths at line centre */
};

/* One of the two families with the dampings nearest to that of the gas. In the core, to which the first grade is
 * confined, nothing but the chance of far atoms depends on the damping, and that is proportional to it: families serve
 * in proportion to the distance in a. How photons find the wing, over the large balls of the second grade, depends on
 * a R, and the number of scatterings grows as R: a family of damping a_j serves for balls that are a_j / a times as
 * large, in proportion to the distance in ln(a). */
LR_FN struct packet_ball packet_family(const struct ball_view *balls, int grade, real a, real uniform)
{
    const real allowed = R(1e-3); /* of rounding */
    struct packet_ball ball;
    int family = 0;
    ball.scale = R(1);
    ball.family = NULL;
    ball.number = ball.level = -1;
    ball.radius = R(0);
    if (!(a > R(0)))
        return ball;
    const real position = r_div(r_log(r_div(a, (real)balls->a_first)), (real)balls->log_ratio);
    if (position < -allowed || position > (real)(balls->n_family - 1) + allowed)
        return ball;
    if (balls->n_family > 1) {
        const int below = (int)r_max(r_min(position, (real)(balls->n_family - 2)), R(0));
        const real in_log = position - (real)below;
        const real in_a = r_div(r_exp(in_log * (real)balls->log_ratio) - R(1), r_exp((real)balls->log_ratio) - R(1));
        family = below + ((grade ? in_log : in_a) > uniform ? 1 : 0);
        if (grade)
            ball.scale = r_exp(((real)family - position) * (real)balls->log_ratio);
    }
    ball.number = grade * balls->n_family + family;
    ball.family = &balls->family[ball.number];
    return ball;
}

/* The largest ball of the family within `room`, of the radius `steady` at most, for a photon of frequency x. */
LR_FN int packet_ball_level(const struct packet_ball *ball, real x, real room, real steady)
{
    if (!ball->family || r_abs(x) >= (real)ball->family->x_start)
        return -1;
    const real margin = (real)ball->family->margin;
    const real most = r_div(steady, ball->scale);
    if (margin > most * R(BALL_STEADY_MARGIN / BALL_STEADY))
        return -1;
    return ball_level_within(ball->family, r_min(r_div(room, ball->scale) - margin, most));
}

/* The largest ball. */
LR_FN struct packet_ball packet_choose_ball(const struct transport_view *view, const struct packet *p, real uniform)
{
    const real room = packet_room(view, p);
    const real steady = packet_steady_room(p);
    struct packet_ball ball = packet_family(&view->balls, 0, p->a, uniform);
    ball.level = packet_ball_level(&ball, p->x, room, steady);
    if (view->balls.n_grade > 1) {
        struct packet_ball larger = packet_family(&view->balls, 1, p->a, uniform);
        larger.level = packet_ball_level(&larger, p->x, room, steady);
        if (larger.level >= 0)
            ball = larger;
    }
    if (ball.level >= 0)
        ball.radius = ball_radius(ball.family, ball.level) * ball.scale;
    return ball;
}

/* -ln(1 - eps) */
LR_FN real loss_of_destruction(real eps)
{
    return eps < R(0.01) ? eps * (R(1) + eps * (R(0.5) + eps * (R(1.0 / 3) + eps * R(0.25)))) : -r_log(R(1) - eps);
}

/* x / (exp(x) - 1) */
LR_FN real loss_before(real x)
{
    return x < R(0.1) ? R(1) - x * (R(0.5) - x * (R(1.0 / 12) - x * x * R(1.0 / 720))) : r_div(x, r_exp(x) - R(1));
}

/* Adds path and scatterings inside the ball to the sums of the packet. With a depth d = kappa l / N + lambda for each
 * of N flights, which end in a scattering, and lambda = -ln(1 - eps) the part of the scattering, the k-th one has the
 * weight exp(-k d), and the flight to it exp(-(k - 1) d) times the mean over itself. With D = N d in all,
 *
 *     SUM exp(-k d)       = N (1 - exp(-D)) / D  d / (exp(d) - 1)
 *     SUM exp(-(k - 1) d) = N (1 - exp(-D)) / D  d / (1 - exp(-d)),      d / (1 - exp(-d)) = d + d / (exp(d) - 1). */
LR_FN void packet_count_ball(struct packet *p, real path, real further, const int absorbing)
{
    p->path_part += path;
    p->skipped += (double)further;
    if (!absorbing) {
        p->scatter += further;
        return;
    }
    const real lambda = loss_of_destruction(p->eps);
    const real depth = r_max(p->kappa * path + further * lambda, R(0));
    const real weight = packet_weight(p, absorbing) * mean_transmission(depth);
    const real flight = r_div(r_max(p->kappa * path, R(0)), r_max(further, R(1)));
    const real before = loss_before(flight + lambda);
    p->length += weight * path * r_div(flight + lambda + before, flight + loss_before(flight));
    p->scatter += weight * before * further;
    p->scattered += weight * before * further;
    p->depth += depth;
}

/* The light of a jump toward the cameras, as a note of its last scattering; returns whether any may see it. `along` is
 * the direction of the last atom, in the frame of the new place. Light toward cameras is given a recoil by its angle to
 * the velocity that the note has, which is that of the atom: it must be taken out. */
LR_FN int packet_show_jump(const struct transport_view *view, struct packet *p, const struct packet_ball *ball,
                           const struct ball_atom *atom, struct vec3 along, real recoil, int n_deposit_group,
                           const int absorbing, struct note *note)
{
    struct shown shown;
    struct velocity_proposal same;
    struct random4 none;
    const real chance = ball_chance_of_wing(atom, (real)ball->family->x_wing);
    const real farthest = r_abs(atom->detuning) + atom->speed;
    if (farthest < (real)ball->family->x_seen || (WALK_KNOWS_SHADE && hidden_is(p->hidden, farthest, p->tau)))
        return 0;
    struct absorber last;
    shown.share = r_div(packet_weight(p, absorbing), chance);
    shown.visible = 1;
    last.x = atom->detuning + atom->speed;
    last.u = atom->speed - recoil;
    last.u_side = last.e1 = R(0);
    same.u = last.u;
    same.uniform = same.chance = R(1);
    none.r0 = none.r1 = none.r2 = none.r3 = 0;
    *note = packet_note(view, p, shown, same, last, none, n_deposit_group);
    note->spot.ball = (unsigned)(ball->number + 1);
    note->n = along;
    note->limit = sight_limit(p->tau);
    return 1;
}

enum { JUMP_NONE, JUMP_DONE, JUMP_SEEN }; /* SEEN: a camera may see it */

/* Jumps if there is a ball. The packet may end by roulette. `last` may be NULL, and so may `note` if there are no
 * cameras. */
LR_FN int packet_jump(const struct transport_view *view, const struct tally_view *tally, struct packet *p,
                      struct last_place *last, int n_deposit_group, struct note *note, const int absorbing)
{
    const real recoil = view->recoil > R(0) ? r_div(view->recoil, LR_KEPT(p->b, view->cell[p->cell].b)) : R(0);
    if (r_abs(p->x) >= (real)view->balls.x_most || (note && p->owed != R(0)) || recoil > R(BALL_MOST_RECOIL))
        return JUMP_NONE;
    const struct random4 random = packet_draw(view, p, 1);
    const struct packet_ball ball = packet_choose_ball(view, p, rng_uniform(random.r3));
    if (ball.level < 0)
        return JUMP_NONE;
    const struct random4 after = packet_draw(view, p, 1);
    struct ball_exit out = ball_leave(&view->balls, ball.family, ball.level, p->x, p->n, random, after);
    if (recoil > R(0))
        ball_recoil(ball.family, recoil, after, &out);
    const struct place from = p->at;
    int jumped = JUMP_DONE;
    const real radius = r_div(ball.radius, p->alpha0);
    const real reach = radius * out.reach;
    const struct vec3 jump = vec3_make(reach * out.place.x, reach * out.place.y, reach * out.place.z);
    packet_count_ball(p, radius * out.path, r_max(ball.scale * out.scatterings - R(1), R(0)), absorbing);
    packet_flush(view, tally, p, absorbing);
    p->n = out.n;
    p->at = walk_jump(&view->mesh, &view->balls, p->at, jump, &p->n);
    /* back along the last flight, to the place and frame of the last scattering */
    const real way = -radius * out.last;
    struct vec3 left = p->n;
    const struct place scattered =
        walk_jump(&view->mesh, &view->balls, p->at, vec3_make(way * p->n.x, way * p->n.y, way * p->n.z), &left);
    p->x = out.x - p->outflow * (p->n.z - left.z);
    p->tau = -r_log(rng_uniform(after.r0));
    p->state = PACKET_FLYING;
    p->events++;
    const int cell = walk_cell_index(&view->mesh, p->at);
    if (cell != p->cell) {
        p->cell = cell;
        packet_enter(view, p);
    }
    if (last) {
        struct packet there = *p;
        there.at = scattered;
        packet_keep_place(&there, last);
    }
    if (note && out.inside) {
        struct vec3 along = out.atom.along;
        (void)walk_jump(&view->mesh, &view->balls, from, jump, &along);
        if (packet_show_jump(view, p, &ball, &out.atom, along, recoil, n_deposit_group, absorbing, note))
            jumped = JUMP_SEEN;
    }
    if (!packet_roulette(view, tally, p, absorbing))
        packet_end(view, tally, p, -1, last, absorbing);
    return jumped;
}

#endif
