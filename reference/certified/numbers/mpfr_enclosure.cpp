// SPDX-License-Identifier: Apache-2.0
// Rounding both ends of an interval between MPFR numbers.
#include "reference/certified/numbers/mpfr_enclosure.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace attestone {
namespace {

/// x rounded once, to nearest even.
double rounded(const Number& x, const DType& dtype) {
  constexpr int double_digits = std::numeric_limits<double>::digits;
  if (dtype.precision() == double_digits) return mpfr_get_d(x, MPFR_RNDN);
  double odd = mpfr_get_d(x, MPFR_RNDZ);  // rounded to odd: cut off, and then marked as cut off
  if (mpfr_cmp_d(x, odd) != 0) odd = std::bit_cast<double>(std::bit_cast<std::uint64_t>(odd) | 1);
  return dtype.round(odd);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Certified certified(const MpfrInterval& interval, const DType& dtype) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!mpfr_number_p(interval.lowest) || !mpfr_number_p(interval.highest)) return {0, infinity, 0, false};
  Number middle(mpfr_get_prec(interval.lowest) + 2), distance(std::numeric_limits<double>::digits);
  mpfr_add(middle, interval.lowest, interval.highest, MPFR_RNDN);
  mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
  Certified result;
  result.value = mpfr_get_d(middle, MPFR_RNDN);
  const double low_end = rounded(interval.lowest, dtype), high_end = rounded(interval.highest, dtype);
  const bool holds_zero = mpfr_sgn(interval.lowest) <= 0 && mpfr_sgn(interval.highest) >= 0;
  result.decided = same(low_end, high_end) && !(std::isnan(low_end) && holds_zero);
  result.rounded = result.decided ? low_end : rounded(middle, dtype);
  if (result.rounded == 0) result.rounded = 0;  // -0 equals 0
  for (const Number* end : {&interval.lowest, &interval.highest}) {
    mpfr_sub_d(distance, *end, result.value, MPFR_RNDA);
    result.bound = std::fmax(result.bound, std::fabs(mpfr_get_d(distance, MPFR_RNDA)));
  }
  if (!std::isfinite(result.value)) result.bound = infinity;
  return result;
}

}  // namespace attestone
