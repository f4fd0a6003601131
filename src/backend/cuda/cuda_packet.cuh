/* A packet in the registers of its thread: where it comes from, and what is saved when it is set aside. */
#ifndef LR_BACKEND_CUDA_CUDA_PACKET_CUH
#define LR_BACKEND_CUDA_CUDA_PACKET_CUH

#include "backend/cuda/cuda_pass.cuh"
#include "kernel/packet.h"

namespace
{

/* State in addition to those of a packet: the thread has none, and there are no more. */
enum { NO_MORE_PACKETS = -1 };

__device__ __forceinline__ int64_t thread_index()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ struct last_place *last_of_thread(const struct pass &pass)
{
    return pass.last ? pass.last + thread_index() : NULL;
}

__device__ __forceinline__ void start_packet(const struct pass &pass, struct packet &p, int64_t id, int otherwise)
{
    p.state = otherwise;
    if (id < pass.n_packet && !*pass.stop)
        packet_begin(&pass.view, &pass.tally, id, &p, last_of_thread(pass));
}

/* Takes a packet from the queue; first_packet() instead gives each thread its own, if there is one per packet. */
__device__ __forceinline__ void next_packet(const struct pass &pass, struct packet &p)
{
    const int64_t id = pass.one_thread_per_packet ? pass.n_packet : (int64_t)atomicAdd(pass.queue, 1ull);
    start_packet(pass, p, id, NO_MORE_PACKETS);
}

__device__ __forceinline__ void first_packet(const struct pass &pass, struct packet &p)
{
    start_packet(pass, p, pass.one_thread_per_packet ? thread_index() : pass.n_packet, PACKET_GONE);
}

/* Saves or restores a packet between rounds: only what cannot be read again from its cell. Anything more would have to
 * stay in registers. */
template <bool ABSORBING>
__device__ __forceinline__ void copy_packet(const struct packet &from, struct packet &to)
{
    to.at = from.at;
    to.n = from.n;
    to.x = from.x;
    to.tau = from.tau;
    to.path = from.path;
    to.path_part = from.path_part;
    to.scatter = from.scatter;
    to.events = from.events;
    to.id_low = from.id_low;
    to.id_high = from.id_high;
    to.draw = from.draw;
    to.batch = from.batch;
    to.group = from.group;
    to.cell = from.cell;
    to.state = from.state;
    to.owed = from.owed;
    to.debt = from.debt;
    to.owed_depth = from.owed_depth;
    if (WALK_IS_RADIAL) {
        to.kept_x = from.kept_x;
        to.kept_n = from.kept_n;
        to.aside = from.aside;
    }
    if (ABSORBING) {
        to.settled = from.settled;
        to.length = from.length;
        to.depth = from.depth;
        to.scattered = from.scattered;
        to.absorbed = from.absorbed;
        to.scattered_sum = from.scattered_sum;
    }
}

template <bool ABSORBING>
__device__ __forceinline__ void take_up(const struct pass &pass, const struct packet &aside, struct packet &p)
{
    copy_packet<ABSORBING>(aside, p);
    if (p.state == PACKET_GONE || p.state == NO_MORE_PACKETS)
        return;
    packet_set_weight(&p, ABSORBING ? p.settled : 1.0);
    packet_enter(&pass.view, &p);
}

} // namespace

#endif
