// SPDX-License-Identifier: Apache-2.0
// The factor of q.k beside 1 / sqrt(dim).
#include <cmath>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto times = [](const std::vector<double>& factors) {
    return [factors](Problem& problem, Draws& draws) {
      problem.given_scale = draws.one_of(factors) / std::sqrt(static_cast<double>(problem.shape.dim));
    };
  };
  const auto between = [](double least, double most) {
    return [=](const Problem& problem) {
      const double factor = problem.scale() * std::sqrt(static_cast<double>(problem.shape.dim));
      return problem.given_scale && least <= factor && factor < most;
    };
  };
  return {{"usual", [](Problem&, Draws&) {}, [](const Problem& problem) { return !problem.given_scale; }},
          {"small", times({0.03, 0.3}), between(0, 1)},
          {"large", times({3, 8, 20}), between(1, 100)},
          {"negative", times({-1, -4}), between(-100, 0)}};
}

const Registration<Axis> registered{{
    .name = "scale",
    .aim = "scales that are left out, taken twice or rounded, and scores far from 0",
    .turn = 12,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
