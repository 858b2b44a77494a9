// SPDX-License-Identifier: Apache-2.0
// The one rounding of all formats with a significand: by integer arithmetic on the bits of a double.
#pragma once

#include <cstdint>

#include "reference/number_formats/number_format.hpp"

namespace attestone {

/// A magnitude, steps * 2^(binade - precision + 1); steps is at most 2^precision, which a carry reaches.
struct Magnitude {
  int binade;
  std::uint64_t steps;
};

/// |x| rounded to `precision` bits and to multiples of 2^(min_exponent - precision + 1), as if exponents were not
/// bounded from above. x is finite; to nearest_even, ties go to even steps.
Magnitude rounded(double x, int precision, int min_exponent, Rounding);

/// 2^exponent, which a double holds: at least -1074.
double power_of_two(int exponent);

}  // namespace attestone
