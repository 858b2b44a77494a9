// SPDX-License-Identifier: Apache-2.0
// Counting to how many problems each relation applies, and spreading its tries over them.
#include "conformance/run/turns.hpp"

#include <algorithm>

#include "conformance/run/case.hpp"

namespace attestone::inline conformance {
namespace {

// A relation calls the kernel again, and has a truth or bounds of its own: all of them on every problem would cost
// thrice what everything else does. Those that seldom apply are the dearest, as most of them are about gradients.
constexpr index most_frequent_turn = 14, rarest_turn = 72, turns_wanted = 32;

}  // namespace

bool in_turns(const RunOptions& options) {
  return options.properties.empty() && std::ssize(options.problems) >= most_frequent_turn;
}

index tries_of_each(index problems) {
  return std::max<index>(1, problems / std::clamp(problems / turns_wanted, most_frequent_turn, rarest_turn));
}

Turns::Turns(const std::vector<Problem>& problems, const std::vector<const Property*>& properties) {
  for (const Property* property : properties) {
    if (!property->relation) continue;
    const index applies = std::count_if(problems.begin(), problems.end(),
                                        [&](const Problem& problem) { return !inapplicable(*property, problem); });
    // Made before it is entered: g++ 12 would count it already, clang 14 would not.
    const OfOne entry{applies, std::min(applies, tries_of_each(std::ssize(problems))), std::ssize(relations_) + 1};
    relations_[property] = entry;
  }
}

bool Turns::comes(const Property& relation) {
  OfOne& own = relations_.at(&relation);
  return own.met++ * own.tries % own.applies < own.tries;
}

}  // namespace attestone::inline conformance
