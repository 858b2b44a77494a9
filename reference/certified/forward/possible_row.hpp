// SPDX-License-Identifier: Apache-2.0
// Possible scores, weights and answers of one query row, in any admissible order of evaluation (docs/rules.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/certified/numbers/possible.hpp"

namespace attestone {

/// A sum of products with NaN and infinities among the factors.
struct SpecialDot {
  double value = 0;        ///< in double; the same in every order of summation, as far as NaN and infinities go
  double magnitude = 0;    ///< the sum of |product| over the finite ones
  bool may_flush = false;  ///< an infinity meets a number that a kernel may read as 0

  Possible possible() const;
};

/// `factor` is what either number may be multiplied by first; numbers below `smallest_normal` may be read as 0.
SpecialDot special_dot(std::span<const double> a, std::span<const double> b, double factor, double smallest_normal);

/// A visible pair.
struct PossiblePair {
  index key;
  bool kept;            ///< by dropout
  bool may_be_skipped;  ///< its score is -inf, or its weight may be exactly 0
  bool flat;            ///< an infinite q.k under a softcap: the derivative is 0
  Possible weight;      ///< P, divided by the sum, before dropout
};

/// The row and what it sees; `sink` is absent if it is -infinity.
class PossibleRow {
 public:
  PossibleRow(const Problem&, const Inputs&, const Bias&, const Pair& row, std::span<const std::uint64_t> visible,
              std::span<const std::uint64_t> kept, std::optional<double> sink);

  /// True if no score can overflow on its way. If one can, nothing is certain and the rest means nothing.
  bool in_range() const { return in_range_; }
  /// True if this is a softmax over finite scores, and others that weigh nothing.
  bool has_maximum() const { return has_maximum_; }
  const std::vector<PossiblePair>& pairs() const { return pairs_; }
  Possible log_sum_exp() const { return log_sum_exp_; }
  Possible sink_weight() const { return sink_weight_; }
  bool sink_may_be_skipped() const { return sink_may_be_skipped_; }
  /// The values that O may have, as long as no sum overflows.
  Possible out(index channel) const;
  /// q.k of a pair, in double.
  double product(std::size_t pair) const { return products_[pair]; }
  /// The row of V of a pair.
  std::span<const double> values(std::size_t pair) const {
    return std::span(values_).subspan(pair * value_dim_, value_dim_);
  }
  double value(std::size_t pair, index channel) const { return values(pair)[static_cast<std::size_t>(channel)]; }

 private:
  struct Score;
  void weigh(const Problem&, const std::vector<Score>&, std::optional<double> sink);

  std::size_t value_dim_;
  std::vector<double> products_, values_;  ///< by pair
  bool in_range_ = true, has_maximum_ = false, sink_may_be_skipped_ = false;
  std::vector<PossiblePair> pairs_;
  Possible log_sum_exp_, sink_weight_, out_otherwise_;
};

}  // namespace attestone
