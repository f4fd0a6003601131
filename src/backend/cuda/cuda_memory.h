/* Device memory of a run, freed together; remembers the first error. Included by the CUDA drivers. */
#ifndef LR_BACKEND_CUDA_CUDA_MEMORY_H
#define LR_BACKEND_CUDA_CUDA_MEMORY_H

#include <cuda_runtime.h>

#include <cstdlib>

#include "backend/build_views.h"

namespace
{

struct device {
    void **block;
    int n_block;
    cudaError_t error;
};

bool okay(struct device *device, cudaError_t error)
{
    if (device->error == cudaSuccess)
        device->error = error;
    return device->error == cudaSuccess;
}

/* Of the device that this thread uses, for messages. */
int device_number()
{
    int number = 0;
    cudaGetDevice(&number);
    return number;
}

/* Allocates memory without setting its contents. */
void *device_reserve(struct device *device, size_t bytes)
{
    void *memory = NULL;
    void **grown = (void **)realloc(device->block, (size_t)(device->n_block + 1) * sizeof *grown);
    if (grown)
        device->block = grown;
    else
        okay(device, cudaErrorMemoryAllocation);
    if (device->error != cudaSuccess || !okay(device, cudaMalloc(&memory, bytes > 0 ? bytes : 1)))
        return NULL;
    device->block[device->n_block++] = memory;
    return memory;
}

void *device_copy(void *owner, size_t bytes, const void *data)
{
    struct device *device = (struct device *)owner;
    void *memory = device_reserve(device, bytes);
    if (!memory)
        return NULL;
    if (!okay(device, data ? cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice) : cudaMemset(memory, 0, bytes)))
        return NULL;
    return memory;
}

/* Removes a block from the list: its new owner frees it. */
void *device_keep(struct device *device, void *memory)
{
    int i = 0;
    while (i < device->n_block && device->block[i] != memory)
        i++;
    if (i < device->n_block)
        device->block[i] = device->block[--device->n_block];
    return memory;
}

void device_release(struct device *device)
{
    for (int i = 0; i < device->n_block; i++)
        cudaFree(device->block[i]);
    free(device->block);
}

/* Cells in working precision, sent in pieces: fill(first, n, cells) provides n of them. */
template <typename CELL, typename FILL>
const CELL *device_filled(struct device *device, int64_t n_cell, FILL fill)
{
    const int64_t piece = n_cell < (1 << 20) ? n_cell : (1 << 20);
    CELL *cells = (CELL *)device_reserve(device, (size_t)n_cell * sizeof *cells);
    CELL *host = (CELL *)aligned_alloc(64, (size_t)((piece + 1) / 2 * 2) * sizeof *host);
    bool ok = cells && host;
    for (int64_t first = 0; ok && first < n_cell; first += piece) {
        const int64_t n = n_cell - first < piece ? n_cell - first : piece;
        ok = fill(first, n, host) &&
             okay(device, cudaMemcpy(cells + first, host, (size_t)n * sizeof *host, cudaMemcpyHostToDevice));
    }
    free(host);
    return ok ? cells : NULL;
}

const struct cell_view *device_cells(struct device *device, read_cells_fn *read_cells, const void *medium,
                                     int64_t n_cell)
{
    return device_filled<struct cell_view>(device, n_cell, [=](int64_t first, int64_t n, struct cell_view *cells) {
        return fill_cells(read_cells, medium, first, n, cells);
    });
}

} // namespace

#endif
