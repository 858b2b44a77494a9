// SPDX-License-Identifier: Apache-2.0
// Counting the roundings of the row tile.
#include "reference/certified/double_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/elementary.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::fabs(std::frexp(x, &exponent)) == 0.5;
}

Arithmetic double_arithmetic(const Problem& problem, const DecodedHead& head, const VectorFacts& query, double key_norm,
                             double tiles) {
  const double u = unit_double;
  const int least_bit = query.lowest_bit + head.key_lowest_bit;
  const bool exact_dot = query.norm * key_norm <= std::ldexp(1.0, std::numeric_limits<double>::digits + least_bit);
  const index chunks = (head.dim + channels_per_chunk - 1) / channels_per_chunk;
  const auto dot_roundings = static_cast<double>(std::min(channels_per_chunk, head.dim) + chunks);
  constexpr double key_chain = keys_per_word, group_chain = keys_per_word / keys_per_group + 2;
  return {.unit = u,
          .dot_error = exact_dot ? 0 : dot_roundings * u,
          .scale_error = is_power_of_two(problem.scale()) ? 0 : u,
          .exp_error = exp_error,
          .cap_error = problem.score.softcap() ? tanh_error + 2 * u : 0,
          .bias_error = 0,  // TwoSum
          .sum_error = (key_chain + tiles) * u,
          .total_error = (group_chain + tiles) * u,
          .lost_weight = std::ldexp(1.0, lost_weight_exponent),
          .smallest = std::numeric_limits<double>::denorm_min()};
}

}  // namespace

RowCertificate double_certificate(const Problem& problem, const DecodedHead& head, const VectorFacts& query,
                                  const TileSums& sums, index lane) {
  const double scale = std::fabs(problem.scale());
  RowMagnitudes m;
  m.raw_score = scale * (query.norm * sums.key_norm[lane]);
  const double cap = problem.score.softcap().value_or(m.raw_score);
  m.capped = std::min(m.raw_score, cap);
  m.biased = sums.largest[lane];
  m.value_peak = sums.value_peak[lane];
  m.terms = static_cast<double>((keys_per_word + 1) * sums.tiles[lane]);
  m.score_terms = static_cast<double>(head.dim + 2) * std::max({1.0, scale, cap});
  if (!(std::max(m.capped, m.biased) <= score_limit)) return {infinity, infinity, infinity, infinity, infinity};
  const auto tiles = static_cast<double>(sums.tiles[lane]);
  return row_certificate(double_arithmetic(problem, head, query, sums.key_norm[lane], tiles), m);
}

Enclosure enclosed(double value, double bound) {
  if (std::isfinite(value) && bound < infinity) return {value, 0, bound};
  return {0, 0, infinity};
}

Enclosure enclosed_log_sum_exp(double exponent, double total, const RowCertificate& certificate) {
  constexpr double ln2_missing = 0x1p-86, margin = 1 + 0x1p-18;
  const double log = log_certified(total), inner = log + exponent * ln2_low, value = exponent * ln2_high + inner;
  const double rounding = log_error * std::fabs(log) + std::fabs(exponent) * ln2_missing +
                          3 * unit_double * (std::fabs(inner) + std::fabs(log) + std::fabs(value));
  return enclosed(value, (certificate.by_log_sum_exp + rounding) * margin);
}

}  // namespace attestone
