// SPDX-License-Identifier: Apache-2.0
// What elements of gradients cannot see: all of them leaning the same way.
#include "reference/error_bound/gradient_gain.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "conformance/property.hpp"
#include "reference/registry.hpp"

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

/// In the order of the axes; padding that a ragged layout does not store counts as 0, which is its truth.
std::vector<double> values_of(const Tensor& tensor) {
  const ConstView view = tensor.view();
  const auto& [batches, heads, rows, channels] = view.extents();
  std::vector<double> values;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) values.push_back(r < view.rows(b) ? view.value(b, h, r, c) : 0);
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
  if (!gain.says_anything()) return Verdict::inconclusive("weak-case", "nothing but zeros to compare with");
  if (std::abs(gain.gain() - 1) > gain.bound())
    return Verdict::failed("wrong-gain",
                           fmt::format("{} is {:.6g} times the truth on the whole; rounding explains 1 +- "
                                       "{:.2g}",
                                       name, gain.gain(), gain.bound()));
  if (!(gain.bound() < 1)) return Verdict::inconclusive("weak-case", "all-zero gradients would pass");
  return Verdict::passed();
}

Verdict check(Trial& trial) {
  const GradientTruth& truth = trial.backward().truth();
  const TrueGradients exact{values_of(truth.query), values_of(truth.key), values_of(truth.value)};
  const GradientGainTerms terms =
      gradient_gain_terms(trial.problem(), trial.inputs(), trial.numerics(), exact, trial.backward().bounds());
  const Gradients& got = trial.backward().answer().gradients;
  const Verdict verdicts[] = {judged("dQ", exact.query, values_of(got.query), terms.query),
                              judged("dK", exact.key, values_of(got.key), terms.key),
                              judged("dV", exact.value, values_of(got.value), terms.value)};
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
