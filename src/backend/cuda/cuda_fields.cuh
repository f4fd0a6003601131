/* Cell sums after a run: fields combined over the groups of batches, and light per volume. */
#ifndef LR_BACKEND_CUDA_CUDA_FIELDS_CUH
#define LR_BACKEND_CUDA_CUDA_FIELDS_CUH

#include "kernel/tally.h"
#include "kernel/walk.h"

namespace
{

/* Each block handles one cell of one camera at a time. */
__global__ void spread_kernel(const struct mesh_view mesh, int64_t n_cell, int n_camera, int n_channel,
                              float *emissivity)
{
    for (int64_t row = blockIdx.x; row < n_cell * n_camera; row += gridDim.x) {
        const int cell = (int)(row % n_cell);
        const int line = cell / mesh.n[2];
        const struct vec3 width = walk_width(&mesh, line / mesh.n[1], line % mesh.n[1], cell % mesh.n[2]);
        const float inverse = 1.0f / (float)(width.x * width.y * width.z);
        for (int c = (int)threadIdx.x; c < n_channel; c += (int)blockDim.x)
            emissivity[row * n_channel + c] *= inverse;
    }
}

__global__ void fold_kernel(const double *field, const double *group_packets, int n_group, int64_t n_cell,
                            double *total, double *square)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n_cell)
        return;
    const struct folded folded = fold_field(field, group_packets, n_group, n_cell, cell);
    total[cell] = folded.total;
    square[cell] = folded.square;
}

} // namespace

#endif
