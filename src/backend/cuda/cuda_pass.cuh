/* What the transport kernels share: the pass itself, and the line profile in each mode. Included once per mesh and
 * precision. */
#ifndef LR_BACKEND_CUDA_CUDA_PASS_CUH
#define LR_BACKEND_CUDA_CUDA_PASS_CUH

#include "backend/build_views.h"
#include "kernel/flight.h"
#include "kernel/tables.h"

namespace
{

enum { WARP = 32, BLOCK_THREADS = 128, WARPS = BLOCK_THREADS / WARP };

enum { CONSTANT_CDF = 44 * 251, CONSTANT_VOIGT = 5000 };
__constant__ float constant_cdf[CONSTANT_CDF];
__constant__ float constant_voigt[CONSTANT_VOIGT];

struct last_scattering {
    int cell[3];
    real local[3];
};

struct packet;
struct note;

/* Of one round (cuda_notes.cuh). */
struct note_counters {
    unsigned taken, served; /* pages */
    unsigned unfinished;    /* warps that have packets left */
};

/* All a kernel needs; passed by value. */
struct pass {
    struct transport_view view;
    struct tally_axes axes;
    struct cone_set cones;
    int64_t n_packet, n_cell;
    struct tally_deal deal;
    int n_group, one_thread_per_packet;
    struct transport_batch *batch;
    double *face_spectrum, *direction_spectrum, *cone;
    double *fields;          /* [n_group][n_cell][2]: weighted length and scattering depth; or NULL */
    float *emissivity;       /* [n_deposit_group][n_camera][n_row][n_channel]; or NULL */
    double *emissivity_wide; /* the same, where there are few voxels */
    int n_deposit_group;
    struct transport_record *record;
    struct last_scattering *last; /* per thread; or NULL */
    unsigned long long *n_record, *queue;
    const volatile int *stop;
    /* light toward cameras */
    struct note *note; /* [n_page][PAGE_NOTES] */
    int *page_notes;   /* how many each page has */
    unsigned n_page;
    struct note_counters *counters;
    struct packet *aside; /* of each thread, between rounds */
    int round;            /* 0: the first */
};

template <int MODE>
__device__ __forceinline__ struct table_view tables_of(const struct pass &pass)
{
    struct table_view table = pass.view.table;
    if (MODE == MODE_TABLE_CONSTANT) {
        table.cdf = constant_cdf;
        table.log_voigt = constant_voigt;
    }
    return table;
}

template <int MODE, bool NARROW>
__device__ __forceinline__ real profile_at(const struct table_view &table, real a, real x)
{
    if (MODE == MODE_TABLE_GLOBAL || MODE == MODE_TABLE_CONSTANT)
        return voigt_table(&table, a, x);
    if (MODE == MODE_APPROXIMATE_VOIGT)
        return voigt_tanh_blend(a, x, (real)voigt_crossing((double)a));
    return NARROW ? voigt_narrow(a, x) : voigt(a, x);
}

/* The profile along a step; but for SHELLS it is the same everywhere. */
struct profiles {
    real start, middle, end, mean;
};

template <int MODE, bool NARROW>
__device__ __forceinline__ struct profiles leg_profile(const struct table_view &table, real a, const struct leg &leg)
{
    struct profiles seen;
    seen.start = seen.middle = seen.end = seen.mean = profile_at<MODE, NARROW>(table, a, leg.start);
    if (WALK_IS_RADIAL && leg.end != leg.start) {
        seen.middle = profile_at<MODE, NARROW>(table, a, leg.middle);
        seen.end = profile_at<MODE, NARROW>(table, a, leg.end);
        seen.mean = leg_mean(seen.start, seen.middle, seen.end, R(1));
    }
    return seen;
}

} // namespace

#endif
