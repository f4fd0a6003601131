#include "io/result/scene_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const char *setting, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(setting, key, length) == 0 && setting[length] == '=' ? setting + length + 1 : NULL;
}

static bool read_short(const char *setting, struct short_settings *brief)
{
    const struct {
        const char *key;
        const char **value;
    } list[] = {{"camera", &brief->camera}, {"pixels", &brief->pixels}, {"field", &brief->field},
                {"centre", &brief->centre}, {"range", &brief->range},   {"bin", &brief->bin}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *value = value_of(setting, list[i].key);
        if (value) {
            *list[i].value = value;
            return true;
        }
    }
    return false;
}

static enum lr_status add_setting(lr_context *ctx, struct scene_settings *settings, const char *key, const char *value)
{
    char *text = NULL;
    const size_t size = strlen(key) + strlen(value) + 2;
    LR_TRY(lr_allocate(ctx, size, 1, &text));
    snprintf(text, size, "%s=%s", key, value);
    settings->text[settings->n++] = text;
    return LR_OK;
}

static enum lr_status add_camera_setting(lr_context *ctx, struct scene_settings *settings, int camera, const char *name,
                                         const char *value)
{
    char key[64];
    if (!value)
        return LR_OK;
    snprintf(key, sizeof key, "cameras.%d.%s", camera, name);
    return add_setting(ctx, settings, key, value);
}

/* The short settings of cameras and channels, except `bin`, which models do not have. */
static enum lr_status write_out(lr_context *ctx, const struct scene *scene, struct scene_settings *settings)
{
    const struct short_settings *brief = &settings->brief;
    for (int i = 0; i < scene->n_camera; i++) {
        if (settings->camera >= 0 && i != settings->camera)
            continue;
        LR_TRY(add_camera_setting(ctx, settings, i, "pixels", brief->pixels));
        LR_TRY(add_camera_setting(ctx, settings, i, "field", brief->field));
        LR_TRY(add_camera_setting(ctx, settings, i, "centre", brief->centre));
    }
    return brief->range ? add_setting(ctx, settings, "channels.range", brief->range) : LR_OK;
}

static enum lr_status choose_camera(lr_context *ctx, const char *path, const struct scene *scene,
                                    struct scene_settings *settings)
{
    const char *name = settings->brief.camera;
    char names[512] = "";
    settings->camera = -1;
    if (!name)
        return LR_OK;
    for (int i = 0; i < scene->n_camera; i++) {
        const size_t used = strlen(names);
        if (strcmp(scene->camera[i].name, name) == 0)
            settings->camera = i;
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", scene->camera[i].name);
    }
    if (settings->camera < 0)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: no camera '%s'; it has %s", path, name, names);
    return LR_OK;
}

enum lr_status scene_settings_read(lr_context *ctx, const char *path, const struct scene *scene,
                                   const char *const *texts, int n, struct scene_settings *settings)
{
    enum { MOST_PER_CAMERA = 3 };
    const size_t most = (size_t)n + 1 + MOST_PER_CAMERA * (size_t)scene->n_camera;
    *settings = (struct scene_settings){.camera = -1};
    LR_TRY(lr_allocate(ctx, most, sizeof *settings->text, &settings->text));
    for (int i = 0; i < n; i++)
        if (!read_short(texts[i], &settings->brief)) {
            LR_TRY(lr_copy_text(ctx, texts[i], &settings->text[settings->n]));
            settings->n++;
        }
    LR_TRY(choose_camera(ctx, path, scene, settings));
    return write_out(ctx, scene, settings);
}

void scene_settings_free(struct scene_settings *settings)
{
    for (int i = 0; i < settings->n; i++)
        free(settings->text[i]);
    free(settings->text);
}
