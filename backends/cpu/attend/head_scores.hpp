// SPDX-License-Identifier: Apache-2.0
// The scores made of q.k in one head: scale, softcap and bias, a panel of queries at a time.
#pragma once

#include <optional>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/formula_bias.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The scores of one head in base 2: they are multiplied by log2(e), so that exp becomes exp2. The constant is folded
/// into the scale (or the cap), which costs no operation.
class HeadScores {
 public:
  HeadScores(const Problem&, const KernelInputs&, index batch, index head);

  /// By what q.k is multiplied at once.
  float factor() const { return factor_; }
  /// True if `finish` has anything to do.
  bool unfinished() const { return cap_ || bias_ || formula_; }
  /// True if biases must be read.
  bool biased() const { return bias_.has_value(); }

  /// biases[keys][32] of the tensor, through `rows` [32][keys]. -infinity hides a pair.
  void read_biases(Interval queries, Interval keys, float* rows, float* biases) const;
  /// Turns S[keys][32] = factor * q.k into scores; `biases` as above, if there are any. If `slopes` are asked for, they
  /// become the derivative of the cap, 1 - tanh^2.
  void finish(float* S, Interval queries, Interval keys, const float* biases, float* slopes = nullptr) const;
  /// True if slopes other than 1 occur.
  bool capped() const { return cap_.has_value(); }

 private:
  void add_formula(float* S, Interval queries, Interval keys) const;

  index batch_, head_;
  float factor_;
  std::optional<float> cap_;  ///< in base 2
  FormulaBias formula_;       ///< in base 2
  std::optional<FloatRows> bias_;
};

}  // namespace attestone::inline backends
