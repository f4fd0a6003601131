/* A packet in the registers of its thread: where it comes from, and what is saved when it is set aside. */
#ifndef LR_BACKEND_CUDA_CUDA_PACKET_CUH
#define LR_BACKEND_CUDA_CUDA_PACKET_CUH

#include "backend/cuda/cuda_pass.cuh"
#include "kernel/packet_members.h"

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

/* Saves or restores a packet: only what cannot be read again from its cell, and what this kernel knows of it. Anything
 * more would have to stay in registers. */
template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void copy_packet(const struct packet &from, struct packet &to)
{
#define COPY_MEMBER(type, name, member) to.member = from.member;
    PLACE_MEMBERS(COPY_MEMBER)
    CELL_MEMBERS(COPY_MEMBER)
    PHOTON_MEMBERS(COPY_MEMBER)
    SUM_MEMBERS(COPY_MEMBER)
    PATH_MEMBERS(COPY_MEMBER)
    NAME_MEMBERS(COPY_MEMBER)
    if (JUMPS) {
        JUMP_MEMBERS(COPY_MEMBER)
    }
    if (IMAGING) {
        SHARE_MEMBERS(COPY_MEMBER)
    }
    if (IMAGING && WALK_IS_RADIAL) {
        ASIDE_MEMBERS(COPY_MEMBER)
    }
    if (ABSORBING) {
        LOSS_MEMBERS(COPY_MEMBER)
        WEIGHT_MEMBERS(COPY_MEMBER)
    }
#undef COPY_MEMBER
}

template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void take_up(const struct pass &pass, const struct packet &aside, struct packet &p)
{
    copy_packet<ABSORBING, IMAGING, JUMPS>(aside, p);
    if (p.state == PACKET_GONE || p.state == NO_MORE_PACKETS)
        return;
    if (!ABSORBING)
        packet_set_weight(&p, 1.0);
    if (!JUMPS)
        p.skipped = 0;
    packet_enter(&pass.view, &p);
}

/* The k-th packet of the queue. */
template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void start_packet(const struct pass &pass, struct packet &p, int64_t k, int otherwise)
{
    p.state = otherwise;
    if (k < pass.n_flight) {
        take_up<ABSORBING, IMAGING, JUMPS>(pass, pass.flight[k], p);
        if (pass.last)
            *last_of_thread(pass) = pass.flight_last[k];
    } else if (k < pass.n_flight + pass.n_packet) {
        packet_begin(&pass.view, &pass.tally, pass.first_packet + k - pass.n_flight, &p, last_of_thread(pass));
    }
}

/* Nothing is left in the queue, or what is there is not to be begun. */
__device__ __forceinline__ bool queue_is_closed(const struct pass &pass)
{
    const int asked = *pass.stop;
    return pass.one_thread_per_packet || asked > FINISH ||
           (asked == FINISH && *(volatile unsigned long long *)pass.queue >= (unsigned long long)pass.n_flight);
}

/* Takes a packet from the queue; first_packet() instead gives each thread its own, if there is one per packet. What is
 * taken is begun: what a stop leaves to be done begins where the queue stands. */
template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void next_packet(const struct pass &pass, struct packet &p)
{
    const int64_t end = pass.n_flight + pass.n_packet;
    start_packet<ABSORBING, IMAGING, JUMPS>(
        pass, p, queue_is_closed(pass) ? end : (int64_t)atomicAdd(pass.queue, 1ull), NO_MORE_PACKETS);
}

template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void first_packet(const struct pass &pass, struct packet &p)
{
    start_packet<ABSORBING, IMAGING, JUMPS>(
        pass, p, pass.one_thread_per_packet ? thread_index() : pass.n_flight + pass.n_packet, PACKET_GONE);
}

/* Ends the work on a packet in the middle of its life, as the host asks. */
template <bool ABSORBING, bool JUMPS>
__device__ __forceinline__ void break_off(const struct pass &pass, struct packet &p)
{
    if (*pass.stop == PUT_BACK)
        copy_packet<ABSORBING, false, JUMPS>(p, pass.aside[thread_index()]);
    else
        packet_leave(&pass.view, &pass.tally, &p, ABSORBING);
    p.state = PACKET_GONE;
}

} // namespace

#endif
