// SPDX-License-Identifier: Apache-2.0
// Each convention in its turn.
#include "conformance/conventions/by_convention.hpp"

#include "conformance/conventions/base_two.hpp"
#include "conformance/conventions/empty_rows.hpp"
#include "conformance/conventions/hidden_nonfinite.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/call/visible_pairs.hpp"

namespace attestone::inline conformance {
namespace {

/// Not read at all.
void leave_log_sum_exp_open(Truth& truth, const Shape& shape) {
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index row = 0; row < std::ssize(truth.queries()); ++row) leave_open(truth.log_sum_exp(b, h, row));
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
  if (conventions.lse == LogSumExpBase::log2) read_to_base_two(truth, problem);
  if (!conventions.has_log_sum_exp()) leave_log_sum_exp_open(truth, problem.shape);
  return truth;
}

GradientTruth by_convention(GradientTruth truth, const Conventions& conventions, const Problem& problem,
                            const Inputs& inputs) {
  const bool empty = may_differ_in_empty_rows(conventions, problem);
  const bool spreads = may_spread(conventions, inputs);
  if (conventions.lse == LogSumExpBase::log2) leave_open_what_base_two_loses(truth, problem, inputs);
  if (!empty && !spreads) return truth;
  const VisiblePairs visible(problem, inputs);
  if (empty) follow_in_empty_rows(truth, conventions.empty_rows, problem, inputs, visible);
  if (spreads) admit_spread(truth, problem, inputs, visible);
  return truth;
}

}  // namespace attestone::inline conformance
