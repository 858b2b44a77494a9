// SPDX-License-Identifier: Apache-2.0
// The terms of the bounds that are there in every row.
#include "reference/error_bound/forward/least_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/error_bound/forward/put_together.hpp"

namespace attestone {
namespace {

/// The factor that makes room for the roundings, in double, of this file and of the bounds themselves.
constexpr double taken_back = 1 - 0x1p-20;

}  // namespace

LeastBounds::LeastBounds(const Numerics& numerics)
    : relative_of_out_(taken_back * numerics.output.cast.roundoff),
      relative_of_log_(taken_back * numerics.output.log_sum_exp_roundoff),
      absolute_of_log_(0),
      relative_of_maximum_(taken_back * numerics.output.log_sum_exp_roundoff) {
  if (numerics.merge.merges()) return;                                   // parts have errors of other kinds
  relative_of_out_ += taken_back * numerics.value.accumulator.roundoff;  // the product with a weight
  // Roundings of the exponentials, the logarithm, and the sum of both.
  const double sum = put_together(numerics.output, {0, std::numbers::ln2, 0}, numerics.weight.exp_error);
  const double relative = put_together(numerics.output, {0, 0, 1}, 0);
  absolute_of_log_ = taken_back * sum, relative_of_log_ += taken_back * relative;
}

double LeastBounds::at_least(const Certified& truth) { return std::max(0.0, std::abs(truth.value) - truth.bound); }

}  // namespace attestone
