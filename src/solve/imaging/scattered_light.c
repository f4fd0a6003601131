#include "solve/imaging/scattered_light.h"

#include <math.h>

#include "base/constants.h"
#include "base/threads.h"
#include "solve/transport/job.h"

/* Emissivities are stored in this unit, so that they stay within the range of float. */
static double emissivity_unit(const lr_model *model)
{
    const double length = code_length(&model->mesh);
    const double luminosity = model_luminosity(model);
    return (luminosity > 0 ? luminosity : 1) / (4 * LR_PI * length * length * length * model->reference_b);
}

static size_t job_voxel_count(const struct scattered *scattered, const struct scene *scene)
{
    return scene_voxel_count(scene) + (size_t)(scattered->cavity * scene->rows.n_aspect * scene->channels.n);
}

/* All observers of shells share the light sent to one camera. */
const float *scattered_sums(const struct scattered *scattered, const struct scene *scene, int group, int camera)
{
    const int from = scene->mesh.kind == MESH_SHELLS ? 0 : camera;
    return scattered->sums + (size_t)(group * scattered->n_camera + from) * job_voxel_count(scattered, scene) +
           (size_t)(scattered->cavity * scene->rows.n_aspect * scene->channels.n);
}

/* One standard error of SUM s_g / P from the groups, as in assemble.c. */
static double group_error(const struct scattered *scattered, const float *sums, size_t stride)
{
    double sum = 0;
    double square = 0;
    double all = 0;
    int used = 0;
    for (int g = 0; g < scattered->n_group; g++) {
        const double s = (double)sums[(size_t)g * stride];
        if (!(scattered->packets[g] > 0))
            continue;
        used++;
        all += scattered->packets[g];
        sum += s;
        square += s * s / scattered->packets[g];
    }
    return used > 1 ? sqrt(fmax(square - sum * sum / all, 0) / ((used - 1) * all)) : (double)NAN;
}

/* Photons per packet that leave a cell in a channel are an emissivity that this cell does not absorb:
 *
 *     E = L / (4 pi V dv) SUM / N      photons s^-1 cm^-3 sr^-1 per unit velocity,
 *
 * and those that leave through a surface are, with its area instead of V, an intensity. Returns this without
 * SUM / (N V), in the unit of the scene. */
static double scattered_rate(const lr_model *model, const struct scene *scene)
{
    return model_luminosity(model) / (4 * LR_PI * scene->channels.width * emissivity_unit(model));
}

/* The same for a row. The sphere around an empty centre has no area and no light. */
static double row_scale(const struct scene *scene, double rate, int64_t row)
{
    const double volume = light_row_volume(&scene->rows, &scene->mesh, row, code_length(&scene->mesh));
    return volume > 0 ? rate / volume : 0;
}

void scene_scale_sums(const lr_model *model, const struct scene *scene, const float *sums, double packets,
                      float *emissivity)
{
    const double rate = scattered_rate(model, scene) / packets;
    const size_t n_channel = (size_t)scene->channels.n;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(thread_count(model->run.threads))
    for (int64_t row = 0; row < scene->rows.n; row++) {
        const double scale = row_scale(scene, rate, row);
        const size_t first = (size_t)row * n_channel;
        for (size_t at = first; at < first + n_channel; at++)
            emissivity[at] = (float)((double)sums[at] * scale);
    }
}

struct trace_light kept_light(const lr_model *model, const struct scene *scene, int camera, const void *kept,
                              double packets)
{
    const double length = code_length(&scene->mesh); /* volumes were divided by in code units */
    return (struct trace_light){.unit = emissivity_unit(model),
                                .kept = kept,
                                .first = (int64_t)camera * (int64_t)scene_voxel_count(scene),
                                .scale = scattered_rate(model, scene) / (packets * length * length * length)};
}

static enum lr_status need_emissivity(lr_context *ctx, const lr_model *model, struct scene *scene, int camera)
{
    struct emissivity *emissivity = &scene->emissivity[camera];
    if (emissivity->value)
        return LR_OK;
    emissivity->unit = emissivity_unit(model);
    return lr_allocate(ctx, scene_voxel_count(scene), sizeof(float), &emissivity->value);
}

enum lr_status scene_add_scattered(lr_context *ctx, const lr_model *model, struct scene *scene,
                                   const struct scattered *scattered, bool errors)
{
    const size_t n_channel = (size_t)scene->channels.n;
    const size_t stride = job_voxel_count(scattered, scene) * (size_t)scattered->n_camera;
    double all = 0;
    for (int g = 0; g < scattered->n_group; g++)
        all += scattered->packets[g];
    const double rate = scattered_rate(model, scene);
    for (int camera = 0; camera < scene->n_camera; camera++) {
        LR_TRY(need_emissivity(ctx, model, scene, camera));
        struct emissivity *emissivity = &scene->emissivity[camera];
        if (errors)
            LR_TRY(lr_allocate(ctx, scene_voxel_count(scene), sizeof(float), &emissivity->error));
        const float *from = scattered_sums(scattered, scene, 0, camera);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(thread_count(model->run.threads))
        for (int64_t row = 0; row < scene->rows.n; row++) {
            const double scale = row_scale(scene, rate, row);
            const size_t first = (size_t)row * n_channel;
            for (size_t at = first; at < first + n_channel; at++) {
                double sum = 0;
                for (int g = 0; g < scattered->n_group; g++)
                    sum += (double)from[(size_t)g * stride + at];
                emissivity->value[at] = (float)(sum / all * scale);
                if (errors)
                    emissivity->error[at] = (float)(group_error(scattered, from + at, stride) * scale);
            }
        }
    }
    return LR_OK;
}
