// SPDX-License-Identifier: Apache-2.0
// Calling in an order that is drawn, and comparing one element.
#include "conformance/properties/follows_memory.hpp"

#include <compare>
#include <optional>

#include "reference/random/draws.hpp"

namespace attestone::inline conformance {

bool comes_before(double a, double b) { return std::strong_order(a, b) < 0; }

bool follows_memory(const std::function<double(Before)>& element, const Tendency& tendency, std::uint64_t seed) {
  constexpr std::uint32_t purpose = 6;
  Draws draws(seed, purpose, 0);
  std::optional<double> largest_of_smaller, smallest_of_larger;
  int smaller = calls_over_each, larger = calls_over_each;  // how many are still to come
  while (smaller + larger > 0) {
    // Each order of those to come is as likely.
    if (draws.integer(1, smaller + larger) <= smaller) {
      --smaller;
      const double value = element(tendency.smaller);
      if (!largest_of_smaller || comes_before(*largest_of_smaller, value)) largest_of_smaller = value;
    } else {
      --larger;
      const double value = element(tendency.larger);
      if (!smallest_of_larger || comes_before(value, *smallest_of_larger)) smallest_of_larger = value;
    }
    if (largest_of_smaller && smallest_of_larger && !comes_before(*largest_of_smaller, *smallest_of_larger))
      return false;
  }
  return true;
}

}  // namespace attestone::inline conformance
