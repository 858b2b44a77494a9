// SPDX-License-Identifier: Apache-2.0
// Aligning by scaling with powers of two, which doubles do exactly.
#include "reference/matrix_units/aligned_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/number_formats/rounded.hpp"

namespace attestone {

int exponent_of(double x, int least) {
  constexpr int of_zero = -126;
  return x == 0 ? of_zero : std::max(std::ilogb(x), least);
}

AlignedSum aligned_sum(std::span<const Term> terms, int fraction_bits) {
  if (terms.empty()) return {0, 0};
  const int exponent = std::ranges::max(terms, {}, &Term::exponent).exponent;
  double units = 0;
  for (const Term& term : terms) units += std::trunc(std::ldexp(term.value, fraction_bits - exponent));
  return {std::ldexp(units, exponent - fraction_bits), exponent};
}

double floor_at(double x, int exponent, int fraction_bits) {
  return std::ldexp(std::floor(std::ldexp(x, fraction_bits - exponent)), exponent - fraction_bits);
}

double cut_as_f32(double x, int fraction_bits) {
  constexpr int least = -126, bits_of_double = 52;
  if (std::fabs(x) >= 0x1p128) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (std::fabs(x) >= 0x1p-126) {
    const std::uint64_t dropped = (std::uint64_t{1} << (bits_of_double - fraction_bits)) - 1;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~dropped);
  }
  const auto [binade, steps] = rounded(x, fraction_bits + 1, least, Rounding::toward_zero);
  const double size = std::ldexp(static_cast<double>(steps), binade - fraction_bits);
  return steps == 0 ? 0 : std::copysign(size, x);
}

}  // namespace attestone
