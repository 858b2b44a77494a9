// SPDX-License-Identifier: Apache-2.0
// What a kernel's declared arithmetic may cost one row, coarsely: the same for all channels, and no term is forgotten.
#pragma once

#include "reference/attention/operands.hpp"
#include "reference/numerics.hpp"

namespace attestone {

/// How far a row of the answer may lie from the truth.
struct RowTolerance {
  double out = 0, log_sum_exp = 0;
};

/// For a row with visible keys, in the letters of docs/tolerance.md but with maxima in place of sums over keys: all
/// weights err by at most tau, so that the answer, an average of values of size at most `value`, errs by 2 tau value;
/// casting, adding up and dividing add their own.
RowTolerance row_tolerance(const Problem&, const Inputs&, const Numerics&, index batch, index head, index query);

}  // namespace attestone
