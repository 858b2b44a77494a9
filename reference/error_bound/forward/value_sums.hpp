// SPDX-License-Identifier: Apache-2.0
// The sums over the visible keys of one row that its bounds are made of, channel by channel.
#pragma once

#include <vector>

#include "reference/error_bound/forward/row_weights.hpp"
#include "reference/error_bound/forward/value_rows.hpp"

namespace attestone {

/// Each list has value_dim entries; c is the channel, o the answer. v is what ValueRows holds: z v under dropout, and 0
/// for the sink.
struct ValueSums {
  std::vector<double> out;               ///< o_c = sum p v
  std::vector<double> mean;              ///< sum v / n over the n visible keys
  std::vector<double> weighted;          ///< sum p (1 + tau) |v|
  std::vector<double> cast_squares;      ///< sum (p (1 + tau) (v - r))^2; r = o if the cast is centred, else 0
  std::vector<double> error;             ///< sum p tau |v - o|
  std::vector<double> systematic_error;  ///< sum of the systematic part of p tau, times |v - o|
  std::vector<double> underflow;         ///< sum |v| where the weight may underflow
  /// Lower bounds of probabilistic terms: what partial sums of p v span at least, how many of the addends
  /// p (1 + tau) |v| exceed u times that, and sum (chain_root (v - o))^2.
  std::vector<double> span, seen, chain_squares;
};

/// `centred`: the denominator sums the cast weights, so that their errors shift weight between keys. `u`: the roundoff
/// of sums of values.
ValueSums value_sums(const ValueRows&, const RowScores&, const RowWeights&, bool centred, double u);

/// Terms for weights whose errors are so large that only convexity helps.
struct ValueRange {
  std::vector<double> largest;   ///< max |v|
  std::vector<double> distance;  ///< max |v - o|
};
ValueRange value_range(const ValueRows&, std::span<const double> out);

}  // namespace attestone
