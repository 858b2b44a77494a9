// SPDX-License-Identifier: Apache-2.0
// The softmax weights of one row, and how far those of a kernel may stray (docs/tolerance.md, "Weights").
#pragma once

#include <vector>

#include "reference/error_bound/forward/row_merges.hpp"

namespace attestone {

/// The roundings of a sum over the keys.
struct SumRoundings {
  double chain = 0;  ///< [n_o, n_l] the longest chain
  double extra = 0;  ///< those beside one per key: of rescalings, tiles, truncating units
};

/// Lists have one entry per visible key, in ascending order of the keys, and one more for the sink if there is one.
///
/// A kernel's weight is p_j (1 + theta_j) times a factor that the row has in common, with |theta_j| <= tau_j.
struct RowWeights {
  std::vector<double> share;       ///< [p]
  std::vector<double> exponent;    ///< [X] tau = exp(X) - 1
  std::vector<double> error;       ///< p tau
  std::vector<double> upper;       ///< p (1 + tau)
  std::vector<double> systematic;  ///< the part of `error` that no law of large numbers reduces
  std::vector<double> chain;       ///< the part of `error` that the additions of q.k make, each at its worst
  std::vector<double> chain_root;  ///< the same by Hoeffding's inequality for lambda = 1: p u_acc sqrt(D+1) A
  std::vector<double> stored;      ///< the part of `error` that storing the score makes
  std::vector<bool> may_underflow;

  double largest_score = 0;  ///< [m]
  double reach = 0;          ///< what a kernel's running maximum cannot exceed
  double above = 0;          ///< what a kernel subtracts may be as much above m
  double distance = 0;       ///< or as much away from it
  double shortfall = 0;      ///< how far below m a kernel's maximum may stay, that of the keys if it adds a sink last
  double denominator = 0;    ///< [l] sum_j exp(s_j - m)
  double log_sum_exp = 0;    ///< [L]

  double total_error = 0;       ///< sum p tau
  double total_exponent = 0;    ///< sum p X
  double factor_underflow = 0;  ///< of what the sums of a part are multiplied by: an error of each of its weights
  index underflows = 0;         ///< how many weights may be below the normal range
  index rescalings = 0;         ///< how many tiles may raise the running maximum, in either order of the keys
  SumRoundings value_sum, weight_sum;
  RowMerges merges;
  double merged_log_error = 0;  ///< of log_sum_exp, by merging those of parts, apart from the exponents
  double late_factors = 0;      ///< relative error of the sum of what parts are multiplied by, if nothing divides by it
  /// Relative error of this row's numbers, which are themselves computed in double.
  double evaluation_error = 0;
};

RowWeights row_weights(const RowScores&, const Numerics&, index dim);

}  // namespace attestone
