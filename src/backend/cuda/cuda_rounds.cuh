/* Kernels that follow packets are launched in rounds. Between two of them the packets in flight are put aside, and the
 * next round gives them to other threads: a warp takes about as long for one packet as for 32, so that packets that are
 * left over here and there are better brought together. This is done whenever half of the packets have ended and there
 * are no others to take their places.
 *
 * The fewer packets, the fewer warps share them, so that these are full. But few_warps of them run side by side without
 * slowing each other down, on all multiprocessors, and from then on each has fewer packets, and at last one: then
 * nothing that other packets do, above all at faces, keeps it waiting. A history depends on its packet alone, not on
 * the thread. */
#ifndef LR_BACKEND_CUDA_CUDA_ROUNDS_CUH
#define LR_BACKEND_CUDA_CUDA_ROUNDS_CUH

#include "backend/cuda/cuda_pass.cuh"
#include "kernel/packet_members.h"

namespace
{

/* Two for each of the four schedulers of a multiprocessor. */
enum { FEW_WARPS_PER_PROCESSOR = 8 };

__device__ __forceinline__ unsigned thread_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ struct last_place *last_of_thread(const struct pass &pass)
{
    return pass.last ? pass.last + thread_index() : NULL;
}

/* All packets in flight and all numbers: the length of the queue. */
__device__ __forceinline__ int64_t packets_in_all(const struct pass &pass)
{
    return pass.n_flight + pass.n_packet;
}

/* Packets that a round begins with: the first of the queue, or those that the round before has put aside. */
__device__ __forceinline__ unsigned packets_at_first(const struct pass &pass)
{
    if (pass.round > 0)
        return pass.rounds[(pass.round + 1) % 2].aside;
    return packets_in_all(pass) < pass.n_thread ? (unsigned)packets_in_all(pass) : pass.n_thread;
}

/* Which of n packets this thread follows first; n or more: none. Packets go to warps in turn, and warps are counted
 * such that neighbours are on different multiprocessors, and then on different schedulers. */
__device__ __forceinline__ unsigned seat_of_thread(const struct pass &pass, unsigned n)
{
    if (pass.one_thread_per_packet)
        return thread_index();
    const unsigned processor = blockIdx.x % pass.n_processor;
    const unsigned block = blockIdx.x / pass.n_processor;
    const unsigned warp = processor + pass.n_processor * (threadIdx.x / WARP + WARPS * block);
    const unsigned warps = max((n + WARP - 1) / WARP, pass.few_warps);
    return warp < warps ? warp + warps * (threadIdx.x % WARP) : n;
}

/* Whether so few packets are left that they should be put aside. */
__device__ __forceinline__ bool round_is_over(const struct pass &pass)
{
    const unsigned n = packets_at_first(pass);
    const unsigned idle = *(const volatile unsigned *)&pass.rounds[pass.round % 2].idle;
    return pass.regroups && n > pass.few_warps && pass.n_thread - idle <= n / 2;
}

/* What is saved of a packet: only what cannot be read again from its cell, and what this kernel knows of it. Anything
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
__device__ __forceinline__ void put_aside(const struct pass &pass, const struct packet &p)
{
    const unsigned seat = atomicAdd(&pass.rounds[pass.round % 2].aside, 1u);
    struct parked *to = &pass.aside[pass.round % 2][seat];
    copy_packet<ABSORBING, IMAGING, JUMPS>(p, to->packet);
    if (pass.last)
        to->last = *last_of_thread(pass);
}

template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void take_up(const struct pass &pass, const struct parked &from, struct packet &p)
{
    copy_packet<ABSORBING, IMAGING, JUMPS>(from.packet, p);
    if (pass.last)
        *last_of_thread(pass) = from.last;
    if (!ABSORBING)
        packet_set_weight(&p, 1.0);
    if (!JUMPS)
        p.skipped = 0;
    packet_enter(&pass.view, &p);
}

} // namespace

#endif
