// SPDX-License-Identifier: Apache-2.0
// Rounding once, from the bits of a double.
#include "reference/number_formats/rounded.hpp"

#include <bit>

namespace attestone {
namespace {

using Bits = std::uint64_t;

// binary64 seen as bits.
constexpr int trailing_bits = 52, bias = 1023, top_exponent = 2047;
constexpr Bits hidden_bit = Bits{1} << trailing_bits;

/// True if dropping the lowest `dropped` bits of `significand` must add one to what remains.
bool rounds_away(Bits significand, int dropped, bool negative, Rounding rounding) {
  if (dropped == 0) return false;
  const bool all_dropped = dropped > trailing_bits + 1;  // below half of the last place that remains
  const Bits rest = all_dropped ? significand : significand & ((Bits{1} << dropped) - 1);
  if (rest == 0) return false;
  switch (rounding) {
    case Rounding::toward_zero:
      return false;
    case Rounding::upward:
      return !negative;
    case Rounding::downward:
      return negative;
    case Rounding::nearest_even:
    case Rounding::nearest_away:
      break;
  }
  if (all_dropped) return false;
  const Bits half = Bits{1} << (dropped - 1);
  const bool odd = (significand >> dropped) & 1;
  return rest > half || (rest == half && (odd || rounding == Rounding::nearest_away));
}

}  // namespace

Magnitude rounded(double x, int precision, int min_exponent, Rounding rounding) {
  const Bits bits = std::bit_cast<Bits>(x);
  const int field = static_cast<int>((bits >> trailing_bits) & top_exponent);
  // |x| = significand * 2^(exponent - 52); in the format's own binade, or its subnormals, the last place is a step.
  const Bits significand = (bits & (hidden_bit - 1)) | (field ? hidden_bit : 0);
  const int exponent = (field ? field : 1) - bias;
  const int binade = exponent < min_exponent ? min_exponent : exponent;
  const int dropped = (binade - precision + 1) - (exponent - trailing_bits);
  const Bits kept = dropped > trailing_bits + 1 ? 0 : significand >> dropped;
  return {binade, kept + rounds_away(significand, dropped, bits >> 63, rounding)};
}

double power_of_two(int exponent) {
  const int field = exponent + bias;
  return std::bit_cast<double>(field > 0 ? Bits(field) << trailing_bits : Bits{1} << (field + trailing_bits - 1));
}

}  // namespace attestone
