#include "model/fourier.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <kiss_fftr.h>

static_assert(sizeof(struct wave) == sizeof(kiss_fft_cpx), "waves are KissFFT's complex numbers");

struct plan {
    kiss_fft_cfg across;
    kiss_fftr_cfg along;
    kiss_fft_cpx *in, *out; /* [n] */
};

/* Transforms the n waves that lie `stride` apart, in place. */
static void transform_column(const struct plan *plan, int n, struct wave *first, size_t stride)
{
    for (int i = 0; i < n; i++)
        memcpy(&plan->in[i], &first[(size_t)i * stride], sizeof *first);
    kiss_fft(plan->across, plan->in, plan->out);
    for (int i = 0; i < n; i++)
        memcpy(&first[(size_t)i * stride], &plan->out[i], sizeof *first);
}

static void transform(const struct plan *plan, int n, struct wave *waves, float *field)
{
    const size_t half = (size_t)fourier_half(n), size = (size_t)n;
    for (size_t y = 0; y < size; y++)
        for (size_t z = 0; z < half; z++)
            transform_column(plan, n, waves + y * half + z, size * half);
    for (size_t x = 0; x < size; x++) {
        for (size_t z = 0; z < half; z++)
            transform_column(plan, n, waves + x * size * half + z, half);
        for (size_t y = 0; y < size; y++) {
            memcpy(plan->in, waves + (x * size + y) * half, half * sizeof *waves);
            kiss_fftri(plan->along, plan->in, field + (x * size + y) * size);
        }
    }
}

enum lr_status fourier_to_space(lr_context *ctx, int n, struct wave *waves, float *field)
{
    struct plan plan = {kiss_fft_alloc(n, 1, NULL, NULL), kiss_fftr_alloc(n, 1, NULL, NULL), NULL, NULL};
    enum lr_status status = LR_OK;
    if (!plan.across || !plan.along)
        status = lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for transforms of %d points", n);
    if (status == LR_OK)
        status = lr_allocate(ctx, (size_t)n, sizeof *plan.in, &plan.in);
    if (status == LR_OK)
        status = lr_allocate(ctx, (size_t)n, sizeof *plan.out, &plan.out);
    if (status == LR_OK)
        transform(&plan, n, waves, field);
    free(plan.in);
    free(plan.out);
    kiss_fft_free(plan.across);
    kiss_fftr_free(plan.along);
    return status;
}
