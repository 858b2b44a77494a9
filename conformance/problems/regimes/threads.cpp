// SPDX-License-Identifier: Apache-2.0
// How many threads there are for the work.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto some = [](int least, int most) {
    return [=](Problem& problem, Draws& draws) { problem.threads = static_cast<int>(draws.integer(least, most)); };
  };
  const auto within = [](int least, int most) {
    return [=](const Problem& problem) { return least <= problem.threads && problem.threads <= most; };
  };
  return {{"as_there_are", some(0, 0), within(0, 0)},
          {"one", some(1, 1), within(1, 1)},
          {"two", some(2, 2), within(2, 2)},
          {"three", some(3, 3), within(3, 3)},
          {"more_than_tiles", some(7, 24), [](const Problem& problem) {
             constexpr index tile = 64;
             const Shape& s = problem.shape;
             return problem.threads > 3 && s.batch * s.heads * ((s.queries + tile - 1) / tile) < problem.threads;
           }}};
}

const Registration<Axis> registered{{
    .name = "threads",
    .aim = "shares of threads that are rounded down, or empty, and sums in their order",
    .turn = 20,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
