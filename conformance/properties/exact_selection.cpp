// SPDX-License-Identifier: Apache-2.0
// Rows that select one key answer with its row of V.
#include <algorithm>
#include <cmath>

#include "conformance/properties/exact_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Selection selection(problem);
  const Inputs inputs =
      filled(problem, selection.source([&](const Element& at) { return draw_for(problem, at).normal(); }));
  const ConstView value = std::as_const(inputs.value).view();
  const WinnerError error = selection.error(trial.numerics());
  if (!std::isfinite(error.absolute)) return Verdict::inconclusive("weak-case", std::string(Selection::undecided));
  return exactly(trial, inputs, [&](index b, index h, index i, index c) -> std::optional<ExactNumber> {
    const auto key = selection.key(b, h, i);
    if (!key) return ExactNumber{};
    const index kv_head = problem.shape.kv_head(h);
    double largest = 0;
    for (index other = 0; other < problem.shape.value_dim; ++other)
      largest = std::max(largest, std::abs(value.value(b, kv_head, *key, other)));
    return Selection::answer(error, value.value(b, kv_head, *key, c), largest);
  });
}

const Registration<Property> registered{{
    .name = "exact_selection",
    .claim =
        "where one key wins by so much that all other weights are 0, the answer is its row of V, but for the roundings "
        "of one product and one quotient",
    .inapplicable = Selection::impossible,
    .check = check,
}};

}  // namespace
}  // namespace attestone
