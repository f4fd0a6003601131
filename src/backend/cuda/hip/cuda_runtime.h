/* The CUDA sources for AMD GPUs: what they use of CUDA, under the names of HIP. hipcc finds this file in the place of
 * CUDA's own, with -Isrc/backend/cuda/hip.
 *
 * Warps have 32 threads in this code. A wavefront of 64, as on gfx90a, is two of them: votes and shuffles below see
 * only the half that a thread belongs to. */
#ifndef LR_BACKEND_CUDA_HIP_CUDA_RUNTIME_H
#define LR_BACKEND_CUDA_HIP_CUDA_RUNTIME_H

#include <hip/hip_runtime.h>

#define cudaDevAttrMaxSharedMemoryPerBlockOptin hipDeviceAttributeMaxSharedMemoryPerBlock
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaErrorECCUncorrectable hipErrorECCNotCorrectable
#define cudaErrorIllegalAddress hipErrorIllegalAddress
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorLaunchFailure hipErrorLaunchFailure
#define cudaErrorLaunchTimeout hipErrorLaunchTimeOut
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorNotReady hipErrorNotReady
#define cudaError_t hipError_t
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaMalloc hipMalloc
#define cudaMallocHost hipHostMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpy hipMemcpy
#define cudaMemcpy2D hipMemcpy2D
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyToSymbol hipMemcpyToSymbol
#define cudaMemset hipMemset
#define cudaMemsetAsync hipMemsetAsync
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaSetDevice hipSetDevice
#define cudaStreamCreate hipStreamCreate
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess

template <typename kernel>
static hipError_t cudaFuncSetAttribute(kernel *entry, hipFuncAttribute attribute, int value)
{
    return hipFuncSetAttribute((const void *)entry, attribute, value);
}

/* Parameters of a kernel are constant anyway. */
#define __grid_constant__

/* Random123 knows CUDA, but not HIP; the SSE types that it would then define for the host are not for both. */
#define R123_CUDA_DEVICE __host__ __device__
#define R123_USE_SSE 0

/* The bits of a vote that belong to the half of the wavefront in which this thread is. */
static __device__ __forceinline__ unsigned hip_half(unsigned long long vote)
{
    return (unsigned)(vote >> (__lane_id() & 32u));
}

static __device__ __forceinline__ unsigned __ballot_sync(unsigned mask, int predicate)
{
    return hip_half(__ballot(predicate)) & mask;
}

static __device__ __forceinline__ int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}

static __device__ __forceinline__ int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, !predicate) == 0;
}

template <typename type>
static __device__ __forceinline__ type __shfl_sync(unsigned, type value, int from, int width = 32)
{
    return __shfl(value, from, width);
}

template <typename type>
static __device__ __forceinline__ type __shfl_xor_sync(unsigned, type value, int mask, int width = 32)
{
    return __shfl_xor(value, mask, width);
}

/* Threads of a wavefront run in step; what they have written must be visible to each other. */
static __device__ __forceinline__ void __syncwarp(unsigned = 0xffffffffu)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

#endif
