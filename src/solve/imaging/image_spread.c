#include "solve/imaging/image_spread.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"

enum lr_status image_spread_create(lr_context *ctx, struct cube *cube, struct image_spread *spread)
{
    const size_t n = cube_voxel_count(cube);
    *spread = (struct image_spread){0};
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &spread->sum));
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &spread->square));
    return lr_allocate(ctx, n, sizeof *cube->error, &cube->error);
}

void image_spread_add(struct image_spread *spread, struct cube *cube, int group, const float *image, double packets)
{
    const size_t n = cube_voxel_count(cube);
    spread->n_group++;
    spread->packets += packets;
    for (size_t i = 0; i < n; i++) {
        spread->sum[i] += packets * (double)image[i];
        spread->square[i] += packets * (double)image[i] * (double)image[i];
    }
    cube->group_flux[group] = cube_flux(cube, image);
    cube->group_packets[group] = packets;
}

void image_spread_finish(const struct image_spread *spread, struct cube *cube)
{
    const size_t n = cube_voxel_count(cube);
    for (size_t i = 0; i < n; i++) {
        const double mean = spread->sum[i] / spread->packets;
        const double variance = fmax(spread->square[i] / spread->packets - mean * mean, 0);
        cube->error[i] = spread->n_group > 1 ? (float)sqrt(variance / (spread->n_group - 1)) : NAN;
    }
}

void image_spread_free(struct image_spread *spread)
{
    free(spread->sum);
    free(spread->square);
}
