// SPDX-License-Identifier: Apache-2.0
// Problems in the order of what each shows for its time: for runs that may be cut short.
#pragma once

#include <string>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Orders problems so that each shows most for its time after those before it. A problem shows its
/// features, and each two of them together; one that n problems have shown already counts 1 / (1 + n)^2 as much. Its
/// time is guessed from its shape. The order follows from the problems alone: no kernel and no clock has a say in it.
std::vector<Problem> by_power(const std::vector<Problem>&);

/// The features of all problems that none of the first `judged` has.
std::vector<std::string> features_left_out(const std::vector<Problem>&, std::size_t judged);

}  // namespace attestone::inline conformance
