/* A packet in the registers of its thread: how it begins, and what is kept of it when it is put aside. */
#ifndef LR_BACKEND_CUDA_CUDA_PACKET_CUH
#define LR_BACKEND_CUDA_CUDA_PACKET_CUH

#include "backend/cuda/cuda_pass.cuh"
#include "kernel/deposit.h"
#include "kernel/emission.h"

namespace
{

struct packet {
    struct place at;
    struct vec3 n;
    real x, tau;
    real alpha0, a, kappa, eps;                        /* of the cell */
    real outflow;                                      /* SHELLS: of its gas, in units of b */
    struct hidden_view hidden;                         /* of the cell; with cameras */
    real weight;                                       /* settled, in working precision */
    double settled;                                    /* weight at the last flush */
    real path;                                         /* up to the last flush */
    real path_part, length, scatter, depth, scattered; /* since the last flush */
    uint32_t events;                                   /* scatterings so far */
    uint32_t id_low, id_high, draw;
    uint16_t batch, group;          /* the group of batches for the cell tallies */
    double absorbed, scattered_sum; /* up to the last flush */
    int cell;
    int state;
    real owed;       /* to the cameras, for this segment; PAID: nothing any more */
    uint32_t debt;   /* small shares, added up */
    real owed_depth; /* of the way to the face ahead, on which the share is left */
    real kept_x;     /* SHELLS: of the packet, while it is where the share is left */
    struct vec3 kept_n;
    real aside; /* SHELLS: the height of that place */
};

/* OWING: about to fly a thin segment, waits for an atom to scatter its share toward the cameras. EMPTY: the thread has
 * no packet, and there may be more; FINISHED: there are none. */
enum { FLYING, WAITING, OWING, EMPTY, FINISHED };
#define PAID R(-1)

__device__ __forceinline__ void load_cell(const struct pass &pass, struct packet &p, const struct cell_view &cell)
{
    if (WALK_KNOWS_SHADE)
        p.hidden = pass.view.hidden[(int64_t)p.cell * pass.view.hidden_step];
    p.alpha0 = cell.alpha0;
    p.a = cell.a;
    p.kappa = cell.kappa;
    p.eps = cell.eps;
    p.outflow = WALK_IS_RADIAL ? r_div(cell.vx, cell.b) : R(0);
}

/* In units of b. */
__device__ __forceinline__ real recoil_of(const struct pass &pass, const struct packet &p)
{
    return pass.view.recoil > R(0) ? r_div(pass.view.recoil, pass.view.cell[p.cell].b) : R(0);
}

__device__ __forceinline__ void set_weight(struct packet &p, double weight)
{
    p.settled = weight;
    p.weight = (real)weight;
}

__device__ __forceinline__ void keep_last(const struct pass &pass, const struct packet &p)
{
    struct last_scattering *last = pass.last + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    last->cell[0] = p.at.i;
    last->cell[1] = p.at.j;
    last->cell[2] = p.at.k;
    last->local[0] = p.at.local.x;
    last->local[1] = p.at.local.y;
    last->local[2] = p.at.local.z;
}

__device__ __forceinline__ void start_packet(const struct pass &pass, struct packet &p, int64_t id)
{
    p.id_low = (uint32_t)id;
    p.id_high = (uint32_t)((uint64_t)id >> 32);
    p.draw = EMISSION_BLOCKS;
    p.batch = (uint16_t)tally_batch(pass.deal, id);
    p.group = (uint16_t)(p.batch % pass.n_group);
    const struct emitted born = emit_packet(&pass.view, p.id_low, p.id_high);
    p.at = born.at;
    p.n = born.n;
    p.x = born.x;
    p.tau = born.tau;
    p.cell = walk_cell_index(&pass.view.mesh, born.at);
    load_cell(pass, p, pass.view.cell[p.cell]);
    set_weight(p, 1);
    p.path = p.path_part = p.length = p.scatter = p.depth = p.scattered = R(0);
    p.events = 0;
    p.absorbed = p.scattered_sum = 0;
    p.state = FLYING;
    p.owed = R(0);
    p.debt = share_start(&pass.view, p.id_low, p.id_high);
    if (pass.last)
        keep_last(pass, p);
}

/* A packet that is put aside or taken up again: what it needs and its cell does not say. All else would have to stay in
 * registers. */
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
    if (p.state == EMPTY || p.state == FINISHED)
        return;
    set_weight(p, ABSORBING ? p.settled : 1.0);
    load_cell(pass, p, pass.view.cell[p.cell]);
}

} // namespace

#endif
