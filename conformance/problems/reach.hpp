// SPDX-License-Identifier: Apache-2.0
// Reach: how far problems go along each axis, since a fault may begin at the thousandth row.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The axes that a reach has a number for, in its order.
inline constexpr std::array<std::string_view, 5> axes_of_reach{"batch", "head", "row", "key", "channel"};

/// The last index along each axis: a fault that begins there or before may show. -1 where there is none.
using Reach = std::array<index, axes_of_reach.size()>;

/// The rows and keys that the longest sequences really have.
Reach reach_of(const Problem&);

/// The furthest of the problems that a bound could decide, by the formats of their inputs and output, and for gradients
/// apart ("bf16 gradients").
using ReachByFormat = std::map<std::string, Reach>;

/// Adds a problem.
void extend(ReachByFormat&, const std::string& format, const Problem&);

/// How far every format reaches; of gradients, or of the forward pass. Nothing was reached if there is no such format.
Reach common_reach(const ReachByFormat&, bool gradients);

}  // namespace attestone::inline conformance
