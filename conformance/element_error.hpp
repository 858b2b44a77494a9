// SPDX-License-Identifier: Apache-2.0
// The error of one element: its distance from the truth, with the rules for NaN, infinities and overflow.
#pragma once

#include <vector>

#include "reference/certified/truth.hpp"
#include "reference/dtype.hpp"

namespace attestone {

/// The least distance that `got` can have from the exact answer. Infinite when NaN or an infinity stands where the
/// truth has none, or the reverse; 0 for any of the `admissible` answers (null: there is just one), from which finite
/// ones may be off like any other; and 0 for an infinity to which an answer within `bound` of the truth rounds in
/// `output`.
double element_error(double got, const Certified& truth, double bound, const DType& output,
                     const std::vector<double>* admissible);

/// error / bound, where 0 / 0 is 0, and an infinite error is infinite beside any bound.
double share_of_budget(double error, double bound);

/// The distance between neighbours of the format at x.
double unit_in_last_place(const DType&, double x);

}  // namespace attestone
