/* Radiation of one line from the middle of a cell to the middle of the next (kernel/level_transfer.h), for the kernels
 * of level populations. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_SPAN_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_SPAN_CUH

#include "backend/cuda/cuda_level_pass.cuh"

namespace
{

/* From the middle of one cell (a) to the middle of the next (b): the second half of a, the first half of b. At the
 * start of a ray a is b with length 0. */
struct span {
    int a, b;                /* cells */
    real length_a, length_b; /* half the path through each */
    real kappa_a, kappa_b;
    real share_a, share_b; /* weight of the other cell in S at the face, for a and for b */
    struct slide slide_a, slide_b;
    real middle;      /* y of f = 0 in the middle of b */
    real low, high;   /* f of both projected velocities */
    real reach_scale; /* from x to f, in the hotter cell */
};

/* Frequencies that a span affects; all if there is dust. `depth` is the larger of the two cells' at line centre. */
__device__ __forceinline__ struct interval reach_of(const struct light_pass &pass, const struct span &span, real depth)
{
    const struct interval all = {0, pass.band.n};
    if (span.kappa_a > R(0) || span.kappa_b > R(0))
        return all;
    return band_interval(&pass.band, span.low, span.high, profile_reach(depth) * span.reach_scale);
}

/* One line in a span, on its way to b. */
struct line_span {
    real depth_a, depth_b, grey_a, grey_b, dust_a, dust_b;
    struct piece_ends ends_a, ends_b;
    real source; /* of b */
};

template <bool DUST>
__device__ __forceinline__ struct line_span line_in_span(const struct light_pass &pass, const struct span &span, int l)
{
    const int64_t at_a = (int64_t)span.a * pass.n_line + l;
    const int64_t at_b = (int64_t)span.b * pass.n_line + l;
    const struct line_glow a = pass.glow[at_a];
    const struct line_glow b = pass.glow[at_b];
    const bool again = span.a == span.b; /* start of a ray, or the cell adjoins itself across a periodic face */
    struct line_span line;
    line.depth_a = piece_depth(a.alpha, span.length_a, pass.least_depth);
    line.depth_b = piece_depth(b.alpha, span.length_b, pass.least_depth);
    line.ends_a = piece_ends_of(again, true, R(0), span.share_a, a.source, b.source);
    line.ends_b = piece_ends_of(true, again, span.share_b, R(0), b.source, a.source);
    line.source = b.source;
    if (DUST) {
        line.grey_a = span.kappa_a * span.length_a;
        line.grey_b = span.kappa_b * span.length_b;
        line.dust_a = pass.dust ? pass.dust[at_a] : R(0);
        line.dust_b = pass.dust ? pass.dust[at_b] : R(0);
    }
    return line;
}

/* Number of panels that the profile needs in both halves of a span. */
enum motion { STILL, GENTLE, FAST }; /* none, one, more */

/* Sums of a thread over its frequencies: profile in the middle of b, alone and times both parts of the light. */
struct record {
    real profile, entering, lost;
};

/* Takes one frequency through both halves and returns the light that continues. `profile` is for the middle of b. */
template <enum matter MATTER>
__device__ __forceinline__ real cross_span(const struct line_span &line, real entering, real depth_a, real depth_b,
                                           real profile, struct record &record)
{
    const struct piece_weights a = piece_weights_of(MATTER, depth_a, line.grey_a);
    const struct piece_weights b = piece_weights_of(MATTER, depth_b, line.grey_b);
    struct line_light light = {entering, R(1)};
    light = light_cross(MATTER, light, a, line.ends_a, line.dust_a);
    light = light_arrive(MATTER, light, b, line.ends_b.lost0, line.ends_b.rest0, line.dust_b);
    light = light_limited(light);
    record.profile += profile;
    record.entering += profile * light.entering;
    record.lost += profile * light.lost;
    return light_leaving(light, line.source);
}

/* Takes the frequencies low, low + width, ... of one thread through the span. */
template <enum matter MATTER, enum motion MOTION>
__device__ __forceinline__ void cross_frequencies(const struct span &span, const struct line_span &line,
                                                  struct interval at, int width, real *entering, struct record &record)
{
    const real scaled_a = line.depth_a * (MOTION == FAST ? slide_scale(&span.slide_a) : R(0.5));
    const real scaled_b = line.depth_b * (MOTION == FAST ? slide_scale(&span.slide_b) : R(0.5));
    const real stride = (real)width;
    real f = (real)at.low;
    LR_NO_UNROLL
    for (int i = at.low; i < at.high; i += width) {
        const real profile = r_gauss(span.middle + span.slide_b.step * f);
        real depth_a = line.depth_a * profile;
        real depth_b = line.depth_b * profile;
        if (MOTION == STILL) {
            if (span.slide_a.low != span.middle || span.slide_a.step != span.slide_b.step)
                depth_a = line.depth_a * slide_still(&span.slide_a, f);
        } else {
            depth_a = scaled_a * slide_sum(&span.slide_a, f, MOTION == FAST ? span.slide_a.panels : 1);
            depth_b = scaled_b * slide_sum(&span.slide_b, f, MOTION == FAST ? span.slide_b.panels : 1);
        }
        entering[i] = cross_span<MATTER>(line, entering[i], depth_a, depth_b, profile, record);
        f += stride;
    }
}

} // namespace

#endif
