// SPDX-License-Identifier: Apache-2.0
// A sink of -infinity is none.
#include <limits>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.score.has_sink()) return "there are sinks already";
  return problem.input.has_infinity() ? "" : "the input format has no infinity";
}

Verdict check(Trial& trial) {
  Problem other = trial.problem();
  other.score.add({"sink", 0, "head"});
  Inputs inputs = trial.inputs();
  inputs.sink.emplace(*Inputs(other).sink);
  inputs.sink->fill_code(other.input.encode(-std::numeric_limits<double>::infinity()));
  return judged(trial, {other, std::move(inputs), trial.truth()}, "neutral-term", "with sinks of -inf");
}

const Registration<Property> registered{{
    .name = "silent_sink",
    .claim = "sinks of -infinity change nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
