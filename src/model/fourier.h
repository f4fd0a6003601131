/* A real field on n x n x n cells from its Fourier series, f(x) = SUM_k c(k) exp(2 pi i k.x / n), by one-dimensional
 * transforms along each axis (KissFFT, single precision). */
#ifndef LR_MODEL_FOURIER_H
#define LR_MODEL_FOURIER_H

#include "base/context.h"

struct wave {
    float re, im;
};

/* Waves along z that are kept: k_z = 0 .. n / 2; the others follow from c(-k) = conj(c(k)). */
static inline int fourier_half(int n)
{
    return n / 2 + 1;
}

/* waves: [n][n][n / 2 + 1] over k_x, k_y (n - k stands for -k) and k_z; overwritten. field: [n][n][n] over x, y and z.
 * n is even; waves with k_z = 0 or n / 2 must have the symmetry of a real field. */
enum lr_status fourier_to_space(lr_context *ctx, int n, struct wave *waves, float *field);

#endif
