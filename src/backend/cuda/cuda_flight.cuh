/* Packets in flight on the host: those that a GPU takes up, and those that it has put back (kernel/packet_store.h).
 * Included by cuda_transport.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_FLIGHT_CUH
#define LR_BACKEND_CUDA_CUDA_FLIGHT_CUH

#include <cstdlib>

#include "backend/cuda/cuda_memory.h"
#include "backend/cuda/cuda_packet.cuh"
#include "kernel/packet_store.h"

namespace
{

/* Sends those that are to be taken up to the device. */
bool send_flight(struct device *device, const struct transport_todo *todo, struct pass *pass)
{
    const size_t n = (size_t)todo->n_flight;
    if (n == 0)
        return true;
    struct packet *packet = (struct packet *)calloc(n, sizeof *packet);
    struct last_place *last = (struct last_place *)calloc(n, sizeof *last);
    for (size_t k = 0; packet && last && k < n; k++)
        packet_load(todo->flight + k * STORED_NUMBERS, &packet[k], &last[k]);
    if (packet && last) {
        pass->n_flight = todo->n_flight;
        pass->flight = (const struct packet *)device_copy(device, n * sizeof *packet, packet);
        if (pass->last)
            pass->flight_last = (const struct last_place *)device_copy(device, n * sizeof *last, last);
    } else {
        okay(device, cudaErrorMemoryAllocation);
    }
    free(packet);
    free(last);
    return device->error == cudaSuccess;
}

/* Removes the first n of the list. */
void drop_flight(struct transport_todo *todo, int64_t n)
{
    todo->n_flight -= n;
    for (int64_t i = 0; n > 0 && i < todo->n_flight * todo->n_value; i++)
        todo->flight[i] = todo->flight[n * todo->n_value + i];
}

/* Adds those that the threads have put aside to the list; returns how many. */
int64_t fetch_flight(struct device *device, const struct pass *pass, size_t n_thread, bool absorbing,
                     struct transport_todo *todo)
{
    struct packet *aside = (struct packet *)calloc(n_thread, sizeof *aside);
    struct last_place *last = (struct last_place *)calloc(n_thread, sizeof *last);
    int64_t n = 0;
    if (aside && last) {
        okay(device, cudaMemcpy(aside, pass->aside, n_thread * sizeof *aside, cudaMemcpyDeviceToHost));
        if (pass->last)
            okay(device, cudaMemcpy(last, pass->last, n_thread * sizeof *last, cudaMemcpyDeviceToHost));
    }
    for (size_t t = 0; aside && last && t < n_thread; t++)
        n += aside[t].state != PACKET_GONE && aside[t].state != NO_MORE_PACKETS;
    double *grown =
        (double *)realloc(todo->flight, (size_t)(todo->n_flight + n + 1) * STORED_NUMBERS * sizeof(double));
    if (grown)
        todo->flight = grown;
    if (!aside || !last || !grown)
        okay(device, cudaErrorMemoryAllocation);
    for (size_t t = 0; device->error == cudaSuccess && t < n_thread; t++) {
        if (aside[t].state == PACKET_GONE || aside[t].state == NO_MORE_PACKETS)
            continue;
        if (!absorbing)
            packet_set_weight(&aside[t], 1.0);
        packet_store(&aside[t], &last[t], todo->flight + todo->n_flight++ * STORED_NUMBERS);
    }
    todo->n_value = STORED_NUMBERS;
    free(aside);
    free(last);
    return n;
}

} // namespace

#endif
