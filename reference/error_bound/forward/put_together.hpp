// SPDX-License-Identifier: Apache-2.0
// The error of m + ln l, from the sizes of what is computed on the way (docs/tolerance.md, "log_sum_exp").
#pragma once

#include "reference/error_bound/rounding.hpp"
#include "reference/numerics/output_stage.hpp"

namespace attestone {

/// No kernel's numbers are larger.
struct LogSumExpSizes {
  double maximum;    ///< |m|
  double logarithm;  ///< |ln l|, at least ln 2: hardware promises an absolute error near 1
  double value;      ///< |m + ln l|
};

/// `sum` bounds the error of ln l that the exponentials and their sum make.
inline double put_together(const OutputStage& output, const LogSumExpSizes& size, double sum) {
  constexpr double maximum_roundings = 5;      // natural units: scale, product; log2 e, product, difference
  constexpr double logarithm_roundings = 2;    // ln 2, and the product with it
  constexpr double sum_of_both_roundings = 3;  // the addition; ln 2 and the product, if that comes last
  const double u = output.accumulator.roundoff;
  const double logarithm = gamma(logarithm_roundings, u) * (1 + output.log_error) + output.log_error;
  const double inexact = sum + gamma(maximum_roundings, u) * size.maximum + logarithm * size.logarithm;
  return inexact + gamma(sum_of_both_roundings, u) * (size.value + inexact);
}

}  // namespace attestone
