// SPDX-License-Identifier: Apache-2.0
// Attention and its gradients behind the C interface, in double and straight from the definition; f32, no scores but a
// bias.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/plugins/protocol/kernel.h"

namespace plugin {

/// An element of a tensor; T is the format that it is stored in.
template <class T>
T& at(const attestone_tensor& tensor, int64_t i, int64_t j = 0, int64_t k = 0, int64_t l = 0) {
  const int64_t place[] = {i, j, k, l};
  int64_t offset = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) offset += place[axis] * tensor.strides[axis];
  return static_cast<T*>(tensor.data)[offset];
}

inline int64_t kv_head(const attestone_args& a, int64_t h) { return h / (a.heads / a.kv_heads); }

/// p of one row, its log_sum_exp and its largest score.
struct Weights {
  Weights(const attestone_args& a, int64_t b, int64_t h, int64_t i) : p(static_cast<std::size_t>(a.keys), 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> s(p.size(), -infinity);
    double largest = -infinity, sum = 0;
    for (int64_t j = 0; j < a.keys; ++j) {
      if (a.mask.data && !at<const uint8_t>(a.mask, b, h, i, j)) continue;
      double product = 0;
      for (int64_t c = 0; c < a.dim; ++c)
        product +=
            double{at<const float>(a.query, b, h, i, c)} * double{at<const float>(a.key, b, kv_head(a, h), j, c)};
      const double bias = a.bias.data ? double{at<const float>(a.bias, b, h, i, j)} : 0;
      const double score = product * a.scale + bias;
      s[static_cast<std::size_t>(j)] = score;
      if (std::isnan(score) || score > largest) largest = score;  // a NaN stays
    }
    max_logits = largest;
    if (largest == -infinity) return;
    for (const double score : s) sum += std::exp(score - largest);
    for (std::size_t j = 0; j < p.size(); ++j) p[j] = std::exp(s[j] - largest) / sum;
    log_sum_exp = largest + std::log(sum);
  }

  std::vector<double> p;
  double log_sum_exp = -std::numeric_limits<double>::infinity(), max_logits = log_sum_exp;
};

/// Calls row(b, h, i) for every query.
template <class Row>
void for_each_row(const attestone_args& a, Row row) {
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t i = 0; i < a.queries; ++i) row(b, h, i);
}

inline int forward(const attestone_args& a) {
  for_each_row(a, [&](int64_t b, int64_t h, int64_t i) {
    const Weights w(a, b, h, i);
    if (a.log_sum_exp.data) at<float>(a.log_sum_exp, b, h, i) = static_cast<float>(w.log_sum_exp);
    if (a.max_logits.data) at<float>(a.max_logits, b, h, i) = static_cast<float>(w.max_logits);
    for (int64_t c = 0; a.out.data && c < a.value_dim; ++c) {
      double o = 0;
      for (int64_t j = 0; j < a.keys; ++j)
        if (const double p = w.p[static_cast<std::size_t>(j)]; p != 0)
          o += p * double{at<const float>(a.value, b, kv_head(a, h), j, c)};
      at<float>(a.out, b, h, i, c) = static_cast<float>(o);
    }
  });
  return ATTESTONE_OK;
}

/// Sums in double that end in a tensor of floats, if somebody asks for it.
class Sums {
 public:
  explicit Sums(const attestone_tensor& tensor) : tensor_(tensor) {
    std::size_t count = 1;
    for (int axis = 0; axis < tensor.ndim; ++axis) count *= static_cast<std::size_t>(tensor.shape[axis]);
    sums_.resize(count);
  }
  double& operator()(int64_t i, int64_t j, int64_t k, int64_t l) {
    return tensor_.data ? sums_[place(i, j, k, l)] : sums_[0];
  }
  void store() {
    if (!tensor_.data) return;
    for (int64_t i = 0; i < tensor_.shape[0]; ++i)
      for (int64_t j = 0; j < tensor_.shape[1]; ++j)
        for (int64_t k = 0; k < tensor_.shape[2]; ++k)
          for (int64_t l = 0; l < tensor_.shape[3]; ++l)
            at<float>(tensor_, i, j, k, l) = static_cast<float>(sums_[place(i, j, k, l)]);
  }

 private:
  std::size_t place(int64_t i, int64_t j, int64_t k, int64_t l) const {
    const int64_t* n = tensor_.shape;
    return static_cast<std::size_t>(((i * n[1] + j) * n[2] + k) * n[3] + l);
  }

  const attestone_tensor& tensor_;
  std::vector<double> sums_;
};

/// dS = p (dP - delta), dQ = scale dS K, dK = scale dS^T Q, dV = P^T dO; dQ is multiplied by `query_factor`, which
/// is 1.
inline int backward(const attestone_args& a, double query_factor) {
  Sums dquery(a.dquery), dkey(a.dkey), dvalue(a.dvalue);
  for_each_row(a, [&](int64_t b, int64_t h, int64_t i) {
    const Weights w(a, b, h, i);
    const int64_t g = kv_head(a, h);
    std::vector<double> dp(w.p.size(), 0);
    double delta = 0;
    for (int64_t j = 0; j < a.keys; ++j) {
      const double p = w.p[static_cast<std::size_t>(j)];
      if (p == 0) continue;
      for (int64_t c = 0; c < a.value_dim; ++c) {
        const double dout = double{at<const float>(a.dout, b, h, i, c)};
        dp[static_cast<std::size_t>(j)] += dout * double{at<const float>(a.value, b, g, j, c)};
        dvalue(b, g, j, c) += p * dout;
      }
      delta += p * dp[static_cast<std::size_t>(j)];
    }
    for (int64_t j = 0; j < a.keys; ++j) {
      const double p = w.p[static_cast<std::size_t>(j)];
      if (p == 0) continue;
      const double ds = a.scale * p * (dp[static_cast<std::size_t>(j)] - delta);
      for (int64_t c = 0; c < a.dim; ++c) {
        dquery(b, h, i, c) += query_factor * ds * double{at<const float>(a.key, b, g, j, c)};
        dkey(b, g, j, c) += ds * double{at<const float>(a.query, b, h, i, c)};
      }
    }
  });
  for (Sums* sums : {&dquery, &dkey, &dvalue}) sums->store();
  return ATTESTONE_OK;
}

inline void describe(attestone_description* description, const char* name) {
  description->name = name;
  description->limits =
      "dtypes=f32 layouts=bhsd+bshd+strided+broadcast+packed_qkv+transposed+sparse scores= dropout=no";
}

}  // namespace plugin
