// SPDX-License-Identifier: Apache-2.0
// Random doubles on which rounding goes wrong: any exponent near a format's range, and few bits set as often as many.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "reference/dtypes/dtype.hpp"

namespace attestone {

class RandomDoubles {
 public:
  explicit RandomDoubles(const DType& type, std::uint64_t seed = 1) : random_(seed) {
    // From well below half the smallest subnormal to well beyond the largest.
    const int margin = 4;
    lowest_ = std::ilogb(type.smallest_subnormal()) - margin;
    highest_ = std::ilogb(type.largest()) + margin;
  }

  double next() {
    const int exponent = std::uniform_int_distribution<int>(lowest_, highest_)(random_);
    const int trailing_bits = 52;
    const int cleared = std::uniform_int_distribution<int>(0, trailing_bits)(random_);
    const std::uint64_t trailing = (random_() >> 12) >> cleared << cleared;
    const double size = std::ldexp(1 + std::ldexp(static_cast<double>(trailing), -trailing_bits), exponent);
    return random_() % 2 ? size : -size;
  }

 private:
  std::mt19937_64 random_;
  int lowest_, highest_;
};

}  // namespace attestone
