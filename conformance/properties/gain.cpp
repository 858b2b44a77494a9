// SPDX-License-Identifier: Apache-2.0
// What elements cannot see: all of them leaning the same way.
#include "reference/error_bound/gain.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/measure/stopwatch.hpp"
#include "conformance/properties/gain_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem& problem) { return has_visible_pair(problem) ? "" : "no query sees a key"; }

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// Adds one row of O, unless something in it is not finite or its bound says nothing.
void add_row(Trial& trial, const ConstView& out, Gain& gain, std::size_t place) {
  const auto& [b, h, row, query] = trial.bounds().places()[place];
  if (query >= out.rows(b) || trial.bounds().row(place).visible_keys == 0) return;
  std::vector<double> truth, answer, bound;
  for (index c = 0; c < out.extents()[3]; ++c) {
    truth.push_back(trial.truth().out(b, h, row, c).value);
    answer.push_back(out.value(b, h, query, c));
    bound.push_back(trial.bounds().deterministic(place, c));
  }
  if (all_finite(truth) && all_finite(answer) && all_finite(bound))
    gain.add(truth, answer, trial.bounds().bound_of_row(place).gain_terms(truth));
}

Verdict check(Trial& trial) {
  const ConstView out = trial.answer().outputs.out.view();
  const std::size_t places = trial.bounds().places().size();
  const Stopwatch watch(trial.times.truth);
  Gain gain;
  for (std::size_t place = 0; place < places; ++place) add_row(trial, out, gain, place);
  return gain_verdict("O", gain, "an all-zero answer would pass");
}

const Registration<Property> registered{{
    .name = "gain",
    .claim = "on the whole the answer is the truth times 1: no factor, however small, runs through all of it",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone
