#include "solve/imaging/trace_choice.h"

#include <math.h>

#include "model/field.h"

static bool has_line(const struct medium *gas, const struct field *line_source, int64_t cell)
{
    return field_at(&gas->alpha0, cell) > 0 || (line_source && field_at(line_source, cell) > 0);
}

/* The narrowest line that matters sets how finely a channel is sampled: only at its centre if it is at most a tenth of
 * b wide, otherwise at more frequencies than its width in b, a power of two (two points integrate a Gaussian over b/2
 * to 2e-4). */
int trace_choose_samples(lr_context *ctx, const struct mesh *mesh, const struct medium *gas,
                         const struct field *line_source, double channel_width, int wanted)
{
    if (wanted > 0)
        return wanted;
    double narrowest = INFINITY;
    const int64_t n_cell = mesh_cell_count(mesh);
    for (int64_t cell = 0; cell < n_cell; cell++)
        if (has_line(gas, line_source, cell))
            narrowest = fmin(narrowest, field_at(&gas->b, cell));
    const double width = channel_width / narrowest;
    int samples = width <= 0.1 ? 1 : 2;
    while (samples < MAX_SAMPLES && samples < 1 + width)
        samples *= 2;
    if (width > MAX_SAMPLES)
        lr_log(ctx, LR_LOG_WARNING,
               "channels are %.3g times as wide as the narrowest line (b = %.3g km/s), and %d frequencies in each do "
               "not resolve it; use more channels, and 'linerad image --bin' to merge them",
               width, narrowest / 1e5, samples);
    return samples;
}

struct cell_widths {
    double narrowest;
    bool equal;
};

static struct cell_widths widths_along(const struct mesh *mesh, int axis)
{
    struct cell_widths widths = {INFINITY, true};
    double largest;
    mesh_widths(mesh, axis, &widths.narrowest, &largest);
    widths.equal = largest - widths.narrowest < 1e-9 * largest;
    return widths;
}

/* The axis that a unit vector is along, or -1. */
static int axis_of(const double vector[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (fabs(vector[axis]) > 1 - 1e-12)
            return axis;
    return -1;
}

/* At least two rays across the narrowest cell. One is enough if the image is aligned with the mesh and cells are whole
 * pixels, or pixels whole cells: then each row of cells gets the same number of rays. */
int trace_choose_rays(lr_context *ctx, const struct mesh *mesh, const struct camera *view)
{
    if (view->rays > 0)
        return view->rays;
    if (mesh_layer_axis(mesh) >= 0)
        return 1; /* infinite layers look the same everywhere */
    const bool near = view->kind == CAMERA_PERSPECTIVE;
    const int end_on = near ? -1 : axis_of(view->toward);
    const bool lined_up = end_on >= 0 && axis_of(view->right) >= 0;
    double narrowest = INFINITY;
    double square = 0;
    bool equal = true;
    for (int axis = 0; axis < 3; axis++) {
        square += pow(view->position[axis] - view->centre[axis], 2);
        if (axis == end_on)
            continue;
        const struct cell_widths widths = widths_along(mesh, axis);
        equal &=
            widths.equal && (narrowest == (double)INFINITY || fabs(widths.narrowest - narrowest) < 1e-9 * narrowest);
        narrowest = fmin(narrowest, widths.narrowest);
    }
    const double ratio = camera_pixel_size(view) * (near ? sqrt(square) : 1) / narrowest;
    const double whole = ratio < 1 ? 1 / ratio : ratio;
    const bool matches = lined_up && equal && fabs(whole - round(whole)) < 1e-6 * whole;
    const double rays = matches ? fmax(round(ratio), 1) : ceil(2 * ratio);
    if (rays > MAX_RAYS)
        lr_log(ctx, LR_LOG_WARNING,
               "image '%s': pixels are %.3g cells wide; %d x %d rays in each can miss small cells; use more pixels",
               view->name, ratio, MAX_RAYS, MAX_RAYS);
    return rays < MAX_RAYS ? (int)rays : MAX_RAYS;
}

/* Largest speed of the gas, in Doppler parameters. */
double trace_largest_speed(const struct mesh *mesh, const struct medium *gas, const struct field *line_source)
{
    double speed = 0;
    for (int64_t cell = 0; cell < mesh_cell_count(mesh); cell++)
        if (has_line(gas, line_source, cell))
            speed = fmax(speed, fabs(field_at(&gas->velocity[0], cell)) / field_at(&gas->b, cell));
    return speed;
}
