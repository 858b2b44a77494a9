// SPDX-License-Identifier: Apache-2.0
// A CUDA kernel behind attestone's C interface: one thread for each query, one pass over the keys, in f32.
#include <attestone/kernel.h>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

/// A tensor on the device, with the strides that it has on the host.
template <class T>
struct DeviceTensor {
  T* data = nullptr;
  int64_t strides[4] = {};

  __device__ T& at(int64_t i, int64_t j, int64_t k, int64_t l) const {
    return data[i * strides[0] + j * strides[1] + k * strides[2] + l * strides[3]];
  }
};

struct Call {
  int64_t batch, heads, kv_heads, queries, keys, dim, value_dim;
  float scale, softcap;
  DeviceTensor<float> query, key, value, out, log_sum_exp;
  DeviceTensor<uint8_t> mask;
};

__device__ float score(const Call& a, int64_t b, int64_t h, int64_t kv_head, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t c = 0; c < a.dim; ++c) sum = fmaf(a.query.at(b, h, i, c), a.key.at(b, kv_head, j, c), sum);
  sum *= a.scale;
  return a.softcap > 0 ? a.softcap * tanhf(sum / a.softcap) : sum;
}

/// m = max s, l = sum e^(s - m), out = sum e^(s - m) v, all kept up to date from key to key. What nobody asks for has
/// no data: then there are no channels to write.
__global__ void attention(Call a) {
  const int64_t row = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (row >= a.batch * a.heads * a.queries) return;
  const int64_t b = row / (a.heads * a.queries), h = row / a.queries % a.heads, i = row % a.queries;
  const int64_t kv_head = h / (a.heads / a.kv_heads);
  const int64_t channels = a.out.data ? a.value_dim : 0;
  float m = -INFINITY, l = 0;
  for (int64_t c = 0; c < channels; ++c) a.out.at(b, h, i, c) = 0;
  for (int64_t j = 0; j < a.keys; ++j) {
    if (a.mask.data && !a.mask.at(b, h, i, j)) continue;
    const float s = score(a, b, h, kv_head, i, j);
    const float m_new = fmaxf(m, s), shrink = m == m_new ? 1 : expf(m - m_new), p = expf(s - m_new);
    l = l * shrink + p;
    for (int64_t c = 0; c < channels; ++c)
      a.out.at(b, h, i, c) = a.out.at(b, h, i, c) * shrink + p * a.value.at(b, kv_head, j, c);
    m = m_new;
  }
  const bool sees_a_key = l != 0;  // which NaN is too
  for (int64_t c = 0; c < channels && sees_a_key; ++c) a.out.at(b, h, i, c) /= l;
  if (a.log_sum_exp.data) a.log_sum_exp.at(b, h, i, 0) = sees_a_key ? m + logf(l) : -INFINITY;
}

/// From the first to the last element, gaps included.
template <class T>
size_t stretch_bytes(const attestone_tensor& tensor) {
  int64_t last = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.shape[axis] == 0) return 0;
    last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return static_cast<size_t>(last + 1) * sizeof(T);
}

/// Copies a tensor to the device; without data where there is none, or where an allocation fails (cudaGetLastError).
template <class T>
DeviceTensor<T> on_device(const attestone_tensor& tensor) {
  DeviceTensor<T> copy;
  for (int axis = 0; axis < tensor.ndim; ++axis) copy.strides[axis] = tensor.strides[axis];
  if (tensor.data == nullptr || stretch_bytes<T>(tensor) == 0) return copy;
  if (cudaMalloc(&copy.data, stretch_bytes<T>(tensor)) == cudaSuccess)
    cudaMemcpy(copy.data, tensor.data, stretch_bytes<T>(tensor), cudaMemcpyHostToDevice);
  return copy;
}

template <class T>
void back_to_host(const DeviceTensor<T>& from, const attestone_tensor& to) {
  if (from.data) cudaMemcpy(to.data, from.data, stretch_bytes<T>(to), cudaMemcpyDeviceToHost);
}

}  // namespace

extern "C" int attestone_describe(attestone_description* description) {
  description->name = "one thread a query";
  description->limits = "dtypes=f32 layouts=bhsd+bshd+strided+packed_qkv scores=softcap dropout=no";
  return ATTESTONE_OK;
}

extern "C" int attestone_forward(const attestone_args* args) {
  Call call{args->batch, args->heads, args->kv_heads, args->queries, args->keys, args->dim, args->value_dim};
  call.scale = static_cast<float>(args->scale);
  call.softcap = static_cast<float>(args->softcap);
  call.query = on_device<float>(args->query);
  call.key = on_device<float>(args->key);
  call.value = on_device<float>(args->value);
  call.mask = on_device<uint8_t>(args->mask);
  call.out = on_device<float>(args->out);
  call.log_sum_exp = on_device<float>(args->log_sum_exp);
  const int64_t rows = args->batch * args->heads * args->queries;
  if (rows > 0 && cudaPeekAtLastError() == cudaSuccess)
    attention<<<static_cast<unsigned>((rows + 127) / 128), 128>>>(call);
  back_to_host(call.out, args->out);
  back_to_host(call.log_sum_exp, args->log_sum_exp);
  for (void* data : {static_cast<void*>(call.query.data), static_cast<void*>(call.key.data),
                     static_cast<void*>(call.value.data), static_cast<void*>(call.mask.data),
                     static_cast<void*>(call.out.data), static_cast<void*>(call.log_sum_exp.data)})
    cudaFree(data);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return ATTESTONE_OK;
  std::snprintf(args->message, static_cast<size_t>(args->message_bytes), "CUDA: %s", cudaGetErrorString(error));
  return 2;
}
