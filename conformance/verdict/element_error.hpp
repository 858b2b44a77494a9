// SPDX-License-Identifier: Apache-2.0
// The error of one element: its distance from the truth, with the rules for NaN, infinities and overflow.
#pragma once

#include <optional>
#include <vector>

#include "reference/certified/forward/truth.hpp"
#include "reference/dtypes/dtype.hpp"

namespace attestone::inline conformance {

/// The least distance that `got` can have from the exact answer. Infinite when NaN or an infinity stands where the
/// truth has none, or the reverse; 0 for any of the `admissible` answers (null: there is just one), from which finite
/// ones may be off like any other; and 0 for an infinity to which an answer within `bound` of the truth rounds in
/// `output`.
double element_error(double got, const Certified& truth, double bound, const DType& output,
                     const std::vector<double>* admissible);

/// Leaves an element open: any answer is right, and nothing is judged of it.
void leave_open(Certified&);
bool is_left_open(const Certified&);

/// The error where NaN or infinities among the inputs make any answer of this kind right, or any finite one wrong:
/// 0 or infinite; nothing where the number decides.
std::optional<double> non_finite_error(double got, NonFinite beside);

/// error / bound, where 0 / 0 is 0, and an infinite error is infinite beside any bound.
double share_of_budget(double error, double bound);

/// The distance between neighbours of the format at x.
double unit_in_last_place(const DType&, double x);

}  // namespace attestone::inline conformance
