// SPDX-License-Identifier: Apache-2.0
// The effect on the answer of rounding V before it is used, and of codes that may be others
// (docs/tolerance.md, "Rows of K and V", "Codes").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/error_bound/rounding.hpp"

namespace attestone {

/// The part of |v' - v| of an entry that all its channels may have: z (kappa max |v| + eta). A row with NaN or
/// infinities has no scale: all of it may be NaN, which stays NaN where dropout multiplies it by 0.
double ForwardRow::value_cast(std::size_t entry) const {
  const RowCast& cast = numerics_.value.values;
  const double* row = values_.given(entry);
  double largest = 0;
  for (std::size_t c = 0; c < values_.channels(); ++c) {
    const double v = std::abs(row[c]);
    if (!std::isfinite(v)) return infinity;
    largest = std::max(largest, v);
  }
  return values_.keeps(entry) ? values_.factor() * (cast.of_largest * largest + cast.underflow) : 0;
}

/// sum p (1 + tau) |v' - v|, and what sharing scales moves of the weights.
double ForwardRow::moved_values(std::size_t channel) const {
  double slack = 0;
  for (std::size_t j = 0; values_.has_slack() && j < scores_.size(); ++j)
    slack += weights_.upper[j] * values_.slack(j, channel);
  return numerics_.value.values.roundoff * sums_.weighted[channel] + once_.moved_values + slack +
         (once_.block_casts.empty() ? 0 : once_.block_casts[channel]);
}

/// max |v' - v|; `range_` holds max |v| already.
double ForwardRow::largest_moved_value(std::size_t channel) const {
  double slack = 0;
  for (std::size_t j = 0; values_.has_slack() && j < scores_.size(); ++j)
    slack = std::max(slack, values_.slack(j, channel));
  return numerics_.value.values.roundoff * range_.largest[channel] + once_.largest_moved_value + slack;
}

/// Bounds the sum of so many sizes |v| if v' replaces v.
double ForwardRow::with_cast_values(double sum_of_sizes, double count) const {
  const RowCast& cast = numerics_.value.values;
  return sum_of_sizes * (1 + cast.roundoff) +
         count * (cast.of_largest * inputs_.largest_value() + cast.underflow + inputs_.largest_value_slack()) *
             values_.factor();
}

}  // namespace attestone
