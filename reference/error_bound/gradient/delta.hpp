// SPDX-License-Identifier: Apache-2.0
// delta = <dO, O>, the number that the gradients of a row have in common, and its error (docs/tolerance.md, "Delta").
#pragma once

#include <vector>

#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// <dO, z v> of each entry of a row, the sink's 0.
struct ProjectedValues {
  ProjectedValues(const ForwardRow&, const Numerics&, std::span<const double> dout, double dropout_error);

  std::vector<double> value;  ///< [dP]
  std::vector<double> size;   ///< [G] sum_c |dO_c z v_c|
  std::vector<double> error;  ///< no kernel's dP is further off
};

/// Weights recomputed from log_sum_exp: p e^x (1 + theta), |x| <= common, p |theta| <= error.
struct RecomputedWeights {
  RecomputedWeights(const ForwardRow&, const Numerics&);

  std::vector<double> error, upper;  ///< p tau, p (1 + tau); one entry per visible key, and one for the sink
  std::vector<bool> may_underflow;
  double common = 0;
  /// The underflow of a weight, but for its cast: as an exponential, and as its quotient by the denominator.
  double underflow = 0;
};

/// delta of one row, and what it may err by.
struct Delta {
  Delta(const ForwardRow&, const Numerics&, std::span<const double> dout, const ProjectedValues&,
        const RecomputedWeights&, double dropout_error);

  double value = 0;
  double deterministic = 0, probabilistic = 0;
  /// Parts of `deterministic`: roundings of O and casts of the weights, each with what is rounded on a logarithmic
  /// scale; and what is left without them.
  std::vector<Rounded> outputs, casts;
  double others = 0;
  double noise = 0;    ///< how far `value`, and dP, may be off in double
  double largest = 0;  ///< what its partial sums cannot exceed
};

}  // namespace attestone
