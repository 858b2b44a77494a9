// SPDX-License-Identifier: Apache-2.0
// Memory behind the rows, as a cache has it that is larger than what it holds.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  constexpr index most = 20;  // beyond a tile of 16
  return {{"none", [](Problem&, Draws&) {}, [](const Problem& problem) { return problem.spare_rows == 0; }},
          {"some", [](Problem& problem, Draws& draws) { problem.spare_rows = draws.integer(1, most); },
           [](const Problem& problem) { return problem.spare_rows > 0; }}};
}

const Registration<Axis> registered{{
    .name = "spare_rows",
    .aim = "rows behind the last one that are read, written or counted",
    .turn = 19,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
