// SPDX-License-Identifier: Apache-2.0
// One row of the backward pass between its products: from scores and dP to the weights P and the score gradients dS.
#pragma once

#include "backends/cpu/parts/bias_gradient.hpp"
#include "backends/cpu/parts/dropped_pairs.hpp"

namespace attestone::inline backends {

/// A stretch of keys of one query, and what the forward pass left of that query.
struct DifferentiatedRow {
  Pair first;                ///< with the first of the keys
  index count;               ///< of keys
  float log_sum_exp, delta;  ///< L and delta = sum dO O of the query
  const std::uint8_t* seen;  ///< [count]: 1 where the pair is visible
  float *S, *dP;             ///< [count]: base-2 scores, dO.v; become P and dS
  const float* slopes;       ///< [count]: derivative of the cap
};

/// In the letters of T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 2, lines 11 to 14, with the mask of
/// dropout Z, either 0 or 1 / (1 - rate), and the slope f of the cap:
///   P = e^(S - L),  dB = P (Z dP - delta),  dS = f dB.
/// Hidden pairs have P = dS = 0 whatever their scores are. Dropped ones have P = 0 afterwards; kept ones lack the
/// factor 1 / (1 - rate), which dV receives as a whole. P and dS end in the input format.
class GradientRow {
 public:
  explicit GradientRow(const Problem&, const Placement* = nullptr);

  /// Adds dB to the gradient of the bias, unless that is null.
  void differentiate(const DifferentiatedRow&, BiasGradient*) const;
  /// The factor of dV.
  double kept_factor() const { return dropped_.factor(); }

 private:
  DroppedPairs dropped_;
  const DType& format_;
};

}  // namespace attestone::inline backends
