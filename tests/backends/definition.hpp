// SPDX-License-Identifier: Apache-2.0
// Attention and its gradients in double, straight from docs/rules.md, each element with what a declared arithmetic may
// cost it.
#pragma once

#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {

/// The elements of one tensor in the order of its axes, and how far a kernel's may be from them.
struct DefinedTensor {
  Extents extents{};
  std::vector<double> value, bound;

  std::size_t place(index batch, index head, index row, index channel) const {
    return static_cast<std::size_t>(((batch * extents[1] + head) * extents[2] + row) * extents[3] + channel);
  }
};

/// Gradients are those of sum out * dout; empty without a backward pass, as dbias and dsink without their inputs.
struct DefinedAttention {
  DefinedTensor out, log_sum_exp, dquery, dkey, dvalue, dbias, dsink;

  /// In the order of RandomCall::results().
  std::vector<const DefinedTensor*> results() const;
};

/// The bounds are the deterministic ones of the project's error analysis (docs/tolerance.md: FlashAttention forward,
/// and its backward pass with delta from the rounded output), evaluated in double.
DefinedAttention attention_by_rules(const Problem&, const Inputs&, const Numerics&);

}  // namespace attestone
