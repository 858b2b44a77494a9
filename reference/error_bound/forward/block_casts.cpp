// SPDX-License-Identifier: Apache-2.0
// Weights that share a scale with their neighbours (docs/tolerance.md, "Codes").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// sum of min(kappa_P max (p (1 + tau)), p (1 + tau)) |v| by channel, the largest weight being that of the key's block,
/// over keys whose weight may be below phi_P times that; empty without.
std::vector<double> ForwardRow::block_casts() const {
  const BlockCast& cast = numerics_.weight.block_cast;
  if (cast.of_largest == 0) return {};
  std::vector<double> sums(sums_.out.size());
  const auto block_of = [&](std::size_t j) { return scores_.keys[j] / std::max<index>(cast.keys, 1); };
  for (std::size_t first = 0, end = 0; first < scores_.keys.size(); first = end) {
    double largest = 0;
    for (end = first; end < scores_.keys.size() && block_of(end) == block_of(first); ++end)
      largest = std::max(largest, weights_.upper[end]);
    for (std::size_t j = first; j < end; ++j) {
      if (cast.smallest_normal > 0 && weights_.share[j] - weights_.error[j] >= cast.smallest_normal * largest) continue;
      const double moved = std::min(cast.of_largest * largest, weights_.upper[j]);
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += moved * std::abs(values_(j, c));
    }
  }
  return sums;
}

}  // namespace attestone
