// SPDX-License-Identifier: Apache-2.0
// Shrinking: from a problem that fails to the least one that still does.
#pragma once

#include <functional>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The problems just below this one, boldest first: each extent to 1, less a half, a quarter, ..., less one; plainer
/// mask, score, layout, fill; every one of them valid.
std::vector<Problem> smaller(const Problem&);

/// True if no field of the problem contradicts another.
bool is_consistent(const Problem&);

/// Walks down smaller() for as long as `still_fails`, trying at most `attempts` problems.
Problem shrink(Problem, const std::function<bool(const Problem&)>& still_fails, index attempts = 2000);

}  // namespace attestone::inline conformance
