// SPDX-License-Identifier: Apache-2.0
// How much is dropped.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto rates = [](const std::vector<double>& some) {
    return [some](Problem& problem, Draws& draws) { problem.dropout = draws.one_of(some); };
  };
  const auto within = [](double least, double most) {
    return [=](const Problem& problem) { return least <= problem.dropout && problem.dropout <= most; };
  };
  return {{"none", rates({0}), within(0, 0)},
          {"some", rates({0.1, 0.25, 0.5}), within(0.01, 0.6)},
          {"most", rates({0.9}), within(0.8, 1)}};
}

const Registration<Axis> registered{{
    .name = "dropout",
    .aim = "which pairs are dropped, by which scale, in both passes",
    .turn = 16,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
