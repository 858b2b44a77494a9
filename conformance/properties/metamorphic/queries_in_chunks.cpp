// SPDX-License-Identifier: Apache-2.0
// A prefill may come in chunks.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/last_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

index first_of(const Problem& problem) { return problem.shape.queries / 3; }

std::string inapplicable(const Problem& problem) {
  if (problem.shape.queries < 3) return "fewer than three queries";
  return no_last_queries(problem, first_of(problem));
}

Verdict check(Trial& trial) {
  const index first = first_of(trial.problem());
  return judged(trial, last_queries(trial, first), "rows-alone", fmt::format("the queries from {} on alone", first));
}

const Registration<Property> registered{{
    .name = "queries_in_chunks",
    .claim = "the later two thirds of the queries, as a chunk of their own, answer what they answer in the whole",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
