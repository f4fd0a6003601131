/* A packet in the registers of its thread: where it comes from. */
#ifndef LR_BACKEND_CUDA_CUDA_PACKET_CUH
#define LR_BACKEND_CUDA_CUDA_PACKET_CUH

#include "backend/cuda/cuda_rounds.cuh"

namespace
{

/* States of threads that leave their loop: ~state of a packet that is to be put aside, or this. */
enum { NO_MORE_PACKETS = ~PACKET_GONE };

__device__ __forceinline__ void start_packet(const struct pass &pass, struct packet &p, int64_t k)
{
    packet_begin(&pass.view, &pass.tally, pass.first_packet + k, &p, last_of_thread(pass));
}

__device__ __forceinline__ void find_no_more(const struct pass &pass, struct packet &p)
{
    p.state = NO_MORE_PACKETS;
    atomicAdd(&pass.rounds[pass.round % 2].idle, 1u);
}

/* Takes a packet from the queue. A number that is taken is begun: what a stop leaves to be done begins where the queue
 * stands. */
__device__ __forceinline__ void next_packet(const struct pass &pass, struct packet &p)
{
    const int64_t k = *pass.stop != GO_ON ? pass.n_packet : (int64_t)atomicAdd(pass.queue, 1ull);
    if (k < pass.n_packet)
        start_packet(pass, p, k);
    else
        find_no_more(pass, p);
}

/* The packet with which a thread begins a round. Without one it may still take one from the queue. */
template <bool ABSORBING, bool IMAGING>
__device__ __forceinline__ void first_packet(const struct pass &pass, struct packet &p)
{
    const unsigned n = packets_at_first(pass);
    const unsigned seat = seat_of_thread(pass, n);
    p.state = PACKET_GONE;
    if (seat >= n) {
        const unsigned long long begun = *(const volatile unsigned long long *)pass.queue;
        if (begun >= (unsigned long long)pass.n_packet || *pass.stop != GO_ON)
            find_no_more(pass, p);
    } else if (pass.round == 0) {
        start_packet(pass, p, seat);
    } else {
        take_up<ABSORBING, IMAGING>(pass, seat, p);
    }
}

} // namespace

#endif
