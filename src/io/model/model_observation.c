/* Sections `channels`, `cameras` and `image` together: all or none, and channels that include the line. Also reads them
 * again when new images are made from a stored emissivity. */
#include "io/model/model_observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/document.h"
#include "io/model/model_load.h"
#include "io/model/model_options.h"
#include "io/model/model_shift.h"
#include "io/model/model_value.h"

static enum lr_status read_channels(const struct reader *r, const struct yaml_node *node, struct channels *channels)
{
    const struct yaml_node *number = NULL, *range_node = NULL;
    double shift[2] = {0};
    *channels = (struct channels){0};
    LR_TRY(READER_KEYS(r, node, &SCHEMA_CHANNELS));
    LR_TRY(require_key(r, node, "number", &number));
    LR_TRY(require_key(r, node, "range", &range_node));
    LR_TRY(read_int(r, number, 1, MAX_CHANNEL, &channels->n));
    LR_TRY(read_shift_range(r, range_node, shift));
    LR_TRY(read_auto(r, yaml_find(node, "samples"), MAX_SAMPLES, &channels->samples));
    channels->first = 0.0 - shift[1]; /* velocities run the other way */
    channels->width = (shift[1] - shift[0]) / channels->n;
    return LR_OK;
}

/* ---- Is the line in the channels? ---- */

/* Whether the cell contributes to the line: it has opacity, or a source with the profile of the gas. */
static bool cell_shows_line(const lr_model *model, int64_t cell)
{
    bool shows = field_at(&model->medium.alpha0, cell) > 0.0;
    for (int i = 0; i < model->n_source && !shows; i++)
        shows = model->source[i].kind == SOURCE_VOLUME && model->source[i].spectrum.kind == SPECTRUM_LOCAL &&
                field_at(&model->source[i].emissivity, cell) > 0.0;
    return shows;
}

/* Radio velocities of the line core of a cell, three Doppler parameters on each side. */
static void find_core(const lr_model *model, const struct camera *camera, int64_t cell, double core[2])
{
    double centre = 0.0, half = 3.0 * field_at(&model->medium.b, cell);
    if (model->mesh.kind == MESH_SHELLS) /* gas that approaches as fast as it recedes */
        half += fabs(field_at(&model->medium.velocity[0], cell));
    for (int d = 0; d < 3 && model->mesh.kind != MESH_SHELLS; d++)
        centre -= field_at(&model->medium.velocity[d], cell) * camera->toward[d];
    core[0] = centre - half;
    core[1] = centre + half;
}

/* The velocity range of the whole line; true as soon as a cell with a core in the channels is found. */
static bool line_is_inside(const lr_model *model, const struct camera *camera, double line[2])
{
    const struct channels *channels = &model->channels;
    double last = channels->first + channels->n * channels->width;
    line[0] = INFINITY;
    line[1] = -INFINITY;
    for (int64_t cell = 0; cell < mesh_cell_count(&model->mesh); cell++) {
        double core[2];
        if (!cell_shows_line(model, cell))
            continue;
        find_core(model, camera, cell, core);
        if (core[0] <= last && core[1] >= channels->first)
            return true;
        line[0] = fmin(line[0], core[0]);
        line[1] = fmax(line[1], core[1]);
    }
    return line[0] > line[1]; /* no cell shows the line: nothing to warn about */
}

static void warn_of_missed_line(const struct reader *r, const struct yaml_node *channels)
{
    const double km_s = 1e5;
    for (int i = 0; i < r->model->n_camera; i++) {
        double line[2];
        if (!line_is_inside(r->model, &r->model->camera[i], line))
            READER_WARN(r, yaml_find(channels, "range"),
                        "the channels miss the line as seen by camera '%s', at %.4g to %.4g km/s",
                        r->model->camera[i].name, line[0] / km_s, line[1] / km_s);
    }
}

/* Levels in LTE, or given ones, and no camera to see the light. */
static void warn_of_nothing(const struct reader *r)
{
    const lr_model *model = r->model;
    const struct yaml_node *line = yaml_find(r->tree->root, "line");
    if (model->n_camera == 0 && model->run.packets == 0 && !model->output.populations && line)
        READER_WARN(r, line,
                    "without cameras or packets this run has no result; for images add for example cameras: "
                    "[{direction: +z}] and channels: {number: 64, range: [-5 km/s, 5 km/s]}, for level populations add "
                    "output: {populations: true}");
}

/* ---- The three sections ---- */

enum lr_status read_imaging(const struct reader *r)
{
    const struct yaml_node *root = r->tree->root, *cameras = yaml_find(root, "cameras");
    const struct yaml_node *channels = yaml_find(root, "channels"), *image = yaml_find(root, "image");
    lr_model *model = r->model;
    if (!cameras && (channels || image))
        return yaml_fail_key(r->ctx, r->tree, channels ? channels : image,
                             "this needs a section 'cameras'; add one, or remove this");
    if (cameras && !channels)
        return yaml_fail_key(r->ctx, r->tree, cameras,
                             "the section 'channels' is missing; write for example channels: {number: 64, range: "
                             "[-5 km/s, 5 km/s]}");
    if (cameras) {
        LR_TRY(read_channels(r, channels, &model->channels));
        LR_TRY(read_cameras(r, cameras));
        warn_of_missed_line(r, channels);
    }
    LR_TRY(read_image(r, image, &model->image));
    warn_of_nothing(r);
    if (model->mesh.kind == MESH_SHELLS && model->run.packets > 0 && model->image.method == IMAGE_PEEL_OFF)
        return yaml_fail_key(r->ctx, r->tree, image,
                             "peel-off does not support a mesh of shells; use 'method: two-step', or a Cartesian mesh");
    return LR_OK;
}

/* ---- Once more, from a stored result ---- */

static enum lr_status check_setting(lr_context *ctx, const char *setting)
{
    const char *const sections[] = {"cameras", "channels", "image"};
    const char *const keys[] = {"run.device", "run.threads", "run.precision"};
    size_t path = strcspn(setting, "="), section = strcspn(setting, ".=");
    for (int i = 0; i < 3; i++) {
        if (section == strlen(sections[i]) && strncmp(setting, sections[i], section) == 0)
            return LR_OK;
        if (path == strlen(keys[i]) && strncmp(setting, keys[i], path) == 0)
            return LR_OK;
    }
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "--set %.*s: that needs a new run; 'linerad image' can change only cameras, channels, image, "
                   "run.device, run.threads and run.precision",
                   path < 80 ? (int)path : 80, setting);
}

enum lr_status model_read_imaging(lr_context *ctx, const char *path, const char *resolved, const char *const *settings,
                                  int n_setting, lr_model *model)
{
    struct reader r = {.ctx = ctx, .folder = "", .model = model};
    lr_document *document = NULL;
    enum lr_status status = LR_OK;
    for (int i = 0; i < n_setting; i++)
        LR_TRY(check_setting(ctx, settings[i]));
    LR_TRY(units_of(ctx, &r.units));
    LR_TRY(document_create(ctx, path, "", resolved, strlen(resolved), settings, n_setting, &document));
    r.tree = document->tree;
    LR_TRY_OR(done, status, read_run(&r, yaml_find(r.tree->root, "run"), &model->run));
    free(model->camera);
    model->camera = NULL;
    model->n_camera = 0;
    LR_TRY_OR(done, status, read_imaging(&r));
done:
    lr_document_free(document);
    return status;
}
