/* Whether the files of a run fit onto the disk, before it begins. What cannot be foreseen is left out, so this is a
 * lower limit: the list of packets, which is compressed, counts half. */
#define _XOPEN_SOURCE 700
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "io/result/result_path.h"
#include "model/model.h"
#include "model/species.h"

static double image_bytes(const lr_model *model)
{
    const double cells = (double)mesh_cell_count(&model->mesh), channels = model->channels.n;
    const int per_voxel = 1 + (model->image.errors && model->run.packets > 0) + model->image.optical_depth;
    double bytes = 0;
    for (int c = 0; c < model->n_camera; c++) {
        const double pixels = (double)model->camera[c].pixels[0] * model->camera[c].pixels[1];
        bytes += 2 * pixels * channels * per_voxel * sizeof(float); /* in HDF5 and in FITS */
    }
    if (model->image.emissivity && model->n_camera > 0)
        bytes += 8 * cells * sizeof(float) +
                 (model->run.packets > 0 ? cells * channels * model->n_camera * sizeof(float) : 0);
    return bytes;
}

static double expected_bytes(const lr_model *model)
{
    const double cells = (double)mesh_cell_count(&model->mesh), packets = (double)model->run.packets;
    const double fields = model->output.fields && packets > 0 ? 4 : 0;
    const double levels = model->species && model->output.populations ? model->species->molecule.n_level : 0;
    const double packet_bytes = 5 * 8 + 1 + 9 * 8;
    return cells * (fields + levels) * sizeof(double) + (model->output.packets ? 0.5 * packet_bytes * packets : 0) +
           image_bytes(model);
}

enum lr_status lr_result_space_check(lr_context *ctx, const lr_model *model, const char *path)
{
    const double mib = 1048576.0, needed = expected_bytes(model);
    struct statvfs disk;
    char *resolved = NULL;
    LR_TRY(result_path_resolve(ctx, path, &resolved));
    const int code = statvfs(dirname(resolved), &disk);
    free(resolved);
    const double left = code == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : needed;
    if (left >= needed)
        return LR_OK;
    return lr_fail(
        ctx, LR_ERROR_IO,
        "%s: the output takes about %.3g MiB, and only %.3g MiB are free there; choose another place with -o", path,
        needed / mib, left / mib);
}
