#include "solve/imaging/cube_join.h"

/* A cube like the part, but of all channels. */
static enum lr_status create_whole(lr_context *ctx, const struct cube *part, const struct channels *all,
                                   struct cube *whole)
{
    whole->camera = part->camera;
    whole->channels = *all;
    whole->channels.samples = part->channels.samples;
    whole->nu0 = part->nu0;
    whole->scale = part->scale;
    whole->background = part->background;
    const size_t n = cube_voxel_count(whole);
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &whole->intensity));
    LR_TRY(lr_allocate(ctx, (size_t)all->n, sizeof(double), &whole->sky));
    if (part->error)
        LR_TRY(lr_allocate(ctx, n, sizeof(float), &whole->error));
    if (part->optical_depth)
        LR_TRY(lr_allocate(ctx, n, sizeof(float), &whole->optical_depth));
    return LR_OK;
}

/* Scales may differ. */
static void copy_channels(const struct cube *part, int first, struct cube *whole)
{
    const size_t n = cube_voxel_count(part);
    const size_t at = (size_t)part->camera.pixels[0] * (size_t)part->camera.pixels[1] * (size_t)first;
    const float factor = (float)(part->scale / whole->scale);
    for (size_t i = 0; i < n; i++) {
        whole->intensity[at + i] = part->intensity[i] * factor;
        if (part->error)
            whole->error[at + i] = part->error[i] * factor;
        if (part->optical_depth)
            whole->optical_depth[at + i] = part->optical_depth[i];
    }
    for (int c = 0; c < part->channels.n; c++)
        whole->sky[first + c] = part->sky[c] * part->scale / whole->scale;
}

enum lr_status cube_join(lr_context *ctx, struct cube *part, int first, const struct channels *all, struct cube *whole)
{
    if (part->channels.n == all->n) {
        *whole = *part;
        *part = (struct cube){0};
        return LR_OK;
    }
    if (!whole->intensity)
        LR_TRY(create_whole(ctx, part, all, whole));
    copy_channels(part, first, whole);
    for (int g = 0; g < IMAGE_GROUPS; g++) {
        whole->group_flux[g] += part->group_flux[g];
        whole->group_packets[g] = part->group_packets[g];
    }
    whole->point_flux += part->point_flux;
    whole->seconds += part->seconds;
    return LR_OK;
}
