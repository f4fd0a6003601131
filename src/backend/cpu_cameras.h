/* What lanes leave with the cameras: light toward them, followed as far as sight.h says, or straight into pixels
 * (peel-off). Included by cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CAMERAS_H
#define LR_BACKEND_CPU_CAMERAS_H

#include "backend/cpu_pass.h"
#include "kernel/sight.h"
#include "kernel/voigt.h"

/* Light of each lane toward one camera. */
struct outlook {
    real x[LANES], y[LANES], z[LANES]; /* direction */
    real projected[LANES];             /* velocity of the gas toward the camera */
    real distance[LANES];
    real frequency[LANES]; /* in the gas */
    real amount[LANES];
    int32_t channel[LANES];
    int32_t worthwhile[LANES]; /* some of it may get out of the cell */
};

static struct place share_place(const struct lanes *lane, int l)
{
    struct place at = get_place(lane, l);
    at.local = vec3_make(lane->in_local_x[l], lane->in_local_y[l], lane->in_local_z[l]);
    return at;
}

/* Direction, channel and amount are known of all lanes before the first photon sets out. */
static inline __attribute__((always_inline)) void scatter_outward(const struct lanes *lane,
                                                                  const struct transport_view *view,
                                                                  struct outlook *out, const int mode, const int dipole)
{
    const struct channel_view channels = view->channels;
    const real dipole_core = view->dipole_core;
    const real recoil_speed = view->recoil;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const real x = lane->in_x[l];
        const real g = lane->in_nx[l] * out->x[l] + lane->in_ny[l] * out->y[l] + lane->in_nz[l] * out->z[l];
        const real e1 = !dipole ? R(0) : phase_in_core(lane->a[l], x) ? dipole_core : R(1);
        const real recoil = r_div(recoil_speed, lane->b[l]);
        const real x_out =
            mode == MODE_COMPLETE ? lane->u[l] : redistributed_frequency(x, lane->u[l], lane->u_side[l], g, recoil);
        const int channel = channel_of_shift(&channels, frequency_in_mesh_frame(x_out, lane->b[l], out->projected[l]));
        real least = R(0);
        if (!WALK_IS_RADIAL && mode != MODE_APPROXIMATE_VOIGT) { /* whose profile can be lower */
            const struct cell_exit exit =
                walk_exit(vec3_make(lane->in_local_x[l], lane->in_local_y[l], lane->in_local_z[l]),
                          vec3_make(lane->width_x[l], lane->width_y[l], lane->width_z[l]),
                          vec3_make(out->x[l], out->y[l], out->z[l]));
            const struct shade_view shade = {lane->shade[l], lane->slack[l]};
            least = r_max(sight_least_depth(lane->alpha0[l], lane->a[l], lane->kappa[l], x_out,
                                            r_min(exit.distance, out->distance[l])),
                          out->distance[l] < R_HUGE ? R(0) : shade_depth(shade, x_out));
        }
        out->frequency[l] = x_out;
        out->channel[l] = channel;
        out->amount[l] = lane->share[l] * phase_toward(e1, g);
        out->worthwhile[l] = (lane->share[l] > R(0)) & (channel >= 0) & (least < lane->limit[l]);
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

/* The photon of a lane, followed to where it is left or lost. */
static inline __attribute__((always_inline)) struct sight follow(const struct pass *pass, const struct lanes *lane,
                                                                 const struct outlook *out, int l, const int mode)
{
    const struct transport_view *view = &pass->view;
    struct sight sight;
    sight.at = share_place(lane, l);
    sight.n = vec3_make(out->x[l], out->y[l], out->z[l]);
    sight.cell = (int)lane->cell[l];
    sight.x = out->frequency[l];
    sight.depth = R(0);
    sight.left = out->distance[l];
    sight.state = SIGHT_GOES_ON;
    sight.row = sight_first_row(sight.cell);
    while (sight.state == SIGHT_GOES_ON) {
        const real x = sight_aim(view, &sight);
        sight_advance(view, &sight, lane->limit[l], profile_of(view, pass->cell[sight.cell].a, x, mode));
    }
    return sight;
}

/* The row of the first camera in the sums of the lane's group. */
static int64_t first_row(const struct pass *pass, const struct lanes *lane, int l)
{
    const struct transport_job *job = pass->job;
    const int64_t group = job->n_deposit_group > 1 ? lane->batch[l] % job->n_deposit_group : 0;
    return group * job->n_camera * job->n_row;
}

/* The peel-off estimator: what leaves the mesh goes straight to the pixel that sees the scattering. */
static void peel(struct pass *pass, const struct lanes *lane, const struct outlook *out, int l, int camera, real amount)
{
    const struct transport_job *job = pass->job;
    const struct transport_peel *image = &job->peel[camera];
    const struct mesh_view *mesh = &pass->view.mesh;
    const struct vec3 corner = walk_corner(mesh, lane->i[l], lane->j[l], lane->k[l]);
    const double point[3] = {(double)corner.x + (double)lane->in_local_x[l] - image->corner[0],
                             (double)corner.y + (double)lane->in_local_y[l] - image->corner[1],
                             (double)corner.z + (double)lane->in_local_z[l] - image->corner[2]};
    double x = 0;
    double y = 0;
    for (int axis = 0; axis < 3; axis++) {
        x += point[axis] * image->right[axis] / image->pixel;
        y += point[axis] * image->up[axis] / image->pixel;
    }
    if (!(x >= 0 && x < image->n_x && y >= 0 && y < image->n_y))
        return;
    const int64_t group = lane->batch[l] % job->n_deposit_group;
    const int64_t row = (group * job->n_channel + out->channel[l]) * image->n_y + (int)y;
    add(&pass->tally->peel[camera][row * image->n_x + (int)x], (double)amount);
}

static void look_toward(const struct pass *pass, const struct lanes *lane, int camera, struct outlook *out)
{
    const struct camera_view *view = &pass->view.camera[camera];
    for (int l = 0; l < LANES; l++) {
        const struct camera_way way = way_to_camera(view, &pass->view.mesh, share_place(lane, l));
        out->x[l] = way.n.x;
        out->y[l] = way.n.y;
        out->z[l] = way.n.z;
        out->distance[l] = way.distance;
        out->projected[l] = cell_velocity_along(&pass->cell[lane->cell[l]], way.n);
    }
}

/* SHELLS: toward an observer anywhere, one for each share. */
static void look_anywhere(const struct pass *pass, struct lanes *lane, struct outlook *out)
{
    for (int l = 0; l < LANES; l++) {
        const struct random4 random = rng_draw(pass->view.key, lane->draw[l], lane->id_low[l], lane->id_high[l]);
        const struct vec3 toward = direction_isotropic(random.r0, random.r1);
        lane->draw[l] += lane->share[l] > R(0) ? 1 : 0;
        out->x[l] = toward.x;
        out->y[l] = toward.y;
        out->z[l] = toward.z;
        out->distance[l] = R_HUGE;
        out->projected[l] = cell_velocity_along(&pass->cell[lane->cell[l]], toward);
    }
}

static inline __attribute__((always_inline)) void serve_cameras(struct pass *pass, struct lanes *lane, const int mode)
{
    const struct transport_view *view = &pass->view;
    struct outlook out;
    for (int c = 0; c < view->n_camera; c++) {
        if (WALK_IS_RADIAL)
            look_anywhere(pass, lane, &out);
        else
            look_toward(pass, lane, c, &out);
        if (view->dipole)
            scatter_outward(lane, view, &out, mode, 1);
        else
            scatter_outward(lane, view, &out, mode, 0);
        for (int l = 0; l < LANES; l++) {
            if (!out.worthwhile[l])
                continue;
            const struct sight sight = follow(pass, lane, &out, l, mode);
            const real amount = out.amount[l] * sight_transmission(sight.depth);
            const int64_t row = first_row(pass, lane, l) + c * pass->job->n_row + sight.row;
            if (sight.state == SIGHT_IS_LEFT && pass->job->peel)
                peel(pass, lane, &out, l, c, amount);
            else if (sight.state == SIGHT_IS_LEFT)
                add_to_voxel(pass, row * pass->job->n_channel + out.channel[l], amount);
        }
    }
}

#endif
