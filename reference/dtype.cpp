// SPDX-License-Identifier: Apache-2.0
// Decoding, and rounding once from a double, for every format by the same integer arithmetic.
#include "reference/dtype.hpp"

#include <bit>
#include <cmath>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

using Bits = std::uint64_t;

// binary64 seen as bits.
constexpr int double_trailing = 52, double_bias = 1023, double_top_exponent = 2047;
constexpr Bits double_trailing_mask = (Bits{1} << double_trailing) - 1;

/// 2^exponent, which a double holds: at least -1074.
double power_of_two(int exponent) {
  const int field = exponent + double_bias;
  return std::bit_cast<double>(field > 0 ? Bits(field) << double_trailing : Bits{1} << (field + double_trailing - 1));
}

int trailing_bits(const DType& t) { return t.precision - 1; }
Bits sign_bit(const DType& t) { return Bits{1} << (t.storage_bits - 1); }
Bits trailing_mask(const DType& t) { return (Bits{1} << trailing_bits(t)) - 1; }
Bits top_exponent(const DType& t) { return (Bits{1} << (t.storage_bits - t.precision)) - 1; }

bool is_nan_code(const DType& t, Bits magnitude) {
  return t.has_infinity ? magnitude > (top_exponent(t) << trailing_bits(t)) : magnitude == sign_bit(t) - 1;
}

/// A NaN of the format with as much of the double's payload as fits; never an infinity.
Bits encode_nan(const DType& t, Bits payload) {
  if (!t.has_infinity) return sign_bit(t) - 1;
  const Bits kept = payload >> (double_trailing - trailing_bits(t));
  const Bits quiet = Bits{1} << (trailing_bits(t) - 1);
  return (top_exponent(t) << trailing_bits(t)) | (kept ? kept : quiet);
}

/// Whether dropping the lowest `dropped` bits of `significand` must add one to what remains.
bool rounds_away(Bits significand, int dropped, bool negative, Rounding rounding) {
  if (dropped == 0) return false;
  const bool all_dropped = dropped > double_trailing + 1;  // below half of the last place that remains
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
      break;
  }
  if (all_dropped) return false;
  const Bits half = Bits{1} << (dropped - 1);
  const bool odd = (significand >> dropped) & 1;
  return rest > half || (rest == half && odd);
}

bool overflows_to_largest(bool negative, Rounding rounding, Overflow overflow) {
  if (overflow == Overflow::saturate || rounding == Rounding::toward_zero) return true;
  return rounding == (negative ? Rounding::upward : Rounding::downward);
}

}  // namespace

double DType::decode(Bits code) const {
  const Bits magnitude = code & (sign_bit(*this) - 1);
  const Bits sign = (code & sign_bit(*this)) ? Bits{1} << 63 : 0;
  const Bits trailing = magnitude & trailing_mask(*this);
  if (is_nan_code(*this, magnitude)) {
    const Bits payload = trailing << (double_trailing - trailing_bits(*this));
    return std::bit_cast<double>(sign | (Bits{double_top_exponent} << double_trailing) | payload);
  }
  const int exponent_field = static_cast<int>(magnitude >> trailing_bits(*this));
  if (has_infinity && exponent_field == static_cast<int>(top_exponent(*this)))
    return std::bit_cast<double>(sign | (Bits{double_top_exponent} << double_trailing));
  if (exponent_field == 0) {
    const double value = static_cast<double>(trailing) * power_of_two(min_exponent - trailing_bits(*this));
    return sign ? -value : value;
  }
  const int field = exponent_field - 1 + min_exponent + double_bias;
  return std::bit_cast<double>(sign | (static_cast<Bits>(field) << double_trailing) |
                               trailing << (double_trailing - trailing_bits(*this)));
}

Bits DType::encode(double x, Rounding rounding, Overflow overflow) const {
  const Bits bits = std::bit_cast<Bits>(x);
  const bool negative = bits >> 63;
  const Bits sign = negative ? sign_bit(*this) : 0;
  const int exponent_field = static_cast<int>((bits >> double_trailing) & double_top_exponent);
  const Bits trailing = bits & double_trailing_mask;
  if (exponent_field == double_top_exponent && trailing) return sign | encode_nan(*this, trailing);
  const Bits beyond = has_infinity ? top_exponent(*this) << trailing_bits(*this) : sign_bit(*this) - 1;
  if (exponent_field == double_top_exponent) return sign | (overflow == Overflow::saturate ? largest_code() : beyond);

  // |x| = significand * 2^(exponent - 52); in the format's own binade, or its subnormals, the last place is 2^last.
  const Bits significand = exponent_field ? trailing | (double_trailing_mask + 1) : trailing;
  const int exponent = (exponent_field ? exponent_field : 1) - double_bias;
  const int binade = exponent < min_exponent ? min_exponent : exponent;
  const int dropped = (binade - trailing_bits(*this)) - (exponent - double_trailing);
  Bits kept = dropped > double_trailing + 1 ? 0 : significand >> dropped;
  if (rounds_away(significand, dropped, negative, rounding)) ++kept;
  // Adding, rather than merging, lets a carry out of the significand raise the exponent by itself.
  const Bits code = (static_cast<Bits>(binade - min_exponent) << trailing_bits(*this)) + kept;
  if (code > largest_code())
    return sign | (overflows_to_largest(negative, rounding, overflow) ? largest_code() : beyond);
  return sign | code;
}

double DType::unit_roundoff() const { return power_of_two(-precision); }
double DType::smallest_normal() const { return power_of_two(min_exponent); }
double DType::smallest_subnormal() const { return power_of_two(min_exponent - trailing_bits(*this)); }
double DType::underflow() const { return std::ldexp(1.0, min_exponent - precision); }
double DType::largest() const { return decode(largest_code()); }

Bits DType::largest_code() const {
  return has_infinity ? (top_exponent(*this) << trailing_bits(*this)) - 1 : sign_bit(*this) - 2;
}

const DType& dtype(std::string_view name) {
  if (const auto* found = Registry<DType>::find(name)) return *found;
  throw UserError("unknown dtype '" + std::string(name) + "'", did_you_mean(name, Registry<DType>::names()));
}

}  // namespace attestone
