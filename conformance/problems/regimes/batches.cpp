// SPDX-License-Identifier: Apache-2.0
// Sequences side by side.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto drawn = [](index least, index most) {
    return [=](Problem& problem, Draws& draws) { problem.shape.batch = draws.integer(least, most); };
  };
  const auto within = [](index least, index most) {
    return [=](const Problem& problem) { return least <= problem.shape.batch && problem.shape.batch <= most; };
  };
  return {{"one", drawn(1, 1), within(1, 1)},
          {"few", drawn(2, 3), within(2, 3)},
          {"many", drawn(4, 7), within(4, 7)},
          {"dozens", drawn(33, 70), within(33, 70)}};
}

const Registration<Axis> registered{{
    .name = "batch",
    .aim = "strides and levels of other sequences, thresholds of sequences",
    .turn = 6,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
