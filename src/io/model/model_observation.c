/* Sections `channels`, `cameras` and `image` together: all or none, and channels that include the line. */
#include "io/model/model_observation.h"

#include <math.h>

#include "io/model/model_value.h"
#include "model/line_group.h"

static enum lr_status read_channels(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                                    struct channels *channels)
{
    const struct yaml_node *number = NULL, *range_node = NULL;
    double shift[2] = {0};
    *channels = (struct channels){0};
    LR_TRY(READER_KEYS(r, node, &SCHEMA_CHANNELS));
    LR_TRY(require_key(r, node, "number", &number));
    LR_TRY(require_key(r, node, "range", &range_node));
    LR_TRY(read_int(r, number, 1, MAX_CHANNEL, &channels->n));
    LR_TRY(read_shift_range(r, scale, range_node, shift));
    LR_TRY(read_auto(r, yaml_find(node, "samples"), MAX_SAMPLES, &channels->samples));
    channels->first = 0.0 - shift[1]; /* velocities run the other way */
    channels->width = (shift[1] - shift[0]) / channels->n;
    return LR_OK;
}

/* ---- Is the line in the channels? ---- */

/* Whether the cell contributes to the line: it has opacity, or a source with the profile of the gas. */
static bool cell_shows_line(const struct observed *seen, int64_t cell)
{
    bool shows = field_at(&seen->medium->alpha0, cell) > 0.0;
    for (int i = 0; i < seen->n_source && !shows; i++)
        shows = seen->source[i].kind == SOURCE_VOLUME && seen->source[i].spectrum.kind == SPECTRUM_LOCAL &&
                field_at(&seen->source[i].emissivity, cell) > 0.0;
    return shows;
}

/* Radio velocities of the line core of a cell, three Doppler parameters on each side. */
static void find_core(const struct observed *seen, const struct camera *camera, int64_t cell, double core[2])
{
    double centre = 0.0, half = 3.0 * field_at(&seen->medium->b, cell);
    if (seen->mesh->kind == MESH_SHELLS) /* gas that approaches as fast as it recedes */
        half += fabs(field_at(&seen->medium->velocity[0], cell));
    for (int d = 0; d < 3 && seen->mesh->kind != MESH_SHELLS; d++)
        centre -= field_at(&seen->medium->velocity[d], cell) * camera->toward[d];
    core[0] = centre - half;
    core[1] = centre + half;
}

/* Whether the core of any of the lines is in the channels. */
static bool core_is_inside(const struct observed *seen, const struct channels *channels, const double core[2])
{
    const double last = channels->first + channels->n * channels->width;
    bool inside = core[0] <= last && core[1] >= channels->first;
    for (int m = 1; m < seen->lines.n && !inside; m++) {
        const double velocity = line_group_velocity(&seen->lines.member[m]);
        inside = core[0] + velocity <= last && core[1] + velocity >= channels->first;
    }
    return inside;
}

/* The velocity range of the whole line; true as soon as a cell with a core in the channels is found. */
static bool line_is_inside(const struct observed *seen, const struct channels *channels, const struct camera *camera,
                           double line[2])
{
    line[0] = INFINITY;
    line[1] = -INFINITY;
    for (int64_t cell = 0; cell < mesh_cell_count(seen->mesh); cell++) {
        double core[2];
        if (!cell_shows_line(seen, cell))
            continue;
        find_core(seen, camera, cell, core);
        if (core_is_inside(seen, channels, core))
            return true;
        line[0] = fmin(line[0], core[0]);
        line[1] = fmax(line[1], core[1]);
    }
    return line[0] > line[1]; /* no cell shows the line: nothing to warn about */
}

static void warn_of_missed_line(const struct reader *r, const struct observed *seen, const struct yaml_node *channels,
                                const struct observation *out)
{
    const double km_s = 1e5;
    for (int i = 0; i < out->n_camera; i++) {
        const struct camera *camera = &out->camera[i];
        double line[2];
        if (!line_is_inside(seen, &out->channels, camera, line))
            READER_WARN(r, yaml_find(channels, "range"),
                        "the channels miss the line as seen by camera '%s', at %.4g to %.4g km/s", camera->name,
                        line[0] / km_s, line[1] / km_s);
    }
}

enum lr_status read_observation(const struct reader *r, const struct observed *seen, struct observation *out)
{
    const struct yaml_node *root = r->tree->root, *cameras = yaml_find(root, "cameras");
    const struct yaml_node *channels = yaml_find(root, "channels"), *image = yaml_find(root, "image");
    if (!cameras && (channels || image))
        return yaml_fail_key(r->ctx, r->tree, channels ? channels : image,
                             "this needs a section 'cameras'; add one, or remove this");
    if (cameras && !channels)
        return yaml_fail_key(r->ctx, r->tree, cameras,
                             "the section 'channels' is missing; write for example channels: {number: 64, range: "
                             "[-5 km/s, 5 km/s]}");
    if (cameras) {
        LR_TRY(read_channels(r, seen->scale, channels, &out->channels));
        LR_TRY(read_cameras(r, seen, cameras, out));
        warn_of_missed_line(r, seen, channels, out);
    }
    LR_TRY(read_image(r, seen, image, out));
    if (seen->mesh->kind == MESH_SHELLS && seen->run->packets > 0 && out->image.method == IMAGE_PEEL_OFF)
        return yaml_fail_key(r->ctx, r->tree, image,
                             "peel-off does not support a mesh of shells; use 'method: two-step', or a Cartesian mesh");
    return LR_OK;
}

/* ---- Of a model ---- */

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

enum lr_status read_imaging(const struct reader *r)
{
    lr_model *model = r->model;
    const struct observed seen = {.mesh = &model->mesh,
                                  .medium = &model->medium,
                                  .scale = shift_scale_of(model),
                                  .molecule = model->species != NULL,
                                  .lines = model->group,
                                  .n_source = model->n_source,
                                  .source = model->source,
                                  .run = &model->run};
    struct observation found = {0};
    const enum lr_status status = read_observation(r, &seen, &found);
    model->n_camera = found.n_camera;
    model->camera = found.camera;
    model->channels = found.channels;
    model->image = found.image;
    if (status == LR_OK)
        warn_of_nothing(r);
    return status;
}
