// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic on MPFR numbers: every operation rounds outward, so that no error needs to be counted.
#pragma once

#include "reference/certified/numbers/number.hpp"

namespace attestone {

/// All reals between two ends that hold the exact result of the operations so far.
class RealInterval {
 public:
  /// The number itself; doubles are exact from 53 bits on.
  RealInterval(mpfr_prec_t precision, double value);
  explicit RealInterval(const Number& value) : ends_{value, value} {}

  RealInterval& operator+=(const RealInterval&);
  RealInterval& operator-=(const RealInterval&);
  RealInterval& operator*=(const RealInterval&);
  /// The divisor is positive.
  RealInterval& operator/=(const RealInterval&);
  friend RealInterval operator+(RealInterval a, const RealInterval& b) { return a += b; }
  friend RealInterval operator-(RealInterval a, const RealInterval& b) { return a -= b; }
  friend RealInterval operator*(RealInterval a, const RealInterval& b) { return a *= b; }
  friend RealInterval operator/(RealInterval a, const RealInterval& b) { return a /= b; }
  friend RealInterval magnitude(const RealInterval&);
  friend RealInterval exp(RealInterval);
  friend RealInterval tanh(RealInterval);

  const MpfrInterval& ends() const { return ends_; }

 private:
  mpfr_prec_t precision() const { return mpfr_get_prec(ends_.lowest); }

  MpfrInterval ends_;
};

}  // namespace attestone
