#include "io/result/scene_match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- cameras ---- */

static bool same_direction(const struct camera *wanted, const struct camera *stored)
{
    const double tolerance = 1e-9;
    double difference = 0.0, size = 0.0;
    const bool near = stored->kind == CAMERA_PERSPECTIVE;
    for (int d = 0; d < 3; d++) {
        const double a = near ? wanted->position[d] : wanted->toward[d],
                     b = near ? stored->position[d] : stored->toward[d];
        difference = fmax(difference, fabs(a - b));
        size = fmax(size, fmax(fabs(b), near ? fabs(stored->centre[d] - b) : 1.0));
    }
    return wanted->kind == stored->kind && difference <= tolerance * size;
}

enum lr_status scene_match_cameras(lr_context *ctx, const char *path, const struct observation *wanted, int chosen,
                                   lr_scene *scene)
{
    const struct scene *stored = scene->scene;
    const bool anywhere = scene_is_gas_alone(stored);
    if (!anywhere && wanted->n_camera != stored->n_camera)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: has the emissivity for %d cameras, not for %d; adding a camera needs a new run", path,
                       stored->n_camera, wanted->n_camera);
    LR_TRY(lr_allocate(ctx, (size_t)wanted->n_camera, sizeof *scene->camera, &scene->camera));
    LR_TRY(lr_allocate(ctx, (size_t)wanted->n_camera, sizeof *scene->origin, &scene->origin));
    for (int i = 0; i < wanted->n_camera; i++) {
        if (chosen >= 0 && i != chosen)
            continue;
        if (!anywhere && !same_direction(&wanted->camera[i], &stored->camera[i]))
            return lr_fail(ctx, LR_ERROR_INPUT,
                           "%s: camera '%s': changing the %s of a camera needs a new run, because the result holds "
                           "light only for its own cameras",
                           path, wanted->camera[i].name,
                           stored->camera[i].kind == CAMERA_PERSPECTIVE ? "position" : "direction");
        scene->camera[scene->n_camera] = wanted->camera[i];
        scene->origin[scene->n_camera++] = anywhere ? 0 : i;
    }
    return LR_OK;
}

/* ---- channels ---- */

/* The divisors of n, as "2, 4, 8". */
static void list_divisors(int n, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 2; i <= n && used < size; i++)
        if (n % i == 0)
            used += (size_t)snprintf(text + used, size - used, "%s%d", used ? ", " : "", i);
}

static enum lr_status merge_channels(lr_context *ctx, const char *bin, struct channels *channels)
{
    char choices[256], *end = NULL;
    const long n = strtol(bin, &end, 10);
    if (end == bin || *end || n < 1 || n > channels->n || channels->n % n != 0) {
        list_divisors(channels->n, choices, sizeof choices);
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "bin %s: %d channels cannot be merged in groups of that size; choose %s, or another range", bin,
                       channels->n, *choices ? choices : "1");
    }
    channels->n /= (int)n;
    channels->width *= (double)n;
    return LR_OK;
}

static bool is_whole(double value, double *whole)
{
    *whole = round(value);
    return fabs(value - *whole) <= 1e-6 * fmax(1.0, fabs(value));
}

/* Gas alone can be viewed in any channels: rays are traced in those, and nothing stored has to match. */
static enum lr_status replace_channels(lr_context *ctx, const struct channels *wanted, lr_scene *scene)
{
    double *dark = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)wanted->n * LIGHT_PARTS, sizeof *dark, &dark));
    free(scene->scene->sky);
    scene->scene->sky = dark;
    scene->scene->channels = scene->channels = *wanted;
    scene->scene->refined = 1;
    return LR_OK;
}

enum lr_status scene_match_channels(lr_context *ctx, const char *path, const struct short_settings *brief,
                                    const struct channels *asked, lr_scene *scene)
{
    const double km = 1e5; /* cm */
    const struct channels *stored = &scene->scene->channels;
    const double width = scene->scene->refined * stored->width;
    const bool short_ones = brief->range || brief->bin, any = scene_is_gas_alone(scene->scene);
    struct channels wanted = *asked;
    if (!short_ones && any)
        return replace_channels(ctx, asked, scene);
    double merged = 0.0, skipped = 0.0, n = 0.0;
    if (brief->range && is_whole(wanted.n * wanted.width / width, &n) && n >= 1.0 && n <= stored->n) {
        wanted.width = width; /* a range keeps the channel width, not the number */
        wanted.n = (int)n;
    }
    if (brief->bin)
        LR_TRY(merge_channels(ctx, brief->bin, &wanted));
    if (!is_whole(wanted.width / stored->width, &merged) || merged < 1.0 ||
        !is_whole((wanted.first - stored->first) / stored->width, &skipped) || skipped < 0.0 ||
        skipped + merged * wanted.n > stored->n)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: the stored channels are %d of %.6g km/s from %.6g to %.6g km/s; new ones must begin and "
                       "end on these edges and be a whole number of them wide%s",
                       path, stored->n, stored->width / km, stored->first / km,
                       (stored->first + stored->n * stored->width) / km,
                       any ? ", unless set by channels.range and channels.number" : "");
    wanted.width = merged * stored->width;
    wanted.first = stored->first + skipped * stored->width;
    scene->channels = wanted;
    return LR_OK;
}
