// SPDX-License-Identifier: Apache-2.0
// Keys that whole tiles divide, of tiles that are no power of two.
#include <algorithm>
#include <fmt/format.h>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index sixteen = 16;
const std::vector<index> multiples{48, 80, 96, 112, 144, 160, 176, 192, 208, 224};

bool is_one(index keys) { return std::ranges::count(multiples, keys) > 0; }

Regime of(index keys) {
  const auto enter = [=](Problem& problem, Draws&) {
    Shape& shape = problem.shape;
    if (shape.queries == shape.keys) shape.queries = keys;
    if (shape.queries > sixteen) shape.queries -= shape.queries % sixteen;
    shape.keys = keys;
  };
  const auto is = [=](const Problem& problem) {
    const index queries = problem.shape.queries;
    return problem.shape.keys == keys && (queries <= sixteen || queries % sixteen == 0);
  };
  return {fmt::format("{}", keys), enter, is};
}

std::vector<Regime> regimes() {
  std::vector<Regime> all{{"none", [](Problem&, Draws&) {}, [](const Problem& p) { return !is_one(p.shape.keys); }}};
  for (const index keys : multiples) all.push_back(of(keys));
  return all;
}

const Registration<Axis> registered{{
    .name = "whole_tiles",
    .aim = "kernels that take another way, without a mask, where their tiles divide the extents",
    .turn = 5,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
