/* Direct light of a star in the cells, for level populations: absorbed on the way and in the cell itself,
 *
 *     J = W n SUM_f p e^-tau (1 - e^-h) / h / SUM_f p,    h = (alpha p + kappa) l,
 *
 * with W its dilution, n its occupation number, p(f) the profile of the line along the way l of the light through the
 * cell, and tau(f) the depth from the star to the cell. A cell then absorbs as many photons as the light loses in it,
 * however thick it is. Included by cpu_levels.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_LEVEL_STAR_H
#define LR_BACKEND_CPU_LEVEL_STAR_H

#include <stdlib.h>
#include <string.h>

#include "backend/cpu_level_profile.h"
#include "backend/cpu_level_track.h"

struct star_scene {
    int n_line;
    real reach; /* |x| */
    const struct gas_view *gas;
    const struct line_glow *glow; /* [n_cell][n_line] */
};

struct star_desk {
    struct band band;
    struct track track;
    real *profile, *half; /* [n] */
    real *depth;          /* [n_line][n] of lines, from the star so far */
    real grey;            /* the same of dust */
    int failed;
};

static void star_desk_make(const struct level_job *job, struct star_desk *desk)
{
    const size_t n = (size_t)job->n_frequency;
    *desk = (struct star_desk){.band = {job->n_frequency, (real)job->frequency_first, (real)job->frequency_step},
                               .profile = (real *)calloc(n, sizeof(real)),
                               .half = (real *)calloc(n, sizeof(real)),
                               .depth = (real *)calloc(n * (size_t)job->n_line, sizeof(real))};
    desk->failed = !desk->profile || !desk->half || !desk->depth;
}

static void star_desk_free(struct star_desk *desk)
{
    free(desk->track.piece);
    free(desk->profile);
    free(desk->half);
    free(desk->depth);
}

/* A cell with desk->profile on the way of the light. */
static void dim_star(const struct star_scene *scene, int64_t cell, real length, struct interval at,
                     struct star_desk *desk)
{
    const real *profile = desk->profile;
    desk->grey += scene->gas[cell].kappa * length;
    for (int l = 0; l < scene->n_line; l++) {
        const real alpha = scene->glow[cell * scene->n_line + l].alpha * length;
        real *depth = desk->depth + (size_t)l * (size_t)desk->band.n;
#pragma omp simd
        for (int f = at.low; f < at.high; f++)
            depth[f] += alpha * profile[f];
    }
}

/* What a cell with desk->profile sees, in all lines. */
static void see_star(const struct star_scene *scene, const struct level_star *star, int64_t cell, struct interval at,
                     const struct star_desk *desk, double *light)
{
    const real *profile = desk->profile;
    const real length = (real)star->length[cell];
    const real grey = scene->gas[cell].kappa * length;
    const real before = desk->grey;
    for (int l = 0; l < scene->n_line; l++) {
        const real alpha = scene->glow[cell * scene->n_line + l].alpha * length;
        const real *depth = desk->depth + (size_t)l * (size_t)desk->band.n;
        real sum = R(0);
        real norm = R(0);
#pragma omp simd reduction(+ : sum, norm)
        for (int f = at.low; f < at.high; f++) {
            const struct step_weights here = step_weights_of(alpha * profile[f] + grey);
            sum += profile[f] * r_exp(-(depth[f] + before)) * (R(1) - here.to);
            norm += profile[f];
        }
        if (norm > R(0))
            light[l] += star->dilution[cell] * star->light[l] * (double)(sum / norm);
    }
}

static void forget_way(const struct star_scene *scene, struct star_desk *desk)
{
    memset(desk->depth, 0, (size_t)scene->n_line * (size_t)desk->band.n * sizeof *desk->depth);
    desk->grey = R(0);
}

/* ---- shells: outward from the centre ---- */

/* The velocity bends in the middle of a shell, so its profile is the mean of that over both halves. */
static struct interval shell_profile(const struct star_scene *scene, const struct shell_view *shells, int i,
                                     struct star_desk *desk)
{
    const double tiny = 1e-9 * shells->edge[shells->n];
    const double radius[3] = {fmax(shells->edge[i], tiny), shells->middle[i], shells->edge[i + 1]};
    const real inv_b = scene->gas[i].inv_b;
    real v[3];
    for (int k = 0; k < 3; k++)
        v[k] = shell_velocity(shells, scene->gas, radius[k], radius[k]);
    const real low = r_min(r_min(v[0], v[1]), v[2]);
    const real high = r_max(r_max(v[0], v[1]), v[2]);
    const struct interval at = line_interval(desk->band, low, high, inv_b, scene->reach);
    fill_profile(desk->band, v[0], v[1], inv_b, at, desk->profile);
    fill_profile(desk->band, v[1], v[2], inv_b, at, desk->half);
    for (int f = at.low; f < at.high; f++)
        desk->profile[f] = R(0.5) * (desk->profile[f] + desk->half[f]);
    return at;
}

