// SPDX-License-Identifier: Apache-2.0
// The ends of sums, products, quotients and monotone functions.
#include "reference/certified/numbers/real_interval.hpp"

#include <utility>

namespace attestone {

RealInterval::RealInterval(mpfr_prec_t precision, double value)
    : ends_{Number(precision, value), Number(precision, value)} {}

RealInterval& RealInterval::operator+=(const RealInterval& b) {
  mpfr_add(ends_.lowest, ends_.lowest, b.ends_.lowest, MPFR_RNDD);
  mpfr_add(ends_.highest, ends_.highest, b.ends_.highest, MPFR_RNDU);
  return *this;
}

RealInterval& RealInterval::operator-=(const RealInterval& b) {
  Number lowest(precision());
  mpfr_sub(lowest, ends_.lowest, b.ends_.highest, MPFR_RNDD);
  mpfr_sub(ends_.highest, ends_.highest, b.ends_.lowest, MPFR_RNDU);
  ends_.lowest = lowest;
  return *this;
}

RealInterval& RealInterval::operator*=(const RealInterval& b) {
  Number lowest(precision()), highest(precision()), product(precision());
  bool first = true;
  for (const Number* x : {&ends_.lowest, &ends_.highest})
    for (const Number* y : {&b.ends_.lowest, &b.ends_.highest}) {
      mpfr_mul(product, *x, *y, MPFR_RNDD);
      if (mpfr_nan_p(product)) return *this = RealInterval(product);  // 0 times infinity: nothing is known
      if (first || mpfr_less_p(product, lowest)) mpfr_set(lowest, product, MPFR_RNDD);
      mpfr_mul(product, *x, *y, MPFR_RNDU);
      if (first || mpfr_greater_p(product, highest)) mpfr_set(highest, product, MPFR_RNDU);
      first = false;
    }
  ends_ = {lowest, highest};
  return *this;
}

RealInterval& RealInterval::operator/=(const RealInterval& b) {
  const bool negative = mpfr_sgn(ends_.lowest)<0, positive = mpfr_sgn(ends_.highest)> 0;
  mpfr_div(ends_.lowest, ends_.lowest, negative ? b.ends_.lowest : b.ends_.highest, MPFR_RNDD);
  mpfr_div(ends_.highest, ends_.highest, positive ? b.ends_.lowest : b.ends_.highest, MPFR_RNDU);
  return *this;
}

RealInterval magnitude(const RealInterval& a) {
  RealInterval result(a);
  const bool has_zero = mpfr_sgn(a.ends_.lowest) <= 0 && mpfr_sgn(a.ends_.highest) >= 0;
  const bool first_is_nearer = mpfr_cmpabs(a.ends_.lowest, a.ends_.highest) <= 0;
  mpfr_abs(result.ends_.lowest, first_is_nearer ? a.ends_.lowest : a.ends_.highest, MPFR_RNDD);
  mpfr_abs(result.ends_.highest, first_is_nearer ? a.ends_.highest : a.ends_.lowest, MPFR_RNDU);
  if (has_zero) mpfr_set_zero(result.ends_.lowest, 1);
  return result;
}

RealInterval exp(RealInterval a) {
  mpfr_exp(a.ends_.lowest, a.ends_.lowest, MPFR_RNDD);
  mpfr_exp(a.ends_.highest, a.ends_.highest, MPFR_RNDU);
  return a;
}

RealInterval tanh(RealInterval a) {
  mpfr_tanh(a.ends_.lowest, a.ends_.lowest, MPFR_RNDD);
  mpfr_tanh(a.ends_.highest, a.ends_.highest, MPFR_RNDU);
  return a;
}

}  // namespace attestone
