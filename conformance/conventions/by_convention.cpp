// SPDX-License-Identifier: Apache-2.0
// Each convention in its turn.
#include "conformance/conventions/by_convention.hpp"

#include <cmath>

#include "conformance/conventions/empty_rows.hpp"
#include "conformance/conventions/hidden_nonfinite.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

/// A number of a row as it is read: multiplied by ln 2, which is rounded twice in double.
void read_in_base(Certified& element, const Conventions& conventions) {
  constexpr double two_roundings = 0x1p-52;
  const bool multiplied = conventions.lse != LogSumExpBase::ln && std::isfinite(element.value);
  if (multiplied) element.bound += two_roundings * std::abs(element.value);
}

/// log_sum_exp is not read at all if there is none.
void read_log_sum_exp(Certified& element, const Conventions& conventions) {
  if (!conventions.has_log_sum_exp()) return leave_open(element);
  read_in_base(element, conventions);
}

}  // namespace

Truth by_convention(Truth truth, const Conventions& conventions, const Problem& problem, const Inputs& inputs) {
  if (conventions == Conventions{}) return truth;
  const bool empty = may_differ_in_empty_rows(conventions, problem);
  const bool spreads = may_spread(conventions, inputs);
  if (empty || spreads) {
    const VisiblePairs visible(problem, inputs);
    if (empty) follow_in_empty_rows(truth, conventions.empty_rows, problem, inputs, visible);
    if (spreads) admit_spread(truth, problem, inputs, visible);
  }
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index row = 0; row < std::ssize(truth.queries()); ++row) {
        read_log_sum_exp(truth.log_sum_exp(b, h, row), conventions);
        if (truth.has_max_logits()) read_in_base(truth.max_logits(b, h, row), conventions);
      }
  return truth;
}

GradientTruth by_convention(GradientTruth truth, const Conventions& conventions, const Problem& problem,
                            const Inputs& inputs) {
  const bool empty = may_differ_in_empty_rows(conventions, problem);
  const bool spreads = may_spread(conventions, inputs);
  if (!empty && !spreads) return truth;
  const VisiblePairs visible(problem, inputs);
  if (empty) follow_in_empty_rows(truth, conventions.empty_rows, problem, inputs, visible);
  if (spreads) admit_spread(truth, problem, inputs, visible);
  return truth;
}

}  // namespace attestone
