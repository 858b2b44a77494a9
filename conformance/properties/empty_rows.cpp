// SPDX-License-Identifier: Apache-2.0
// Rows that see nothing.
#include "conformance/conventions/empty_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

#include "conformance/conventions/hidden_nonfinite.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  const bool some = has_empty_row(problem) || problem.score.bias_tensor();
  return some ? "" : "every query sees a key";
}

bool is_one_of(const std::vector<double>& right, double got) {
  return std::ranges::any_of(right, [&](double x) { return got == x || (std::isnan(got) && std::isnan(x)); });
}

Verdict wrong(std::string_view tensor, index b, index h, index i, double got, const std::vector<double>& right) {
  return Verdict::failed(
      "empty-row", fmt::format("query {} of head {} in batch {} sees no key: {} is {:.9g}, not {:.9g}", i, h, b, tensor,
                               got, fmt::join(right, " or ")));
}

/// The problem whose every row sees every key of its place, whatever it holds, with tied scores.
Problem all_tied(const Problem& problem) {
  Problem tied = problem;
  tied.drop_gradients();
  tied.mask = Mask();
  tied.score = Score();
  if (tied.layout != "ragged") tied.lengths.clear(), tied.query_lengths.clear();
  return tied;
}

/// Rows that answer the mean of V are compared with that of a full softmax over tied scores, and bounded like it.
Verdict compared_with_mean(Trial& trial, const VisiblePairs& visible, const std::function<bool(AttentionRow)>& spread) {
  const Problem tied = all_tied(trial.problem());
  Inputs inputs = trial.inputs();
  inputs.bias.reset(), inputs.sink.reset(), inputs.dout.reset();
  inputs.query.fill_code(0), inputs.key.fill_code(0);
  const std::vector<index> queries = trial.truth().queries();
  const Outputs& got = trial.answer().outputs;
  const Stopwatch watch(trial.times.truth);
  Truth truth = certify_forward(tied, inputs, {.queries = queries});
  for (index b = 0; b < tied.shape.batch; ++b)
    for (index h = 0; h < tied.shape.heads; ++h)
      for (index row = 0; row < std::ssize(queries); ++row) {
        leave_open(truth.log_sum_exp(b, h, row));
        if (truth.has_max_logits()) leave_open(truth.max_logits(b, h, row));
      }
  const ForwardBound bound(tied, inputs, trial.numerics());
  BoundTable bounds(tied, truth, bound);
  Verdict verdict = judged(compare(truth, bounds, got, trial.numerics().tile_queries, [&](index b, index h, index i) {
    return inputs.key.view().rows(b) > 0 && !spread({b, h, i}) &&
           is_conventional(EmptyRows::mean, trial.inputs(), visible, b, h, i);
  }));
  if (verdict.outcome == Outcome::failed) {
    verdict.reason = "empty-row";
    verdict.evidence = "a query that sees no key answers something else than the mean of V: " + verdict.evidence;
  }
  return verdict;
}

Verdict check(Trial& trial) {
  const EmptyRows convention = trial.conventions().empty_rows;
  if (convention == EmptyRows::undefined) return Verdict::skipped("what such rows answer is undefined, by convention");
  const Shape& shape = trial.problem().shape;
  const VisiblePairs visibility(trial.problem(), trial.inputs());
  const bool has_sink = trial.problem().score.has_sink(), has_log_sum_exp = trial.conventions().has_log_sum_exp();
  const bool spreads = may_spread(trial.conventions(), trial.inputs());
  const auto spread = [&](const AttentionRow& row) {
    return spreads && may_spread_into(row, trial.problem(), trial.inputs(), visibility);
  };
  const Outputs& got = trial.answer().outputs;
  const ConstView out = got.out.view();
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i) {
        if (visibility.count(b, h, i) > 0 || spread({b, h, i})) continue;
        const bool conventional = is_conventional(convention, trial.inputs(), visibility, b, h, i);
        const EmptyRowAnswers right =
            empty_row_answers(conventional ? convention : EmptyRows::zero, may_be_zero_too(trial.inputs(), b));
        if (right.out.empty()) continue;
        for (index c = 0; c < shape.value_dim && out.exists(); ++c)
          if (const double answer = out.value(b, h, i, c); !is_one_of(right.out, answer))
            return wrong("out", b, h, i, answer, right.out);
        for (const auto& [name, tensor] : tensors_of(got)) {
          // With a sink log_sum_exp is its logit, which base 2 may round: the value bound judges it.
          const bool is_number = name == TensorName::log_sum_exp && !has_sink && has_log_sum_exp;
          if (!is_number && name != TensorName::max_logits) continue;
          const double answer = tensor->view().value(b, h, i, 0);
          if (!is_one_of(right.of_row, answer)) return wrong(text(name), b, h, i, answer, right.of_row);
        }
      }
  return convention == EmptyRows::mean && out.exists() ? compared_with_mean(trial, visibility, spread)
                                                       : Verdict::passed();
}

const Registration<Property> registered{{
    .name = "empty_rows",
    .claim = "a query that sees no key answers exactly 0, and its log_sum_exp is -inf if there is no sink",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
