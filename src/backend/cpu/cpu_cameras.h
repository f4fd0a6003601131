/* What lanes leave with the cameras. Scatterings that a camera may see are noted; when there are enough to fill the
 * SIMD loops, their light is sent toward each camera and followed as far as sight.h says, or straight into pixels
 * (peel-off). Included by cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_CAMERAS_H
#define LR_BACKEND_CPU_CPU_CAMERAS_H

#include "backend/cpu/cpu_pass.h"
#include "kernel/sight.h"
#include "kernel/voigt.h"

enum { ENOUGH_NOTES = LANES, NOTES = 2 * LANES };

/* Packets as they come in, and the atoms that scatter them; and the light of each toward one camera. */
struct notes {
    _Alignas(64) real local_x[NOTES], local_y[NOTES], local_z[NOTES];
    real width_x[NOTES], width_y[NOTES], width_z[NOTES];
    real n_x[NOTES], n_y[NOTES], n_z[NOTES];
    real x[NOTES], u[NOTES], u_side[NOTES], share[NOTES], limit[NOTES];
    real alpha0[NOTES], a[NOTES], b[NOTES], kappa[NOTES];
    real toward_x[NOTES], toward_y[NOTES], toward_z[NOTES], distance[NOTES];
    real along[NOTES]; /* velocity of the gas toward the camera */
    real core[NOTES], wing[NOTES], drift[NOTES], ratio[NOTES];
    real light_x[NOTES], amount[NOTES];
    int32_t channel[NOTES]; /* -1: not worth a walk */
    int i[NOTES], j[NOTES], k[NOTES], cell[NOTES], batch[NOTES];
    int n;
};

/* Where the share of a lane is left. */
static struct vec3 share_place(const struct lanes *lane, int l)
{
    struct vec3 local = vec3_make(lane->local_x[l], lane->local_y[l], lane->local_z[l]);
    if (lane->place[l] < R(0))
        return local;
    if (WALK_IS_RADIAL)
        return vec3_make(lane->aside[l], R(0), R(0));
    const real way = lane->owed_way[l] * scattering_part(lane->place[l], lane->owed_depth[l]);
    local.x += way * lane->in_nx[l];
    local.y += way * lane->in_ny[l];
    local.z += way * lane->in_nz[l];
    return local;
}

static void note_lane(struct pass *pass, struct lanes *lane, int l, struct notes *note)
{
    const int m = note->n++;
    const struct cell_view *gas = &pass->cell[lane->cell[l]];
    const struct vec3 local = share_place(lane, l);
    note->local_x[m] = local.x;
    note->local_y[m] = local.y;
    note->local_z[m] = local.z;
    note->width_x[m] = lane->width_x[l];
    note->width_y[m] = lane->width_y[l];
    note->width_z[m] = lane->width_z[l];
    note->n_x[m] = lane->in_nx[l];
    note->n_y[m] = lane->in_ny[l];
    note->n_z[m] = lane->in_nz[l];
    note->x[m] = lane->in_x[l];
    note->u[m] = lane->u[l];
    note->u_side[m] = lane->u_side[l];
    note->share[m] = lane->share[l];
    note->limit[m] = lane->limit[l];
    note->alpha0[m] = gas->alpha0;
    note->a[m] = gas->a;
    note->b[m] = gas->b;
    note->kappa[m] = gas->kappa;
    note->i[m] = lane->i[l];
    note->j[m] = lane->j[l];
    note->k[m] = lane->k[l];
    note->cell[m] = (int)lane->cell[l];
    note->batch[m] = lane->batch[l];
    if (WALK_IS_RADIAL) { /* toward an observer anywhere */
        const struct random4 random = rng_draw(pass->view.key, lane->draw[l]++, lane->id_low[l], lane->id_high[l]);
        const struct vec3 toward = direction_isotropic(random.r0, random.r1);
        note->toward_x[m] = toward.x;
        note->toward_y[m] = toward.y;
        note->toward_z[m] = toward.z;
        note->distance[m] = R_HUGE;
        note->along[m] = cell_velocity_along(gas, toward);
    }
}

static void look_toward(const struct pass *pass, int camera, struct notes *note)
{
    const struct transport_view *view = &pass->view;
    const struct camera_view *eye = &view->camera[camera];
    for (int m = 0; m < note->n; m++) {
        const struct camera_way way = way_to_camera(eye, &view->mesh, PLACE_OF(note, m));
        note->toward_x[m] = way.n.x;
        note->toward_y[m] = way.n.y;
        note->toward_z[m] = way.n.z;
        note->distance[m] = way.distance;
        note->along[m] = cell_velocity_along(&pass->cell[note->cell[m]], way.n);
        const struct shade_view shade = view->n_shade > 0 && !eye->perspective
                                            ? view->shade[eye->shade * view->n_cell + note->cell[m]]
                                            : shade_none();
        note->core[m] = shade.core;
        note->wing[m] = shade.wing;
        note->drift[m] = shade.drift;
        note->ratio[m] = shade.ratio;
    }
}

