// SPDX-License-Identifier: Apache-2.0
// One row of attention in some style: its scores, and its answer.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "reference/call/dropout.hpp"
#include "tests/conformance/styles/styled_kernel.hpp"

namespace attestone::styles {

/// A pair that the row visits.
struct StyledPair {
  index key;
  bool kept;
  float score = 0;  ///< as the exponential sees it: natural, or in units of the exponent's factor
  float slope = 1;  ///< the derivative of the softcap
};

/// Where a softmax ended.
struct StyledSums {
  float maximum = 0, total = 0;
  std::vector<float> out;  ///< [value_dim]
};

class StyledRow {
 public:
  StyledRow(const Style&, const Problem&, const KernelInputs&, const VisiblePairs&, const Dropout&, const Pair& at);

  /// This row with the keys from `first` to before `end` only.
  StyledRow part(index first, index end, bool with_sink) const;

  const std::vector<StyledPair>& pairs() const { return pairs_; }
  std::optional<float> sink() const { return sink_; }
  index value_dim() const { return problem_.shape.value_dim; }
  StyledSums sums() const { return style_.maximum == Maximum::last ? in_two_passes() : keeping_up(); }
  float log_sum_exp(const StyledSums& sums) const { return natural(sums.maximum) + std::log(sums.total); }
  /// exp(score - maximum).
  float power(float score, float maximum) const;
  float natural(float score) const { return score * to_natural_; }
  bool skips(const StyledPair& pair, float weight) const;
  /// 1 / (1 - rate).
  float kept_factor() const { return kept_factor_; }

 private:
  void read_scores(const VisiblePairs&, const Dropout&);
  float value(const StyledPair& pair, index channel) const;
  float sum(std::vector<float> addends) const;
  float dropped(const StyledPair& pair, float weight) const { return pair.kept ? weight * kept_factor_ : weight * 0; }
  StyledSums in_two_passes() const;
  StyledSums keeping_up() const;
  void add_sink(StyledSums&) const;

  const Style& style_;
  const Problem& problem_;
  const KernelInputs& inputs_;
  Pair at_;
  bool plain_;  ///< no softcap, bias or sink: base 2 is worth its while
  float exponent_factor_, to_natural_, kept_factor_;
  std::optional<float> sink_;
  std::vector<StyledPair> pairs_;
};

}  // namespace attestone::styles
