// SPDX-License-Identifier: Apache-2.0
// The interval test: do both ends of an enclosure round to the same number?
#include "reference/certified/numbers/enclosure.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double up(double x) { return std::nextafter(x, infinity); }
double down(double x) { return std::nextafter(x, -infinity); }

/// The number of the format nearest to the real number high + low.
double round_sum(double high, double low, const DType& dtype) {
  if (dtype.precision() == std::numeric_limits<double>::digits) return high + low;
  return dtype.round(rounded_to_odd(high, low));
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

double rounded_to_odd(double high, double low) {
  const double sum = high + low;
  const double back = sum - high;
  const double rest = (high - (sum - back)) + (low - back);  // TwoSum (Knuth): sum + rest == high + low
  if (rest == 0 || !std::isfinite(sum)) return sum;
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (bits & 1) return sum;
  const bool away_from_zero = (rest > 0) == (sum > 0);
  return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

Enclosure enclosed(double value, double bound) {
  if (std::isfinite(value) && bound >= 0 && bound < infinity) return {value, 0, bound};
  return {0, 0, infinity};
}

std::optional<double> decide(const Enclosure& e, const DType& dtype) {
  if (!(e.bound < infinity) || !std::isfinite(e.high)) return std::nullopt;
  const double lowest = e.bound == 0 ? e.low : down(e.low - e.bound);
  const double highest = e.bound == 0 ? e.low : up(e.low + e.bound);
  const double one_end = round_sum(e.high, lowest, dtype), other_end = round_sum(e.high, highest, dtype);
  if (!same(one_end, other_end)) return std::nullopt;
  const bool holds_zero = e.high + lowest <= 0 && e.high + highest >= 0;
  if (std::isnan(one_end) && holds_zero) return std::nullopt;  // a format without infinities overflows on both sides
  return one_end == 0 ? 0 : one_end;                           // -0 equals 0
}

Certified certified(const Enclosure& e, const DType& dtype) {
  const std::optional<double> rounded = decide(e, dtype);
  Certified result;
  result.value = e.high;
  result.bound = e.low == 0 ? e.bound : up(std::fabs(e.low) + e.bound);
  result.rounded = rounded ? *rounded : round_sum(e.high, e.low, dtype);
  result.decided = rounded.has_value();
  return result;
}

Certified certified_exactly(double value, const DType& dtype) { return {value, 0, dtype.round(value), true}; }

}  // namespace attestone
