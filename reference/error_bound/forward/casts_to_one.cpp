// SPDX-License-Identifier: Apache-2.0
// By how much casts move weights: that of the largest score is 1, which every format holds (docs/tolerance.md, "Gain").
#include <algorithm>

#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// True if a kernel surely takes the score of this key for the maximum that it subtracts: the weight that it casts is
/// exp(0) = 1 but for tau, and the number of a format that is nearest to what is so near to 1 is 1.
bool ForwardRow::is_cast_to_one(std::size_t j) const {
  const double cast = numerics_.weight.cast.roundoff;
  const bool is_key = j < scores_.keys.size();
  if (!is_key || !rounds_to_nearest(cast) || numerics_.weight.normalised || dropout_error_ > 0 ||
      numerics_.merge.merges() || weights_.distance > 0 || !(weights_.exponent[j] < cast / 4))
    return false;
  for (std::size_t k = 0; k < scores_.size(); ++k)
    if (k != j && !(scores_.score[k] + scores_.error[k] < scores_.score[j] - scores_.error[j])) return false;
  return true;
}

/// The error of each weight by its cast: u_P p (1 + tau), or p tau if it is cast to 1.
std::vector<double> ForwardRow::moved_by_casts() const {
  std::vector<double> moved(scores_.size());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] = numerics_.weight.cast.roundoff * weights_.upper[j];
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(scores_.score) - scores_.score.begin());
  if (largest < moved.size() && is_cast_to_one(largest))
    moved[largest] = std::min(moved[largest], weights_.error[largest]);
  return moved;
}

}  // namespace attestone
