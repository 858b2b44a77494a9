// SPDX-License-Identifier: Apache-2.0
// Channels of values beside those of keys.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto factor = [](index times, index parts) {
    return [=](Problem& problem, Draws& draws) {
      const index dim = problem.shape.dim * times / parts + (draws.chance(0.3) ? draws.integer(1, 5) : 0);
      problem.shape.value_dim = std::clamp<index>(dim, 1, 256);
    };
  };
  return {{"same", [](Problem&, Draws&) {}, [](const Problem& p) { return p.shape.value_dim == p.shape.dim; }},
          {"fewer", factor(1, 2), [](const Problem& p) { return p.shape.value_dim < p.shape.dim; }},
          {"more", factor(2, 1), [](const Problem& p) { return p.shape.value_dim > p.shape.dim; }}};
}

const Registration<Axis> registered{{
    .name = "value_dim",
    .aim = "extents of V taken for those of K, in products, rescaling and gradients",
    .turn = 2,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
