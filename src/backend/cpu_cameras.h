/* What lanes leave with the cameras: shares of scatterings in voxels, or straight in pixels (peel-off). Included by
 * cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CAMERAS_H
#define LR_BACKEND_CPU_CAMERAS_H

#include "backend/cpu_pass.h"
#include "kernel/aspect.h"
#include "kernel/deposit.h"
#include "kernel/voigt.h"

/* The first voxel of the lane's cell, for the first camera and aspect. */
static void find_voxel(const struct pass *pass, struct lanes *lane, int l)
{
    const struct transport_job *job = pass->job;
    const int64_t group = job->n_deposit_group > 1 ? lane->batch[l] % job->n_deposit_group : 0;
    const int64_t n_aspect = WALK_IS_RADIAL ? job->n_aspect : 1;
    lane->voxel[l] = (group * job->n_camera * job->n_cell + lane->cell[l]) * n_aspect * job->n_channel;
}

/* Directions to a camera, and what each lane leaves with it. */
struct sight {
    real x[LANES], y[LANES], z[LANES], projected[LANES]; /* projected: velocity of the gas toward the camera */
    real amount[LANES];
};

/* The channel and the amount for one camera; the amount is 0 where a lane leaves nothing. */
static inline __attribute__((always_inline)) void deposit_lanes(struct lanes *lane, const struct transport_view *view,
                                                                struct sight *sight, const int mode, const int dipole)
{
    const struct channel_view channels = view->channels;
    const real dipole_core = view->dipole_core;
    const real recoil_speed = view->recoil;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const real x = lane->in_x[l];
        const real g = lane->in_nx[l] * sight->x[l] + lane->in_ny[l] * sight->y[l] + lane->in_nz[l] * sight->z[l];
        const real e1 = !dipole ? R(0) : phase_in_core(lane->a[l], x) ? dipole_core : R(1);
        const real recoil = r_div(recoil_speed, lane->b[l]);
        const real x_out =
            mode == MODE_COMPLETE ? lane->u[l] : redistributed_frequency(x, lane->u[l], lane->u_side[l], g, recoil);
        const real shift = frequency_in_mesh_frame(x_out, lane->b[l], sight->projected[l]);
        lane->in_shift[l] = shift;
        lane->channel[l] = channel_of_shift(&channels, shift);
        sight->amount[l] = lane->share[l] * phase_toward(e1, g);
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

/* Voxels are far apart in memory: all of them are asked for before the first is needed. */
static void leave_shares(struct pass *pass, const struct lanes *lane, int camera, const struct sight *sight)
{
    const int64_t n_channel = pass->job->n_channel;
    const int64_t offset = (int64_t)camera * pass->job->n_cell * n_channel;
    int64_t voxel[LANES];
    int who[LANES];
    int n = 0;
    for (int l = 0; l < LANES; l++) {
        voxel[n] = lane->voxel[l] + offset + lane->channel[l];
        if (WALK_IS_RADIAL)
            voxel[n] += aspect_of(pass->job->n_aspect, sight->z[l]) * n_channel;
        who[n] = l;
        n += lane->share[l] > R(0) && lane->channel[l] >= 0;
    }
    for (int i = 0; i < n; i++)
        __builtin_prefetch(pass->emissivity_wide ? (const void *)&pass->emissivity_wide[voxel[i]]
                                                 : (const void *)&pass->tally->emissivity[voxel[i]],
                           1);
    for (int i = 0; i < n; i++)
        add_to_voxel(pass, voxel[i], sight->amount[who[i]]);
}

/* What is left of a photon at shift `shift` that flies from the lane's place to the observer. */
static real transmission(const struct pass *pass, const struct lanes *lane, int l, struct vec3 n, real shift)
{
    const struct mesh_view *mesh = &pass->view.mesh;
    struct place at = get_place(lane, l);
    real depth = R(0);
    for (;;) {
        const struct cell_view *cell = &pass->cell[walk_cell_index(mesh, at)];
        const struct cell_exit exit = walk_exit(at.local, at.width, n);
        const real x = (shift - cell_velocity_along(cell, n)) / cell->b;
        depth += exit.distance * (cell->alpha0 * voigt(cell->a, x) + cell->kappa);
        at.local.x += exit.distance * n.x;
        at.local.y += exit.distance * n.y;
        at.local.z += exit.distance * n.z;
        const struct crossing crossing = walk_cross(mesh, at, n, exit.axis);
        if (crossing.escaped || depth > R(80))
            return r_exp(-r_min(depth, R(80)));
        at = crossing.at;
    }
}

/* The peel-off estimator: every scattering sends its share straight to the pixel it would be seen in. */
static void peel(struct pass *pass, const struct lanes *lane, int l, int camera, struct vec3 toward, real amount)
{
    const struct transport_job *job = pass->job;
    const struct transport_peel *image = &job->peel[camera];
    const struct mesh_view *mesh = &pass->view.mesh;
    const struct vec3 corner = walk_corner(mesh, lane->i[l], lane->j[l], lane->k[l]);
    const double point[3] = {(double)corner.x + (double)lane->local_x[l] - image->corner[0],
                             (double)corner.y + (double)lane->local_y[l] - image->corner[1],
                             (double)corner.z + (double)lane->local_z[l] - image->corner[2]};
    double x = 0;
    double y = 0;
    for (int axis = 0; axis < 3; axis++) {
        x += point[axis] * image->right[axis] / image->pixel;
        y += point[axis] * image->up[axis] / image->pixel;
    }
    if (!(x >= 0 && x < image->n_x && y >= 0 && y < image->n_y))
        return;
    const int64_t group = lane->batch[l] % job->n_deposit_group;
    const int64_t row = (group * job->n_channel + lane->channel[l]) * image->n_y + (int)y;
    add(&pass->tally->peel[camera][row * image->n_x + (int)x],
        (double)(amount * transmission(pass, lane, l, toward, lane->in_shift[l])));
}

static void look_toward(const struct pass *pass, const struct lanes *lane, int camera, struct sight *sight)
{
    const struct camera_view *view = &pass->view.camera[camera];
    for (int l = 0; l < LANES; l++) {
        const struct vec3 toward =
            view->perspective ? camera_direction(view, &pass->view.mesh, get_place(lane, l)) : view->toward;
        sight->x[l] = toward.x;
        sight->y[l] = toward.y;
        sight->z[l] = toward.z;
        sight->projected[l] = cell_velocity_along(&pass->cell[lane->cell[l]], toward);
    }
}

/* SHELLS: toward an observer anywhere, one for each share. */
static void look_anywhere(const struct pass *pass, struct lanes *lane, struct sight *sight)
{
    for (int l = 0; l < LANES; l++) {
        const struct random4 random = rng_draw(pass->view.key, lane->draw[l], lane->id_low[l], lane->id_high[l]);
        const struct vec3 toward = direction_isotropic(random.r0, random.r1);
        lane->draw[l] += lane->share[l] > R(0) ? 1 : 0;
        sight->x[l] = toward.x;
        sight->y[l] = toward.y;
        sight->z[l] = toward.z;
        sight->projected[l] = cell_velocity_along(&pass->cell[lane->cell[l]], toward);
    }
}

static inline __attribute__((always_inline)) void serve_cameras(struct pass *pass, struct lanes *lane, const int mode)
{
    const struct transport_view *view = &pass->view;
    struct sight sight;
    for (int c = 0; c < view->n_camera; c++) {
        if (WALK_IS_RADIAL)
            look_anywhere(pass, lane, &sight);
        else
            look_toward(pass, lane, c, &sight);
        if (view->dipole)
            deposit_lanes(lane, view, &sight, mode, 1);
        else
            deposit_lanes(lane, view, &sight, mode, 0);
        if (!pass->job->peel) {
            leave_shares(pass, lane, c, &sight);
            continue;
        }
        for (int l = 0; l < LANES; l++)
            if (lane->share[l] > R(0) && lane->channel[l] >= 0)
                peel(pass, lane, l, c, vec3_make(sight.x[l], sight.y[l], sight.z[l]), sight.amount[l]);
    }
}

#endif
