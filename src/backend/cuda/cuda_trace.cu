/* CUDA ray tracer: memory, launches and images; the kernel is in cuda_trace_kernel.cuh. Compiled once per mesh and
 * precision; LR_CUDA_VARIANT names the entry. */
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

#include "backend/cuda/cuda_memory.h"
#include "backend/cuda/cuda_trace_kernel.cuh"
#include "backend/cuda/cuda_variants.h"
#include "backend/variant_name.h"

namespace
{

size_t probe_sample_count(const struct trace_job *job)
{
    return (size_t)job->n_probe * (size_t)job->n_channel * (size_t)job->n_probe_node;
}

bool upload(struct device *device, const struct trace_job *job, const struct trace_image *image, struct pass *pass)
{
    const struct view_store store = {device, device_copy};
    const size_t plane = (size_t)job->pixels[0] * (size_t)job->pixels[1];
    const size_t n_out = (size_t)(job->n_channel / job->merge);
    if (!make_trace_view(&store, job, &pass->view))
        return false;
    pass->view.cell =
        device_filled<struct trace_cell>(device, job->n_cell, [=](int64_t first, int64_t n, struct trace_cell *cells) {
            return fill_trace_cells(job, first, n, cells);
        });
    pass->n_probe = job->n_probe;
    if (job->n_probe > 0)
        pass->probe = (struct trace_probe *)device_copy(device, (size_t)job->n_probe * sizeof *job->probe, job->probe);
    pass->transmission = (double *)device_copy(device, (probe_sample_count(job) + 1) * sizeof(double), NULL);
    pass->n_x = job->pixels[0];
    pass->n_y = job->pixels[1];
    pass->row_step = job->row_step > 0 ? job->row_step : 1;
    pass->intensity = (float *)device_copy(device, plane * n_out * sizeof(float), NULL);
    if (image->optical_depth)
        pass->optical_depth = (float *)device_copy(device, plane * n_out * sizeof(float), NULL);
    return pass->view.cell && device->error == cudaSuccess;
}

bool find_slopes(struct device *device, const struct trace_job *job, struct pass *pass)
{
    if (!job->step_velocity && !job->step_source)
        return true;
    struct slope_view *slope = (struct slope_view *)device_reserve(device, (size_t)job->n_cell * sizeof *slope);
    if (!slope)
        return false;
    slope_kernel<<<(unsigned)((job->n_cell + 255) / 256), 256>>>(pass->view, (int)job->n_cell, slope);
    pass->view.slope = slope;
    return okay(device, cudaGetLastError());
}

/* Uploads the traced channels of each row, all that the kernel reads of the emissivity. */
bool upload_emissivity(struct device *device, const struct trace_job *job, struct pass *pass)
{
    const size_t row = (size_t)job->n_channel * sizeof(float);
    if (job->kept) {
        pass->view.emissivity = (const float *)job->kept + job->kept_first;
        pass->view.stride = job->stride;
        return true;
    }
    if (!job->emissivity)
        return true;
    const size_t n_row = (size_t)job->n_row;
    float *emissivity = (float *)device_reserve(device, row * n_row);
    if (!emissivity)
        return false;
    pass->view.emissivity = emissivity;
    pass->view.stride = job->n_channel;
    return okay(device, cudaMemcpy2D(emissivity, row, job->emissivity, (size_t)job->stride * sizeof(float), row, n_row,
                                     cudaMemcpyHostToDevice));
}

typedef void kernel_fn(const struct pass, int first_row);

/* How many threads share a ray, and how many frequencies each of them follows. A line is narrow, so few threads with
 * many frequencies each waste little when most frequencies are out of its reach, and four rays fit in one warp. */
struct shape {
    int lanes, samples;
    kernel_fn *kernel;
};

/* Whether nothing happens away from a single line. */
bool line_alone(const struct pass *pass)
{
    return pass->view.line_only && pass->view.group.n == 0;
}

template <int GAS>
kernel_fn *general_kernel(const struct shape &shape)
{
    return shape.lanes == 8     ? trace_kernel<8, 1, GAS>
           : shape.samples == 1 ? trace_kernel<16, 1, GAS>
                                : trace_kernel<16, 4, GAS>;
}

struct shape choose_shape(const struct pass *pass)
{
    const int n_sample = pass->view.n_channel * pass->view.n_node;
    struct shape shape;
    if (line_alone(pass)) {
        shape.lanes = 8;
        shape.samples = n_sample <= 8 ? 1 : n_sample <= 16 ? 2 : n_sample <= 32 ? 4 : 8;
        shape.kernel = shape.samples == 1   ? trace_kernel<8, 1, GAS_LINE>
                       : shape.samples == 2 ? trace_kernel<8, 2, GAS_LINE>
                       : shape.samples == 4 ? trace_kernel<8, 4, GAS_LINE>
                                            : trace_kernel<8, 8, GAS_LINE>;
    } else {
        shape.lanes = n_sample <= 8 ? 8 : 16;
        shape.samples = n_sample <= 16 ? 1 : 4;
        shape.kernel = pass->view.group.n > 0 ? general_kernel<GAS_GROUP>(shape) : general_kernel<GAS_GENERAL>(shape);
    }
    return shape;
}

void launch(struct device *device, const struct transport_monitor *monitor, const struct trace_job *job,
            const struct pass *pass, struct trace_image *image)
{
    const struct shape shape = choose_shape(pass);
    const int at_once = shape.lanes * shape.samples;
    const int channels = channels_per_ray(pass->view, at_once);
    const int n_sample = pass->view.n_channel * pass->view.n_node;
    const unsigned parts = (unsigned)(line_alone(pass) ? (n_sample + at_once - 1) / at_once
                                                       : (pass->view.n_channel + channels - 1) / channels);
    const int per_block = TRACE_BLOCK / shape.lanes;
    const int blocks_x = (pass->n_x + per_block - 1) / per_block;
    const int n_row = (pass->n_y - job->row_first + pass->row_step - 1) / pass->row_step;
    const int rows = n_row < 128 ? n_row : 128; /* per launch */
    cudaEvent_t begin = NULL;
    cudaEvent_t end = NULL;
    float milliseconds = 0;
    okay(device, cudaEventCreate(&begin));
    okay(device, cudaEventCreate(&end));
    okay(device, cudaDeviceSynchronize());
    okay(device, cudaEventRecord(begin, 0));
    for (int row = 0; row < n_row && device->error == cudaSuccess && !*monitor->stop; row += rows) {
        const int n = n_row - row < rows ? n_row - row : rows;
        shape.kernel<<<dim3((unsigned)blocks_x, (unsigned)n, parts), TRACE_BLOCK>>>(*pass, job->row_first +
                                                                                               pass->row_step * row);
        okay(device, cudaGetLastError());
        if (monitor->progress && row > 0) {
            okay(device, cudaStreamSynchronize(0));
            monitor->progress(monitor->user, row, 0);
        }
    }
    if (pass->n_probe > 0) {
        struct pass probes = *pass;
        probes.view = make_probe_view(job, &pass->view);
        if (pass->view.group.n > 0)
            probe_kernel<GAS_GROUP><<<(unsigned)pass->n_probe, 128>>>(probes);
        else
            probe_kernel<GAS_GENERAL><<<(unsigned)pass->n_probe, 128>>>(probes);
        okay(device, cudaGetLastError());
    }
    okay(device, cudaEventRecord(end, 0));
    okay(device, cudaDeviceSynchronize());
    okay(device, cudaEventElapsedTime(&milliseconds, begin, end));
    image->seconds += 1e-3 * (double)milliseconds;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

void download(struct device *device, const struct trace_job *job, const struct pass *pass, struct trace_image *image)
{
    const size_t n = (size_t)job->pixels[0] * (size_t)job->pixels[1] * (size_t)(job->n_channel / job->merge);
    okay(device, cudaMemcpy(image->intensity, pass->intensity, n * sizeof(float), cudaMemcpyDeviceToHost));
    if (image->optical_depth)
        okay(device, cudaMemcpy(image->optical_depth, pass->optical_depth, n * sizeof(float), cudaMemcpyDeviceToHost));
    if (job->n_probe > 0)
        okay(device, cudaMemcpy(image->transmission, pass->transmission, probe_sample_count(job) * sizeof(double),
                                cudaMemcpyDeviceToHost));
}

} // namespace

enum lr_status VARIANT_NAME(cuda_trace_,
                            LR_CUDA_VARIANT)(cuda_fail_fn *fail, lr_context *ctx, const struct trace_job *job,
                                             const struct transport_monitor *monitor, struct trace_image *image)
{
    struct device device = {};
    struct pass pass = {};
    if (upload(&device, job, image, &pass) && find_slopes(&device, job, &pass) &&
        upload_emissivity(&device, job, &pass)) {
        launch(&device, monitor, job, &pass, image);
        if (device.error == cudaSuccess)
            download(&device, job, &pass, image);
    }
    device_release(&device);
    if (device.error == cudaErrorMemoryAllocation)
        return fail(ctx, LR_ERROR_MEMORY, "the GPU has too little free memory to trace %lld cells and %d channels",
                    (long long)job->n_cell, job->n_channel);
    if (device.error != cudaSuccess)
        return fail(ctx, LR_ERROR_DEVICE, "the GPU failed: %s", cudaGetErrorString(device.error));
    if (*monitor->stop)
        return fail(ctx, LR_ERROR_INTERRUPTED, "stopped while tracing images; nothing was written");
    return LR_OK;
}
