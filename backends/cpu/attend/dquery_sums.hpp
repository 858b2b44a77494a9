// SPDX-License-Identifier: Apache-2.0
// dQ of the whole problem while tiles of keys add to it.
#pragma once

#include <atomic>

#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/stored_rows.hpp"

namespace attestone::inline backends {

/// Sums in f32 [batch, heads, queries, dim]; nothing at all if dQ is summed elsewhere.
class DQuerySums {
 public:
  DQuerySums(Device& device, const Problem& problem, DQuery how)
      : problem_(problem),
        how_(how),
        sums_(device, bytes(problem, how) / static_cast<index>(sizeof(float)), "sums of dquery") {
    std::ranges::fill(sums_.span(), 0.0f);
  }
  /// 4 bytes for every element of dQ.
  static index bytes(const Problem& problem, DQuery how) {
    if (how == DQuery::elsewhere) return 0;
    return problem.shape.rows() * problem.shape.dim * static_cast<index>(sizeof(float));
  }

  bool summed_here() const { return how_ != DQuery::elsewhere; }

  /// Adds one row [dim]. Threads may meet in one row if they add as they come, and only then.
  void add(index batch, index head, index query, const float* dq) {
    float* sums = row(batch, head, query);
    if (how_ == DQuery::as_it_comes)
      for (index c = 0; c < problem_.shape.dim; ++c)
        std::atomic_ref<float>(sums[c]).fetch_add(dq[c], std::memory_order_relaxed);
    else
      for (index c = 0; c < problem_.shape.dim; ++c) sums[c] += dq[c];
  }

  /// Rounds `factor` times the sums to the output format.
  void store(const View& dquery, double factor, Device& device) {
    const Shape& shape = problem_.shape;
    for (index b = 0; b < shape.batch; ++b) {
      const Interval rows{0, stored_rows(problem_, b).queries - 1};
      for (index h = 0; h < shape.heads; ++h) store_float_rows(dquery, b, h, rows, {row(b, h, 0), shape.dim}, factor);
      device.compute({.bytes = shape.heads * rows.count() * row_bytes(dquery)});
    }
  }

 private:
  float* row(index batch, index head, index query) {
    const Shape& shape = problem_.shape;
    return sums_.data() + ((batch * shape.heads + head) * shape.queries + query) * shape.dim;
  }

  const Problem& problem_;
  DQuery how_;
  Allocation<float> sums_;
};

}  // namespace attestone::inline backends
