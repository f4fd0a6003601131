/* Packets in flight on the host: those that a GPU is to take up, and those that it has put back
 * (kernel/packet_store.h). Included by cuda_transport.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_FLIGHT_CUH
#define LR_BACKEND_CUDA_CUDA_FLIGHT_CUH

#include <cstdlib>

#include "backend/cuda/cuda_memory.h"
#include "backend/cuda/cuda_pass.cuh"
#include "kernel/packet_store.h"

namespace
{

/* Those of the list, on the device. */
const struct parked *send_flight(struct device *device, const struct transport_todo *todo)
{
    const size_t n = (size_t)todo->n_flight;
    if (n == 0)
        return NULL;
    struct parked *parked = (struct parked *)calloc(n, sizeof *parked);
    if (!parked) {
        okay(device, cudaErrorMemoryAllocation);
        return NULL;
    }
    for (size_t k = 0; k < n; k++)
        packet_load(todo->flight + k * STORED_NUMBERS, &parked[k].packet, &parked[k].last);
    const struct parked *sent = (const struct parked *)device_copy(device, n * sizeof *parked, parked);
    free(parked);
    return sent;
}

/* Removes the first n of the list. */
void drop_flight(struct transport_todo *todo, int64_t n)
{
    todo->n_flight -= n;
    for (int64_t i = 0; n > 0 && i < todo->n_flight * todo->n_value; i++)
        todo->flight[i] = todo->flight[n * todo->n_value + i];
}

/* Adds those that were put aside in this round to the list; returns how many. */
int64_t fetch_flight(struct device *device, const struct pass *pass, int round, bool absorbing,
                     struct transport_todo *todo)
{
    struct round_counters counters = {};
    okay(device, cudaMemcpy(&counters, &pass->rounds[round % 2], sizeof counters, cudaMemcpyDeviceToHost));
    const size_t n = counters.aside;
    struct parked *parked = (struct parked *)calloc(n + 1, sizeof *parked);
    double *grown = (double *)realloc(todo->flight, ((size_t)todo->n_flight + n + 1) * STORED_NUMBERS * sizeof(double));
    if (grown)
        todo->flight = grown;
    if (!parked || !grown)
        okay(device, cudaErrorMemoryAllocation);
    else if (n > 0)
        okay(device, cudaMemcpy(parked, pass->aside[round % 2], n * sizeof *parked, cudaMemcpyDeviceToHost));
    for (size_t k = 0; device->error == cudaSuccess && k < n; k++) {
        if (!absorbing) /* then kernels do not know it */
            packet_set_weight(&parked[k].packet, 1.0);
        packet_store(&parked[k].packet, &parked[k].last, todo->flight + todo->n_flight++ * STORED_NUMBERS);
    }
    todo->n_value = STORED_NUMBERS;
    free(parked);
    return (int64_t)n;
}

} // namespace

#endif
