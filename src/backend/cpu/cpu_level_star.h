/* Direct starlight (kernel/level_star.h) in vector loops over frequencies: on shells one outward ray, on other meshes
 * one ray to each cell. Included by cpu_levels.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_STAR_H
#define LR_BACKEND_CPU_CPU_LEVEL_STAR_H

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_level_profile.h"
#include "backend/cpu/cpu_level_track.h"
#include "backend/level_blends.h"
#include "kernel/level_blend_star.h"
#include "kernel/level_star.h"

struct star_scene {
    const struct level_job *job;
    const struct blend_view *blend; /* [n_blend] */
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
    real **blend;           /* [n_blend] room for lines that overlap */
    int failed;
};

static void star_desk_make(const struct star_scene *scene, struct star_desk *desk)
{
    const struct level_job *job = scene->job;
    const size_t n = (size_t)job->n_frequency;
    *desk = (struct star_desk){.band = band_make(job->n_frequency, job->frequency_first, job->frequency_step),
                               .profile = (real *)calloc(n, sizeof(real)),
                               .half = (real *)calloc(n, sizeof(real)),
                               .depth = (real *)calloc(n * (size_t)job->n_line, sizeof(real)),
                               .line = (struct star_line *)calloc((size_t)job->n_line, sizeof(struct star_line))};
    desk->failed = !desk->profile || !desk->half || !desk->depth || !desk->line;
    if (job->n_blend == 0)
        return;
    desk->blend = (real **)calloc((size_t)job->n_blend, sizeof *desk->blend);
    desk->failed = desk->failed || !desk->blend;
    for (int i = 0; desk->blend && i < job->n_blend; i++) {
        desk->blend[i] = (real *)calloc((size_t)BLEND_STAR_ROWS * (size_t)scene->blend[i].band.n, sizeof(real));
        desk->failed = desk->failed || !desk->blend[i];
    }
}

