// SPDX-License-Identifier: Apache-2.0
// Integers: with a sign in two's complement, or without one.
#pragma once

#include <memory>

#include "reference/number_formats/number_format.hpp"

namespace attestone {

/// How many bits of a code, 2 to 53, and whether there are numbers below 0.
struct Integer {
  int bits;
  bool has_sign = true;
};

/// Every code is a number, so that conversions saturate; NaN becomes 0 (PTX, cvt.sat). There is no -0. In the words of
/// floating point all these numbers are subnormal, but the upper half of those without a sign: a step is always 1.
std::shared_ptr<const NumberFormat> integer(const Integer&);

}  // namespace attestone
