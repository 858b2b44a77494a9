// SPDX-License-Identifier: Apache-2.0
// The bound on what a kernel adds to the errors of its own codes.
#include <cmath>

#include "conformance/conventions/by_convention.hpp"
#include "conformance/measure/stopwatch.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/relations/relation.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/error_bound/forward/coded_row.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem&) { return {}; }

/// The answer to the codes, with what log_sum_exp is given back. Codes of what is not finite may stand for any number.
Truth truth_of(const CodedProblem& coded, const std::vector<index>& queries, Trial& trial) {
  const double roundoff = trial.numerics().output.log_sum_exp_roundoff;
  Truth truth = by_convention(certify_forward(coded.problem(), coded.inputs(), {.queries = queries, .escalate = false}),
                              trial.conventions(), coded.problem(), coded.inputs());
  for_each_certified(coded.problem(), truth, [&](index b, index h, index row, index channel, Certified& element) {
    if (std::isnan(element.value)) return leave_open(element);
    if (channel != log_sum_exp_channel) return;
    const auto [value, error] = given_back(coded, trial.numerics(), trial.problem().scale(), b, h,
                                           truth.queries()[static_cast<std::size_t>(row)]);
    if (value != 0 || error != 0) transform(element, 1, value, error + roundoff * std::abs(element.value + value));
  });
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
  const ForwardBound bound(coded.problem(), coded.inputs(), arithmetic, coded.key_slack());
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
}  // namespace attestone
