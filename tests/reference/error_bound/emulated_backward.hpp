// SPDX-License-Identifier: Apache-2.0
// Correct backward passes in declared arithmetic, emulated one rounding at a time; and wrong ones, on request.
//
// Written from the description of the arithmetic only: nothing here is shared with reference/error_bound/.
#pragma once

#include "tests/reference/error_bound/emulated_split.hpp"

namespace attestone::emulation {

enum class DeltaFrom {
  out,          ///< O as it was stored
  accumulated,  ///< O before it was rounded
  rows,         ///< the sum of P dP over the keys
};

/// The numbers that the scale multiplies.
enum class ScaleAt { score_gradients, sums };

/// The step that a wrong kernel leaves out.
enum class Forgotten { nothing, derivative, scale, dropout_of_dp, delta };

struct BackwardRecipe {
  Recipe forward;                          ///< its sums, exponentials and flushing hold for the backward pass too
  std::optional<ExpError> exp_error = {};  ///< of the backward pass, if it is another
  DeltaFrom delta_from = DeltaFrom::out;
  ScaleAt scale_at = ScaleAt::sums;
  bool heads_rounded_apart = false;  ///< dK and dV of each head are rounded before those of a group are added
  bool descending = false;           ///< rows and keys are summed from the last to the first
  std::string log_sum_exp_in = {};   ///< a format: log_sum_exp is rounded to it
  Forgotten forgotten = Forgotten::nothing;
  std::optional<SplitRecipe> split = {};  ///< how the forward pass merges, if it does
};

/// The gradients that a kernel of this recipe computes from its own forward answer.
Gradients gradients(const Problem&, const Inputs&, const Numerics&, const BackwardRecipe&);

}  // namespace attestone::emulation
