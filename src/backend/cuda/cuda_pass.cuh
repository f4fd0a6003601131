/* What the transport kernels share. Included once per mesh and precision. */
#ifndef LR_BACKEND_CUDA_CUDA_PASS_CUH
#define LR_BACKEND_CUDA_CUDA_PASS_CUH

#include "backend/build_views.h"
#include "kernel/packet_show.h"

namespace
{

enum { WARP = 32, BLOCK_THREADS = 128, WARPS = BLOCK_THREADS / WARP };

enum { CONSTANT_CDF = 44 * 251, CONSTANT_VOIGT = 5000 };
__constant__ float constant_cdf[CONSTANT_CDF];
__constant__ float constant_voigt[CONSTANT_VOIGT];

/* Counters of one round: of packets (cuda_rounds.cuh), and of notes (cuda_notes.cuh). */
struct round_counters {
    unsigned aside; /* packets that were put aside, to go on in the next round */
    unsigned idle;  /* threads that found no more packets */
};
struct note_counters {
    unsigned taken, served; /* pages */
};

/* A packet that is put aside. */
struct parked {
    struct packet packet;
    struct last_place last;
};

/* What the host asks for: to go on; to start no more packets; and either to put back those in flight, so that they can
 * go on later, or to leave them for good. */
enum { GO_ON = 0, FINISH = 1, PUT_BACK = 2, LEAVE = 3 };

/* All that a kernel needs; passed by value. */
struct pass {
    struct transport_view view;
    struct tally_view tally;
    int64_t first_packet, n_packet; /* numbers from the first on */
    int64_t n_flight;               /* packets in flight that were put back, and are taken up before those */
    const struct parked *flight;
    int64_t n_before; /* for the host: packets that had ended before */
    int one_thread_per_packet;
    float *emissivity;       /* [n_deposit_group][n_camera][n_row][n_channel]; or NULL */
    double *emissivity_wide; /* the same, if there are few voxels */
    int n_deposit_group;
    struct last_place *last;   /* per thread; or NULL */
    unsigned long long *queue; /* how many of the packets in flight, and then of the numbers, have been taken */
    const volatile int *stop;  /* what the host asks for */
    /* rounds: what concerns one has the index round % 2 */
    int round;
    int regroups; /* this round may end before its packets do */
    unsigned n_thread, n_processor, few_warps;
    struct round_counters *rounds; /* [2] */
    struct parked *aside[2];       /* by packets of this round, for the next; or NULL */
    /* light toward cameras */
    struct note *note; /* [n_page][PAGE_NOTES] */
    int *page_notes;   /* number of notes on each page */
    unsigned n_page;
    struct note_counters *counters;
};

template <int MODE>
__device__ __forceinline__ struct table_view tables_of(const struct pass &pass)
{
    struct table_view table = pass.view.table;
    if (MODE == REDISTRIBUTION_TABLE_CONSTANT) {
        table.cdf = constant_cdf;
        table.log_voigt = constant_voigt;
    }
    return table;
}

} // namespace

#endif
