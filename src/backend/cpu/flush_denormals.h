/* Makes denormal numbers zero. Far from the line, profiles are so small that products with them are denormal and a
 * hundred times slower. Nothing depends on them, so threads that trace rays treat them as zero, as GPUs do. */
#ifndef LR_BACKEND_CPU_FLUSH_DENORMALS_H
#define LR_BACKEND_CPU_FLUSH_DENORMALS_H

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { FLUSH_BITS = 0x8040 }; /* flush to zero, denormals are zero */

static inline unsigned flush_denormals(void)
{
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | FLUSH_BITS);
    return before;
}

static inline void restore_denormals(unsigned before)
{
    _mm_setcsr(before);
}
#elif defined(__aarch64__)
#include <stdint.h>

enum { FLUSH_BIT = 1 << 24 };

static inline unsigned flush_denormals(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | FLUSH_BIT));
    return (unsigned)before;
}

static inline void restore_denormals(unsigned before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)before));
}
#else
static inline unsigned flush_denormals(void)
{
    return 0;
}

static inline void restore_denormals(unsigned before)
{
    (void)before;
}
#endif

#endif
