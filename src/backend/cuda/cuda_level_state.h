/* What a device keeps for level populations between calls, and how a call begins and ends. Included by the parts of
 * cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_STATE_H
#define LR_BACKEND_CUDA_CUDA_LEVEL_STATE_H

#include <cuda_runtime.h>

#include <vector>

#include "backend/cuda/cuda_fault.h"
#include "backend/cuda/cuda_level_blend.cuh"
#include "backend/cuda/cuda_level_extrapolate.cuh"
#include "backend/cuda/cuda_level_light.cuh"
#include "backend/cuda/cuda_level_rates.cuh"
#include "backend/cuda/cuda_level_star.cuh"
#include "backend/cuda/cuda_memory.h"
#include "backend/level_blends.h"

namespace
{

cuda_fail_fn *fail;

enum { N_LANE = 2 };        /* directions in progress at once */
enum { LIGHT_ROOM = 1536 }; /* numbers in shared memory for the lines of a warp: small enough for many warps */
enum { BLOCK = 256 };

/* Lines that overlap, and how their kernels are launched. */
struct blend_launch {
    struct blend_pass pass;
    int warps, star_warps;    /* of a block */
    size_t bytes, star_bytes; /* shared memory of a block */
};

/* A direction in progress: the rays of the next one start while the last rays of this one still run. */
struct lane {
    cudaStream_t stream;
    cudaEvent_t done;
    struct line_light *light; /* [n_cell][n_line] */
    real *length;             /* [n_cell] */
};

struct levels {
    struct level_job job; /* as given; what it points to belongs to the caller */
    int number;           /* of the device */
    int threads;
    struct device device; /* owns what follows */
    struct light_pass pass;
    bool dusty;
    size_t blend_bytes, blend_star_bytes; /* the most that a launch needs */
    int light_warps;                      /* of a block */
    size_t light_bytes;                   /* shared memory of a block */
    int rate_warps;
    unsigned rate_blocks;
    size_t rate_bytes;
    struct rate_line *line;
    struct gas_view *gas;
    double *strength, *most_gain; /* [n_cell] density / b; inversion limit / width */
    real *dust;                   /* [n_cell][n_line], or NULL */
    real *rates;                  /* [n_cell][n_level][n_level] */
    struct line_glow *glow;
    struct light_sum *light; /* [n_cell][n_line] sum over finished directions */
    double *seen;            /* [n_cell] summed weights of the directions that met the cell */
    double *x, *past[N_PAST];
    float *residual;
    double *sums; /* [N_SUM] returned to the host */
    double *scratch;
    int n_past;           /* how many of them are valid */
    const double *before; /* populations before the extrapolation; one of `past` */
    struct lane lane[N_LANE];
    struct level_ray *ray; /* all rays, on the device */
    double *star;          /* [n_cell][n_line] direct starlight; or NULL */
    std::vector<struct star_pass> *stars;
    std::vector<struct blend_launch> *blends;
    std::vector<struct point3> *direction;
    std::vector<double> *weight;
    std::vector<int64_t> *first;
};

size_t voxels(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_line;
}

size_t populations(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_level;
}

unsigned blocks_for(size_t count)
{
    return (unsigned)((count + BLOCK - 1) / BLOCK);
}

/* Every entry begins and ends with these, so that it does not report an earlier call's error. */
bool begin(struct levels *levels)
{
    levels->device.error = cudaSuccess;
    return okay(&levels->device, cudaSetDevice(levels->number));
}

enum lr_status finish(lr_context *ctx, const struct levels *levels, const char *what)
{
    const cudaError_t error = levels->device.error;
    return error == cudaSuccess ? LR_OK : cuda_fault(fail, ctx, what, error);
}

} // namespace

#endif
