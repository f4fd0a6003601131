/* What differs between compilers: how a physics function is declared. Apart from real.h, this is the only file in
 * kernel/ that names a backend. Kernel code is the common subset of C17 and C++17: no designated arrays, VLAs,
 * _Generic, complex numbers or file-scope arrays. */
#ifndef LR_KERNEL_PORTABLE_H
#define LR_KERNEL_PORTABLE_H

#include <stdint.h>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define LR_FN static __host__ __device__ __forceinline__
#else
#define LR_FN static inline __attribute__((always_inline))
#endif

#define LR_ALIGNED(bytes) __attribute__((aligned(bytes)))

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define LR_ON_DEVICE 1
#else
#define LR_ON_DEVICE 0
#endif

/* A step that not every packet takes. A device branches around it. On a CPU packets are lanes of a SIMD loop and take
 * all steps together: the step is always computed, and its results are selected by the same condition, which on a
 * device is known to be true. */
#if LR_ON_DEVICE
#define LR_BRANCH(condition) (condition)
#else
#define LR_BRANCH(condition) 1
#endif

/* A property of the cell that a packet stores on a CPU; a device, short of registers, reads it again. */
#define LR_KEPT(kept, read_again) (LR_ON_DEVICE ? (read_again) : (kept))

/* Additions to memory that all threads share. */
LR_FN void shared_add(double *to, double value)
{
#if LR_ON_DEVICE
    atomicAdd(to, value);
#else
#ifdef _OPENMP
#pragma omp atomic
#endif
    *to += value;
#endif
}

LR_FN void shared_add_whole(uint64_t *to, uint64_t value)
{
#if LR_ON_DEVICE
    atomicAdd((unsigned long long *)to, (unsigned long long)value);
#else
#ifdef _OPENMP
#pragma omp atomic
#endif
    *to += value;
#endif
}

/* Returns the count before the addition. */
LR_FN unsigned long long shared_count(unsigned long long *counter)
{
#if LR_ON_DEVICE
    return atomicAdd(counter, 1ull);
#else
    unsigned long long before;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    before = (*counter)++;
    return before;
#endif
}

/* Reads a number that does not change while a kernel runs: a device uses its read-only cache. */
#if LR_ON_DEVICE
#define LR_READ(pointer) __ldg(pointer)
#else
#define LR_READ(pointer) (*(pointer))
#endif

/* Before a loop that must not be unrolled. */
#if LR_ON_DEVICE
#define LR_NO_UNROLL _Pragma("unroll 1")
#else
#define LR_NO_UNROLL
#endif

#endif
