// SPDX-License-Identifier: Apache-2.0
// Comparing an answer with the truth, element by element, in units of each element's own bound.
#pragma once

#include <functional>
#include <optional>

#include "conformance/verdict.hpp"
#include "reference/certified/truth.hpp"
#include "reference/error_bound/forward_bound.hpp"

namespace attestone {

/// Chooses the rows (batch, head, query) that are compared.
using RowFilter = std::function<bool(index batch, index head, index query)>;

struct Comparison {
  index elements = 0;   ///< compared, O and log_sum_exp together
  index unbounded = 0;  ///< of these, nothing can be said
  Accuracy accuracy;
  std::optional<WorstElement> worst;  ///< by the larger of r_det and r_prob; none if nothing was compared
  bool zeros_would_pass = true;       ///< an all-zero O would have conformed as well
  bool mean_would_pass = true;        ///< so would the mean of the visible V in every row
  bool right_answer_is_empty = true;  ///< every compared row is empty

  bool conforms() const { return accuracy.r_det <= 1 && accuracy.r_prob <= 1; }
  bool could_tell() const { return right_answer_is_empty || !(zeros_would_pass || mean_would_pass); }
};

/// Compares `got` with the truth. The result does not depend on the number of threads.
Comparison compare(const Problem&, const Numerics&, const Truth&, const ForwardBound&, const Outputs& got,
                   const RowFilter& = nullptr);

/// The verdict that a comparison alone gives: failed, inconclusive or passed, with evidence.
Verdict judged(const Comparison&);

}  // namespace attestone
