// SPDX-License-Identifier: Apache-2.0
// What elements of gradients cannot see: all of them leaning the same way.
#include "reference/error_bound/gradient/gradient_gain.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/conventions/read_by_the_rules.hpp"
#include "conformance/measure/stopwatch.hpp"
#include "conformance/properties/gain_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"
#include "reference/row_reader.hpp"

namespace attestone {
namespace {

std::vector<double> values_of(const CertifiedTensor& truth) {
  const auto& [batches, heads, rows, channels] = truth.extents();
  std::vector<double> values;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) values.push_back(truth.at(b, h, r, c).value);
  return values;
}

/// The answer; where conventions of its own excuse what it is, the truth in its place.
std::vector<double> judged_values(const ConstView& got, const CertifiedTensor& truth, const Conventions& conventions) {
  std::vector<double> values = packed_values(got);
  for (std::size_t i = 0; i < values.size() && conventions != Conventions{}; ++i) {
    const Certified& right = truth.elements()[i];
    values[i] = read_by_the_rules(values[i], right, right.value);
  }
  return values;
}

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// Failed, inconclusive or passed, for one gradient.
Verdict judged(std::string_view name, const std::vector<double>& truth, const std::vector<double>& answer,
               const GainTerms& terms) {
  if (!all_finite(truth) || !all_finite(answer)) return Verdict::inconclusive("unbounded", "not everything is finite");
  Gain gain;
  gain.add(truth, answer, terms);
  return gain_verdict(name, gain, "all-zero gradients would pass");
}

Verdict check(Trial& trial) {
  const GradientTruth& truth = trial.backward().truth();
  const TrueGradients exact{values_of(truth.query), values_of(truth.key), values_of(truth.value)};
  const GradientBounds& bounds = trial.backward().bounds();
  const Gradients& got = trial.backward().answer().gradients;
  const Stopwatch watch(trial.times.truth);
  const GradientGainTerms terms = gradient_gain_terms(trial.problem(), trial.inputs(), trial.numerics(), exact, bounds);
  std::vector<Verdict> verdicts;
  const auto judge = [&](std::string_view name, const Tensor& answer, const CertifiedTensor& right,
                         const std::vector<double>& values, const GainTerms& of_gradient) {
    if (!answer.exists()) return;
    verdicts.push_back(judged(name, values, judged_values(answer.view(), right, trial.conventions()), of_gradient));
  };
  judge("dQ", got.query, truth.query, exact.query, terms.query);
  judge("dK", got.key, truth.key, exact.key, terms.key);
  judge("dV", got.value, truth.value, exact.value, terms.value);
  for (const Outcome outcome : {Outcome::failed, Outcome::inconclusive})
    for (const Verdict& verdict : verdicts)
      if (verdict.outcome == outcome) return verdict;
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "gradient_gain",
    .claim = "on the whole each gradient is the truth times 1: no factor, however small, runs through all of it",
    .inapplicable = without_gradients,
    .check = check,
}};

}  // namespace
}  // namespace attestone
