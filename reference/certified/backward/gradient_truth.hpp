// SPDX-License-Identifier: Apache-2.0
// The truth of the backward pass: for every element of every gradient a value and a proven bound.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/certified/numbers/certified.hpp"

namespace attestone {

/// Certified elements of one tensor [batch, heads, rows, channels]; whoever certifies writes all of them.
class CertifiedTensor {
 public:
  explicit CertifiedTensor(Extents extents)
      : extents_(extents), elements_(static_cast<std::size_t>(element_count(extents))) {}

  const Extents& extents() const { return extents_; }
  const CertifiedElements& elements() const { return elements_; }
  /// All are exactly 0.
  void clear() { std::fill(elements_.begin(), elements_.end(), Certified{}); }
  Certified& at(index batch, index head, index row, index channel) {
    return elements_[place(batch, head, row, channel)];
  }
  const Certified& at(index batch, index head, index row, index channel) const {
    return elements_[place(batch, head, row, channel)];
  }

 private:
  std::size_t place(index batch, index head, index row, index channel) const {
    return static_cast<std::size_t>(((batch * extents_[1] + head) * extents_[2] + row) * extents_[3] + channel);
  }

  Extents extents_;
  CertifiedElements elements_;
};

/// Certified gradients of <out, dout>.
struct GradientTruth {
  std::vector<index> queries;  ///< rows of dQ that were certified, ascending; the rows of `query` count these
  std::vector<index> keys;     ///< rows of dK and dV that were certified; the rows of `key` and `value` count these
  CertifiedTensor query;       ///< [batch, heads, queries, dim]
  CertifiedTensor key;         ///< [batch, kv_heads, keys, dim]
  CertifiedTensor value;       ///< [batch, kv_heads, keys, value_dim]
  /// Gradients with the extents of the inputs' bias and sinks; absent where those are, and for samples of rows or
  /// keys.
  std::optional<CertifiedTensor> bias, sink;
  Decisions decisions;
};

/// Which gradients are certified.
struct CertifyGradientOptions {
  /// Rows of dQ, and of dK and dV, to certify, ascending; nothing: all of them. dK and dV are those of the full dO:
  /// without them (`keys` empty) the cost is linear in the keys.
  std::optional<std::vector<index>> queries, keys;
  /// True: elements whose bound does not decide the rounding are recomputed. False: they stay undecided.
  bool escalate = false;
};

/// Certifies the gradients of a problem with pass=forward+backward. `rounded` is in the problem's output format. An
/// element that a visible NaN reaches in every order of IEEE evaluation is NaN; one that any other NaN or infinity may
/// reach has an infinite bound. The result does not depend on the number of threads.
GradientTruth certify_backward(const Problem&, const Inputs&, const CertifyGradientOptions& = {});

}  // namespace attestone
