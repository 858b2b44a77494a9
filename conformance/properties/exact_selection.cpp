// SPDX-License-Identifier: Apache-2.0
// Rows that select one key answer with its row of V.
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
  return exactly(trial, inputs, [&](index b, index h, index i, index c) -> std::optional<ExactNumber> {
    const auto key = selection.key(b, h, i);
    if (!key) return ExactNumber{};
    return Selection::answer(error, value.value(b, problem.shape.kv_head(h), *key, c));
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
