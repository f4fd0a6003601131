#include "solve/imaging/recording.h"

#include <math.h>

#include "model/light_rows.h"
#include "model/scene.h"

struct channels window_channels(const lr_model *model, const struct window *window)
{
    struct channels channels = model->channels;
    channels.first += window->channel * channels.width;
    channels.n = window->n_channel;
    return channels;
}

/* Gas moves toward the observer with v mu: bins are narrow enough that this changes by b/8. */
int aspect_count(const lr_model *model)
{
    const int least = 32;
    const double per_b = 16;
    double speed = 0;
    if (model->mesh.kind != MESH_SHELLS || model->run.packets == 0)
        return 1;
    for (int64_t cell = 0; cell < mesh_cell_count(&model->mesh); cell++)
        if (field_at(&model->medium.alpha0, cell) > 0)
            speed = fmax(speed, fabs(field_at(&model->medium.velocity[0], cell)) / field_at(&model->medium.b, cell));
    return 2 * (int)ceil(0.5 * fmin(fmax(per_b * speed, least), MAX_ASPECT)); /* as many of either sphere */
}

bool has_deep_cells(const lr_model *model, double depth)
{
    bool deep = false;
    for (int64_t cell = 0; cell < mesh_cell_count(&model->mesh) && !deep; cell++) {
        int at[3];
        mesh_cell_place(&model->mesh, cell, at);
        const double opacity = field_at(&model->medium.alpha0, cell) + field_at(&model->medium.kappa, cell);
        deep = opacity * mesh_cell_longest(&model->mesh, at[0], at[1], at[2]) > depth;
    }
    return deep;
}

/* Where all cells are thin, rays can take over the light of packets at the edge of its cell (kernel/sight.h). */
bool follows_light_out(const lr_model *model)
{
    return (model->group.n > 1 && model->run.packets > 0) || has_deep_cells(model, 0.05);
}

/* Inside a channel the ray tracer gives scattered light the shape of the line, which is less and less true as the
 * gas gets thicker; within b/8 it does not matter (docs/imaging.md). Channels are recorded that narrow where this takes
 * little memory, and b/4 wide where it takes much. */
int channel_refinement(const lr_model *model)
{
    const double fine = 0.125 * model->reference_b, coarse = 0.25 * model->reference_b;
    const double little = 33554432, much = 536870912; /* numbers for one camera: 2^25, 2^29 */
    const double rows = (double)light_rows_make(&model->mesh, aspect_count(model)).n;
    int factor = 1;
    if (model->run.packets == 0 || model->image.method != IMAGE_TWO_STEP || model->channels.samples > 0)
        return 1;
    for (;;) {
        const double width = model->channels.width / factor, next = rows * model->channels.n * 2 * factor;
        const bool wanted = (width > 1.001 * fine && next <= little) || (width > 1.001 * coarse && next <= much);
        if (!wanted || 2 * factor * model->channels.n > MAX_CHANNEL)
            return factor;
        factor *= 2;
    }
}

struct channels recorded_channels(const lr_model *model, const struct window *window)
{
    const int factor = channel_refinement(model);
    struct channels channels = window_channels(model, window);
    channels.width /= factor;
    channels.n *= factor;
    return channels;
}
