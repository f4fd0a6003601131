/* The transport kernels: each thread follows one packet at a time. Each turn of the loop is one step of its history
 * (kernel/packet.h): a velocity proposal if it waits for a scattering, one segment if it is in flight. A rejected
 * proposal costs that thread a turn, not its warp. Included by cuda_transport.cu, once per mesh and precision. */
#ifndef LR_BACKEND_CUDA_CUDA_KERNEL_CUH
#define LR_BACKEND_CUDA_CUDA_KERNEL_CUH

#include "backend/cuda/cuda_notes.cuh"
#include "backend/cuda/cuda_packet.cuh"
#include "kernel/packet_jump.h"
#include "kernel/packet_show.h"

namespace
{

#ifdef LR_REAL_DOUBLE
enum { BLOCKS_PER_SM = 4, BLOCKS_WITH_CAMERAS = 4, BLOCKS_WITH_JUMPS = 3 };
#else
enum { BLOCKS_PER_SM = 8, BLOCKS_WITH_CAMERAS = 7, BLOCKS_WITH_JUMPS = 5 };
#endif

/* One turn of a packet that waits for an atom. */
template <int MODE, bool ABSORBING, bool NARROW, bool IMAGING, bool LONE>
__device__ __forceinline__ void try_scattering(const struct pass &pass, const struct table_view &table,
                                               struct packet &p, struct note_page *to)
{
    const struct group_choice choice = packet_choose(&pass.view, &p, MODE);
    const struct velocity_proposal atom = packet_propose(&pass.view, &table, &p, &choice, MODE, NARROW);
    if (!packet_accepts(&p, atom))
        return;
    const struct random4 random = packet_draw(&pass.view, &p, 1);
    const struct absorber absorber = packet_absorber(&pass.view, &p, &choice, atom, random, MODE, pass.view.dipole);
    if (IMAGING) {
        const struct shown shown = packet_show(&pass.view, &p, atom, absorber, 1, MODE, ABSORBING, LONE);
        if (shown.visible)
            *next_note(pass, to) = packet_note(&pass.view, &p, shown, atom, absorber, random, pass.n_deposit_group);
    }
    packet_scatter(&pass.view, &p, atom, absorber, random, 1, MODE, pass.view.dipole, IMAGING);
}

template <int MODE, bool ABSORBING, bool NARROW, bool IMAGING>
__device__ __forceinline__ void fly(const struct pass &pass, const struct table_view &table, struct packet &p)
{
    const real b = LR_KEPT(p.b, pass.view.cell[p.cell].b);
    const struct profiles seen = gas_profiles(&pass.view, &table, p.a, b, packet_aim(&p), MODE, NARROW);
    const bool analog = ABSORBING && pass.view.analog;
    const struct ahead ahead = packet_look(&p, seen, ABSORBING, analog);
    if (IMAGING && packet_owes(&pass.view, &p, ahead, ABSORBING)) {
        packet_fly(&pass.view, &p, seen, ahead, 1, ABSORBING, analog, IMAGING);
        return;
    }
    struct flight flight = packet_fly(&pass.view, &p, seen, ahead, 0, ABSORBING, analog, IMAGING);
    if (analog && flight.collided)
        flight.absorbed = packet_is_absorbed(&pass.view, &p, flight.profile);
    struct last_place *last = NULL;
    if (pass.last) {
        last = last_of_thread(pass);
        if (flight.collided)
            packet_keep_place(&p, last);
    }
    if (!packet_after_flight(&pass.view, &pass.tally, &p, flight, last, ABSORBING))
        return;
    if (!IMAGING && *pass.stop > FINISH)
        obey<ABSORBING>(pass, p);
    else if (!IMAGING && round_is_over(pass))
        p.state = ~p.state;
}

/* A thread has left its loop: its packet has ended, or is to go on in another round. */
template <bool ABSORBING, bool JUMPS>
__device__ __forceinline__ void end_round(const struct pass &pass, struct packet &p)
{
    p.state = ~p.state;
    if (p.state != PACKET_GONE)
        put_aside<ABSORBING, false, JUMPS>(pass, p);
}

template <int MODE, bool ABSORBING, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_SM)
    transport_kernel(const __grid_constant__ struct pass pass)
{
    const struct table_view table = tables_of<MODE>(pass);
    struct packet p;
    first_packet<ABSORBING, false, false>(pass, p);
    for (;;) {
        if (p.state == PACKET_GONE)
            next_packet<ABSORBING, false, false>(pass, p);
        if (p.state < 0)
            break;
        if (packet_waits(&p))
            try_scattering<MODE, ABSORBING, NARROW, false, false>(pass, table, p, NULL);
        if (p.state == PACKET_FLYING)
            fly<MODE, ABSORBING, NARROW, false>(pass, table, p);
        /* Keeps the warp in step: otherwise the compiler sends a rejected lane straight back to propose again while the
         * rest of the warp waits (3.4e10 instead of 4.4e10 scatterings/s on an H200). */
        __syncwarp();
    }
    end_round<ABSORBING, false>(pass, p);
}

