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

}  // namespace

DoubleCertificates::DoubleCertificates(const Problem& problem, const DecodedHead& head)
    : head_(head),
      scale_(std::fabs(problem.scale())),
      softcap_(problem.score.softcap()),
      keep_factor_(Dropout(problem).factor()),
      division_error_(problem.dropout == 0 ? 0 : 2 * unit_double) {
  const double u = unit_double;
  const index chunks = (head.dim + channels_per_chunk - 1) / channels_per_chunk;
  dot_error_ = static_cast<double>(std::min(channels_per_chunk, head.dim) + chunks) * u;
  arithmetic_ = {.unit = u,
                 .dot_error = 0,
                 .scale_error = is_power_of_two(scale_) ? 0 : u,
                 .exp_error = exp_error,
                 .cap_error = softcap_ ? tanh_error + 2 * u : 0,
                 .bias_error = 0,  // TwoSum
                 .sum_error = 0,
                 .total_error = 0,
                 .lost_weight = std::ldexp(1.0, lost_weight_exponent),
                 .smallest = std::numeric_limits<double>::denorm_min()};
}

RowCertificate DoubleCertificates::operator()(const VectorFacts& query, const TileSums& sums, index lane,
                                              double sink) const {
  const double key_norm = sums.key_norm[lane], product = query.norm * key_norm;
  const auto tiles = static_cast<double>(sums.tiles[lane]);
  RowMagnitudes m;
  m.raw_score = scale_ * product;
  const double cap = softcap_.value_or(m.raw_score);
  m.capped = std::min(m.raw_score, cap);
  m.biased = std::max(sums.largest[lane], std::fabs(sink));
  m.value_peak = sums.value_peak[lane];
  m.value_factor = keep_factor_;
  m.terms = static_cast<double>(keys_per_word + 1) * tiles + 1;
  m.score_terms = static_cast<double>(head_.dim + 2) * std::max({1.0, scale_, cap});
  if (!(std::max(m.capped, m.biased) <= score_limit)) return {infinity, infinity, infinity, infinity, infinity};

  Arithmetic arithmetic = arithmetic_;
  const int least_bit = query.lowest_bit + head_.key_lowest_bit;
  const bool exact_dot = product <= std::ldexp(1.0, std::numeric_limits<double>::digits + least_bit);
  constexpr double key_chain = keys_per_word, group_chain = keys_per_word / keys_per_group + 2;
  arithmetic.dot_error = exact_dot ? 0 : dot_error_;
  arithmetic.sum_error = (key_chain + tiles) * unit_double;
  arithmetic.total_error = (group_chain + tiles) * unit_double + division_error_;
  return row_certificate(arithmetic, m);
}

}  // namespace attestone
