// SPDX-License-Identifier: Apache-2.0
// A row of the answer depends on one query.
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) { return problem.shape.queries < 2 ? "one query" : ""; }

Verdict check(Trial& trial) {
  for (const index kept : {0, 1}) {
    Inputs inputs = trial.inputs();
    const View query = inputs.query.view();
    for_each_element(query, [&](index b, index h, index i, index c) {
      if (i % 2 != kept) query.set(b, h, i, c, std::numeric_limits<double>::quiet_NaN());
    });
    const RowFilter rest = [kept](index, index, index i) { return i % 2 == kept; };
    const Verdict verdict = metamorphic(trial.compare_with_truth(trial.answer().outputs, rest),
                                        trial.compare_with_truth(trial.run(inputs).outputs, inputs, rest), "row-leak",
                                        fmt::format("with NaN in the {} queries", kept == 0 ? "odd" : "even"));
    if (verdict.outcome != Outcome::passed) return verdict;
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "rows_independent",
    .claim = "NaN in every other query leaves the rows of the rest what they were",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
