// SPDX-License-Identifier: Apache-2.0
// Random masks: expressions over every registered rule.
#pragma once

#include <random>

#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {

/// A registered rule with arguments from the least it takes to `largest`, or to the most it takes if that is limited;
/// or a combination of at most 2^depth of them.
inline Mask random_mask(std::mt19937_64& random, int depth, index largest) {
  const auto below = [&](index n) { return static_cast<index>(random() % static_cast<std::uint64_t>(n)); };
  if (depth > 0) switch (below(4)) {
      case 0:
        return ~random_mask(random, depth - 1, largest);
      case 1:
        return random_mask(random, depth - 1, largest) & random_mask(random, depth - 1, largest);
      case 2:
        return random_mask(random, depth - 1, largest) | random_mask(random, depth - 1, largest);
      default:
        break;
    }
  auto rule = Registry<MaskRule>::all().begin();
  std::advance(rule, below(static_cast<index>(Registry<MaskRule>::all().size())));
  std::vector<index> arguments;
  const index least = rule->second.least_argument, most = rule->second.most_argument;
  const bool limited = most < std::numeric_limits<index>::max();
  for (int i = 0; i < rule->second.argument_count; ++i)
    arguments.push_back(least + below((limited ? most : largest) - least + 1));
  return Mask(rule->first, arguments);
}

}  // namespace attestone
