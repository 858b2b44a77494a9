// SPDX-License-Identifier: Apache-2.0
// From sums to what is stored: the division, the logarithm, and the last rounding.
#pragma once

#include "reference/numerics/stage.hpp"

namespace attestone {

/// Gradients are stored like O.
struct OutputStage : Stage {
  Cast cast;                        ///< [u_out] of O and of every gradient
  double log_error = 0;             ///< [eps_log] relative error of the logarithm
  double log_sum_exp_roundoff = 0;  ///< [u_L] of log_sum_exp, and of max_logits
};

}  // namespace attestone
