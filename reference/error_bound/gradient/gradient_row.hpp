// SPDX-License-Identifier: Apache-2.0
// One row of a backward pass: the recomputed weights, the gradients of the scores, and how far those of a kernel may
// stray (docs/tolerance.md, "Gradients").
#pragma once

#include <cmath>
#include <vector>

#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// The gradients of a row's scores, one for each visible key. That of a kernel is e^x times a number which is within
/// own + through_delta * (the error of delta) of `value`, and |x| <= GradientRowBound::common.
struct ScoreGradients {
  std::vector<double> value;          ///< [dS] f p X
  std::vector<double> own;            ///< [w] what errors of P, dP and f, and the roundings of their products, make
  std::vector<double> reach;          ///< f p: by what delta enters
  std::vector<double> through_delta;  ///< f p rho: by what its error enters, at most
  std::vector<double> largest;        ///< [z] no kernel's is larger
};

/// Lists have one entry per visible key, in ascending order.
struct GradientRowBound {
  GradientRowBound() = default;
  GradientRowBound(const DecodedInputs&, const Numerics&, index batch, index head, index query);

  /// True if this row sends anything but zeros: it sees a key, and its gradient of O is not 0.
  bool contributes() const { return !keys.empty(); }
  double growth() const { return std::exp(common); }
  double excess() const { return std::expm1(common); }

  std::vector<index> keys;
  std::vector<double> dout;          ///< by channel of V
  std::vector<bool> kept;            ///< by dropout
  std::vector<double> weight;        ///< [p z] after dropout
  std::vector<double> weight_error;  ///< of the recomputed p z, cast, e^common apart
  std::vector<double> weight_cast;   ///< the part of `weight_error` that the rounding of the cast makes
  std::vector<double> exponent;      ///< s - L, the logarithm of what is cast
  ScoreGradients plain;              ///< of the scores after the softcap; only with a bias tensor
  ScoreGradients capped;             ///< of scale q.k
  double sink = 0, sink_error = 0;   ///< -p delta of the sink, and its error in full
  double sink_weight = 0;            ///< p of the sink: by what delta enters
  bool beside_grid = false;          ///< one key has nearly all the weight, as in GainTerms
  double sink_error_probable = 0;    ///< the same at lambda = 9
  double delta = 0;                  ///< <dO, O>
  double delta_error = 0;            ///< [E_delta]
  double delta_error_probable = 0;   ///< the same at lambda = 9
  /// [Lambda] the error that the exponents of a row have in common; infinite if an intermediate may leave its range.
  double common = 0;
  std::vector<Rounded> delta_outputs, delta_casts;  ///< parts of delta_error, as in Delta
  double delta_others = 0;
  double margin = 0;  ///< relative error of this row's numbers, which are themselves computed in double

 private:
  /// The row sees NaN or infinities: whatever it reaches has an infinite bound.
  void leave_unbounded(bool biased);
};

}  // namespace attestone
