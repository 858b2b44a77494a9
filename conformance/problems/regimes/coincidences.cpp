// SPDX-License-Identifier: Apache-2.0
// Extents that are equal by chance.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Extent = index Shape::*;

/// Two extents that are equal, and more than 1.
Regime coincidence(const char* name, Extent one, Extent other) {
  const auto enter = [=](Problem& problem, Draws&) {
    Shape& shape = problem.shape;
    const bool square = shape.queries == shape.keys;
    shape.*one = shape.*other;
    if (square) shape.queries = shape.keys;
  };
  return {name, enter,
          [=](const Problem& problem) { return problem.shape.*one == problem.shape.*other && problem.shape.*one > 1; }};
}

std::vector<Regime> regimes() {
  std::vector<Regime> all{coincidence("keys_as_kv_heads", &Shape::keys, &Shape::kv_heads),
                          coincidence("queries_as_heads", &Shape::queries, &Shape::heads),
                          coincidence("batch_as_heads", &Shape::batch, &Shape::heads),
                          coincidence("keys_as_dim", &Shape::keys, &Shape::dim)};
  const auto any = [others = all](const Problem& problem) {
    return std::ranges::any_of(others, [&](const Regime& regime) { return regime.is(problem); });
  };
  all.insert(all.begin(), {"none", [](Problem&, Draws&) {}, [=](const Problem& problem) { return !any(problem); }});
  return all;
}

const Registration<Axis> registered{{
    .name = "coincidence",
    .aim = "axes that are taken for each other where their extents agree",
    .turn = 7,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