/* The same in deep gas, where packets jump instead of scattering if they can. */
template <bool ABSORBING, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_WITH_JUMPS)
    jumping_kernel(const __grid_constant__ struct pass pass)
{
    enum { MODE = REDISTRIBUTION_EXACT };
    const struct table_view table = tables_of<MODE>(pass);
    struct packet p;
    first_packet<ABSORBING, false, true>(pass, p);
    for (;;) {
        if (p.state == PACKET_GONE)
            next_packet<ABSORBING, false, true>(pass, p);
        if (p.state < 0)
            break;
        if (p.state == PACKET_WAITING && packet_may_jump(&pass.view, &p))
            packet_jump(&pass.view, &pass.tally, &p, last_of_thread(pass), 0, NULL, ABSORBING);
        if (packet_waits(&p))
            try_scattering<MODE, ABSORBING, NARROW, false, false>(pass, table, p, NULL);
        if (p.state == PACKET_FLYING)
            fly<MODE, ABSORBING, NARROW, false>(pass, table, p);
        __syncwarp();
    }
    end_round<ABSORBING, true>(pass, p);
}

/* The same with cameras (cuda_notes.cuh). LONE: there is only one camera, and it is far away. */
template <int MODE, bool ABSORBING, bool NARROW, bool LONE, bool JUMPS>
__global__ void __launch_bounds__(BLOCK_THREADS, ABSORBING ? BLOCKS_WITH_CAMERAS - 1 : BLOCKS_WITH_CAMERAS)
    noting_kernel(const __grid_constant__ struct pass pass)
{
    __shared__ struct note_page pages[WARPS];
    struct note_page *to = &pages[threadIdx.x / WARP];
    const struct table_view table = tables_of<MODE>(pass);
    struct packet p;
    first_packet<ABSORBING, true, JUMPS>(pass, p);
    open_page(pass, to);
    for (unsigned look = 0; __any_sync(0xffffffffu, p.state != NO_MORE_PACKETS) && page_has_room(pass, to, look);
         look++) {
        LR_NO_UNROLL
        for (int turn = 0; turn < TURNS_PER_LOOK; turn++) {
            if (p.state == PACKET_GONE)
                next_packet<ABSORBING, true, JUMPS>(pass, p);
            /* threads without a packet have no cell to look at */
            if (JUMPS && p.state == PACKET_WAITING && packet_may_jump(&pass.view, &p)) {
                struct note note;
                if (packet_jump(&pass.view, &pass.tally, &p, last_of_thread(pass), pass.n_deposit_group, &note,
                                ABSORBING) == JUMP_SEEN)
                    *next_note(pass, to) = note;
            }
            if (packet_waits(&p))
                try_scattering<MODE, ABSORBING, NARROW, true, LONE>(pass, table, p, to);
            if (p.state == PACKET_FLYING)
                fly<MODE, ABSORBING, NARROW, true>(pass, table, p);
            __syncwarp();
        }
    }
    close_page(pass, to);
    if (p.state > PACKET_GONE)
        put_aside<ABSORBING, true, JUMPS>(pass, p);
}

/* Counts packets that were put aside and will not be taken up again. */
template <bool ABSORBING>
__global__ void leaving_kernel(const __grid_constant__ struct pass pass)
{
    if (thread_index() < packets_at_first(pass))
        packet_leave(&pass.view, &pass.tally, &pass.aside[(pass.round + 1) % 2][thread_index()].packet, ABSORBING);
}

} // namespace

#endif
