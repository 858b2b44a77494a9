// SPDX-License-Identifier: Apache-2.0
// Comparing an answer with the truth, element by element, in units of each element's own bound.
#pragma once

#include <functional>
#include <optional>

#include "conformance/verdict/bound_table.hpp"
#include "conformance/verdict/error_field.hpp"
#include "conformance/verdict/verdict.hpp"

namespace attestone::inline conformance {

/// Chooses the rows (batch, head, query) that are compared.
using RowFilter = std::function<bool(index batch, index head, index query)>;

/// An answer held against the truth: all that any property wants to know of the distance.
struct Comparison {
  index elements = 0;   ///< compared, of all tensors together
  index unbounded = 0;  ///< of these, nothing can be said
  Accuracy accuracy;
  std::vector<ErrorField> errors;     ///< of each tensor, by place
  std::optional<WorstElement> worst;  ///< by r_prob, never below r_det; of O if that fails; none without elements
  bool zeros_would_pass = true;       ///< an all-zero O would have conformed as well
  bool mean_would_pass = true;        ///< so would the mean of the visible V in every row
  bool right_answer_is_empty = true;  ///< every compared row is empty

  bool conforms() const { return accuracy.r_det <= 1 && accuracy.r_prob <= 1; }
  bool could_tell() const { return right_answer_is_empty || !(zeros_would_pass || mean_would_pass); }
};

/// Compares `got` with the truth. `query_tile` is the number of queries in a tile of the kernel, 0 if it has none;
/// `log_sum_exp_unit` what its log_sum_exp and max_logits are to be multiplied by to be natural. Elements that are left
/// open are not compared.
Comparison compare(const Truth&, BoundTable&, const Outputs& got, index query_tile, const RowFilter& = nullptr,
                   double log_sum_exp_unit = 1);

/// The value of Comparison::conforms for the whole answer, without the rest of a Comparison, which costs a multiple.
bool conforms(const Problem&, const Truth&, const ForwardBound&, const Outputs& got, double log_sum_exp_unit = 1);

/// The verdict that a comparison alone gives: failed, inconclusive or passed, with evidence.
Verdict judged(const Comparison&);

}  // namespace attestone::inline conformance
