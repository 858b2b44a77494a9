// SPDX-License-Identifier: Apache-2.0
// Query heads and those that they share.
#include <tuple>
#include <utility>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto drawn = [](const std::vector<std::pair<index, index>>& heads) {
    return [heads](Problem& problem, Draws& draws) {
      std::tie(problem.shape.heads, problem.shape.kv_heads) = draws.one_of(heads);
    };
  };
  constexpr index block = 16;  // of query heads, as some kernels cut groups
  const auto group = [](const Problem& p) { return p.shape.heads / p.shape.kv_heads; };
  const auto is_power = [](index n) { return (n & (n - 1)) == 0; };
  return {
      {"one", drawn({{1, 1}}), [](const Problem& p) { return p.shape.heads == 1; }},
      {"own", drawn({{2, 2}, {3, 3}, {4, 4}, {6, 6}}),
       [=](const Problem& p) { return 1 < p.shape.heads && p.shape.heads < 12 && group(p) == 1; }},
      {"groups", drawn({{4, 2}, {8, 2}, {4, 1}, {8, 4}, {6, 3}}),
       [=](const Problem& p) { return p.shape.heads < 12 && group(p) > 1 && is_power(group(p)); }},
      {"odd_groups", drawn({{3, 1}, {6, 2}, {5, 1}, {10, 2}, {9, 3}, {6, 1}}),
       [=](const Problem& p) { return p.shape.heads < 12 && !is_power(group(p)); }},
      {"many", drawn({{13, 13}, {16, 2}, {18, 6}, {20, 4}, {16, 16}}),
       [=](const Problem& p) { return p.shape.heads >= 12 && group(p) <= block; }},
      {"wide_groups", drawn({{17, 1}, {40, 2}, {48, 2}, {51, 3}}), [=](const Problem& p) { return group(p) > block; }}};
}

const Registration<Axis> registered{{
    .name = "heads",
    .aim = "which kv head a query head reads, and thresholds of heads",
    .turn = 5,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
