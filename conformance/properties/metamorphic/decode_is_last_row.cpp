// SPDX-License-Identifier: Apache-2.0
// A decoding step is the last row of a prefill.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/last_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

index first_of(const Problem& problem) { return problem.shape.queries - 1; }

std::string inapplicable(const Problem& problem) {
  if (problem.shape.queries < 2) return "one query already";
  return no_last_queries(problem, first_of(problem));
}

Verdict check(Trial& trial) {
  const index first = first_of(trial.problem());
  return judged(trial, last_queries(trial, first), "rows-alone", fmt::format("query {} alone", first));
}

const Registration<Property> registered{{
    .name = "decode_is_last_row",
    .claim = "the last query alone answers what it answers as the last row of all",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
