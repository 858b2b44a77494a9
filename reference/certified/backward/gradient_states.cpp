// SPDX-License-Identifier: Apache-2.0
// Counting the roundings of the first sweep.
#include "reference/certified/backward/gradient_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/numbers/elementary.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double small = 0x1p-21;  ///< the premise: relative errors of weights and slopes are at most this

}  // namespace

GradientStates::GradientStates(const Problem& problem, int key_lowest_bit, int value_lowest_bit)
    : shape_(problem.shape),
      scale_(std::fabs(problem.scale())),
      softcap_(problem.score.softcap()),
      key_lowest_bit_(key_lowest_bit),
      value_lowest_bit_(value_lowest_bit),
      arithmetic_(double_arithmetic(problem)) {}

RowMagnitudes GradientStates::magnitudes(const RowReach& reach) const {
  RowMagnitudes m;
  m.raw_score = scale_ * (reach.query.norm * reach.key_norm);
  const double cap = softcap_.value_or(m.raw_score);
  m.capped = std::min(m.raw_score, cap);
  m.value_peak = reach.dout.norm * reach.value_norm;
  m.terms = static_cast<double>((keys_per_word + 1) * reach.words + 1);
  m.score_terms = static_cast<double>(shape_.dim + 2) * std::max({1.0, scale_, cap});
  return m;
}

/// The relative error of 4 w / (1 + w)^2, w = e^(-2 |z|), z = y / c: d ln f = -2 tanh z dz.
double GradientStates::slope_error(const Arithmetic& a, const RowMagnitudes& m) const {
  if (!softcap_) return 0;
  constexpr double saturated = 512, roundings = 8;
  const double of_score = m.raw_score * (a.dot_error + a.scale_error + a.dot_error * a.scale_error);
  const double of_argument = (of_score + m.score_terms * a.smallest) / *softcap_;
  return 2 * (of_argument + a.unit * std::min(m.raw_score / *softcap_, saturated)) + a.exp_error + roundings * a.unit;
}

void GradientStates::conclude(const RowReach& reach, const GradientSums& sums, index lane, RowStates& states) const {
  const RowMagnitudes m = magnitudes(reach);
  const double norms = reach.query.norm * reach.key_norm, words = static_cast<double>(reach.words), u = unit_double;
  Arithmetic a = arithmetic_;
  a.dot_error = dot_product_error(shape_.dim, norms, reach.query.lowest_bit + key_lowest_bit_);
  a.sum_error = a.total_error = (static_cast<double>(keys_per_word + 2) + words) * u;
  const RowCertificate mean = row_certificate(a, m);
  const double slope = slope_error(a, m);
  const bool in_range = std::fabs(sums.exponent[lane]) <= exponent_limit && mean.weight <= small && slope <= small;

  const double inverse = 1 / sums.total[lane];
  states.exponent[lane] = sums.exponent[lane];
  states.inverse[lane] = inverse;
  states.delta[lane] = sums.product[lane] * inverse;
  states.live[lane] = reach.dout.norm > 0 && reach.keys + reach.sink.has_value() > 1;
  states.sink_weight[lane] = sums.sink[lane] * inverse;
  states.weight_error[lane] = in_range ? 2 * mean.weight + a.total_error + 4 * u : infinity;
  states.slope_error[lane] = slope;

  const double relative = dot_product_error(shape_.value_dim, m.value_peak, reach.dout.lowest_bit + value_lowest_bit_);
  // Either factor may be so small that the product is too small for a double, and a norm of V may be large.
  const double dot_error = relative == 0 ? 0 : reach.dout.norm * relative + a.smallest;
  const double norms_of_values = sums.norm[lane] * inverse + m.terms * a.smallest;
  const double product_underflow = static_cast<double>(2 * shape_.value_dim + 4) * a.smallest;
  states.dot_error[lane] = dot_error;
  states.delta_error[lane] = mean.out(sums.magnitude[lane] * inverse, std::fabs(states.delta[lane])) +
                             2 * u * std::fabs(states.delta[lane]) + dot_error * norms_of_values +
                             2 * product_underflow;
  constexpr double lost_weight = 0x1p-996;  // twice that of a weight, over a total of at least 1/2, and more
  states.lost[lane] = lost_weight * m.value_peak + 16 * a.smallest;
}

}  // namespace attestone
