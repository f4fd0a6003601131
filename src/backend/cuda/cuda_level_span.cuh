/* Radiation of one line from the middle of a cell to the middle of the next (kernel/level_transfer.h), for the kernels
 * of level populations. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_SPAN_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_SPAN_CUH

#include "backend/cuda/cuda_level_profile.cuh"

namespace
{

/* From the middle of one cell (a) to the middle of the next (b): the second half of a, the first half of b. At the
 * start of a ray a is b with the length 0. */
struct span {
    int a, b;                /* cells */
    real length_a, length_b; /* half the way through each */
    real kappa_a, kappa_b;
    real share_a, share_b; /* of the other cell in S on the face, seen from a and from b */
    struct slide slide_a, slide_b;
    real middle;      /* y of f = 0 in the middle of b */
    real low, high;   /* f of both projected velocities */
    real reach_scale; /* from x to f, in the hotter cell */
};

/* Frequencies at which a span does anything; where there is dust all. `depth` is the larger one of both cells at line
 * centre. */
__device__ __forceinline__ struct interval reach_of(const struct light_pass &pass, const struct span &span, real depth)
{
    const struct interval all = {0, pass.band.n};
    if (span.kappa_a > R(0) || span.kappa_b > R(0))
        return all;
    return band_interval(&pass.band, span.low, span.high, profile_reach(depth) * span.reach_scale);
}

/* One line in a span. With S linear between the ends of each half, the cell b has the weights 1 - lost_*, and what does
 * not come from b is rest_*; in b itself lost_b1 = 0 and rest_b1 = 0 (piece_ends of the CPU backend). */
struct line_span {
    real depth_a, depth_b, grey_a, grey_b, dust_a, dust_b;
    real lost_a0, lost_a1, rest_a0, rest_a1;
    real lost_b0, rest_b0;
    real source;
};

template <bool DUST>
__device__ __forceinline__ struct line_span line_in_span(const struct light_pass &pass, const struct span &span, int l)
{
    const int64_t at_a = (int64_t)span.a * pass.n_line + l;
    const int64_t at_b = (int64_t)span.b * pass.n_line + l;
    const struct line_glow a = pass.glow[at_a];
    const struct line_glow b = pass.glow[at_b];
    /* an inverted cell has a source function of its own sign: nothing to interpolate */
    const bool apart = a.source < R(0) || b.source < R(0);
    const real u_a = apart ? R(0) : span.share_a;
    const real u_b = apart ? R(0) : span.share_b;
    const bool again = span.a == span.b; /* the start of a ray, or next to itself across a periodic face */
    struct line_span line;
    line.depth_a = r_max(a.alpha * span.length_a, pass.least_depth);
    line.depth_b = r_max(b.alpha * span.length_b, pass.least_depth);
    line.lost_a0 = again ? R(0) : R(1);
    line.lost_a1 = again ? u_a : R(1) - u_a;
    line.rest_a0 = again ? R(0) : a.source;
    line.rest_a1 = again ? u_a * b.source : (R(1) - u_a) * a.source;
    line.lost_b0 = u_b;
    line.rest_b0 = u_b * a.source;
    line.source = b.source;
    if (DUST) {
        line.grey_a = span.kappa_a * span.length_a;
        line.grey_b = span.kappa_b * span.length_b;
        line.dust_a = pass.dust ? pass.dust[at_a] : R(0);
        line.dust_b = pass.dust ? pass.dust[at_b] : R(0);
    }
    return line;
}

/* How many panels the profile takes in both halves of a span. */
enum motion { STILL, GENTLE, FAST }; /* none, one, more */

/* What is in the cells of a span: lines of any depth with dust or without it, or thin lines alone. */
enum matter { DUSTY, CLEAR, THIN };

/* Weights of a step for the line, and what dust adds. */
struct mixed_weights {
    real through, from, to, aside, dust; /* aside: 1 minus these three */
};

template <enum matter MATTER>
__device__ __forceinline__ struct mixed_weights mixed_step(real line, real grey, real dust)
{
    struct mixed_weights mixed;
    const real all = MATTER == DUSTY ? line + grey : line;
    const struct step_weights w = MATTER == THIN ? step_weights_thin(all) : step_weights_of(all);
    mixed.through = w.through;
    mixed.from = w.from;
    mixed.to = w.to;
    mixed.aside = mixed.dust = R(0);
    if (MATTER == DUSTY) {
        const real share = all != R(0) ? r_div(line, all) : R(0);
        mixed.from *= share;
        mixed.to *= share;
        mixed.aside = (R(1) - share) * (w.from + w.to);
        mixed.dust = mixed.aside * dust;
    }
    return mixed;
}

/* Sums of a thread over its frequencies: profile in the middle of b, and the same times both parts of the light. */
struct record {
    real profile, entering, lost;
};

/* One frequency through both halves; gives the light that goes on. `profile` is that in the middle of b. */
template <enum matter MATTER>
__device__ __forceinline__ real cross_span(const struct line_span &line, real entering, real depth_a, real depth_b,
                                           real profile, struct record &record)
{
    const struct mixed_weights a = mixed_step<MATTER>(depth_a, line.grey_a, line.dust_a);
    const struct mixed_weights b = mixed_step<MATTER>(depth_b, line.grey_b, line.dust_b);
    real lost = a.through + (line.lost_a0 * a.from + line.lost_a1 * a.to);
    entering = entering * a.through + (line.rest_a0 * a.from + line.rest_a1 * a.to);
    if (MATTER == DUSTY)
        entering += a.dust;
    if (MATTER == DUSTY)
        lost += a.aside;
    lost = lost * b.through + line.lost_b0 * b.from;
    if (MATTER == DUSTY)
        lost += b.aside;
    entering = entering * b.through + line.rest_b0 * b.from;
    if (MATTER == DUSTY)
        entering += b.dust;
    entering = r_min(entering, BRIGHTEST); /* inverted cells in a row amplify without a limit */
    record.profile += profile;
    record.entering += profile * entering;
    record.lost += profile * lost;
    return entering + (R(1) - lost) * line.source;
}

/* The frequencies low, low + width, ... of one thread. */
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
