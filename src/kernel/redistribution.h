/* Frequency redistribution in the gas frame, coherent in the atom's frame (Hummer's R_II).
 *
 * An atom that absorbs at frequency x has velocity u along the photon with density
 *
 *     p(u | x) ~ exp(-u^2) / (a^2 + (x - u)^2).
 *
 * Sampler. Write the Lorentzian as INT_0^inf exp(-s (a^2 + (x-u)^2)) ds. Given s, the velocity is Gaussian. In terms of
 * v = sqrt(1 + s) >= 1,
 *
 *     u = x (1 - 1/v^2) + N(0,1) / (sqrt(2) v),      f(v) = exp(-x^2 (1 - 1/v^2) - a^2 (v^2 - 1)),   v in [1, inf),
 *
 * so only the smooth, positive variable v needs rejection: v ~ 1/a is an atom at resonance, v near 1 an atom that
 * scatters in its wing. With y = 1 - 1/v^2, f dv = (1/2) (1-y)^(-3/2) exp(-x^2 y - a^2 y/(1-y)) dy. Three pieces cover
 * [1, inf):
 *
 *     wing      y < y1 : exp(-beta y)/2, since the convex -1.5 ln(1-y) lies below its chord lambda y on [0, y1] and
 *                        y/(1-y) >= y: beta = x^2 + a^2 - lambda
 *     middle    v_m..v1: flat at f(v_m), v_m = (1-y1)^(-1/2)
 *     resonance v > v1 : exp(x^2/v1^2) times a half-Gaussian in a v, or its tangent exponential where a v1 > 1/2
 *
 * Exact for every a and x. Acceptance: at least .78 for a <= 5e-3, above .9 for |x| > 4 at any a, about .6 at worst for
 * a <= 0.15 and .46 for any a (docs/physics.md). Proposals do not depend on how small a is: nothing is divided by an a
 * below LR_DAMPING_FLOOR. */
#ifndef LR_KERNEL_REDISTRIBUTION_H
#define LR_KERNEL_REDISTRIBUTION_H

#include "kernel/real.h"
#include "kernel/rng.h"
#include "kernel/voigt.h"

/* For smaller a, a resonant atom matches the photon to better than double precision at any x. */
#define LR_DAMPING_FLOOR R(1e-17)

/* A line with at most this damping is called narrow: drivers then use voigt_narrow and the shorter proposal. */
#define LR_NARROW_DAMPING 0.02

struct normal_pair {
    real first, second;
};

/* Two independent normal deviates of variance 1/2, the thermal velocity along two axes (Box & Muller 1958). */
LR_FN struct normal_pair thermal_pair(uint32_t random_radius, uint32_t random_angle)
{
    const real radius = r_sqrt(-r_log(rng_uniform(random_radius)));
    const struct r_sincos angle = r_sincos_turn(rng_uniform(random_angle));
    struct normal_pair pair;
    pair.first = radius * angle.cos;
    pair.second = radius * angle.sin;
    return pair;
}

struct velocity_proposal {
    real u;      /* the atom's velocity along the photon, Doppler units */
    real chance; /* accept if `uniform` <= chance; then uniform / chance is again uniform */
    real uniform;
};

/* Free path of a photon, in optical depth, after scattering off an accepted atom: the rescaled uniform number that
 * accepted the atom is used again. */
LR_FN real free_path_after(real uniform, real chance)
{
    return r_max(-r_log(r_div(uniform, chance)), R(0));
}

/* Proposes u given x. Accept if result.uniform <= result.chance, otherwise propose again. `narrow` (constant in each
 * call) omits the tangent exponential, which helps only if a > LR_NARROW_DAMPING. */
