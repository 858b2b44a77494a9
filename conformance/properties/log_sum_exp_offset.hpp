// SPDX-License-Identifier: Apache-2.0
// The mean error of log_sum_exp: an offset that no single row shows.
#pragma once

#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {

/// Failed if log_sum_exp is further off on average than rounding explains: on the whole, in a head or in a block of
/// rows. Only the rounding of what is stored averages out, so the bound is a little less than the mean of the bounds of
/// the rows. Passed if there is nothing to compare.
Verdict log_sum_exp_offset(Trial&);

}  // namespace attestone::inline conformance
