/* Light from the lanes to the cameras. Scatterings that a camera may see are noted; when there are enough to fill the
 * SIMD loops, their light is sent toward each camera and followed as sight.h describes, or straight into pixels
 * (peel-off). Included by cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_CAMERAS_H
#define LR_BACKEND_CPU_CPU_CAMERAS_H

#include "backend/cpu/cpu_pass.h"

enum { ENOUGH_NOTES = LANES, NOTES = 2 * LANES };

/* What the light of a note toward one camera depends on: type, name of the array, member of struct outlook. */
#define OUTLOOK_MEMBERS(MEMBER)                                                                                        \
    MEMBER(real, n_x, note.n.x)                                                                                        \
    MEMBER(real, n_y, note.n.y)                                                                                        \
    MEMBER(real, n_z, note.n.z)                                                                                        \
    MEMBER(real, x, note.x)                                                                                            \
    MEMBER(real, u, note.u)                                                                                            \
    MEMBER(real, u_side, note.u_side)                                                                                  \
    MEMBER(real, share, note.share)                                                                                    \
    MEMBER(real, limit, note.limit)                                                                                    \
    MEMBER(real, law, law)                                                                                             \
    MEMBER(real, least, least)                                                                                         \
    MEMBER(real, local_x, at.local.x)                                                                                  \
    MEMBER(real, local_y, at.local.y)                                                                                  \
    MEMBER(real, local_z, at.local.z)                                                                                  \
    EXTENT_MEMBERS(MEMBER)                                                                                             \
    MEMBER(real, alpha0, gas.alpha0)                                                                                   \
    MEMBER(real, a, gas.a)                                                                                             \
    MEMBER(real, b, gas.b)                                                                                             \
    MEMBER(real, kappa, gas.kappa)                                                                                     \
    MEMBER(real, toward_x, way.n.x)                                                                                    \
    MEMBER(real, toward_y, way.n.y)                                                                                    \
    MEMBER(real, toward_z, way.n.z)                                                                                    \
    MEMBER(real, distance, way.distance)                                                                               \
    MEMBER(real, along, along)                                                                                         \
    MEMBER(real, core, shade.core)                                                                                     \
    MEMBER(real, wing, shade.wing)                                                                                     \
    MEMBER(real, drift, shade.drift)                                                                                   \
    MEMBER(real, ratio, shade.ratio)

struct outlook {
    struct note note;
    real law;   /* of the phase function, in a group of lines */
    real least; /* |x| of its light */
    struct place at;
    struct cell_view gas;
    struct camera_way way;
    real along; /* gas velocity toward the camera */
    struct shade_view shade;
};

#define NOTE_ARRAY(type, name, member) _Alignas(64) type name[NOTES];
#define NOTE_GET(type, name, member) outlook.member = notes->name[m];
#define NOTE_PUT(type, name, member) notes->name[m] = outlook.member;

struct notes {
    OUTLOOK_MEMBERS(NOTE_ARRAY)
    _Alignas(64) real light_x[NOTES], amount[NOTES];
    int32_t channel[NOTES]; /* -1: not worth following */
    struct note note[NOTES];
    int n;
};

static void note_lane(const struct pass *pass, struct lanes *lane, int l, struct notes *notes)
{
    const struct transport_view *view = &pass->view;
    const struct shown shown = {lane->share[l], 1};
    const struct absorber absorber = {lane->out_x[l], lane->out_u[l], lane->u_side[l], lane->e1[l]};
    struct packet p;
    lane_get(lane, l, &p); /* as it was before scattering */
    p.x = lane->in_x[l];
    p.n = vec3_make(lane->in_n_x[l], lane->in_n_y[l], lane->in_n_z[l]);
    p.state = lane->was_owing[l] ? PACKET_OWING : PACKET_WAITING;
    const struct random4 random = rng_draw(view->key, p.draw - 1, p.id_low, p.id_high); /* of the scattering */
    notes->note[notes->n++] =
        packet_note(view, &p, shown, lane_atom(lane, l), absorber, random, pass->job->cameras.n_group);
    lane->draw[l] = p.draw;
}

/* Notes are worked on in whole vectors, the last of which repeats a note: what is left over from vectors would be
 * computed by other instructions, and the last bits of the light of a note would depend on how many there are. */
static int whole_vectors(int n)
{
    enum { VECTOR = 16 };
    return (n + VECTOR - 1) / VECTOR * VECTOR;
}

static void look_toward(const struct pass *pass, int camera, struct notes *notes)
{
    const struct transport_view *view = &pass->view;
    for (int m = 0; m < whole_vectors(notes->n); m++) {
        struct outlook outlook;
        outlook.note = notes->note[m < notes->n ? m : notes->n - 1];
        outlook.law = note_law(outlook.note);
        outlook.least = note_least(view, outlook.note.spot);
        outlook.at = spot_place(view, outlook.note.spot);
        const int cell = walk_cell_index(&view->mesh, outlook.at);
        outlook.gas = pass->cell[cell];
        outlook.way = spot_way(view, outlook.note.spot, outlook.at, camera);
        outlook.along = cell_velocity_along(&outlook.gas, outlook.way.n);
        outlook.shade = note_shade(view, cell, camera);
        OUTLOOK_MEMBERS(NOTE_PUT)
    }
}

