/* A synthetic result with cubes and a scene, and a separate folder for each test. */
#ifndef LR_TEST_IMAGE_FIXTURE_H
#define LR_TEST_IMAGE_FIXTURE_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/constants.h"
#include "base/context.h"
#include "model/result.h"
#include "model/scene.h"

enum { IMAGE_X = 6, IMAGE_Y = 5, IMAGE_CHANNEL = 8, SCENE_X = 4, SCENE_Y = 3, SCENE_Z = 2, GLOW_SHIFT = 5 };

static const double image_distance = 10.0 * LR_PARSEC * 1000.0, image_km = 1e5;

/* The model that corresponds to the scene of the result; cells are 1 pc wide. */
static const char image_model[] = "mesh: {cells: [4, 3, 2], size: [4 pc, 3 pc, 2 pc]}\n"
                                  "channels: {number: 8, range: [-4 km/s, 4 km/s]}\n"
                                  "cameras:\n"
                                  "- {name: front, direction: +z, pixels: [6, 5], field: [6 pc, 5 pc]}\n"
                                  "- {name: near, position: [0 pc, 0 pc, 20 pc], pixels: 6, field: 20 deg}\n"
                                  "image: {emissivity: true, distance: 10 kpc}\n";

static inline float *image_floats(size_t n, float first, float step)
{
    float *values = malloc(n * sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        values[i] = first + step * (float)i;
    return values;
}

static inline double *image_doubles(size_t n, double first, double step)
{
    double *values = malloc(n * sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        values[i] = first + step * (double)i;
    return values;
}

static inline struct camera image_camera(bool near)
{
    struct camera camera = {.kind = near ? CAMERA_PERSPECTIVE : CAMERA_ORTHOGRAPHIC,
                            .toward = {0.0, 0.0, 1.0},
                            .right = {1.0, 0.0, 0.0},
                            .up = {0.0, 1.0, 0.0},
                            .field = {6.0 * LR_PARSEC, 5.0 * LR_PARSEC},
                            .pixels = {IMAGE_X, IMAGE_Y}};
    strcpy(camera.name, near ? "near" : "front");
    if (near) {
        camera.position[2] = 20.0 * LR_PARSEC;
        camera.field[0] = camera.field[1] = 20.0 * LR_PI / 180.0;
        camera.pixels[1] = IMAGE_X;
    }
    return camera;
}

static inline struct channels image_channels(void)
{
    return (struct channels){.n = IMAGE_CHANNEL, .first = -4.0 * image_km, .width = 1.0 * image_km};
}

static inline struct mesh image_mesh(void)
{
    return (struct mesh){.n = {SCENE_X, SCENE_Y, SCENE_Z},
                         .edge = {image_doubles(SCENE_X + 1, -2.0 * LR_PARSEC, LR_PARSEC),
                                  image_doubles(SCENE_Y + 1, -1.5 * LR_PARSEC, LR_PARSEC),
                                  image_doubles(SCENE_Z + 1, -1.0 * LR_PARSEC, LR_PARSEC)},
                         .face = {FACE_OPEN, FACE_OPEN, FACE_OPEN, FACE_OPEN, FACE_OPEN, FACE_OPEN}};
}

static inline struct scene *image_scene(void)
{
    enum { N_CELL = SCENE_X * SCENE_Y * SCENE_Z };
    struct scene *scene = calloc(1, sizeof *scene);
    scene->mesh = image_mesh();
    scene->nu0 = 2.466e15;
    scene->reference_b = 12.85 * image_km;
    scene->medium.alpha0.values = image_doubles(N_CELL, 1e-20, 1e-21);
    scene->medium.b.constant = 12.85 * image_km;
    scene->medium.a.constant = 4.7e-4;
    scene->medium.velocity[1].values = image_doubles(N_CELL, -1e6, 1e5);
    scene->line_source.values = image_doubles(N_CELL, 0.0, 1e-35); /* beyond float */
    scene->channels = image_channels();
    scene->refined = 1;
    scene->rows = light_rows_make(&scene->mesh, 1);
    scene->sky = image_doubles(IMAGE_CHANNEL * LIGHT_PARTS, 1e-3, 1e-4);
    scene->external = true;
    scene->n_point = 2;
    scene->point = calloc(2, sizeof *scene->point);
    for (int i = 0; i < 2; i++) {
        scene->point[i] = (struct scene_point){.camera = i, .position = {1e17, -2e17, i * 1e16}};
        scene->point[i].strength = image_doubles(IMAGE_CHANNEL * LIGHT_PARTS, 1e30, 1e29 * (i + 1));
    }
    scene->n_plane = 1;
    scene->plane = calloc(1, sizeof *scene->plane);
    scene->plane[0] = (struct scene_plane){.camera = 1, .axis = 2, .offset = -1e18, .isotropic = true, .side = -1};
    scene->plane[0].brightness = image_doubles(IMAGE_CHANNEL * LIGHT_PARTS, 5.0, 0.5);
    scene->n_glow = 2;
    scene->glow = calloc(2, sizeof *scene->glow);
    for (int i = 0; i < 2; i++) {
        scene->glow[i] = (struct scene_glow){.n = GLOW_SHIFT, .first = -2e5, .step = 1e5, .gas_frame = i == 0};
        scene->glow[i].below = image_doubles(GLOW_SHIFT, 0.0, 1.0 / (GLOW_SHIFT - 1));
    }
    scene->glow[0].strength.values = image_doubles(N_CELL, 1e-9, 1e-10);
    scene->glow[1].strength.constant = 3e-9;
    scene->n_camera = 2;
    scene->camera = calloc(2, sizeof *scene->camera);
    scene->emissivity = calloc(2, sizeof *scene->emissivity);
    for (int i = 0; i < 2; i++)
        scene->camera[i] = image_camera(i == 1);
    scene->emissivity[0].value = image_floats(scene_voxel_count(scene), 0.0f, 0.25f);
    scene->emissivity[0].error = image_floats(scene_voxel_count(scene), 0.0f, 0.01f);
    scene->emissivity[0].unit = 3e-42;
    return scene;
}

static inline lr_result *image_result(void)
{
    const size_t n = IMAGE_CHANNEL * IMAGE_Y * IMAGE_X;
    lr_result *result = calloc(1, sizeof *result);
    result->summary = (struct lr_summary){.packets = 1000, .packets_requested = 1000, .seed = 7, .precision = "mixed"};
    result->mesh = image_mesh();
    result->n_cube = 1;
    result->cube = calloc(1, sizeof *result->cube);
    result->cube[0] = (struct cube){.camera = image_camera(false),
                                    .channels = image_channels(),
                                    .nu0 = 2.466e15,
                                    .intensity = image_floats(n, 0.0f, 1.0f),
                                    .error = image_floats(n, 0.5f, 0.0f),
                                    .optical_depth = image_floats(n, 0.0f, 0.125f),
                                    .scale = 1e-18};
    result->image = (struct image_options){.unit = UNIT_JY_PER_SR,
                                           .distance = image_distance,
                                           .sky = {83.8 * LR_PI / 180.0, -5.4 * LR_PI / 180.0},
                                           .velocity = 10.0 * image_km,
                                           .moments = true,
                                           .peak = true,
                                           .spectrum = true,
                                           .optical_depth = true,
                                           .errors = true};
    result->scene = image_scene();
    result->model_text = strdup(image_model);
    result->model_resolved = strdup(image_model);
    strcpy(result->version, "0.1.0");
    return result;
}

struct image_fixture {
    lr_context *ctx;
    lr_result *result;
    char folder[64], prefix[96], path[96];
    int n_warning, n_info;
};

static inline void image_count_messages(void *user, enum lr_log_level level, const char *message)
{
    struct image_fixture *f = user;
    (void)message;
    f->n_warning += level == LR_LOG_WARNING;
    f->n_info += level == LR_LOG_INFO;
}

static inline int image_setup(void **state)
{
    struct image_fixture *f = calloc(1, sizeof *f);
    f->ctx = lr_context_create();
    lr_context_on_log(f->ctx, image_count_messages, f);
    f->result = image_result();
    strcpy(f->folder, "/tmp/linerad_test_XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->prefix, sizeof f->prefix, "%s/cloud", f->folder);
    snprintf(f->path, sizeof f->path, "%s/cloud.h5", f->folder);
    *state = f;
    return 0;
}

static inline int image_teardown(void **state)
{
    struct image_fixture *f = *state;
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", f->folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(name);
    }
    if (folder)
        closedir(folder);
    rmdir(f->folder);
    lr_result_free(f->result);
    lr_context_free(f->ctx);
    free(f);
    return 0;
}

static inline int image_count_files(const struct image_fixture *f)
{
    int n = 0;
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return n;
}

#endif
