// SPDX-License-Identifier: Apache-2.0
// The steps of one row of q.k between the product and the softmax: scale, softcap, bias.
#pragma once

#include <optional>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/formula_bias.hpp"
#include "backends/cpu/parts/interval.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The scores of one head. In base 2 they are multiplied by log2(e), so that exp becomes exp2: the constant is folded
/// into the scale (or the cap), which costs no operation.
class ScoreRow {
 public:
  enum class Base { e, two };
  ScoreRow(const Problem&, const KernelInputs&, index batch, index head, Base);

  /// Reads what the bias tensor adds to the scores of these keys into `buffer` [keys], and returns that; null if the
  /// problem has no such tensor. -infinity hides the pair.
  const float* biases(index query, Interval keys, float* buffer) const;

  /// Turns scores[j] = q.k of the keys from keys.first on into scores; `biases` as above. If `slopes` are asked for,
  /// slopes[j] becomes the derivative of the cap, 1 - tanh^2, or 1 without a cap.
  void finish(float* scores, index query, Interval keys, const float* biases, float* slopes = nullptr) const;

 private:
  void add_formula(float* scores, index query, Interval keys) const;

  index batch_, head_;
  double unit_;  ///< of the base, in nats
  float before_tanh_ = 1, factor_;
  bool capped_ = false;
  FormulaBias formula_;
  std::optional<FloatRows> bias_;
};

}  // namespace attestone::inline backends