static void shine_on_shells(const struct star_scene *scene, const struct shell_view *shells,
                            const struct level_star *star, struct star_desk *desk, double *light)
{
    forget_way(scene, desk);
    for (int i = 0; i < shells->n; i++) {
        const struct interval at = shell_profile(scene, shells, i, desk);
        if (scene->gas[i].has_gas)
            see_star(scene, star, i, at, desk, light + (size_t)i * (size_t)scene->n_line);
        dim_star(scene, i, (real)star->length[i], at, desk);
    }
}

/* ---- Cartesian: to the middle of each cell ---- */

/* Velocities along the way through the last cell. */
struct star_end {
    real v0, v1;
};

static struct line3 line_to_cell(const struct mesh_view *mesh, const struct level_star *star, int64_t cell)
{
    const int64_t at[3] = {cell / mesh->n[2] / mesh->n[1], cell / mesh->n[2] % mesh->n[1], cell % mesh->n[2]};
    struct line3 line;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double middle = (double)mesh->edge[axis][at[axis]] + 0.5 * (double)mesh->width[axis][at[axis]];
        line.p.x[axis] = star->point[axis];
        line.n.x[axis] = middle - star->point[axis];
        square += line.n.x[axis] * line.n.x[axis];
    }
    line.t_last = sqrt(square);
    for (int axis = 0; axis < 3; axis++)
        line.n.x[axis] = square > 0 ? line.n.x[axis] / line.t_last : axis == 0;
    return line;
}

/* Pieces up to the face of the cell, velocities as in track_cartesian(). In the cell itself the velocity goes on as it
 * came in. */
static struct star_end track_to_cell(const struct mesh_view *mesh, const struct gas_view *gas, struct line3 line,
                                     int64_t target, struct track *track)
{
    struct ray ray = ray_enter(mesh, line.p, line.n, 0, RAY_FAR);
    int last = -1;
    real last_length = R(0);
    real last_v = R(0);
    double way_so_far = 0;
    track->n = 0;
    for (int more = ray.hits; more && !track->failed && way_so_far < line.t_last;) {
        const struct passage way = ray_advance(mesh, &ray);
        more = way.more;
        if (!(way.length > R(0)) && way.cell != target)
            continue;
        const struct gas_view *cell = &gas[way.cell];
        const real v = cell->v[0] * ray.n.x + cell->v[1] * ray.n.y + cell->v[2] * ray.n.z;
        const int joined = last >= 0 && gas[last].has_gas && cell->has_gas;
        const real share = joined ? last_length / (last_length + way.length) : R(1);
        const int gliding = joined && r_abs(v - last_v) * r_max(cell->inv_b, gas[last].inv_b) > GLIDE_ABOVE;
        const real v_face = gliding ? share * v + (R(1) - share) * last_v : v;
        if (last >= 0)
            track_add(track,
                      (struct piece){
                          .cell = last, .length = R(0.5) * last_length, .v0 = last_v, .v1 = gliding ? v_face : last_v});
        if (way.cell == target)
            return (struct star_end){v_face, R(2) * v - v_face};
        track_add(track, (struct piece){.cell = way.cell, .length = R(0.5) * way.length, .v0 = v_face, .v1 = v});
        last = way.cell;
        last_length = way.length;
        last_v = v;
        way_so_far += (double)way.length;
    }
    const real *v = gas[target].v; /* rounding led the ray past the cell */
    const real there = v[0] * (real)line.n.x[0] + v[1] * (real)line.n.x[1] + v[2] * (real)line.n.x[2];
    return (struct star_end){there, there};
}

static void shine_on_cell(const struct star_scene *scene, const struct mesh_view *mesh, const struct level_star *star,
                          int64_t cell, struct star_desk *desk, double *light)
{
    const struct star_end end = track_to_cell(mesh, scene->gas, line_to_cell(mesh, star, cell), cell, &desk->track);
    forget_way(scene, desk);
    for (int i = 0; i < desk->track.n; i++) {
        const struct piece *piece = &desk->track.piece[i];
        const real inv_b = scene->gas[piece->cell].inv_b;
        const struct interval at = line_interval(desk->band, piece->v0, piece->v1, inv_b, scene->reach);
        fill_profile(desk->band, piece->v0, piece->v1, inv_b, at, desk->profile);
        dim_star(scene, piece->cell, piece->length, at, desk);
    }
    const real inv_b = scene->gas[cell].inv_b;
    const struct interval at = line_interval(desk->band, end.v0, end.v1, inv_b, scene->reach);
    fill_profile(desk->band, end.v0, end.v1, inv_b, at, desk->profile);
    see_star(scene, star, cell, at, desk, light);
}

#endif
