/* A stored scene and the images to be made from it: which cameras, which channels, and how.
 *
 * Settings of the sections cameras, channels and image are those of a model. Short ones apply to all cameras, or to the
 * one selected by `camera`, and are expanded here, where the stored scene is known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/stored_observation.h"
#include "io/result/scene_read.h"
#include "model/result.h"

/* The short settings, NULL if not given, as pointers into the settings. */
struct wishes {
    const char *camera, *pixels, *field, *centre; /* of cameras */
    const char *range, *bin;                      /* of channels */
};

struct settings {
    char **text; /* owned */
    int n;
};

/* ---- short settings ---- */

static const char *value_of(const char *setting, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(setting, key, length) == 0 && setting[length] == '=' ? setting + length + 1 : NULL;
}

static bool read_wish(const char *setting, struct wishes *wishes)
{
    const struct {
        const char *key;
        const char **value;
    } list[] = {{"camera", &wishes->camera}, {"pixels", &wishes->pixels}, {"field", &wishes->field},
                {"centre", &wishes->centre}, {"range", &wishes->range},   {"bin", &wishes->bin}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *value = value_of(setting, list[i].key);
        if (value) {
            *list[i].value = value;
            return true;
        }
    }
    return false;
}

static enum lr_status add_setting(lr_context *ctx, struct settings *settings, const char *key, const char *value)
{
    char *text = NULL;
    const size_t size = strlen(key) + strlen(value) + 2;
    LR_TRY(lr_allocate(ctx, size, 1, &text));
    snprintf(text, size, "%s=%s", key, value);
    settings->text[settings->n++] = text;
    return LR_OK;
}

static enum lr_status add_camera_setting(lr_context *ctx, struct settings *settings, int camera, const char *name,
                                         const char *value)
{
    char key[64];
    if (!value)
        return LR_OK;
    snprintf(key, sizeof key, "cameras.%d.%s", camera, name);
    return add_setting(ctx, settings, key, value);
}

/* `chosen` is the index of a camera, or -1 for all. */
static enum lr_status add_wishes(lr_context *ctx, const struct scene *scene, const struct wishes *wishes, int chosen,
                                 struct settings *settings)
{
    for (int i = 0; i < scene->n_camera; i++) {
        if (chosen >= 0 && i != chosen)
            continue;
        LR_TRY(add_camera_setting(ctx, settings, i, "pixels", wishes->pixels));
        LR_TRY(add_camera_setting(ctx, settings, i, "field", wishes->field));
        LR_TRY(add_camera_setting(ctx, settings, i, "centre", wishes->centre));
    }
    return wishes->range ? add_setting(ctx, settings, "channels.range", wishes->range) : LR_OK;
}

static enum lr_status choose_camera(lr_context *ctx, const char *path, const struct scene *scene, const char *name,
                                    int *chosen)
{
    char names[512] = "";
    *chosen = -1;
    if (!name)
        return LR_OK;
    for (int i = 0; i < scene->n_camera; i++) {
        const size_t used = strlen(names);
        if (strcmp(scene->camera[i].name, name) == 0)
            *chosen = i;
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", scene->camera[i].name);
    }
    if (*chosen < 0)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: no camera '%s'; it has %s", path, name, names);
    return LR_OK;
}

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

