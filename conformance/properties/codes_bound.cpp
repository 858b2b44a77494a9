// SPDX-License-Identifier: Apache-2.0
// The bound on what a kernel adds to the errors of its own codes.
#include <cmath>

#include "conformance/conventions/by_convention.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/error_bound/forward/coded_row.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem&) { return {}; }

/// Adds what a kernel gives back, whose sum is rounded.
void give_back(Certified& element, const GivenBack& mean, double roundoff) {
  if (mean.value == 0 && mean.error == 0) return;
  if (std::isinf(mean.error)) return leave_open(element);
  element.value += mean.value;
  element.bound += mean.error + roundoff * std::abs(element.value);
  element.rounded = element.value;
  element.decided = false;
}

/// Codes of what is not finite may stand for any number, and an infinity times a weight that is cast to 0 is NaN. A row
/// without keys has a log_sum_exp of -infinity all the same.
bool says_nothing(const Certified& element, index channel) {
  const bool is_empty = channel == log_sum_exp_channel && element.value < 0;
  return !std::isfinite(element.value) && !is_empty;
}

/// The answer to the codes.
Truth truth_of(const CodedProblem& coded, const std::vector<index>& queries, Trial& trial) {
  const Problem& problem = coded.problem();
  const double scale = trial.problem().scale(), roundoff = trial.numerics().output.log_sum_exp_roundoff;
  Truth truth = by_convention(certify_forward(problem, coded.inputs(), {.queries = queries, .escalate = false}),
                              trial.conventions(), problem, coded.inputs());
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index row = 0; row < std::ssize(queries); ++row) {
        Certified& log_sum_exp = truth.log_sum_exp(b, h, row);
        const bool sees_keys = log_sum_exp.value != -infinity;
        give_back(log_sum_exp, given_back(coded, trial.numerics(), scale, b, h, queries[static_cast<std::size_t>(row)]),
                  roundoff);
        for (index c = 0; sees_keys && c < problem.shape.value_dim; ++c) {
          Certified& element = truth.element(b, h, row, c);
          give_back(element, value_given_back(coded, trial.numerics(), b, h, c, element.value), 0);
        }
        for (index c = log_sum_exp_channel; c < problem.shape.value_dim; ++c)
          if (Certified& element = truth.element(b, h, row, c); says_nothing(element, c)) leave_open(element);
      }
  return truth;
}

Verdict check(Trial& trial) {
  const Outputs& outputs = trial.answer().outputs;
  const Numerics& numerics = trial.numerics();
  const std::vector<index>& queries = trial.truth().queries();
  const Stopwatch watch(trial.times.truth);
  const CodedProblem coded(trial.problem(), trial.inputs(), numerics);
  const Truth truth = truth_of(coded, queries, trial);
  const Numerics arithmetic = without_codes(numerics);
  const ForwardBound bound(coded.problem(), coded.inputs(), arithmetic, coded.slack());
  BoundTable bounds(coded.problem(), truth, bound);
  const Comparison comparison =
      compare(truth, bounds, outputs, numerics.tile_queries, nullptr, trial.conventions().log_sum_exp_unit());
  Verdict verdict = judged(comparison);
  verdict.by_place = accuracy_by_place(comparison.errors);
  return verdict;
}

const Registration<Property> registered{{
    .name = "codes_bound",
    .claim = "every element is as near to the exact answer to the codes of the inputs as the declared arithmetic "
             "guarantees",
    .inapplicable = inapplicable,
    .check = check,
    .of_codes = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
