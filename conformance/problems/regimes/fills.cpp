// SPDX-License-Identifier: Apache-2.0
// The contents of Q, K and V: every fill that takes no arguments.
#include "conformance/problems/fill.hpp"
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  std::vector<Regime> all;
  for (const auto& [name, fill] : Registry<Fill>::all())
    if (fill.argument_count == 0)
      all.push_back({name, [name = name](Problem& problem, Draws&) { problem.fill.name = name; },
                     [name = name](const Problem& problem) { return problem.fill.name == name; }});
  return all;
}

const Registration<Axis> registered{{
    .name = "fill",
    .aim = "cold, hot, level and special scores, and numbers that round or cancel",
    .turn = 11,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
