// SPDX-License-Identifier: Apache-2.0
// An honest kernel, in double and without haste, that the hostile ones begin with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/plugin/kernel.h"

namespace hostile {

template <class T>
T& at(const attestone_tensor& tensor, int64_t i, int64_t j = 0, int64_t k = 0, int64_t l = 0) {
  const int64_t place[] = {i, j, k, l};
  int64_t offset = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) offset += place[axis] * tensor.strides[axis];
  return static_cast<T*>(tensor.data)[offset];
}

/// The right answer to problems in f32 without scores, dropout and gradients; it refuses all others.
inline int answer(const attestone_args* args) {
  const attestone_args& a = *args;
  if (a.query.dtype.code != ATTESTONE_FLOAT || a.query.dtype.bits != 32 || a.out.dtype.bits != 32)
    return ATTESTONE_REFUSED;
  if (a.softcap > 0 || a.dropout > 0 || a.bias.data || a.sink.data || a.alibi_slopes.data || a.query_starts.data)
    return ATTESTONE_REFUSED;
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t i = 0; i < a.queries; ++i) {
        const int64_t kv_head = h / (a.heads / a.kv_heads);
        std::vector<double> scores(static_cast<std::size_t>(a.keys), -INFINITY);
        double largest = -INFINITY, sum = 0;
        for (int64_t j = 0; j < a.keys; ++j) {
          if (a.mask.data && !at<const uint8_t>(a.mask, b, h, i, j)) continue;
          double s = 0;
          for (int64_t c = 0; c < a.dim; ++c)
            s += double{at<const float>(a.query, b, h, i, c)} * double{at<const float>(a.key, b, kv_head, j, c)};
          scores[static_cast<std::size_t>(j)] = s * a.scale;
          largest = std::fmax(largest, s * a.scale);
        }
        std::vector<double> o(static_cast<std::size_t>(a.value_dim), 0.0);
        for (int64_t j = 0; j < a.keys; ++j) {
          const double s = scores[static_cast<std::size_t>(j)];
          if (s == -INFINITY) continue;
          sum += std::exp(s - largest);
          for (int64_t c = 0; c < a.value_dim; ++c)
            o[static_cast<std::size_t>(c)] +=
                std::exp(s - largest) * double{at<const float>(a.value, b, kv_head, j, c)};
        }
        for (int64_t c = 0; c < a.value_dim; ++c)
          at<float>(a.out, b, h, i, c) = sum > 0 ? static_cast<float>(o[static_cast<std::size_t>(c)] / sum) : 0.0f;
        at<float>(a.log_sum_exp, b, h, i) = sum > 0 ? static_cast<float>(largest + std::log(sum)) : -INFINITY;
      }
  return ATTESTONE_OK;
}

/// How many elements of O there are, where it is packed.
inline int64_t out_count(const attestone_args* a) { return a->batch * a->heads * a->queries * a->value_dim; }
inline float* out(const attestone_args* a) { return static_cast<float*>(a->out.data); }

}  // namespace hostile
