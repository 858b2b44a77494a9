// SPDX-License-Identifier: Apache-2.0
// Two passes over V: the answer first, then all that refers to the distance from it. Inner loops run over channels.
#include "reference/error_bound/forward/value_sums.hpp"

#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/inner_loops.hpp"

namespace attestone {
namespace {

/// The keys from this one on; behind the last one it is repeated, without a share.
FourKeys keys_from(std::size_t from, const ValueRows& values, const RowWeights& weights) {
  FourKeys keys;
  for (std::size_t i = 0; i < together; ++i) {
    const std::size_t j = std::min(from + i, values.size() - 1);
    keys.v[i] = values.row(j);
    if (from + i < values.size()) {
      keys.share[i] = weights.share[j];
      keys.present[i] = 1;
      keys.upper[i] = weights.upper[j];
      keys.error[i] = weights.error[j];
      keys.systematic[i] = weights.systematic[j];
      keys.chain_root[i] = weights.chain_root[j];
    }
  }
  return keys;
}

}  // namespace

ValueSums value_sums(const ValueRows& values, const RowScores& scores, const RowWeights& weights, bool centred,
                     double u) {
  const std::size_t n = values.size(), channels = values.channels();
  ValueSums sums;
  for (auto* list : {&sums.out, &sums.mean, &sums.weighted, &sums.cast_squares, &sums.error, &sums.systematic_error,
                     &sums.underflow, &sums.span, &sums.seen, &sums.chain_squares})
    list->assign(channels, 0);
  const double z = values.factor(), visible = static_cast<double>(std::max<std::size_t>(scores.keys.size(), 1));
  std::vector<double> lowest(channels), highest(channels), seen_from(channels);
  for (std::size_t j = 0; j < n; j += together)
    add_answer(keys_from(j, values, weights), channels,
               {sums.out.data(), lowest.data(), highest.data(), sums.mean.data()});
  for (double& x : sums.out) x *= z;
  for (std::size_t c = 0; c < channels; ++c) {
    sums.span[c] = (highest[c] - lowest[c]) * z;
    seen_from[c] = sums.span[c] * u;
  }
  for (double& x : sums.mean) x = x / visible * z;
  for (std::size_t j = 0; j < n; j += together)
    add_errors(keys_from(j, values, weights), z, centred, channels,
               {sums.out.data(), seen_from.data(), sums.weighted.data(), sums.cast_squares.data(), sums.error.data(),
                sums.systematic_error.data(), sums.chain_squares.data(), sums.seen.data()});
  for (std::size_t j = 0; j < n; ++j) {
    if (!weights.may_underflow[j]) continue;
    for (std::size_t c = 0; c < channels; ++c) sums.underflow[c] += std::abs(values(j, c));
  }
  return sums;
}

ValueRange value_range(const ValueRows& values, std::span<const double> out) {
  ValueRange range{std::vector<double>(out.size()), std::vector<double>(out.size())};
  for (std::size_t j = 0; j < values.size(); ++j)
    for (std::size_t c = 0; c < out.size(); ++c) {
      range.largest[c] = std::max(range.largest[c], std::abs(values(j, c)));
      range.distance[c] = std::max(range.distance[c], std::abs(values(j, c) - out[c]));
    }
  return range;
}

}  // namespace attestone