LANE_FN void send_note(const struct transport_view *view, struct notes *notes, int m, const int mode)
{
    struct outlook outlook;
    OUTLOOK_MEMBERS(NOTE_GET)
    const struct light light = note_light(view, outlook.note, outlook.law, outlook.least, outlook.at, outlook.gas,
                                          outlook.along, outlook.way, outlook.shade, mode);
    notes->light_x[m] = light.x;
    notes->amount[m] = light.amount;
    notes->channel[m] = light.channel;
}

LANE_FN void send_notes(const struct transport_view *view, struct notes *notes, const int mode)
{
    const struct transport_view known = *view; /* a local copy, so that no store into a note can change it */
    const int n = whole_vectors(notes->n);
#pragma omp simd
    for (int m = 0; m < n; m++)
        send_note(&known, notes, m, mode);
}

static void add_to_voxel(struct pass *pass, int64_t voxel, real amount, double offset)
{
    const double rounded = round_to_quantum((double)amount, pass->sums.quanta.light, offset);
    double *wide = pass->tally->emissivity_wide;
    float *narrow = pass->tally->emissivity;
    if (wide && pass->alone)
        wide[voxel] += rounded;
    else if (wide)
        shared_add(&wide[voxel], rounded);
    else if (pass->alone)
        narrow[voxel] += (float)amount;
    else
#pragma omp atomic
        narrow[voxel] += (float)amount;
}

/* Follows the light of a note until it is stored or lost. */
LANE_FN struct sight follow(const struct pass *pass, const struct notes *notes, int m, int camera, const int mode)
{
    const struct transport_view *view = &pass->view;
    const struct spot spot = notes->note[m].spot;
    const struct place at = spot_place(view, spot);
    struct sight sight = sight_begin(view, at, spot_way(view, spot, at, camera), notes->light_x[m]);
    while (sight.state == SIGHT_GOES_ON) {
        const struct leg leg = sight_aim(view, &sight);
        const struct cell_view *gas = &pass->cell[sight.cell];
        const struct profiles seen = gas_profiles(view, &view->table, gas->a, gas->b, leg, mode, 0);
        sight_advance(view, &sight, notes->limit[m], seen.mean);
    }
    return sight;
}

/* The peel-off estimator: light that leaves the mesh goes straight to the pixel that sees the scattering. */
static void peel(struct pass *pass, const struct note *note, int channel, int camera, real amount, double offset)
{
    const struct transport_job *job = pass->job;
    const struct transport_peel *image = &job->cameras.peel[camera];
    const struct vec3 corner = walk_corner(&pass->view.mesh, note->spot.i, note->spot.j, note->spot.k);
    const double point[3] = {(double)corner.x + (double)note->spot.local.x - image->corner[0],
                             (double)corner.y + (double)note->spot.local.y - image->corner[1],
                             (double)corner.z + (double)note->spot.local.z - image->corner[2]};
    double x = 0;
    double y = 0;
    for (int axis = 0; axis < 3; axis++) {
        x += point[axis] * image->right[axis] / image->pixel;
        y += point[axis] * image->up[axis] / image->pixel;
    }
    if (!(x >= 0 && x < image->n_x && y >= 0 && y < image->n_y))
        return;
    const int64_t row = ((int64_t)note->spot.group * job->cameras.n_channel + channel) * image->n_y + (int)y;
    exact_add(&pass->tally->peel[camera][row * image->n_x + (int)x], (double)amount, pass->sums.quanta.light, offset);
}

static void leave_light(struct pass *pass, const struct notes *notes, int m, int camera, const struct sight *sight)
{
    const struct transport_view *view = &pass->view;
    const real amount = notes->amount[m] * sight_transmission(sight->depth);
    if (sight->state != SIGHT_IS_LEFT)
        return;
    if (pass->job->cameras.peel)
        peel(pass, &notes->note[m], notes->channel[m], camera, amount, sight_offset(sight));
    else
        add_to_voxel(
            pass, sight_voxel(view, sight, (int)notes->note[m].spot.group * view->n_camera + camera, notes->channel[m]),
            amount, sight_offset(sight));
}

LANE_FN void serve_notes(struct pass *pass, struct notes *notes, const int mode)
{
    for (int c = 0; c < pass->view.n_camera; c++) {
        look_toward(pass, c, notes);
        send_notes(&pass->view, notes, mode);
        for (int m = 0; m < notes->n; m++) {
            if (notes->channel[m] < 0)
                continue;
            const struct sight sight = follow(pass, notes, m, c, mode);
            leave_light(pass, notes, m, c, &sight);
        }
    }
    notes->n = 0;
}

LANE_FN void note_lanes(struct pass *pass, struct lanes *lane, struct notes *notes, const int mode)
{
    for (int l = 0; l < LANES; l++)
        if (lane->visible[l])
            note_lane(pass, lane, l, notes);
    if (notes->n >= ENOUGH_NOTES)
        serve_notes(pass, notes, mode);
}

#endif
