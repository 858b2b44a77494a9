// SPDX-License-Identifier: Apache-2.0
// Two passes over V: the answer first, then all that refers to the distance from it. Inner loops run over channels.
#include "reference/error_bound/value_sums.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {
namespace {

/// The factors of one key in the second pass.
struct KeyFactors {
  double upper, error, systematic, chain, chain_root;
};

template <bool centred>
void add_key(const double* v, std::size_t channels, const KeyFactors& key, ValueSums& sums) {
  const double* out = sums.out.data();
  double *weighted = sums.weighted.data(), *cast = sums.cast.data(), *cast_squares = sums.cast_squares.data();
  double *error = sums.error.data(), *systematic = sums.systematic_error.data();
  double *chain = sums.chain_error.data(), *chain_squares = sums.chain_squares.data();
  for (std::size_t c = 0; c < channels; ++c) {
    const double size = std::abs(v[c]), distance = std::abs(v[c] - out[c]);
    const double moved = key.upper * (centred ? distance : size), swayed = key.chain_root * distance;
    weighted[c] += key.upper * size;
    cast[c] += moved;
    cast_squares[c] += moved * moved;
    error[c] += key.error * distance;
    systematic[c] += key.systematic * distance;
    chain[c] += key.chain * distance;
    chain_squares[c] += swayed * swayed;
  }
}

}  // namespace

ValueSums value_sums(const DecodedInputs& inputs, const RowScores& scores, const RowWeights& weights, bool centred,
                     index batch, index head) {
  const auto channels = static_cast<std::size_t>(inputs.problem().shape.value_dim);
  ValueSums sums;
  for (auto* list : {&sums.out, &sums.mean, &sums.absolute, &sums.weighted, &sums.cast, &sums.cast_squares, &sums.error,
                     &sums.systematic_error, &sums.chain_error, &sums.chain_squares, &sums.underflow})
    list->assign(channels, 0);
  const std::size_t n = scores.size();
  double *out = sums.out.data(), *mean = sums.mean.data(), *absolute = sums.absolute.data();
  for (std::size_t j = 0; j < n; ++j) {
    const double* v = inputs.value(batch, head, scores.keys[j]);
    const double p = weights.share[j];
    for (std::size_t c = 0; c < channels; ++c) {
      out[c] += p * v[c];
      mean[c] += v[c];
      absolute[c] += std::abs(v[c]);
    }
  }
  for (double& x : sums.mean) x /= n > 0 ? static_cast<double>(n) : 1;
  for (std::size_t j = 0; j < n; ++j) {
    const double* v = inputs.value(batch, head, scores.keys[j]);
    const KeyFactors key{weights.upper[j], weights.error[j], weights.systematic[j], weights.chain[j],
                         weights.chain_root[j]};
    centred ? add_key<true>(v, channels, key, sums) : add_key<false>(v, channels, key, sums);
    if (weights.may_underflow[j])
      for (std::size_t c = 0; c < channels; ++c) sums.underflow[c] += std::abs(v[c]);
  }
  return sums;
}

ValueRange value_range(const DecodedInputs& inputs, const RowScores& scores, const std::vector<double>& out,
                       index batch, index head) {
  ValueRange range{std::vector<double>(out.size()), std::vector<double>(out.size())};
  for (const index key : scores.keys) {
    const double* v = inputs.value(batch, head, key);
    for (std::size_t c = 0; c < out.size(); ++c) {
      range.largest[c] = std::max(range.largest[c], std::abs(v[c]));
      range.distance[c] = std::max(range.distance[c], std::abs(v[c] - out[c]));
    }
  }
  return range;
}

}  // namespace attestone
