/* What a packet shows the cameras when an atom scatters it: a counted scattering, or what a thin segment owes. Most
 * scatterings are hidden from all cameras; the others become notes, and each note sends a photon to every camera. */
#ifndef LR_KERNEL_PACKET_SHOW_H
#define LR_KERNEL_PACKET_SHOW_H

#include "kernel/packet_scatter.h"
#include "kernel/sight.h"

struct shown {
    real share;
    int visible; /* possibly, to some camera */
};

LR_FN struct shown packet_show(const struct transport_view *view, const struct packet *p, struct velocity_proposal atom,
                               struct absorber absorber, int found, const int mode, const int absorbing, const int lone)
{
    struct shown shown;
    shown.share = p->owed == R(0) ? packet_weight(p, absorbing) : p->owed;
    shown.visible = found & (p->owed >= R(0)); /* unless PAID */
    if (WALK_KNOWS_SHADE &&
        mode != REDISTRIBUTION_APPROXIMATE_VOIGT) { /* the approximate profile can be lower than the bounds */
        const real farthest = line_farthest(view, p->n, absorber.x, absorber.u, absorber.u_side, mode, lone);
        shown.visible &= !hidden_is(p->hidden, farthest, free_path_after(atom.uniform, atom.chance));
    }
    return shown;
}

/* Laws of the phase function among which an atom of a group of lines has chosen (phase.h). */
enum { LAW_ISOTROPIC, LAW_DIPOLE, LAW_ACROSS };

/* Where light starts. SHELLS: local.y, local.z and toward_z hold the direction to the observer. */
struct spot {
    int i, j, k;         /* cell */
    unsigned group : 20; /* of batches, for the light */
    unsigned law : 2;    /* in a group of lines, that of the phase function */
    unsigned ball : 10;  /* 0, or after a jump: 1 + number of the family (packet_jump.h) */
    struct vec3 local;
    real toward_z;
};

/* A packet before it scatters, and the atom that scatters it. */
struct LR_ALIGNED(16) note {
    struct spot spot;
    struct vec3 n;
    real x;
    real u, u_side, share, limit;
};

LR_FN struct note packet_note(const struct transport_view *view, struct packet *p, struct shown shown,
                              struct velocity_proposal atom, struct absorber absorber, struct random4 random,
                              int n_deposit_group)
{
    struct note note;
    note.spot.i = p->at.i;
    note.spot.j = p->at.j;
    note.spot.k = p->at.k;
    note.spot.group = (unsigned)(n_deposit_group > 1 ? p->batch % n_deposit_group : 0);
    note.spot.law = absorber.e1 > R(0) ? LAW_DIPOLE : absorber.e1 < R(0) ? LAW_ACROSS : LAW_ISOTROPIC;
    note.spot.ball = 0;
    note.spot.local = p->at.local;
    note.spot.toward_z = R(0);
    if (p->state == PACKET_OWING)
        note.spot.local = packet_share_place(p, random);
    if (WALK_IS_RADIAL) { /* toward an observer in a random direction */
        const struct random4 anywhere = packet_draw(view, p, 1);
        const struct vec3 toward = direction_isotropic(anywhere.r0, anywhere.r1);
        note.spot.local.y = toward.x;
        note.spot.local.z = toward.y;
        note.spot.toward_z = toward.z;
    }
    note.n = p->n;
    note.x = absorber.x;
    note.u = absorber.u;
    note.u_side = absorber.u_side;
    note.share = shown.share;
    note.limit = sight_limit(free_path_after(atom.uniform, atom.chance));
    return note;
}

LR_FN struct place spot_place(const struct transport_view *view, struct spot spot)
{
    return walk_place_in(&view->mesh, spot.i, spot.j, spot.k, spot.local);
}

/* Direction and distance from there to a camera. */
LR_FN struct camera_way spot_way(const struct transport_view *view, struct spot spot, struct place at, int camera)
{
    struct camera_way way;
    if (!WALK_IS_RADIAL)
        return way_to_camera(&view->camera[camera], &view->mesh, at);
    way.n = vec3_make(spot.local.y, spot.local.z, spot.toward_z);
    way.distance = R_HUGE;
    return way;
}

/* Shade of a cell for a camera; none for a near camera, or if shades are not known. */
LR_FN struct shade_view note_shade(const struct transport_view *view, int cell, int camera)
{
    const struct camera_view *eye = &view->camera[camera];
    if (!WALK_KNOWS_SHADE || view->n_shade == 0 || eye->perspective)
        return shade_none();
    return view->shade[eye->shade * view->n_cell + cell];
}

/* Frequency beyond which the light of a note counts: any, but for the last scattering of a jump. */
LR_FN real note_least(const struct transport_view *view, struct spot spot)
{
    return spot.ball == 0 ? R(0) : (real)view->balls.family[spot.ball - 1].x_seen;
}

/* E1 of the law of a note. */
LR_FN real note_law(struct note note)
{
    return note.spot.law == LAW_DIPOLE ? R(1) : note.spot.law == LAW_ACROSS ? PHASE_ACROSS : R(0);
}

/* Light toward a camera. */
struct light {
    real x, amount;
    int channel; /* -1: none, or not worth following */
};

/* The light of a note toward a camera, if it is at |x| >= least. `along` is the velocity of the gas in that direction,
 * `law` is note_law(). */
LR_FN struct light note_light(const struct transport_view *view, struct note note, real law, real least,
                              struct place at, struct cell_view gas, real along, struct camera_way way,
                              struct shade_view shade, const int mode)
{
    struct absorber atom;
    atom.x = note.x;
    atom.u = note.u;
    atom.u_side = note.u_side;
    atom.e1 = mode == REDISTRIBUTION_GROUP ? law : line_dipole_part(view, gas.a, note.x);
    const struct toward sent = line_toward(view, gas.b, vec3_dot(note.n, way.n), atom, note.share, mode);
    const real shift = frequency_in_mesh_frame(sent.x, gas.b, along);
    struct light light;
    light.x = sent.x;
    light.amount = sent.amount;
    light.channel = channel_of_shift(
        &view->channels, mode == REDISTRIBUTION_GROUP ? shift_of_logarithmic(shift, view->group.beta) : shift);
    if (WALK_KNOWS_SHADE && mode != REDISTRIBUTION_APPROXIMATE_VOIGT) {
        const real length = r_min(walk_exit(at.local, at.width, way.n).distance, way.distance);
        const real own = shade_own_depth(gas.alpha0, gas.a, gas.kappa, light.x, length);
        light.channel = own + shade_depth(shade, light.x) < note.limit ? light.channel : -1;
    }
    light.channel = r_abs(light.x) < least ? -1 : light.channel;
    return light;
}

#endif
