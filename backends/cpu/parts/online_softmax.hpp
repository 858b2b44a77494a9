// SPDX-License-Identifier: Apache-2.0
// The state of one query's softmax while its keys go by in tiles (Milakov & Gimelshein, arXiv 1805.02867).
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/cpu/parts/exp2.hpp"
#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Sums and maxima run in so many lanes and end in a fixed tree: compilers vectorise them, and the bits stay.
constexpr index softmax_lanes = 8;

/// max over values[0, count), or -infinity. NaN is passed over: it returns through its own exponential.
inline float maximum(const float* values, index count) {
  float largest = -std::numeric_limits<float>::infinity();
  for (index j = 0; j < count; ++j) largest = values[j] > largest ? values[j] : largest;
  return largest;
}

inline float sum(const float* values, index count) {
  std::array<float, softmax_lanes> lane{};
  index j = 0;
  for (; j + softmax_lanes <= count; j += softmax_lanes)
    for (index k = 0; k < softmax_lanes; ++k) lane[static_cast<std::size_t>(k)] += values[j + k];
  for (index k = 0; j < count; ++j, ++k) lane[static_cast<std::size_t>(k)] += values[j];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// m: the largest base-2 score so far; l: the sum of 2^(s - m). A query that has seen no key is empty: m = -infinity,
/// l = 0. No difference of infinities is ever formed.
struct OnlineSoftmax {
  float m = -std::numeric_limits<float>::infinity();
  float l = 0;

  /// Takes in scores whose maximum is `tile_max`; returns the factor by which everything summed so far shrinks.
  float raise(float tile_max) {
    const float m_before = m;
    m = tile_max > m ? tile_max : m;
    const float shrink = exp2_of_nonpositive(m_before - reference_point());
    l *= shrink;
    return shrink;
  }

  /// scores -> weights 2^(s - m), in place; adds them to l.
  void weigh(float* scores, index count) {
    const float shift = reference_point();
    for (index j = 0; j < count; ++j) scores[j] = exp2_of_nonpositive(scores[j] - shift);
    l += sum(scores, count);
  }

  /// ln of the sum of e^s, evaluated in double.
  double log_sum_exp() const { return double{m} * std::numbers::ln2 + std::log(double{l}); }

  /// m, or 0 while every score was -infinity: then s - m is -infinity, and its power 0.
  float reference_point() const { return std::isinf(m) && m < 0 ? 0.0f : m; }
};

}  // namespace attestone::inline backends
