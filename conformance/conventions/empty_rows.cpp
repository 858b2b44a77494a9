// SPDX-License-Identifier: Apache-2.0
// Rows without keys, one by one.
#include "conformance/conventions/empty_rows.hpp"

#include <limits>
#include <vector>

#include "conformance/conventions/touched_gradients.hpp"
#include "conformance/verdict/element_error.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

void set_open(Truth& truth, const AttentionRow& row, index place, index value_dim) {
  leave_open(truth.log_sum_exp(row.batch, row.head, place));
  if (truth.has_max_logits()) leave_open(truth.max_logits(row.batch, row.head, place));
  for (index c = 0; c < value_dim; ++c) leave_open(truth.out(row.batch, row.head, place, c));
}

void set(Truth& truth, const AttentionRow& row, index place, index value_dim, const EmptyRowAnswers& answers) {
  for (const index channel : {log_sum_exp_channel, max_logits_channel})
    truth.admit(row.batch, row.head, place, channel, answers.of_row);
  for (index c = 0; c < value_dim; ++c) {
    Certified& element = truth.out(row.batch, row.head, place, c);
    element.value = element.rounded = answers.out.front();
    if (answers.out.size() > 1) truth.admit(row.batch, row.head, place, c, answers.out);
  }
}

template <class Visit>
void for_each_conventional(EmptyRows convention, const Shape& shape, const Inputs& inputs, const VisiblePairs& visible,
                           const Visit& visit) {
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < shape.queries; ++i)
        if (is_conventional(convention, inputs, visible, b, h, i)) visit(AttentionRow{b, h, i});
}

}  // namespace

bool may_differ_in_empty_rows(const Conventions& conventions, const Problem& problem) {
  return conventions.empty_rows != EmptyRows::zero && (has_empty_row(problem) || problem.score.bias_tensor());
}

bool is_conventional(EmptyRows convention, const Inputs& inputs, const VisiblePairs& visible, index batch, index head,
                     index query) {
  if (convention == EmptyRows::zero || visible.count(batch, head, query) > 0) return false;
  return convention == EmptyRows::undefined || !inputs.sink || inputs.sink->view().value(0, head, 0, 0) == -infinity;
}

EmptyRowAnswers empty_row_answers(EmptyRows convention, bool zero_too) {
  switch (convention) {
    case EmptyRows::zero:
      return {{0}, {-infinity}};
    case EmptyRows::nan:
      return {zero_too ? std::vector{nan, 0.0} : std::vector{nan}, {-infinity, nan}};
    case EmptyRows::mean:
    case EmptyRows::undefined:
      break;
  }
  return {};
}

bool may_be_zero_too(const Inputs& inputs, index batch) { return inputs.sink || inputs.key.view().rows(batch) == 0; }

void follow_in_empty_rows(Truth& truth, EmptyRows convention, const Problem& problem, const Inputs& inputs,
                          const VisiblePairs& visible) {
  const index value_dim = problem.shape.value_dim;
  for_each_conventional(convention, problem.shape, inputs, visible, [&](const AttentionRow& row) {
    const auto found = std::lower_bound(truth.queries().begin(), truth.queries().end(), row.query);
    if (found == truth.queries().end() || *found != row.query) return;
    const index place = found - truth.queries().begin();
    const EmptyRowAnswers answers = empty_row_answers(convention, may_be_zero_too(inputs, row.batch));
    answers.out.empty() ? set_open(truth, row, place, value_dim) : set(truth, row, place, value_dim, answers);
  });
}

void follow_in_empty_rows(GradientTruth& truth, EmptyRows convention, const Problem& problem, const Inputs& inputs,
                          const VisiblePairs& visible) {
  for_each_conventional(convention, problem.shape, inputs, visible, [&](const AttentionRow& row) {
    if (row.query >= inputs.query.view().rows(row.batch)) return;  // that a ragged layout does not store
    change_query_gradient(truth, row, convention == EmptyRows::nan ? admit_nan : leave_open);
    change_shared_gradients(truth, row, problem.shape, convention == EmptyRows::mean ? leave_open : admit_nan);
  });
}

}  // namespace attestone::inline conformance
