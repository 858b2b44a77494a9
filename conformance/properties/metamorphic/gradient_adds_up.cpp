// SPDX-License-Identifier: Apache-2.0
// Gradients for a sum are sums of gradients.
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/property.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The inputs with dout silent at every other query, so that both halves add up to dout without rounding.
Inputs half(const Inputs& inputs, index silent) {
  Inputs changed = inputs;
  const View dout = changed.dout->view();
  for_each_element(dout, [&](index b, index h, index i, index c) {
    if (i % 2 == silent) dout.set(b, h, i, c, 0);
  });
  return changed;
}

/// The gradients for one half of dout, and what they may err by.
struct HalfAnswer {
  HalfAnswer(Trial& trial, index silent) : inputs(half(trial.inputs(), silent)) {
    gradients = trial.backward().run(inputs, trial.answer().outputs).gradients;
    const Stopwatch watch(trial.times.truth);
    bounds = gradient_bounds(trial.problem(), inputs, trial.numerics());
  }
  Inputs inputs;
  std::optional<Gradients> gradients;
  std::optional<GradientBounds> bounds;
};

/// The first element of one gradient that is not the sum; empty if there is none.
std::string not_the_sum(const ComparedGradient& one, const ComparedGradient& other) {
  const auto& [batches, heads, rows, channels] = one.truth.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < std::min(rows, one.got.view().rows(b)); ++r)
        for (index c = 0; c < channels; ++c) {
          const Certified& truth = one.truth.at(b, h, r, c);
          const double x = one.got.view().value(b, h, r, c), y = other.got.view().value(b, h, r, c);
          const double allowed = one.bounds.deterministic(b, h, r, c) + other.bounds.deterministic(b, h, r, c);
          if (truth.non_finite != NonFinite::wrong || !std::isfinite(truth.value) ||
              !std::isfinite(truth.bound + allowed))
            continue;
          // The sum is taken here in double.
          const double rounding = dtype("f64").unit_roundoff() * std::abs(x + y);
          if (!(std::abs(x + y - truth.value) <= allowed + truth.bound + rounding))
            return fmt::format("{}[b{}, h{}, {}, c{}] is {:.9g} and {:.9g} for the halves, {:.9g} for all of dout",
                               text(one.tensor), b, h, r, c, x, y, truth.value);
        }
  return {};
}

Verdict check(Trial& trial) {
  if (!trial.backward().compare_with_truth(trial.backward().answer().gradients).conforms())
    return Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
  const HalfAnswer odd(trial, 0), even(trial, 1);
  const GradientTruth& truth = trial.backward().truth();
  const auto of_odd = compared_gradients(truth, *odd.bounds, *odd.gradients);
  const auto of_even = compared_gradients(truth, *even.bounds, *even.gradients);
  for (std::size_t i = 0; i < of_odd.size(); ++i) {
    const std::string wrong = not_the_sum(of_odd[i], of_even[i]);
    if (!wrong.empty()) return Verdict::failed("gradient-not-linear", wrong);
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "gradient_adds_up",
    .claim = "the gradients for dout are the sum of those for its even and for its odd queries",
    .inapplicable = without_gradients,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
