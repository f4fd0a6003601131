/* Cell sums after a run: light per volume. */
#ifndef LR_BACKEND_CUDA_CUDA_FIELDS_CUH
#define LR_BACKEND_CUDA_CUDA_FIELDS_CUH

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

} // namespace

#endif
