// SPDX-License-Identifier: Apache-2.0
// What examples/cuda asks of CUDA, on a processor: threads run one after another, and the device's memory is the
// host's. `kernel<<<blocks, threads>>>(call)` is written `launch(kernel, blocks, threads, call)` before it is compiled.
#pragma once

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <math.h>  // fmaf and the others in the global namespace, as there

#define __global__
#define __device__

struct {
  unsigned x;
} inline blockIdx, blockDim, threadIdx;

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return ""; }

/// Memory that no kernel has cleared.
template <class T>
cudaError_t cudaMalloc(T** data, size_t bytes) {
  *data = static_cast<T*>(std::malloc(bytes));
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*data, 0xFF, bytes);
  return cudaSuccess;
}

inline void cudaFree(void* data) { std::free(data); }

inline void cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) { std::memcpy(to, from, bytes); }

template <class Call>
void launch(void (*kernel)(Call), unsigned blocks, unsigned threads, Call call) {
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel(call);
}
