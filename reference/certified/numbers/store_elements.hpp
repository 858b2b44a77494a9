// SPDX-License-Identifier: Apache-2.0
// Values, bounds and roundings, each in an array of its own, become certified elements beside each other.
#pragma once

#include <array>
#include <cstdint>

#include "reference/certified/numbers/certified.hpp"

namespace attestone {

/// Aligned arrays of what decide_quickly looked at; `rounded` is NaN where it could not tell.
struct QuickDecisions {
  const double *value, *bound, *rounded;
};

constexpr index lanes_of_elements = 16;

/// to[lane][i] = element [i][lane] of [count][16]; null: that lane is asked for by nobody. Returns, as bits, the other
/// lanes in which decide_quickly left an element open: those are not written as they must be.
std::uint32_t store_lanes(const QuickDecisions&, index count, const std::array<Certified*, lanes_of_elements>& to);

/// Stores elements in a row: to[i] = element i. Returns whether one is open.
bool store_row(const QuickDecisions&, index count, Certified* to);

}  // namespace attestone
