// SPDX-License-Identifier: Apache-2.0
// Sixteen lanes along a row, on every machine: one vector of 512 bits, two of 256, four of 128.
#pragma once

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Sums along a row run in so many lanes, so that bits do not depend on how wide the machine's vectors are.
constexpr index row_lanes = 16;

/// The length of a row that is filled up to whole lanes.
constexpr index filled_up(index count) { return (count + row_lanes - 1) / row_lanes * row_lanes; }

}  // namespace attestone::inline backends