static void star_desk_free(const struct star_scene *scene, struct star_desk *desk)
{
    for (int i = 0; desk->blend && i < scene->job->n_blend; i++)
        free(desk->blend[i]);
    free(desk->blend);
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

static struct blend_star_room star_room(const struct star_scene *scene, const struct star_desk *desk, int i)
{
    return blend_star_room_at(scene->blend[i].band.n, desk->blend[i]);
}

/* Attenuates the light by a cell with desk->profile on its path, the span. */
static void dim_star(const struct star_scene *scene, int64_t cell, const struct star_span *span, struct interval at,
                     struct star_desk *desk)
{
    const real *profile = desk->profile;
    const real length = span->length;
    for (int i = 0; i < scene->job->n_blend; i++)
        blend_star_dim(&scene->blend[i], span, desk->line[scene->blend[i].first].least, scene->reach, 0, 1,
                       star_room(scene, desk, i));
    desk->grey += scene->gas[cell].kappa * length;
    for (int l = 0; l < level_alone_count(scene->job); l++) {
        const real alpha = scene->glow[cell * scene->n_line + l].alpha * length;
        const real least = desk->line[l].least;
        real *depth = desk->depth + (size_t)l * (size_t)desk->band.n;
#pragma omp simd
        for (int f = at.low; f < at.high; f++)
            depth[f] = star_dim(depth[f], alpha * profile[f], least);
    }
}

/* The same in a blend. */
static void see_star_blended(const struct star_scene *scene, const struct level_star *star, int64_t cell,
                             const struct star_span *span, int number, const struct star_desk *desk, double *light)
{
    const struct blend_view *blend = &scene->blend[number];
    const struct blend_star_room room = star_room(scene, desk, number);
    const real grey = scene->gas[cell].kappa * span->length;
    blend_star_depth(blend, span, scene->reach, 0, 1, room);
    for (int m = 0; m < blend->n; m++) {
        const struct star_line *line = &desk->line[blend->first + m];
        const struct blend_record seen =
            blend_star_see(blend, span, m, desk->grey, grey, line->brightest, scene->reach, 0, 1, room);
        light[blend->first + m] += star_light(star->dilution[cell], line->light, seen.entering, seen.profile);
    }
}

/* What a cell with desk->profile sees, in all lines. */
static void see_star(const struct star_scene *scene, const struct level_star *star, int64_t cell,
                     const struct star_span *span, struct interval at, const struct star_desk *desk, double *light)
{
    const real *profile = desk->profile;
    const real length = span->length;
    const real grey = scene->gas[cell].kappa * length;
    const real before = desk->grey;
    for (int i = 0; i < scene->job->n_blend; i++)
        see_star_blended(scene, star, cell, span, i, desk, light);
    for (int l = 0; l < level_alone_count(scene->job); l++) {
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
    for (int i = 0; i < scene->job->n_blend; i++)
        memset(star_room(scene, desk, i).tau, 0, (size_t)scene->blend[i].band.n * sizeof(real));
    desk->grey = R(0);
}

/* ---- shells: outward from the centre ---- */

/* The slope of the velocity changes in the middle of a shell, so its profile is the mean over both halves. */
static struct star_span shell_span(const struct star_scene *scene, const struct shell_view *shells,
                                   const struct level_star *star, int i)
{
    const struct shell_slide v = shell_slide_outward(shells, scene->gas, i);
    return (struct star_span){.v = {v.inner, v.middle, v.outer},
                              .parts = 2,
                              .inv_b = scene->gas[i].inv_b,
                              .length = (real)star->length[i],
                              .glow = scene->glow + (size_t)i * (size_t)scene->n_line};
}

static struct interval shell_profile(const struct star_scene *scene, const struct star_span *span,
                                     struct star_desk *desk)
{
    const real *v = span->v;
    const real low = r_min(r_min(v[0], v[1]), v[2]);
    const real high = r_max(r_max(v[0], v[1]), v[2]);
    const struct interval at = line_interval(&desk->band, low, high, span->inv_b, scene->reach);
    fill_profile(&desk->band, v[0], v[1], span->inv_b, at, desk->profile);
    fill_profile(&desk->band, v[1], v[2], span->inv_b, at, desk->half);
    for (int f = at.low; f < at.high; f++)
        desk->profile[f] = R(0.5) * (desk->profile[f] + desk->half[f]);
    return at;
}

static void shine_on_shells(const struct star_scene *scene, const struct shell_view *shells,
                            const struct level_star *star, struct star_desk *desk, double *light)
{
    forget_way(scene, desk);
    for (int i = 0; i < shells->n; i++) {
        const struct star_span span = shell_span(scene, shells, star, i);
        const struct interval at = shell_profile(scene, &span, desk);
        if (scene->gas[i].has_gas > R(0))
            see_star(scene, star, i, &span, at, desk, light + (size_t)i * (size_t)scene->n_line);
        dim_star(scene, i, &span, at, desk);
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

static struct star_span box_span(const struct star_scene *scene, int64_t cell, real length, real v0, real v1)
{
    return (struct star_span){.v = {v0, v1, R(0)},
                              .parts = 1,
                              .inv_b = scene->gas[cell].inv_b,
                              .length = length,
                              .glow = scene->glow + cell * scene->n_line};
}

static void shine_on_cell(const struct star_scene *scene, const struct mesh_view *mesh, const struct level_star *star,
                          int64_t cell, struct star_desk *desk, double *light)
{
    const struct point3 point = {{star->point[0], star->point[1], star->point[2]}};
    const struct star_end end = track_to_cell(mesh, scene->gas, point, cell, &desk->track);
    forget_way(scene, desk);
    for (int i = 0; i < desk->track.n; i++) {
        const struct piece *piece = &desk->track.piece[i];
        const struct star_span span = box_span(scene, piece->cell, piece->length, piece->v0, piece->v1);
        const struct interval at = line_interval(&desk->band, piece->v0, piece->v1, span.inv_b, scene->reach);
        fill_profile(&desk->band, piece->v0, piece->v1, span.inv_b, at, desk->profile);
        dim_star(scene, piece->cell, &span, at, desk);
    }
    const struct interval at = line_interval(&desk->band, end.v0, end.v1, end.visit.inv_b, scene->reach);
    fill_profile(&desk->band, end.v0, end.v1, end.visit.inv_b, at, desk->profile);
    const struct star_span span = box_span(scene, cell, (real)star->length[cell], end.v0, end.v1);
    see_star(scene, star, cell, &span, at, desk, light);
}

#endif
