// SPDX-License-Identifier: Apache-2.0
// An attention kernel behind attestone's C interface: one query at a time, one pass over the keys, in f32.
#include <attestone/kernel.h>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

/// One element of a tensor of up to four axes; T is the format that it is stored in.
template <class T>
T& at(const attestone_tensor& tensor, int64_t i, int64_t j = 0, int64_t k = 0, int64_t l = 0) {
  const int64_t place[] = {i, j, k, l};
  int64_t offset = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) offset += place[axis] * tensor.strides[axis];
  return static_cast<T*>(tensor.data)[offset];
}

bool visible(const attestone_args& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  return a.mask.data == nullptr || at<const uint8_t>(a.mask, b, h, i, j) != 0;
}

/// scale q.k, then softcap.
float score(const attestone_args& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  const int64_t kv_head = h / (a.heads / a.kv_heads);
  float sum = 0;
  for (int64_t c = 0; c < a.dim; ++c)
    sum += at<const float>(a.query, b, h, i, c) * at<const float>(a.key, b, kv_head, j, c);
  sum *= static_cast<float>(a.scale);
  const auto cap = static_cast<float>(a.softcap);
  return cap > 0 ? cap * std::tanh(sum / cap) : sum;
}

/// m = max s, l = sum e^(s - m), o = sum e^(s - m) v, all kept up to date from key to key.
void row(const attestone_args& a, int64_t b, int64_t h, int64_t i, std::vector<float>& o) {
  const float infinity = std::numeric_limits<float>::infinity();
  const int64_t kv_head = h / (a.heads / a.kv_heads);
  float m = -infinity, l = 0;
  o.assign(o.size(), 0.0f);
  for (int64_t j = 0; j < a.keys; ++j) {
    if (!visible(a, b, h, i, j)) continue;
    const float s = score(a, b, h, i, j);
    if (s > m) {
      const float shrink = std::exp(m - s);
      l *= shrink;
      for (float& x : o) x *= shrink;
      m = s;
    }
    const float p = std::exp(s - m);
    l += p;
    for (int64_t c = 0; c < a.value_dim; ++c)
      o[static_cast<size_t>(c)] += p * at<const float>(a.value, b, kv_head, j, c);
  }
  // What nobody asks for has no data.
  for (int64_t c = 0; a.out.data != nullptr && c < a.value_dim; ++c)
    at<float>(a.out, b, h, i, c) = l == 0 ? 0 : o[static_cast<size_t>(c)] / l;
  if (a.log_sum_exp.data == nullptr) return;
  at<float>(a.log_sum_exp, b, h, i) = l == 0 ? -infinity : m + std::log(l);
}

}  // namespace

int attestone_describe(attestone_description* description) {
  description->name = "online softmax, row by row";
  description->numerics = nullptr;  // the default class: f32 throughout
  description->limits = "dtypes=f32 layouts=bhsd+bshd+strided+broadcast+packed_qkv scores=softcap dropout=no";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) {
  std::vector<float> o(static_cast<size_t>(args->value_dim));
  for (int64_t b = 0; b < args->batch; ++b)
    for (int64_t h = 0; h < args->heads; ++h)
      for (int64_t i = 0; i < args->queries; ++i) row(*args, b, h, i, o);
  return ATTESTONE_OK;
}
