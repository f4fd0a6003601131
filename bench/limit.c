/* The speed limit of arithmetic: special functions per second on one core, in SIMD code of this processor.
 *
 * A scattering needs about 20 of them (logarithms and exponentials of proposals, flights and the profile, and
 * divisions, which cost as much). Prints the rate of loops that do nothing else, with the functions that packets use.
 */
#include <stdio.h>
#include <time.h>

#include "kernel/real.h"

enum { LANES = 1024, ROUNDS = 20000 };

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Independent chains, as many as there are lanes: exp, log and a division by turns. */
static void advance(real *value)
{
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
        const real folded = r_exp(R(-0.5) * value[i]);
        const real opened = r_log(R(0.5) + folded);
        value[i] = R(1) / (R(1.5) + opened * opened);
    }
}

int main(void)
{
    static real value[LANES];
    real sum = 0;
    for (int i = 0; i < LANES; i++)
        value[i] = R(0.001) * (real)i;
    advance(value); /* warm */
    const double start = seconds();
    for (int round = 0; round < ROUNDS; round++)
        advance(value);
    const double rate = 3.0 * LANES * ROUNDS / (seconds() - start);
    for (int i = 0; i < LANES; i++)
        sum += value[i];
    printf("%.4g\n", sum > 0 ? rate : 0);
    return 0;
}
