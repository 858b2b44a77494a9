// SPDX-License-Identifier: Apache-2.0
// Rows that select one key answer with its row of V.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/properties/exact_inputs.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Selection selection(problem);
  const Inputs inputs =
      filled_forward(problem, selection.source([&](const Element& at) { return normal_for(problem, at); }));
  const Shape& s = problem.shape;
  const std::vector<double> values = packed_values(inputs.value.view());
  const WinnerError error = selection.error(trial.numerics());
  if (!std::isfinite(error.absolute)) return Verdict::inconclusive("weak-case", std::string(Selection::undecided));
  return exactly(trial, inputs, [&](index b, index h, index i, index c) -> std::optional<ExactNumber> {
    const auto key = selection.key(b, h, i);
    if (!key) return of_empty_row(trial);
    const index row = (b * s.kv_heads + s.kv_head(h)) * s.keys + *key;
    const double *value = values.data() + row * s.value_dim, *end = value + s.value_dim;
    const auto larger = [](double most, double x) { return std::max(most, std::abs(x)); };
    const double largest = error.of_largest > 0 ? std::accumulate(value, end, 0.0, larger) : 0;
    return Selection::answer(error, value[c], largest);
  });
}

const Registration<Property> registered{{
    .name = "exact_selection",
    .claim =
        "where one key wins by so much that all other weights are 0, the answer is its row of V, but for the roundings "
        "of one product and one quotient",
    .inapplicable = Selection::impossible,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
