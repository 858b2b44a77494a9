// SPDX-License-Identifier: Apache-2.0
// Numbers and formats of the block program and the producer-consumer host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::staged_blocks {

using reading::f16_rounded;
using reading::Format;
using reading::rounded;
using reading::Sequence;
using reading::Tensor;
using Int = reading::Int;
using Floats = std::vector<float>;
inline constexpr float kInfinity = reading::infinity;

inline std::size_t at(Int i) { return static_cast<std::size_t>(i); }
inline Int ceil_div(Int a, Int b) { return a <= 0 ? 0 : (a + b - 1) / b; }

}  // namespace attestone::inline mutants::staged_blocks