LR_FN struct velocity_proposal propose_velocity(real damping, real x_signed, struct random4 random, const int narrow)
{
    const real a = r_max(damping, LR_DAMPING_FLOOR);
    const real x = r_abs(x_signed);
    const real xx = x * x;
    const real aa = a * a;

    const real y1 = R(0.75);
    const real v_m = R(2);
    const real chord = R(2.7725887222397811); /* lambda = -1.5 ln(1 - y1) / y1 */
    const real slope = xx + aa - chord;
    const real beta = r_abs(slope) < R(0.05) ? R(-0.05) : slope; /* negative is allowed, zero is not */
    const real v1 = r_max(v_m, (a < R(0.01) ? R(4) : R(3)) * x);
    const real inv_v1 = r_div(R(1), v1);

    const real span = R(1) - r_exp(-beta * y1);
    const real inv_beta = r_div(R(1), beta);
    const real mass_wing = R(0.5) * span * inv_beta;
    const real floor_exponent = xx * y1 + aa * (v_m * v_m - R(1)); /* f(v_m) = exp(-floor_exponent) */
    const real mass_middle = (v1 - v_m) * r_exp(-floor_exponent);
    const int steep = !narrow && a * v1 > R(0.5);
    const real plateau_exponent = xx - xx * inv_v1 * inv_v1; /* of exp(-x^2 (1 - 1/v^2)) at v1 */
    const real inv_a = r_div(R(1), a);
    const real scale = R(0.5) * inv_a * inv_a * inv_v1; /* of the tangent exponential; used if steep */
    const real mass_resonance =
        r_exp((steep ? aa - aa * v1 * v1 : aa) - plateau_exponent) * (steep ? scale : R(0.5) * R_SQRT_PI * inv_a);

    /* Rare pieces first: small uniforms have more digits. The remainder of the pick is uniform within the piece. */
    const real mass_other = mass_middle + mass_wing;
    const real pick = rng_uniform(random.r0) * (mass_other + mass_resonance);
    const int middle = pick < mass_middle;
    const int wing = !middle && pick < mass_other;
    const real start = middle ? R(0) : wing ? mass_middle : mass_other;
    const real mass = middle ? mass_middle : wing ? mass_wing : mass_resonance;
    const real within = r_min(r_div(pick - start, mass), R(1));

    const struct normal_pair thermal = thermal_pair(random.r2, random.r3);
    const real logarithm = r_log(wing ? R(1) - within * span : within);
    const real v_gauss = r_abs(thermal.first) * inv_a;
    const real v_resonance = steep ? v1 - logarithm * scale : v_gauss;
    const real v_other = middle ? v_m + within * (v1 - v_m) : v_resonance;
    const real inv_v_other = r_div(R(1), v_other);
    const real y_wing = r_min(r_max(-logarithm * inv_beta, R(0)), y1);
    const real inv_v = wing ? r_sqrt(R(1) - y_wing) : inv_v_other;
    const real inv_vv = inv_v * inv_v;
    const real y = wing ? y_wing : R(1) - inv_vv;

    /* chance = f(v) / envelope(v) = exp(-exponent), times v^3 in the wing */
    const real v_cubed = r_div(R(1), inv_v * inv_vv);
    const real vv = v_cubed * inv_v;
    const real lag = v_resonance - v1;
    const real exponent_wing = (xx + aa - beta) * y + aa * y * (vv - R(1));
    const real exponent_middle = xx * y + aa * (vv - R(1)) - floor_exponent;
    const real exponent_resonance = xx * (inv_v1 * inv_v1 - inv_vv) + (steep ? aa * lag * lag : R(0));
    const real exponent = wing ? exponent_wing : middle ? exponent_middle : exponent_resonance;
    const int outside = !wing && !middle && v_resonance < v1;
    const real chance = (wing ? v_cubed : R(1)) * r_exp(-exponent);

    struct velocity_proposal result;
    const real u = x * y + thermal.second * inv_v;
    result.u = x_signed < R(0) ? -u : u;
    result.uniform = rng_uniform(random.r1);
    result.chance = outside ? R(0) : chance;
    return result;
}

/* Complete redistribution: draws the outgoing frequency from the Voigt profile itself, a Gaussian of variance 1/2 plus
 * a Lorentzian of half-width a. */
LR_FN real sample_voigt_profile(real a, struct random4 random)
{
    const struct normal_pair thermal = thermal_pair(random.r0, random.r1);
    const struct r_sincos half = r_sincos_turn(R(0.5) * rng_uniform(random.r2)); /* angle in (0, pi] */
    const real cotangent = half.sin > R(0) ? r_div(half.cos, half.sin) : R(0);
    return thermal.first + a * cotangent;
}

/* Frequency after scattering by an angle with cosine g off an atom with velocity u along the incoming photon and u_perp
 * perpendicular to it in the scattering plane; `recoil` is h nu0 / (m c b). */
LR_FN real redistributed_frequency(real x, real u, real u_perp, real g, real recoil)
{
    const real sine = r_sqrt(r_max(R(1) - g * g, R(0)));
    return x + (u + recoil) * (g - R(1)) + u_perp * sine;
}

/* Closed form of the kernel, the density of x' = x_out given x = x_in and the scattering angle gamma (Hummer 1962):
 *
 *     K = exp(-(x'-x)^2 / (4 sin^2(gamma/2))) H(a / cos(gamma/2), (x'+x) / (2 cos(gamma/2)))
 *         / (sqrt(pi) sin(gamma) H(a,x)) */
LR_FN real redistribution_kernel(real a, real x_in, real x_out, real g)
{
    const real half_sin = r_sqrt(R(0.5) * (R(1) - g));
    const real half_cos = r_sqrt(R(0.5) * (R(1) + g));
    const real kick = (x_out - x_in) / (R(2) * half_sin);
    return r_exp(-kick * kick) * voigt(a / half_cos, (x_out + x_in) / (R(2) * half_cos)) /
           (R_SQRT_PI * R(2) * half_sin * half_cos * voigt(a, x_in));
}

#endif
