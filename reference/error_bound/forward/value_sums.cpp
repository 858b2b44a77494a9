// SPDX-License-Identifier: Apache-2.0
// Two passes over V: the answer first, then all that refers to the distance from it. Inner loops run over channels.
#include "reference/error_bound/forward/value_sums.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {
namespace {

/// Keys taken together, so that each running sum is read and written once for all of them.
constexpr std::size_t together = 4;

/// `together` keys: their values and weights. Past the last key, the last one with weight 0.
struct Keys {
  const double* v[together];
  double share[together], present[together], upper[together], error[together], systematic[together];
};

/// Before the factor of dropout.
void add_answer(const Keys& k, std::size_t channels, double* out, double* mean) {
  const double *a = k.v[0], *b = k.v[1], *d = k.v[2], *e = k.v[3];
  for (std::size_t c = 0; c < channels; ++c) {
    out[c] += (k.share[0] * a[c] + k.share[1] * b[c]) + (k.share[2] * d[c] + k.share[3] * e[c]);
    mean[c] += (k.present[0] * a[c] + k.present[1] * b[c]) + (k.present[2] * d[c] + k.present[3] * e[c]);
  }
}

template <bool centred>
void add_errors(const Keys& k, double factor, std::size_t channels, ValueSums& sums) {
  const double* out = sums.out.data();
  double *weighted = sums.weighted.data(), *cast_squares = sums.cast_squares.data();
  double *error = sums.error.data(), *systematic = sums.systematic_error.data();
  for (std::size_t c = 0; c < channels; ++c) {
    double size[together], distance[together], square[together];
    for (std::size_t i = 0; i < together; ++i) {
      const double v = factor * k.v[i][c];
      size[i] = k.upper[i] * std::abs(v);
      distance[i] = std::abs(v - out[c]);
      const double moved = centred ? k.upper[i] * distance[i] : size[i];
      square[i] = moved * moved;
    }
    const auto sum = [](const double* x) { return (x[0] + x[1]) + (x[2] + x[3]); };
    const auto dot = [&](const double* f) {
      return (f[0] * distance[0] + f[1] * distance[1]) + (f[2] * distance[2] + f[3] * distance[3]);
    };
    weighted[c] += sum(size);
    cast_squares[c] += sum(square);
    error[c] += dot(k.error);
    systematic[c] += dot(k.systematic);
  }
}

}  // namespace

ValueSums value_sums(const ValueRows& values, const RowScores& scores, const RowWeights& weights, bool centred) {
  const std::size_t n = values.size(), channels = values.channels();
  ValueSums sums;
  for (auto* list : {&sums.out, &sums.mean, &sums.weighted, &sums.cast_squares, &sums.error, &sums.systematic_error,
                     &sums.underflow})
    list->assign(channels, 0);
  const auto keys_from = [&](std::size_t from) {
    Keys keys{};
    for (std::size_t i = 0; i < together; ++i) {
      const std::size_t j = std::min(from + i, n - 1);
      keys.v[i] = values.row(j);
      if (from + i < n) {
        keys.share[i] = weights.share[j];
        keys.present[i] = 1;
        keys.upper[i] = weights.upper[j];
        keys.error[i] = weights.error[j];
        keys.systematic[i] = weights.systematic[j];
      }
    }
    return keys;
  };
  const double z = values.factor(), visible = static_cast<double>(std::max<std::size_t>(scores.keys.size(), 1));
  for (std::size_t j = 0; j < n; j += together) add_answer(keys_from(j), channels, sums.out.data(), sums.mean.data());
  for (double& x : sums.out) x *= z;
  for (double& x : sums.mean) x = x / visible * z;
  for (std::size_t j = 0; j < n; j += together)
    centred ? add_errors<true>(keys_from(j), z, channels, sums) : add_errors<false>(keys_from(j), z, channels, sums);
  for (std::size_t j = 0; j < n; ++j) {
    if (!weights.may_underflow[j]) continue;
    for (std::size_t c = 0; c < channels; ++c) sums.underflow[c] += std::abs(values(j, c));
  }
  return sums;
}

ValueRange value_range(const ValueRows& values, const std::vector<double>& out) {
  ValueRange range{std::vector<double>(out.size()), std::vector<double>(out.size())};
  for (std::size_t j = 0; j < values.size(); ++j)
    for (std::size_t c = 0; c < out.size(); ++c) {
      range.largest[c] = std::max(range.largest[c], std::abs(values(j, c)));
      range.distance[c] = std::max(range.distance[c], std::abs(values(j, c) - out[c]));
    }
  return range;
}

}  // namespace attestone
