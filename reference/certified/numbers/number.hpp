// SPDX-License-Identifier: Apache-2.0
// An MPFR number that owns itself.
#pragma once

#include <utility>

#include "reference/certified/numbers/mpfr.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// A binary floating-point number of any precision; starts as 0. Its operations are MPFR's own functions.
class Number {
 public:
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value_, precision), mpfr_set_zero(value_, 1); }
  Number(mpfr_prec_t precision, double value) : Number(precision) { mpfr_set_d(value_, value, MPFR_RNDN); }
  Number(const Number& other) : Number(mpfr_get_prec(other.value_)) { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Number& operator=(Number other) {
    mpfr_swap(value_, other.value_);
    return *this;
  }
  ~Number() { mpfr_clear(value_); }

  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

/// All reals from `lowest` to `highest`.
struct MpfrInterval {
  Number lowest, highest;
};

}  // namespace attestone
