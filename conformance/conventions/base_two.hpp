// SPDX-License-Identifier: Apache-2.0
// Numbers that the format of log_sum_exp holds to base e but not to base 2, where a number is 1/ln 2 times as large.
#pragma once

#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"

namespace attestone::inline conformance {

/// Reads log_sum_exp and max_logits as multiples of ln 2, which is rounded twice in double; and leaves open those that
/// lie in the last binade of their format once they are to base 2, or beyond it: the answer may be infinite.
void read_to_base_two(Truth&, const Problem&);

/// Leaves open the gradients to which a row with such a log_sum_exp contributes: whoever recomputes its weights from an
/// infinite one has lost them.
void leave_open_what_base_two_loses(GradientTruth&, const Problem&, const Inputs&);

}  // namespace attestone::inline conformance
