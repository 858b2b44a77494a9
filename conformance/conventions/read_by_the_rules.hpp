// SPDX-License-Identifier: Apache-2.0
// An answer by other conventions, read as the rules would have it.
#pragma once

#include <cmath>

#include "conformance/verdict/element_error.hpp"

namespace attestone::inline conformance {

/// `got`; but `by_the_rules` where the element is left open, or NaN is right and it is: what a convention excuses says
/// nothing of what a kernel computes.
inline double read_by_the_rules(double got, const Certified& right, double by_the_rules) {
  const bool nan_is_right = std::isnan(right.value) || right.non_finite == NonFinite::nan;
  return is_left_open(right) || (nan_is_right && std::isnan(got)) ? by_the_rules : got;
}

}  // namespace attestone::inline conformance
