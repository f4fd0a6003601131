/* Scatterings that cameras may see. Packets note them, in pages that the warps take from a pool; when the pool is used
 * up the packets are put aside, and another kernel (cuda_cameras.cuh) serves the cameras. Such a round after the other
 * ends the pass. Each kernel has the registers to itself, and has all lanes busy with the same work. */
#ifndef LR_BACKEND_CUDA_NOTES_CUH
#define LR_BACKEND_CUDA_NOTES_CUH

#include "backend/cuda_pass.cuh"

namespace
{

enum { PAGE_NOTES = 8 * WARP, TURNS_PER_LOOK = 64 };
#define POOL_BYTES ((size_t)400 << 20)

/* A packet as it comes in, and the atom that scatters it. SHELLS: local_y, local_z and toward_z are the direction to
 * the observer. */
struct LR_ALIGNED(16) note {
    int i, j, k; /* cell */
    int group;   /* of batches, for the light */
    real local_x, local_y, local_z, toward_z;
    real n_x, n_y, n_z, x;
    real u, u_side, share, limit;
};

/* The page on which a warp writes, in shared memory. */
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

/* The same for all lanes of a warp. */
__device__ __forceinline__ bool pages_are_used_up(const struct pass &pass)
{
    return __any_sync(0xffffffffu, *(volatile unsigned *)&pass.counters->taken >= pass.n_page);
}

/* Makes sure that every lane can write a note; returns whether it can. */
__device__ __forceinline__ bool page_has_room(const struct pass &pass, struct note_page *to)
{
    if (!__any_sync(0xffffffffu, to->n > PAGE_NOTES - WARP))
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
