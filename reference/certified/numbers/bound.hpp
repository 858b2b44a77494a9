// SPDX-License-Identifier: Apache-2.0
// The theorem of docs/certified.md as code: how far a computed row of attention may be from the exact one.
//
// The theorem holds for any arithmetic that keeps the standard model: the blocked double tiles, the double-double rows
// and MPFR at any precision are three instances.
#pragma once

#include "reference/shape.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// Relative errors of one evaluation of a row. A "sum" is counted by the roundings that any one term goes through.
struct Arithmetic {
  double unit;         ///< u: relative error of one operation
  double dot_error;    ///< |computed q.k - q.k| <= this * |q| |k|
  double scale_error;  ///< relative error of scale * dot, given dot
  double exp_error;    ///< relative error of e^s
  double cap_error;    ///< relative error of c tanh(y / c), given y
  double bias_error;   ///< relative error of (capped score) + bias
  double sum_error;    ///< |computed sum p v - sum p v| <= this * sum p |v|
  double total_error;  ///< relative error of sum p, and of what else divides the sums: 1 - rate
  double lost_weight;  ///< weights below this, relative to a weight >= 1/2 of the row, may be left out
  double smallest;     ///< absolute error of a product or quotient that underflows
};

/// Magnitudes of one row, all of them upper bounds.
struct RowMagnitudes {
  double raw_score = 0;     ///< |scale| |q| max |k| over visible keys, at least |scale q.k| of each
  double capped = 0;        ///< min(raw_score, c), or raw_score without a cap
  double biased = 0;        ///< largest |score + bias| and |sink|, but for lost keys; 0 where bias_error is
  double value_peak = 0;    ///< largest |v| over visible keys
  double value_factor = 1;  ///< what every v is multiplied by: 1 / (1 - rate) under dropout
  double terms = 0;         ///< number of keys, sinks and tiles, for absolute errors of the sums
  double score_terms = 0;   ///< (dim + 2) max(1, |scale|, c), for absolute errors of a score
};

/// Coefficients of the bound of one row:
///     |out - exact|         <= by_mean * (sum p |v| / sum p) + by_out * |out| + absolute
///     |log_sum_exp - exact| <= by_log_sum_exp
/// where log_sum_exp = shift + ln(sum p) still needs its own evaluation error. Infinite where the theorem's premises
/// (all relative errors small) fail.
struct RowCertificate {
  double weight = 0;  ///< tau: relative error of every weight
  double by_mean = 0, by_out = 0, absolute = 0;
  double by_log_sum_exp = 0;

  double out(double mean_magnitude, double out_magnitude) const {
    return by_mean * mean_magnitude + by_out * out_magnitude + absolute;
  }
};

RowCertificate row_certificate(const Arithmetic&, const RowMagnitudes&);

}  // namespace attestone
