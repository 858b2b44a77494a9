// SPDX-License-Identifier: Apache-2.0
// Numbers and formats of the row-panel and the split-KV host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::row_panels {

using reading::Band;
using reading::Format;
using reading::Range;
using reading::rounded;
using reading::Sequence;
using reading::Tensor;
using Int = reading::Int;
using Floats = std::vector<float>;
inline constexpr float minus_infinity = -reading::infinity;

inline std::size_t at(Int i) { return static_cast<std::size_t>(i); }
inline Int steps_of(Int n, Int step) { return (n + step - 1) / step; }
inline Int round_up(Int n, Int step) { return steps_of(n, step) * step; }

}  // namespace attestone::inline mutants::row_panels
