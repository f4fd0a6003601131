/* Direct starlight (kernel/level_star.h) in vector loops over frequencies: on shells one outward ray, on other meshes
 * one ray to each cell. Included by cpu_levels.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_STAR_H
#define LR_BACKEND_CPU_CPU_LEVEL_STAR_H

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_level_profile.h"
#include "backend/cpu/cpu_level_track.h"
#include "kernel/level_star.h"

struct star_scene {
    int n_line;
    real reach; /* |x| */
    const struct gas_view *gas;
    const struct line_glow *glow; /* [n_cell][n_line] */
};

struct star_desk {
    struct band band;
    struct track track;
    real *profile, *half;   /* [n] */
    real *depth;            /* [n_line][n] depth of the lines, from the star so far */
    real grey;              /* the same for dust */
    struct star_line *line; /* [n_line] of the star */
    int failed;
};

static void star_desk_make(const struct level_job *job, struct star_desk *desk)
{
    const size_t n = (size_t)job->n_frequency;
    *desk = (struct star_desk){.band = band_make(job->n_frequency, job->frequency_first, job->frequency_step),
                               .profile = (real *)calloc(n, sizeof(real)),
                               .half = (real *)calloc(n, sizeof(real)),
                               .depth = (real *)calloc(n * (size_t)job->n_line, sizeof(real)),
                               .line = (struct star_line *)calloc((size_t)job->n_line, sizeof(struct star_line))};
    desk->failed = !desk->profile || !desk->half || !desk->depth || !desk->line;
}

static void star_desk_free(struct star_desk *desk)
{
    free(desk->track.piece);
    free(desk->profile);
    free(desk->half);
    free(desk->depth);
    free(desk->line);
}

/* Prepares for the cells of a star. */
static void star_desk_turn(const struct star_scene *scene, const struct level_star *star, struct star_desk *desk)
{
    for (int l = 0; l < scene->n_line; l++)
        desk->line[l] = star_line_of(star->light[l]);
}

/* Attenuates the light by a cell with desk->profile on its path. */
static void dim_star(const struct star_scene *scene, int64_t cell, real length, struct interval at,
                     struct star_desk *desk)
{
    const real *profile = desk->profile;
    desk->grey += scene->gas[cell].kappa * length;
    for (int l = 0; l < scene->n_line; l++) {
        const real alpha = scene->glow[cell * scene->n_line + l].alpha * length;
        const real least = desk->line[l].least;
        real *depth = desk->depth + (size_t)l * (size_t)desk->band.n;
#pragma omp simd
        for (int f = at.low; f < at.high; f++)
            depth[f] = star_dim(depth[f], alpha * profile[f], least);
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
        const real brightest = desk->line[l].brightest;
        real sum = R(0);
        real norm = R(0);
#pragma omp simd reduction(+ : sum, norm)
        for (int f = at.low; f < at.high; f++) {
            sum += profile[f] * star_seen(depth[f] + before, alpha * profile[f] + grey, brightest);
            norm += profile[f];
        }
        light[l] += star_light(star->dilution[cell], desk->line[l].light, sum, norm);
    }
}

static void forget_way(const struct star_scene *scene, struct star_desk *desk)
{
    memset(desk->depth, 0, (size_t)scene->n_line * (size_t)desk->band.n * sizeof *desk->depth);
    desk->grey = R(0);
}

/* ---- shells: outward from the centre ---- */

/* The slope of the velocity changes in the middle of a shell, so its profile is the mean over both halves. */
static struct interval shell_profile(const struct star_scene *scene, const struct shell_view *shells, int i,
                                     struct star_desk *desk)
{
    const struct shell_slide v = shell_slide_outward(shells, scene->gas, i);
    const real inv_b = scene->gas[i].inv_b;
    const real low = r_min(r_min(v.inner, v.middle), v.outer);
    const real high = r_max(r_max(v.inner, v.middle), v.outer);
    const struct interval at = line_interval(&desk->band, low, high, inv_b, scene->reach);
    fill_profile(&desk->band, v.inner, v.middle, inv_b, at, desk->profile);
    fill_profile(&desk->band, v.middle, v.outer, inv_b, at, desk->half);
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
        if (scene->gas[i].has_gas > R(0))
            see_star(scene, star, i, at, desk, light + (size_t)i * (size_t)scene->n_line);
        dim_star(scene, i, (real)star->length[i], at, desk);
    }
}

/* ---- boxes: to the middle of each cell ---- */

/* Pieces of the path up to the face of the cell. */
static struct star_end track_to_cell(const struct mesh_view *mesh, const struct gas_view *gas, struct point3 star,
                                     int64_t target, struct track *track)
{
    struct star_way way = star_way_to(mesh, star, target);
    track->n = 0;
    while (star_way_goes_on(&way) && !track->failed) {
        const struct star_step step = star_way_next(mesh, gas, target, &way);
        if (!step.counts)
            continue;
        if (step.last.cell >= 0)
            track_add(track, piece_to_face(&step.last, &step.here, &step.face));
        if (step.arrives)
            return star_end_at(&step);
        track_add(track, piece_from_face(&step.last, &step.here, &step.face, R(0)));
    }
    return star_end_beside(gas, target, &way);
}

static void shine_on_cell(const struct star_scene *scene, const struct mesh_view *mesh, const struct level_star *star,
                          int64_t cell, struct star_desk *desk, double *light)
{
    const struct point3 point = {{star->point[0], star->point[1], star->point[2]}};
    const struct star_end end = track_to_cell(mesh, scene->gas, point, cell, &desk->track);
    forget_way(scene, desk);
    for (int i = 0; i < desk->track.n; i++) {
        const struct piece *piece = &desk->track.piece[i];
        const real inv_b = scene->gas[piece->cell].inv_b;
        const struct interval at = line_interval(&desk->band, piece->v0, piece->v1, inv_b, scene->reach);
        fill_profile(&desk->band, piece->v0, piece->v1, inv_b, at, desk->profile);
        dim_star(scene, piece->cell, piece->length, at, desk);
    }
    const struct interval at = line_interval(&desk->band, end.v0, end.v1, end.visit.inv_b, scene->reach);
    fill_profile(&desk->band, end.v0, end.v1, end.visit.inv_b, at, desk->profile);
    see_star(scene, star, cell, at, desk, light);
}

#endif
