/* Scatterings that cameras may see. Packets note them on pages that warps take from a pool. When the pool is used up,
 * the packets are put aside and another kernel (cuda_cameras.cuh) serves the cameras; this is one round
 * (cuda_rounds.cuh), and rounds repeat until no packets are left. Each kernel thus has all registers to itself, and all
 * lanes do the same work. */
#ifndef LR_BACKEND_CUDA_CUDA_NOTES_CUH
#define LR_BACKEND_CUDA_CUDA_NOTES_CUH

#include "backend/cuda/cuda_rounds.cuh"

namespace
{

enum { TURNS_PER_LOOK = 8, LOOKS_PER_POOL = 2, LOOKS_PER_STOP = 64, PAGE_NOTES = 4 * TURNS_PER_LOOK * WARP };
#define MOST_WARPS ((size_t)8192)
#define POOL_BYTES ((size_t)8 << 30)

/* The page to which a warp writes, in shared memory. */
struct note_page {
    unsigned page; /* n_page: none */
    int n;
};

__device__ __forceinline__ void close_page(const struct pass &pass, const struct note_page *to)
{
    if (to->page < pass.n_page && threadIdx.x % WARP == 0)
        pass.page_notes[to->page] = to->n;
    __syncwarp();
}

__device__ __forceinline__ void open_page(const struct pass &pass, struct note_page *to)
{
    to->page = pass.n_page;
    to->n = PAGE_NOTES;
    __syncwarp();
}

/* Makes sure that every lane can write a note in each of the next turns; returns whether it can. Warps with few notes
 * check now and then whether the others have used up the pool, so as not to keep them waiting, and whether the round is
 * over for want of packets. */
__device__ __forceinline__ bool page_has_room(const struct pass &pass, struct note_page *to, unsigned look)
{
    const bool full = to->n > PAGE_NOTES - TURNS_PER_LOOK * WARP;
    if (look % LOOKS_PER_POOL == 0) {
        const bool used_up = *(volatile unsigned *)&pass.counters->taken >= pass.n_page;
        if (__any_sync(0xffffffffu, used_up || round_is_over(pass)))
            return false;
    }
    if (look % LOOKS_PER_STOP == 0 && __any_sync(0xffffffffu, *pass.stop > FINISH))
        return false;
    if (!__any_sync(0xffffffffu, full))
        return true;
    close_page(pass, to);
    if (threadIdx.x % WARP == 0) {
        to->page = min(atomicAdd(&pass.counters->taken, 1u), pass.n_page);
        to->n = 0;
    }
    __syncwarp();
    return __any_sync(0xffffffffu, to->page < pass.n_page);
}

__device__ __forceinline__ struct note *next_note(const struct pass &pass, struct note_page *to)
{
    return pass.note + (int64_t)to->page * PAGE_NOTES + atomicAdd(&to->n, 1);
}

} // namespace

#endif
