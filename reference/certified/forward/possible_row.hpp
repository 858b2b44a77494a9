// SPDX-License-Identifier: Apache-2.0
// What scores, weights and answers of one query row may be in any admissible order of evaluation (docs/rules.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reference/bias.hpp"
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
SpecialDot special_dot(const ConstView& a, index a_head, index a_row, const ConstView& b, index b_head, index b_row,
                       index batch, double factor, double smallest_normal);

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

  /// Whether no score can overflow on its way. If one can, nothing is certain and the rest means nothing.
  bool in_range() const { return in_range_; }
  /// Whether this is a softmax over finite scores, and others that weigh nothing.
  bool has_maximum() const { return has_maximum_; }
  const std::vector<PossiblePair>& pairs() const { return pairs_; }
  Possible log_sum_exp() const { return log_sum_exp_; }
  Possible sink_weight() const { return sink_weight_; }
  bool sink_may_be_skipped() const { return sink_may_be_skipped_; }
  /// Of O, as long as no sum overflows.
  Possible out(index channel) const;
  /// What key `key` of V holds in a channel.
  double value(index key, index channel) const;

 private:
  struct Score;
  Score score(const Problem&, const Bias&, index key) const;
  void weigh(const Problem&, const std::vector<Score>&, std::optional<double> sink);

  const Inputs& inputs_;
  Pair row_;
  index kv_head_;
  bool in_range_ = true, has_maximum_ = false, sink_may_be_skipped_ = false;
  std::vector<PossiblePair> pairs_;
  Possible log_sum_exp_, sink_weight_, out_otherwise_;
};

}  // namespace attestone