static enum lr_status keep_cameras(lr_context *ctx, const char *path, const struct observation *wanted, int chosen,
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

/* The channels of the images are whole stored ones, consecutive or merged; rounding is removed. */
static enum lr_status keep_channels(lr_context *ctx, const char *path, const struct wishes *wishes,
                                    const struct channels *asked, lr_scene *scene)
{
    const double km = 1e5; /* cm */
    const struct channels *stored = &scene->scene->channels;
    const double width = scene->scene->refined * stored->width;
    const bool short_ones = wishes->range || wishes->bin, any = scene_is_gas_alone(scene->scene);
    struct channels wanted = *asked;
    if (!short_ones && any)
        return replace_channels(ctx, asked, scene);
    double merged = 0.0, skipped = 0.0, n = 0.0;
    if (wishes->range && is_whole(wanted.n * wanted.width / width, &n) && n >= 1.0 && n <= stored->n) {
        wanted.width = width; /* a range keeps the channel width, not the number */
        wanted.n = (int)n;
    }
    if (wishes->bin)
        LR_TRY(merge_channels(ctx, wishes->bin, &wanted));
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

/* ---- the scene ---- */

static enum lr_status observe(lr_context *ctx, const char *path, const struct wishes *wishes, int chosen,
                              const struct settings *settings, lr_scene *scene)
{
    const struct scene *stored = scene->scene;
    const struct observed seen = {
        .mesh = &stored->mesh, .medium = &stored->medium, .scale = {stored->nu0, stored->reference_b}};
    const struct stored_text text = {path, scene->model_resolved, (const char *const *)settings->text, settings->n};
    struct observation wanted;
    enum lr_status status = read_stored_observation(ctx, &text, &seen, &scene->run, &wanted);
    if (status == LR_OK)
        status = keep_cameras(ctx, path, &wanted, chosen, scene);
    if (status == LR_OK)
        status = keep_channels(ctx, path, wishes, &wanted.channels, scene);
    scene->image = wanted.image;
    free(wanted.camera);
    return status;
}

static enum lr_status apply_settings(lr_context *ctx, const char *path, const char *const *texts, int n,
                                     struct settings *settings, lr_scene *scene)
{
    struct wishes wishes = {NULL};
    int chosen = -1;
    for (int i = 0; i < n; i++)
        if (!read_wish(texts[i], &wishes)) {
            LR_TRY(lr_copy_text(ctx, texts[i], &settings->text[settings->n]));
            settings->n++;
        }
    LR_TRY(choose_camera(ctx, path, scene->scene, wishes.camera, &chosen));
    LR_TRY(add_wishes(ctx, scene->scene, &wishes, chosen, settings));
    return observe(ctx, path, &wishes, chosen, settings, scene);
}

static enum lr_status choose(lr_context *ctx, const char *path, const char *const *texts, int n, lr_scene *scene)
{
    struct settings settings = {NULL, 0};
    enum { MOST_PER_CAMERA = 3 };
    const size_t most = (size_t)n + 1 + MOST_PER_CAMERA * (size_t)scene->scene->n_camera;
    enum lr_status status = lr_allocate(ctx, most, sizeof *settings.text, &settings.text);
    if (status == LR_OK)
        status = apply_settings(ctx, path, texts, n, &settings, scene);
    for (int i = 0; i < settings.n; i++)
        free(settings.text[i]);
    free(settings.text);
    return status;
}

enum lr_status lr_scene_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                             lr_scene **scene)
{
    LR_TRY(lr_allocate(ctx, 1, sizeof **scene, scene));
    enum lr_status status = scene_read(ctx, path, &(*scene)->scene, &(*scene)->model_text, &(*scene)->model_resolved);
    if (status == LR_OK)
        status = choose(ctx, path, settings, n_setting, *scene);
    if (status != LR_OK) {
        lr_scene_free(*scene);
        *scene = NULL;
    }
    return status;
}

/* ---- of a result in memory ---- */

/* Everything belongs to the result except the channels and their sky, which may be replaced. */
static enum lr_status share(lr_context *ctx, const lr_result *result, lr_scene *scene)
{
    const size_t n = (size_t)result->scene->channels.n * LIGHT_PARTS;
    LR_TRY(lr_allocate(ctx, 1, sizeof *scene->scene, &scene->scene));
    scene->shared = true;
    *scene->scene = *result->scene;
    scene->scene->sky = NULL;
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &scene->scene->sky));
    memcpy(scene->scene->sky, result->scene->sky, n * sizeof(double));
    LR_TRY(lr_copy_text(ctx, result->model_text, &scene->model_text));
    return lr_copy_text(ctx, result->model_resolved, &scene->model_resolved);
}

enum lr_status lr_scene_from_result(lr_context *ctx, const lr_result *result, const char *const *settings,
                                    int n_setting, lr_scene **scene)
{
    *scene = NULL;
    if (!result->scene)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the result does not contain the gas and its emission, which new images need; run the model "
                       "with image.emissivity: true, and load results from files with lr_scene_load()");
    LR_TRY(lr_allocate(ctx, 1, sizeof **scene, scene));
    enum lr_status status = share(ctx, result, *scene);
    if (status == LR_OK)
        status = choose(ctx, "result", settings, n_setting, *scene);
    if (status != LR_OK) {
        lr_scene_free(*scene);
        *scene = NULL;
    }
    return status;
}
