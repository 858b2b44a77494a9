// SPDX-License-Identifier: Apache-2.0
// Formats of powers of two: neither a sign nor a significand, for scales (OCP MX, E8M0).
#pragma once

#include <memory>

#include "reference/number_formats/number_format.hpp"

namespace attestone {

/// Code c stands for 2^(c + min_exponent), the last code for NaN.
struct ExponentOnly {
  int bits, min_exponent;
};

/// Numbers between two powers go to the nearest, ties to the even code. There is no 0: it becomes the smallest power,
/// and so does, however one rounds, everything between. Negative numbers become NaN.
std::shared_ptr<const NumberFormat> exponent_only(const ExponentOnly&);

}  // namespace attestone
