// SPDX-License-Identifier: Apache-2.0
// The environment of certified arithmetic: that of floating point, and MPFR's range of exponents.
#pragma once

#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// While it lives, MPFR's exponents in this thread reach far beyond those of any product of doubles and of any weight
/// that could matter: 2^60 and more on a machine of 64 bits. Then its range and flags are what they were before.
class CertifiedEnvironment {
 public:
  CertifiedEnvironment();
  ~CertifiedEnvironment();
  CertifiedEnvironment(const CertifiedEnvironment&) = delete;
  CertifiedEnvironment& operator=(const CertifiedEnvironment&) = delete;

 private:
  DefaultFloatingPoint floating_point_;
  long least_exponent_, largest_exponent_;  ///< of MPFR
  unsigned flags_;
};

/// Runs the work in the certified environment, as in_default_floating_point does in the default one.
template <class Work>
auto in_certified_environment(const Work& work) {
  const CertifiedEnvironment environment;
  return out_of_line(work);
}

}  // namespace attestone
