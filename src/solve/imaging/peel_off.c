#include "solve/imaging/peel_off.h"

#include <stdlib.h>

#include "base/constants.h"
#include "solve/imaging/image_spread.h"

/* Sums of w P exp(-tau) per pixel and channel are an intensity: L / (4 pi A dv) SUM / N. */
static double intensity_unit(const lr_model *model, const struct cube *cube)
{
    const double pixel = camera_pixel_size(&cube->camera);
    return model_luminosity(model) / (4 * LR_PI * pixel * pixel * cube->channels.width) * LR_PLANCK * LR_LIGHT_SPEED /
           cube->scale;
}

enum lr_status peel_off_add(lr_context *ctx, const lr_model *model, const struct peeled *peeled, struct cube *cube)
{
    const size_t n = cube_voxel_count(cube);
    const double unit = intensity_unit(model, cube);
    struct image_spread spread;
    float *image = NULL;
    double all = 0;
    for (int g = 0; g < peeled->n_group; g++)
        all += peeled->packets[g];
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, image_spread_create(ctx, cube, &spread));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *image, &image));
    for (int g = 0; g < peeled->n_group; g++) {
        const double *group = peeled->sums + (size_t)g * n;
        const double packets = peeled->packets[g];
        if (!(packets > 0))
            continue;
        for (size_t i = 0; i < n; i++) {
            cube->intensity[i] += (float)(group[i] * unit / all);
            image[i] = (float)(group[i] * unit / packets);
        }
        image_spread_add(&spread, cube, g, image, packets);
    }
    image_spread_finish(&spread, cube);
done:
    image_spread_free(&spread);
    free(image);
    return status;
}
