/* Numbers that are not finite have no place in a result, except where the format says so: errors of a single batch,
 * excitation temperatures without gas, moments without emission. */
#include <math.h>

#include "model/result.h"

static const char ADVICE[] = "look for extreme numbers in the model; nothing was written";

static enum lr_status check_array(lr_context *ctx, const lr_result *result, const char *name)
{
    struct lr_array array;
    LR_INIT(array);
    int64_t n = 1;
    if (!lr_result_array(result, name, &array))
        return LR_OK;
    for (int i = 0; i < array.rank; i++)
        n *= array.shape[i];
    const double *values = array.data;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return lr_fail(ctx, LR_ERROR_INPUT, "'%s' is %g at element %lld of %lld; %s", name, values[i], (long long)i,
                           (long long)n, ADVICE);
    return LR_OK;
}

static enum lr_status check_image(lr_context *ctx, const struct cube *cube, const char *what, const float *values,
                                  size_t n)
{
    for (size_t i = 0; values && i < n; i++)
        if (!isfinite(values[i])) {
            const size_t n_x = (size_t)cube->camera.pixels[0], n_y = (size_t)cube->camera.pixels[1];
            return lr_fail(ctx, LR_ERROR_INPUT, "the %s of image '%s' is %g in channel %zu at pixel [%zu, %zu]; %s",
                           what, cube->camera.name, (double)values[i], i / (n_x * n_y), i % n_x, i / n_x % n_y, ADVICE);
        }
    return LR_OK;
}

static enum lr_status check_cube(lr_context *ctx, const struct cube *cube)
{
    const size_t n = cube_voxel_count(cube);
    LR_TRY(check_image(ctx, cube, "intensity", cube->intensity, n));
    if (cube->intensity && !(isfinite(cube->scale) && cube->scale > 0))
        return lr_fail(ctx, LR_ERROR_INPUT, "the intensities of image '%s' are in units of %g; %s", cube->camera.name,
                       cube->scale, ADVICE);
    return check_image(ctx, cube, "optical depth", cube->optical_depth, n);
}

enum lr_status result_check_finite(lr_context *ctx, const lr_result *result)
{
    static const char *const arrays[] = {"spectrum/total",        "spectrum/face",          "spectrum/direction",
                                         "fields/mean_intensity", "fields/scattering_rate", "populations/fraction",
                                         "packets/weight",        "packets/shift",          "packets/path"};
    const struct lr_summary *s = &result->summary;
    const struct {
        const char *name;
        double value;
    } totals[] = {{"emitted", s->emitted},         {"escaped", s->escaped.value},
                  {"absorbed", s->absorbed.value}, {"stuck", s->stuck.value},
                  {"f_esc", s->f_esc.value},       {"scatterings_per_packet", s->scatterings_per_packet.value}};
    for (size_t i = 0; s->packets > 0 && i < sizeof totals / sizeof *totals; i++)
        if (!isfinite(totals[i].value))
            return lr_fail(ctx, LR_ERROR_INPUT, "'%s' is %g; %s", totals[i].name, totals[i].value, ADVICE);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        LR_TRY(check_array(ctx, result, arrays[i]));
    for (int c = 0; c < result->n_cube; c++)
        LR_TRY(check_cube(ctx, &result->cube[c]));
    return LR_OK;
}
