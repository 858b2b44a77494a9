// SPDX-License-Identifier: Apache-2.0
// Real numbers to 640 bits, for oracles that read like formulas.
#pragma once

#include "reference/certified/numbers/mpfr.hpp"
#include "reference/shape.hpp"

namespace attestone {

class Real {
 public:
  Real(double value = 0) { mpfr_init2(value_, 640), mpfr_set_d(value_, value, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  Real& operator+=(const Real& b) { return mpfr_add(value_, value_, b.value_, MPFR_RNDN), *this; }
  Real& operator-=(const Real& b) { return mpfr_sub(value_, value_, b.value_, MPFR_RNDN), *this; }
  Real& operator*=(const Real& b) { return mpfr_mul(value_, value_, b.value_, MPFR_RNDN), *this; }
  Real& operator/=(const Real& b) { return mpfr_div(value_, value_, b.value_, MPFR_RNDN), *this; }
  friend Real operator+(Real a, const Real& b) { return a += b; }
  friend Real operator-(Real a, const Real& b) { return a -= b; }
  friend Real operator*(Real a, const Real& b) { return a *= b; }
  friend Real operator/(Real a, const Real& b) { return a /= b; }
  friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_) != 0; }
  friend Real exp(Real a) { return mpfr_exp(a.value_, a.value_, MPFR_RNDN), a; }
  friend Real tanh(Real a) { return mpfr_tanh(a.value_, a.value_, MPFR_RNDN), a; }
  friend Real abs(Real a) { return mpfr_abs(a.value_, a.value_, MPFR_RNDN), a; }

  explicit operator double() const { return mpfr_get_d(value_, MPFR_RNDN); }
  mpfr_srcptr mpfr() const { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace attestone
