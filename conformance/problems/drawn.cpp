// SPDX-License-Identifier: Apache-2.0
// Drawing arguments as the rules say, or within their limits.
#include "conformance/problems/drawn.hpp"

#include <algorithm>

namespace attestone::inline conformance {
namespace {

// More than that, and the rows of a small problem look alike.
constexpr index widest = 40;

std::vector<index> within_limits(const MaskRule& rule, Draws& draws) {
  std::vector<index> arguments;
  for (int i = 0; i < rule.argument_count; ++i)
    arguments.push_back(draws.integer(rule.least_argument, std::min(rule.most_argument, rule.least_argument + widest)));
  return arguments;
}

}  // namespace

std::vector<Mask> drawn_masks(const MaskRule& rule, Draws& draws, const Shape& shape) {
  const std::string name(rule.name);
  if (rule.ways.empty()) return {Mask(name, within_limits(rule, draws))};
  std::vector<Mask> masks;
  for (const auto way : rule.ways) masks.emplace_back(name, way(draws, shape));
  return masks;
}

ScoreTerm drawn_bias(const BiasRule& rule, Draws& draws) {
  return {std::string(rule.name), rule.takes_number ? draws.one_of(rule.drawn_numbers) : 0};
}

}  // namespace attestone::inline conformance
