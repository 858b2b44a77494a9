// SPDX-License-Identifier: Apache-2.0
// Which elements of an answer are wrong, in words that hold of other problems as well.
#pragma once

#include <string>
#include <vector>

#include "conformance/verdict/error_field.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// A wrong answer.
struct WrongAnswer {
  Problem problem;
  std::vector<ErrorField> errors;
};

/// "dquery alone: channels from dim on; log_sum_exp ...": which tensors are wrong where others are right, and along
/// each axis the one set of places, described by more than its numbers, that holds all elements beyond their bound, and
/// none of which is without one. Only what is so of all the answers; empty if that is nothing.
std::string common_pattern(const std::vector<WrongAnswer>&);

}  // namespace attestone::inline conformance