static inline __attribute__((always_inline)) void send_light(const struct transport_view *view, struct notes *note,
                                                             const int mode)
{
    const struct transport_view known = *view; /* a copy, which no store into a note can change */
    const int n = note->n;
#pragma omp simd
    for (int m = 0; m < n; m++) {
        const struct vec3 toward = vec3_make(note->toward_x[m], note->toward_y[m], note->toward_z[m]);
        const real g = note->n_x[m] * toward.x + note->n_y[m] * toward.y + note->n_z[m] * toward.z;
        const struct light light = light_toward(&known, note->a[m], note->b[m], note->along[m], g, note->x[m],
                                                note->u[m], note->u_side[m], note->share[m], mode);
        int worthwhile = 1;
        if (WALK_KNOWS_SHADE && mode != MODE_APPROXIMATE_VOIGT) { /* whose profile can be lower */
            const struct shade_view shade = {note->core[m], note->wing[m], note->drift[m], note->ratio[m]};
            const struct cell_exit exit =
                walk_exit(vec3_make(note->local_x[m], note->local_y[m], note->local_z[m]),
                          vec3_make(note->width_x[m], note->width_y[m], note->width_z[m]), toward);
            const real way = r_min(exit.distance, note->distance[m]);
            const real own = shade_own_depth(note->alpha0[m], note->a[m], note->kappa[m], light.x, way);
            worthwhile = own + shade_depth(shade, light.x) < note->limit[m];
        }
        note->light_x[m] = light.x;
        note->amount[m] = light.amount;
        note->channel[m] = worthwhile ? light.channel : -1;
    }
}

static void add_to_voxel(struct pass *pass, int64_t voxel, real amount)
{
    double *wide = pass->emissivity_wide;
    float *narrow = pass->tally->emissivity;
    if (wide && pass->alone)
        wide[voxel] += (double)amount;
    else if (wide)
        add(&wide[voxel], (double)amount);
    else if (pass->alone)
        narrow[voxel] += (float)amount;
    else
#pragma omp atomic
        narrow[voxel] += (float)amount;
}

/* The profile that packets see, of one photon. */
static inline __attribute__((always_inline)) real profile_of(const struct transport_view *view, real a, real x,
                                                             const int mode)
{
    if (mode == MODE_TABLE_GLOBAL || mode == MODE_TABLE_CONSTANT)
        return voigt_table(&view->table, a, x);
    if (mode == MODE_APPROXIMATE_VOIGT)
        return voigt_tanh_blend(a, x, (real)voigt_crossing((double)a));
    return voigt(a, x);
}

/* The light of a note, followed to where it is left or lost. */
static inline __attribute__((always_inline)) struct sight follow(const struct pass *pass, const struct notes *note,
                                                                 int m, const int mode)
{
    const struct transport_view *view = &pass->view;
    struct sight sight;
    sight.at = PLACE_OF(note, m);
    sight.n = vec3_make(note->toward_x[m], note->toward_y[m], note->toward_z[m]);
    sight.cell = note->cell[m];
    sight.x = note->light_x[m];
    sight.depth = R(0);
    sight.left = note->distance[m];
    sight.state = SIGHT_GOES_ON;
    sight.row = sight_first_row(sight.cell);
    while (sight.state == SIGHT_GOES_ON) {
        const real a = pass->cell[sight.cell].a;
        const struct leg x = sight_aim(view, &sight);
        real profile = profile_of(view, a, x.start, mode);
        if (WALK_IS_RADIAL && x.end != x.start)
            profile = leg_mean(profile, profile_of(view, a, x.middle, mode), profile_of(view, a, x.end, mode), R(1));
        sight_advance(view, &sight, note->limit[m], profile);
    }
    return sight;
}

/* The peel-off estimator: what leaves the mesh goes straight to the pixel that sees the scattering. */
static void peel(struct pass *pass, const struct notes *note, int m, int camera, real amount)
{
    const struct transport_job *job = pass->job;
    const struct transport_peel *image = &job->peel[camera];
    const struct vec3 corner = walk_corner(&pass->view.mesh, note->i[m], note->j[m], note->k[m]);
    const double point[3] = {(double)corner.x + (double)note->local_x[m] - image->corner[0],
                             (double)corner.y + (double)note->local_y[m] - image->corner[1],
                             (double)corner.z + (double)note->local_z[m] - image->corner[2]};
    double x = 0;
    double y = 0;
    for (int axis = 0; axis < 3; axis++) {
        x += point[axis] * image->right[axis] / image->pixel;
        y += point[axis] * image->up[axis] / image->pixel;
    }
    if (!(x >= 0 && x < image->n_x && y >= 0 && y < image->n_y))
        return;
    const int64_t group = note->batch[m] % job->n_deposit_group;
    const int64_t row = (group * job->n_channel + note->channel[m]) * image->n_y + (int)y;
    add(&pass->tally->peel[camera][row * image->n_x + (int)x], (double)amount);
}

static void leave_light(struct pass *pass, const struct notes *note, int m, int camera, const struct sight *sight)
{
    const struct transport_job *job = pass->job;
    const real amount = note->amount[m] * sight_transmission(sight->depth);
    const int64_t group = job->n_deposit_group > 1 ? note->batch[m] % job->n_deposit_group : 0;
    const int64_t row = (group * job->n_camera + camera) * job->n_row + sight->row;
    if (sight->state != SIGHT_IS_LEFT)
        return;
    if (job->peel)
        peel(pass, note, m, camera, amount);
    else
        add_to_voxel(pass, row * job->n_channel + note->channel[m], amount);
}

static inline __attribute__((always_inline)) void serve_notes(struct pass *pass, struct notes *note, const int mode)
{
    for (int c = 0; c < pass->view.n_camera; c++) {
        if (!WALK_IS_RADIAL)
            look_toward(pass, c, note);
        send_light(&pass->view, note, mode);
        for (int m = 0; m < note->n; m++) {
            if (note->channel[m] < 0)
                continue;
            const struct sight sight = follow(pass, note, m, mode);
            leave_light(pass, note, m, c, &sight);
        }
    }
    note->n = 0;
}

static inline __attribute__((always_inline)) void note_lanes(struct pass *pass, struct lanes *lane, struct notes *note,
                                                             const int mode)
{
    for (int l = 0; l < LANES; l++)
        if (lane->noted[l])
            note_lane(pass, lane, l, note);
    if (note->n >= ENOUGH_NOTES)
        serve_notes(pass, note, mode);
}

#endif
