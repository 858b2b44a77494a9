// SPDX-License-Identifier: Apache-2.0
// Counting the roundings of the row tile.
#include "reference/certified/forward/double_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/numbers/elementary.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::fabs(std::frexp(x, &exponent)) == 0.5;
}

}  // namespace

Arithmetic double_arithmetic(const Problem& problem) {
  const double u = unit_double;
  return {.unit = u,
          .dot_error = 0,
          .scale_error = is_power_of_two(problem.scale()) ? 0 : u,
          .exp_error = exp_error,
          .cap_error = problem.score.softcap() ? tanh_error + 2 * u : 0,
          .bias_error = 0,  // TwoSum
          .sum_error = 0,
          .total_error = 0,
          .lost_weight = std::ldexp(1.0, lost_weight_exponent),
          .smallest = std::numeric_limits<double>::denorm_min()};
}

double dot_product_error(index channels, double norms, int least_bit) {
  if (norms <= std::ldexp(1.0, std::numeric_limits<double>::digits + least_bit)) return 0;
  const index chunks = (channels + channels_per_chunk - 1) / channels_per_chunk;
  return static_cast<double>(std::min(channels_per_chunk, channels) + chunks) * unit_double;
}

DoubleCertificates::DoubleCertificates(const Problem& problem, const DecodedHead& head)
    : head_(head),
      scale_(std::fabs(problem.scale())),
      softcap_(problem.score.softcap()),
      keep_factor_(Dropout(problem).factor()),
      division_error_(problem.dropout == 0 ? 0 : 2 * unit_double),
      arithmetic_(double_arithmetic(problem)) {}

RowCertificate DoubleCertificates::operator()(const VectorFacts& query, const TileSums& sums, index lane) const {
  const double key_norm = sums.key_norm[lane], product = query.norm * key_norm;
  const auto tiles = static_cast<double>(sums.tiles[lane]);
  RowMagnitudes m;
  m.raw_score = scale_ * product;
  const double cap = softcap_.value_or(m.raw_score);
  m.capped = std::min(m.raw_score, cap);
  m.value_peak = sums.value_peak[lane];
  m.value_factor = keep_factor_;
  m.terms = static_cast<double>(keys_per_word + 1) * tiles + 1;
  m.score_terms = static_cast<double>(head_.dim + 2) * std::max({1.0, scale_, cap});
  if (!(std::fabs(sums.exponent[lane]) <= exponent_limit)) return {infinity, infinity, infinity, infinity, infinity};

  Arithmetic arithmetic = arithmetic_;
  constexpr index groups = keys_per_word / keys_per_group;
  constexpr double key_chain = keys_per_word, group_chain = groups + 2;
  arithmetic.dot_error = dot_product_error(head_.dim, product, query.lowest_bit + head_.key_lowest_bit);
  arithmetic.sum_error = (key_chain + tiles) * unit_double;
  arithmetic.total_error = (group_chain + tiles) * unit_double + division_error_;
  return row_certificate(arithmetic, m);
}

}  // namespace attestone
