// SPDX-License-Identifier: Apache-2.0
// Proofs that an answer is exactly a given number: no precision decides the rounding of a number that is a boundary.
#pragma once

#include <optional>
#include <vector>

#include "reference/certified/forward/row_task.hpp"
#include "reference/certified/numbers/number.hpp"

namespace attestone {

/// The scores of one row, exactly, and its keys in groups of equal scores. A sink is one more key of value 0.
class ExactScores {
 public:
  ExactScores(const RowTask&, std::span<const index> keys);

  /// The sign of out - t for one channel: 0 if they are proven equal. Nothing with a softcap and scores that differ.
  ///
  /// out - t has the sign of the sum of e^s D over groups, D the group's sum of z v - (1 - rate) t with z = 0 for
  /// dropped pairs, else 1, which is computed exactly. By the theorem of Lindemann and Weierstrass (exponentials of
  /// distinct algebraic numbers are linearly independent over the algebraic numbers) it vanishes only if every D does;
  /// otherwise the group of highest score with D != 0 leads, and relative to its weight 128 bits tell the sign, however
  /// far below the rest of the row it lies.
  std::optional<int> sign_of_difference(index channel, const Number& t) const;
  /// log_sum_exp if it is a rational number that is known: that of a single key or sink, which is its score.
  std::optional<Number> rational_log_sum_exp() const;

 private:
  struct Group {
    Number score;  ///< exact, without a softcap
    std::vector<index> keys;
    bool has_sink = false;
  };
  Number difference(const Group&, index channel, const Number& t) const;

  const RowTask* task_;
  std::vector<Group> groups_;  ///< by falling score
  std::optional<Number> only_score_;
};

/// The number with the fewest significant bits in the interval, if 54 are enough: the only candidate for a boundary of
/// a format, or a number of it, in a narrow interval.
std::optional<Number> simplest_number(const MpfrInterval&);

}  // namespace attestone
