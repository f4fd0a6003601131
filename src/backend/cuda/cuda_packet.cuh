/* A packet in the registers of its thread: where it comes from. */
#ifndef LR_BACKEND_CUDA_CUDA_PACKET_CUH
#define LR_BACKEND_CUDA_CUDA_PACKET_CUH

#include "backend/cuda/cuda_rounds.cuh"
#include "kernel/packet_events.h"

namespace
{

/* States of threads that leave their loop: ~state of a packet that is to be put aside, or this. */
enum { NO_MORE_PACKETS = ~PACKET_GONE };

/* The k-th packet of the queue. */
template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void start_packet(const struct pass &pass, struct packet &p, int64_t k)
{
    if (k < pass.n_flight)
        take_up<ABSORBING, IMAGING, JUMPS>(pass, pass.flight[k], p);
    else
        packet_begin(&pass.view, &pass.tally, pass.first_packet + k - pass.n_flight, &p, last_of_thread(pass));
}

__device__ __forceinline__ void find_no_more(const struct pass &pass, struct packet &p)
{
    p.state = NO_MORE_PACKETS;
    atomicAdd(&pass.rounds[pass.round % 2].idle, 1u);
}

__device__ __forceinline__ int64_t place_in_queue(const struct pass &pass)
{
    return (int64_t) * (const volatile unsigned long long *)pass.queue;
}

/* After a stop only packets in flight are taken, and none if these are not to go on. */
__device__ __forceinline__ bool queue_is_closed(const struct pass &pass)
{
    const int asked = *pass.stop;
    return asked > FINISH || (asked == FINISH && place_in_queue(pass) >= pass.n_flight);
}

/* Takes a packet from the queue. What is taken is begun: what a stop leaves to be done begins where the queue stands.
 */
template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void next_packet(const struct pass &pass, struct packet &p)
{
    const int64_t k = queue_is_closed(pass) ? packets_in_all(pass) : (int64_t)atomicAdd(pass.queue, 1ull);
    if (k < packets_in_all(pass))
        start_packet<ABSORBING, IMAGING, JUMPS>(pass, p, k);
    else
        find_no_more(pass, p);
}

/* Does with a packet in flight what the host asks for. */
template <bool ABSORBING>
__device__ __forceinline__ void obey(const struct pass &pass, struct packet &p)
{
    const int asked = *pass.stop;
    if (asked == LEAVE) {
        packet_leave(&pass.view, &pass.tally, &p, ABSORBING);
        p.state = PACKET_GONE;
    } else if (asked == PUT_BACK) {
        p.state = ~p.state;
    }
}

/* The packet with which a thread begins a round. Without one it may still take one from the queue. */
template <bool ABSORBING, bool IMAGING, bool JUMPS>
__device__ __forceinline__ void first_packet(const struct pass &pass, struct packet &p)
{
    const unsigned n = packets_at_first(pass);
    const unsigned seat = seat_of_thread(pass, n);
    p.state = PACKET_GONE;
    if (seat >= n) {
        if (place_in_queue(pass) >= packets_in_all(pass) || queue_is_closed(pass))
            find_no_more(pass, p);
    } else if (pass.round == 0) {
        start_packet<ABSORBING, IMAGING, JUMPS>(pass, p, seat);
    } else {
        take_up<ABSORBING, IMAGING, JUMPS>(pass, pass.aside[(pass.round + 1) % 2][seat], p);
        if (!IMAGING)
            obey<ABSORBING>(pass, p);
    }
}

} // namespace

#endif
