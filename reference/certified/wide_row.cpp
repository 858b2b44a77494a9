// SPDX-License-Identifier: Apache-2.0
// The definition of attention in MPFR, with the theorem's bound for unit roundoff 2^-precision.
#include "reference/certified/wide_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attestone {
namespace {

/// Bits beyond the asked precision that make up for scores of this magnitude.
mpfr_prec_t extra_bits(const RowMagnitudes& m) {
  const double largest = std::max({m.raw_score, m.biased, 1.0});
  constexpr mpfr_prec_t beyond_double = 2100;  // |scale| |q| |k| of three doubles, where the product overflows
  constexpr mpfr_prec_t guard = 8;
  return guard + (std::isfinite(largest) ? std::ilogb(largest) + 1 : beyond_double);
}

/// MPFR rounds every operation correctly; what is counted here are operations.
Arithmetic correctly_rounded(double unit, double dim, double keys, bool any_lost) {
  return {.unit = unit,
          .dot_error = (dim + 1) * unit,
          .scale_error = unit,
          .exp_error = 2 * unit,
          .cap_error = 4 * unit,
          .bias_error = 4 * unit,  // s + bias, and s - largest with |s - largest| <= 2 max |s|
          .sum_error = (keys + 1) * unit,
          .total_error = (keys + 3) * unit,  // with the sink, and times 1 - rate
          .lost_weight = any_lost ? std::numeric_limits<double>::min() : 0,
          .smallest = 0};
}

}  // namespace

WideRow::WideRow(const RowTask& task, std::span<const index> keys, int precision)
    : task_(&task), keys_(keys), precision_(precision), largest_(precision), total_(precision) {
  RowMagnitudes magnitudes = task.magnitudes(keys);
  precision_ += extra_bits(magnitudes);
  // The bound divides by 2^extra again; with an infinite magnitude only MPFR's precision knows how small it is.
  if (!std::isfinite(magnitudes.raw_score)) magnitudes.raw_score = std::numeric_limits<double>::max();
  magnitudes.biased = 2 * std::max(magnitudes.biased, magnitudes.capped);
  for (const index key : keys) weights_.push_back(score(key));
  if (task.sink) weights_.emplace_back(precision_, *task.sink);
  largest_ = *std::max_element(weights_.begin(), weights_.end(),
                               [](const Number& a, const Number& b) { return mpfr_less_p(a, b) != 0; });
  bool any_lost = false;
  total_ = Number(precision_);
  for (Number& weight : weights_) {
    mpfr_sub(weight, weight, largest_, MPFR_RNDN);
    mpfr_exp(weight, weight, MPFR_RNDN);
    any_lost = any_lost || mpfr_zero_p(weight);
    mpfr_add(total_, total_, weight, MPFR_RNDN);
  }
  const double unit = std::ldexp(1.0, static_cast<int>(-std::min<mpfr_prec_t>(precision_, 1000)));
  bound_ = row_certificate(
      correctly_rounded(unit, static_cast<double>(task.head->dim), static_cast<double>(keys.size()), any_lost),
      magnitudes);
}

Number WideRow::score(index key) const {
  Number score(precision_), factor(precision_);
  for (index c = 0; c < task_->head->dim; ++c) {
    mpfr_set_d(factor, task_->head->key_at(key, c), MPFR_RNDN);
    mpfr_mul_d(factor, factor, task_->query_values[static_cast<std::size_t>(c)], MPFR_RNDN);
    mpfr_add(score, score, factor, MPFR_RNDN);
  }
  mpfr_mul_d(score, score, task_->problem->scale(), MPFR_RNDN);
  if (const auto found = task_->infinite_scores.find(key); found != task_->infinite_scores.end())
    mpfr_set_d(score, found->second, MPFR_RNDN);
  if (const auto cap = task_->problem->score.softcap()) {
    mpfr_div_d(score, score, *cap, MPFR_RNDN);
    mpfr_tanh(score, score, MPFR_RNDN);
    mpfr_mul_d(score, score, *cap, MPFR_RNDN);
  }
  if (task_->problem->score.has_bias()) mpfr_add_d(score, score, task_->bias(key), MPFR_RNDN);
  return score;
}

MpfrInterval WideRow::around(const Number& value, const Number& radius) const {
  MpfrInterval interval{Number(precision_), Number(precision_)};
  mpfr_sub(interval.lowest, value, radius, MPFR_RNDD);
  mpfr_add(interval.highest, value, radius, MPFR_RNDU);
  return interval;
}

MpfrInterval WideRow::out(index channel) const {
  Number out(precision_), magnitude(precision_), product(precision_), radius(precision_), divisor(precision_, 1);
  mpfr_sub_d(divisor, divisor, task_->problem->dropout, MPFR_RNDN);
  mpfr_mul(divisor, divisor, total_, MPFR_RNDN);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!bit(task_->kept, keys_[i])) continue;
    const double value = task_->head->value_at(keys_[i], channel);
    mpfr_mul_d(product, weights_[i], value, MPFR_RNDN);
    mpfr_add(out, out, product, MPFR_RNDN);
    mpfr_abs(product, product, MPFR_RNDN);
    mpfr_add(magnitude, magnitude, product, MPFR_RNDN);
  }
  mpfr_div(out, out, divisor, MPFR_RNDN);
  mpfr_div(magnitude, magnitude, divisor, MPFR_RNDN);
  mpfr_mul_d(radius, magnitude, bound_.by_mean, MPFR_RNDU);
  mpfr_abs(product, out, MPFR_RNDN);
  mpfr_mul_d(product, product, bound_.by_out, MPFR_RNDU);
  mpfr_add(radius, radius, product, MPFR_RNDU);
  mpfr_add_d(radius, radius, bound_.absolute, MPFR_RNDU);
  return around(out, radius);
}

MpfrInterval WideRow::log_sum_exp() const {
  Number log(precision_), radius(precision_), term(precision_);
  mpfr_log(log, total_, MPFR_RNDN);
  mpfr_abs(radius, log, MPFR_RNDN);
  mpfr_add(log, largest_, log, MPFR_RNDN);
  mpfr_abs(term, log, MPFR_RNDN);
  mpfr_add(radius, radius, term, MPFR_RNDU);
  mpfr_mul_2si(radius, radius, static_cast<long>(1 - precision_), MPFR_RNDU);  // two roundings, twice over
  mpfr_add_d(radius, radius, bound_.by_log_sum_exp, MPFR_RNDU);
  return around(log, radius);
}

}  // namespace attestone
