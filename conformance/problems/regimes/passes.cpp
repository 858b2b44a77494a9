// SPDX-License-Identifier: Apache-2.0
// Forward alone, or gradients as well.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto backward = [](bool deterministic) {
    return [=](Problem& problem, Draws&) { problem.backward = true, problem.deterministic = deterministic; };
  };
  return {{"forward", [](Problem&, Draws&) {}, [](const Problem& problem) { return !problem.backward; }},
          {"backward", backward(true), [](const Problem& p) { return p.backward && p.deterministic; }},
          {"in_any_order", backward(false), [](const Problem& p) { return p.backward && !p.deterministic; }}};
}

const Registration<Axis> registered{{
    .name = "pass",
    .aim = "gradients, and sums in the order in which threads arrive",
    .turn = 14,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
