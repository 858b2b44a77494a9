// SPDX-License-Identifier: Apache-2.0
// The bound of max_logits (docs/tolerance.md, "max_logits").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/error_bound/rounding.hpp"

namespace attestone {

/// A kernel's maximum that is too large is the score of a key that may reach the exact one, and no further above it
/// than that score errs; one that is too small is no further below than the score of the exact winner errs.
double ForwardRow::max_logits() const {
  constexpr double change_of_base = 2;  // ln 2, and the product with it
  const std::size_t keys = scores_.keys.size();
  if (keys == 0) return 0;
  const std::span score = std::span(scores_.score).first(keys);
  const double largest = *std::ranges::max_element(score);
  const double reached = largest - weights_.evaluation_error;  // scores are evaluated in double here
  double error = 0;
  for (std::size_t j = 0; j < keys; ++j)
    if (!(score[j] + scores_.error[j] < reached)) error = std::max(error, scores_.error[j]);
  const OutputStage& output = numerics_.output;
  const double size = std::abs(largest) + weights_.evaluation_error + error;
  const double of_parts = numerics_.merge.merges() ? numerics_.merge.log_sum_exp_roundoff * size : 0;
  const double converted = error + gamma(change_of_base, output.accumulator.roundoff) * (size + of_parts) + of_parts;
  const double stored = converted + output.log_sum_exp_roundoff * (size + converted) + output.accumulator.underflow;
  const double bound = stored * (1 + weights_.evaluation_error);
  return scores_.in_range && bound < infinity ? bound : infinity;
}

}  // namespace attestone
