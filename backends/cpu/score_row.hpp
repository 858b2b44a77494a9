// SPDX-License-Identifier: Apache-2.0
// What happens to one row of q.k between the product and the softmax: scale, softcap, ALiBi.
#pragma once

#include <optional>

#include "reference/problem.hpp"

namespace attestone {

/// The scores of one head. In base 2 they are multiplied by log2(e), so that exp becomes exp2: the constant is folded
/// into the scale (or the cap), which costs no operation.
class ScoreRow {
 public:
  enum class Base { e, two };
  ScoreRow(const Problem&, index head, Base);

  /// Turns scores[0, count) = q.k of the keys first_key, first_key + 1, ... into scores. `position` is the key
  /// position of the query.
  void finish(float* scores, index count, index position, index first_key) const;

 private:
  float before_tanh_ = 1, factor_;
  bool capped_ = false;
  std::optional<double> slope_;  ///< of ALiBi, in the base of the scores
};

/// The slope of ALiBi (Press et al., arXiv 2108.12409, section 3), as f32.
float own_alibi_slope(index head, index heads);

}  // namespace attestone
