// SPDX-License-Identifier: Apache-2.0
// Proofs that an answer is exactly a given number: no precision decides the rounding of a number that is a boundary.
#pragma once

#include <optional>
#include <vector>

#include "reference/certified/number.hpp"
#include "reference/certified/row_task.hpp"

namespace attestone {

/// The scores of one row, exactly, and its keys in groups of equal scores.
class ExactScores {
 public:
  ExactScores(const RowTask&, std::span<const index> keys);

  /// True: out of the channel is exactly t. False: it is not, or (with a softcap only) that is not known.
  ///
  /// sum e^s (v - t) = 0, and exponentials of distinct algebraic numbers are linearly independent over the algebraic
  /// numbers (Lindemann and Weierstrass): so the sums of v - t vanish group by group, and are computed exactly.
  bool out_is(index channel, const Number& t) const;
  /// log_sum_exp if it is a rational number that is known: that of a single key, which is its score.
  std::optional<Number> rational_log_sum_exp() const;

 private:
  const RowTask* task_;
  std::vector<std::vector<index>> groups_;
  std::optional<Number> only_score_;
};

/// The number with the fewest significant bits in the interval, if 54 are enough: the only candidate for a boundary of
/// a format, or a number of it, in a narrow interval.
std::optional<Number> simplest_number(const Interval&);

}  // namespace attestone
