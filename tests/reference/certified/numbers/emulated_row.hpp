// SPDX-License-Identifier: Apache-2.0
// A row of attention that errs on purpose, and how much of a certificate its errors use up.
#pragma once

#include <vector>

#include "reference/certified/numbers/bound.hpp"
#include "tests/reference/certified/numbers/real.hpp"

namespace attestone {

/// One channel of a row, in numbers of 640 bits.
struct EmulatedRow {
  std::vector<Real> exact, computed;  ///< weights
  std::vector<double> values;
  double value_factor = 1;
  Real of_sum = 0, of_total = 0, of_division = 0;  ///< errors: the first absolute, the others relative
};

/// Errors as shares of what is certified.
struct CertifiedShares {
  double out, log_sum_exp;
};

CertifiedShares shares(const char* name, const EmulatedRow&, const RowCertificate&);

/// Keys of equal exact weights; `first` have value 1 and are computed as e^up of it, the rest as e^down.
EmulatedRow moved_weights(int first, int rest, double value_of_rest, const Real& up, const Real& down);

}  // namespace attestone
