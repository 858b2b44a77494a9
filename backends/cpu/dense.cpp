// SPDX-License-Identifier: Apache-2.0
// The dense kernel: softmax(Q K^T) V, written down.
#include "backends/cpu/dense.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "backends/cpu/codec.hpp"
#include "backends/cpu/limits.hpp"
#include "backends/cpu/score_row.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

using Matrix = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Eigen orders its sums by the caches it finds and the threads it may use. Ours are the same on every machine.
bool fix_order_of_sums() {
  constexpr index KiB = 1024;
  Eigen::setCpuCacheSizes(32 * KiB, 256 * KiB, 2048 * KiB);
  Eigen::setNbThreads(1);
  return true;
}

const bool fixed = fix_order_of_sums();

const Registration<KernelEntry> registered{{
    .name = "dense",
    .summary = "the whole score matrix of a head, a softmax over its rows, two matrix products by Eigen",
    .settings = {},
    .make = [](const Settings&) { return AnyKernel(Dense()); },
}};

void read_head(const ConstView& view, index batch, index head, Matrix to) {
  const FloatRows reader(view);
  for (index row = 0; row < to.rows(); ++row) reader.read(batch, head, row, to.data() + row * to.cols());
}

void read_visibility(const Problem& problem, index batch, std::span<std::uint8_t> visible) {
  const Shape& shape = problem.shape;
  for (index i = 0; i < shape.queries; ++i)
    for (index j = 0; j < shape.keys; ++j)
      visible[static_cast<std::size_t>(i * shape.keys + j)] = problem.visible({batch, 0, i, j});
}

/// One row of scores -> weights that add up to 1, or zeros where nothing is visible; returns log_sum_exp.
float softmax(float* S, const std::uint8_t* visible, index keys) {
  const float infinity = std::numeric_limits<float>::infinity();
  float m = -infinity;
  for (index j = 0; j < keys; ++j)
    if (visible[j] && S[j] > m) m = S[j];
  const float shift = m == -infinity ? 0.0f : m;
  float l = 0;
  for (index j = 0; j < keys; ++j) {
    S[j] = visible[j] ? std::exp(S[j] - shift) : 0.0f;
    l += S[j];
  }
  if (l != 0)
    for (index j = 0; j < keys; ++j) S[j] /= l;
  return static_cast<float>(double{m} + std::log(double{l}));
}

/// Sets the infinite and NaN elements to 0; whether there were any.
bool clear_non_finite(Matrix& V) {
  bool any = false;
  for (float& v : V.reshaped<Eigen::RowMajor>())
    if (!std::isfinite(v)) {
      v = 0;
      any = true;
    }
  return any;
}

/// Adds what the infinite and NaN elements of V contribute, to the queries that see them and to no other.
void add_non_finite(const Matrix& P, const std::uint8_t* visible, const Matrix& V, Matrix& O) {
  for (index j = 0; j < V.rows(); ++j)
    for (index c = 0; c < V.cols(); ++c) {
      if (std::isfinite(V(j, c))) continue;
      for (index i = 0; i < P.rows(); ++i)
        if (visible[i * P.cols() + j]) O(i, c) += P(i, j) * V(j, c);
    }
}

}  // namespace

Support Dense::supports(const Problem& problem) const { return cpu_limits(problem); }

Numerics Dense::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem);
  numerics.exp_error = float_exp_error;
  numerics.log_error = dtype("f64").unit_roundoff() * 2;  // log_sum_exp is put together in double
  // Below the normal range of f32, the exponential and the division each err by up to one subnormal.
  numerics.weight_underflow += 2 * dtype("f32").smallest_subnormal();
  numerics.weights_are_normalised = true;
  return numerics;
}

index Dense::workspace_bytes(const Problem& problem) const {
  const auto& [batch, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  const index floats = queries * dim + keys * dim + keys * value_dim + queries * keys + queries * value_dim;
  return floats * static_cast<index>(sizeof(float)) + queries * keys;
}

void Dense::run(const Problem& problem, Arguments& arguments) const {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  Workspace& memory = arguments.workspace;
  Workspace::Loan<float> q(memory, queries * dim), k(memory, keys * dim), v(memory, keys * value_dim);
  Workspace::Loan<float> s(memory, queries * keys), o(memory, queries * value_dim);
  Workspace::Loan<std::uint8_t> visible(memory, queries * keys);
  Matrix Q(q.data(), queries, dim), K(k.data(), keys, dim), V(v.data(), keys, value_dim);
  Matrix S(s.data(), queries, keys), O(o.data(), queries, value_dim);

  for (index batch = 0; batch < batches; ++batch) {
    const Sequence sequence = problem.sequence(batch);
    read_visibility(problem, batch, visible.span());
    for (index head = 0; head < heads; ++head) {
      const index kv_head = head / (heads / kv_heads);
      read_head(arguments.query, batch, head, Q);
      read_head(arguments.key, batch, kv_head, K);
      read_head(arguments.value, batch, kv_head, V);
      S.noalias() = Q * K.transpose();
      const ScoreRow scores(problem, head, ScoreRow::Base::e);
      for (index i = 0; i < queries; ++i) {
        float* row = s.data() + i * keys;
        scores.finish(row, keys, sequence.keys - sequence.queries + i, 0);
        arguments.log_sum_exp.set(batch, head, i, 0, softmax(row, visible.data() + i * keys, keys));
      }
      round_weights(s.span(), problem.input);
      // A weight of 0 hides every finite value, but not NaN: those take no part in the product.
      const bool cleared = clear_non_finite(V);
      O.noalias() = S * V;
      if (cleared) {
        read_head(arguments.value, batch, kv_head, V);
        add_non_finite(S, visible.data(), V, O);
      }
      for (index i = 0; i < queries; ++i)
        for (index c = 0; c < value_dim; ++c) arguments.out.set(batch, head, i, c, O(i, c));
    }
  }
}

}  // namespace attestone
