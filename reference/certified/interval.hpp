// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic on MPFR numbers: every operation rounds outward, so that no error needs to be counted.
#pragma once

#include "reference/certified/number.hpp"

namespace attestone {

/// All reals between two ends that hold the exact result of the operations so far.
class Interval {
 public:
  /// The number itself; doubles are exact from 53 bits on.
  Interval(mpfr_prec_t precision, double value);
  explicit Interval(const Number& value) : ends_{value, value} {}

  Interval& operator+=(const Interval&);
  Interval& operator-=(const Interval&);
  Interval& operator*=(const Interval&);
  /// The divisor is positive.
  Interval& operator/=(const Interval&);
  friend Interval operator+(Interval a, const Interval& b) { return a += b; }
  friend Interval operator-(Interval a, const Interval& b) { return a -= b; }
  friend Interval operator*(Interval a, const Interval& b) { return a *= b; }
  friend Interval operator/(Interval a, const Interval& b) { return a /= b; }
  friend Interval magnitude(const Interval&);
  friend Interval exp(Interval);
  friend Interval tanh(Interval);

  const MpfrInterval& ends() const { return ends_; }

 private:
  mpfr_prec_t precision() const { return mpfr_get_prec(ends_.lowest); }

  MpfrInterval ends_;
};

}  // namespace attestone
