/* Determines how well cells are hidden from the cameras (shade.h). Included by cuda_transport.cu, once per mesh and
 * precision. */
#ifndef LR_BACKEND_CUDA_CUDA_SHADE_CUH
#define LR_BACKEND_CUDA_CUDA_SHADE_CUH

#include "backend/cuda/cuda_memory.h"
#include "kernel/shade.h"

namespace
{

#if defined(LR_WALK_SHELLS) || defined(LR_WALK_AMR)

bool find_shades(struct device *device, struct transport_view *view)
{
    (void)device;
    (void)view;
    return true;
}

#else

/* The cell of a thread, if it has one. */
__device__ __forceinline__ bool cell_of_thread(const struct transport_view &view, int at[3])
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t row = cell / view.mesh.n[2];
    at[0] = (int)(row / view.mesh.n[1]);
    at[1] = (int)(row % view.mesh.n[1]);
    at[2] = (int)(cell % view.mesh.n[2]);
    return cell < view.n_cell;
}

__global__ void shade_start_kernel(const __grid_constant__ struct transport_view view, struct shade_block *block,
                                   struct shade_view *shade)
{
    int at[3];
    if (!cell_of_thread(view, at))
        return;
    const int64_t cell = shade_index(&view.mesh, at);
    block[cell] = shade_block_of(&view.cell[cell]);
    shade[cell] = shade_none();
}

__global__ void shade_double_kernel(const __grid_constant__ struct transport_view view, const struct shade_block *from,
                                    struct shade_block *to, int octant, int axis, int size)
{
    int at[3];
    if (cell_of_thread(view, at))
        to[shade_index(&view.mesh, at)] = shade_doubled(&view.mesh, from, at, octant, axis, size);
}

__global__ void shade_better_kernel(const __grid_constant__ struct transport_view view, const struct shade_block *block,
                                    struct shade_view *shade, int octant, int size)
{
    int at[3];
    if (!cell_of_thread(view, at))
        return;
    struct shade_view *best = &shade[shade_index(&view.mesh, at)];
    *best = shade_better(&view.mesh, view.cell, block, at, octant, size, *best);
}

__global__ void hidden_kernel(const __grid_constant__ struct transport_view view, const struct shade_view *shade,
                              struct hidden_view *hidden)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < view.n_cell)
        hidden[cell] = hidden_from_all(&view, view.cell, shade, cell);
}

bool find_shades(struct device *device, struct transport_view *view)
{
    const int n_shade = view->n_shade;
    if (n_shade == 0)
        return true;
    const size_t shade_bytes = (size_t)n_shade * (size_t)view->n_cell * sizeof(struct shade_view);
    const size_t hidden_bytes = (size_t)view->n_cell * sizeof(struct hidden_view);
    const size_t blocks_bytes = (size_t)view->n_cell * sizeof(struct shade_block);
    const unsigned blocks = (unsigned)((view->n_cell + 255) / 256);
    size_t available = 0;
    size_t total = 0;
    if (!okay(device, cudaMemGetInfo(&available, &total)))
        return false;
    if (shade_bytes + hidden_bytes + 2 * blocks_bytes >
        available / 10 * 9) { /* images only take longer without shades */
        view->n_shade = 0;
        return true;
    }
    struct device room = {};
    struct shade_view *shade = (struct shade_view *)device_reserve(device, shade_bytes);
    struct shade_block *from = (struct shade_block *)device_reserve(&room, blocks_bytes);
    struct shade_block *to = (struct shade_block *)device_reserve(&room, blocks_bytes);
    okay(device, room.error);
    for (int s = 0; s < n_shade && device->error == cudaSuccess; s++) {
        struct shade_view *one = shade + (int64_t)s * view->n_cell;
        const int octant = view->octant[s];
        shade_start_kernel<<<blocks, 256>>>(*view, from, one);
        for (int size = 1; size < SHADE_SIZE; size *= 2) {
            for (int axis = 0; axis < 3; axis++) {
                shade_double_kernel<<<blocks, 256>>>(*view, from, to, octant, axis, size);
                struct shade_block *other = from;
                from = to;
                to = other;
            }
            shade_better_kernel<<<blocks, 256>>>(*view, from, one, octant, 2 * size);
        }
        okay(device, cudaGetLastError());
    }
    view->shade = shade;
    struct hidden_view *hidden = view->any_near ? NULL : (struct hidden_view *)device_reserve(device, hidden_bytes);
    if (hidden) {
        hidden_kernel<<<blocks, 256>>>(*view, shade, hidden);
        view->hidden = hidden;
        view->hidden_step = 1;
    }
    okay(device, cudaDeviceSynchronize());
    device_release(&room);
    return device->error == cudaSuccess;
}

#endif

} // namespace

#endif
