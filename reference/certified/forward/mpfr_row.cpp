// SPDX-License-Identifier: Apache-2.0
// The definition of attention in MPFR, with the theorem's bound for unit roundoff 2^-precision.
#include "reference/certified/forward/mpfr_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attestone {
namespace {

constexpr int guard_bits = 8;
constexpr double lost_factor = 16;  ///< as in row_certificate, and room for the rounding of this bound

/// Every operation errs by one `unit`: MPFR rounds correctly, and what is counted here are operations.
Arithmetic correctly_rounded(double unit, double dim, double keys) {
  return {.unit = unit,
          .dot_error = (dim + 1) * unit,
          .scale_error = unit,
          .exp_error = 2 * unit,
          .cap_error = 4 * unit,
          .bias_error = 4 * unit,  // s + bias, and s - largest with |s - largest| <= 2 max |s|
          .sum_error = (keys + 1) * unit,
          .total_error = (keys + 3) * unit,  // with the sink, and times 1 - rate
          .lost_weight = 0,                  // see MpfrRow::lost
          .smallest = 0};
}

/// The certificate of scores of at most 2^exponent, computed with `asked` + guard_bits + exponent bits: the bits beyond
/// the asked ones are used up by the scores, so that nothing here is too large or too small for a double.
RowCertificate certificate(int asked, const RowMagnitudes& of_row, double dim, double keys) {
  RowMagnitudes m = of_row;
  m.raw_score = m.capped = 1;
  m.biased = 2;
  m.value_peak = m.score_terms = 0;
  return row_certificate(correctly_rounded(std::ldexp(1.0, -asked - guard_bits), dim, keys), m);
}

}  // namespace

MpfrRow::MpfrRow(const RowTask& task, std::span<const index> keys, int precision)
    : task_(&task),
      keys_(keys),
      precision_(precision + guard_bits + task.score_exponent(keys)),
      magnitudes_(task.magnitudes(keys, -std::numeric_limits<double>::infinity())),
      largest_(precision_),
      total_(precision_),
      bound_(
          certificate(precision, magnitudes_, static_cast<double>(task.head->dim), static_cast<double>(keys.size()))) {
  for (const index key : keys) weights_.push_back(score(key));
  if (task.sink) weights_.emplace_back(precision_, *task.sink);
  largest_ = *std::max_element(weights_.begin(), weights_.end(),
                               [](const Number& a, const Number& b) { return mpfr_less_p(a, b) != 0; });
  for (Number& weight : weights_) {
    mpfr_sub(weight, weight, largest_, MPFR_RNDN);
    mpfr_exp(weight, weight, MPFR_RNDN);
    if (mpfr_zero_p(weight) || mpfr_get_exp(weight) <= lost_exponent()) {
      mpfr_set_zero(weight, 1);
      any_lost_ = true;
    }
    mpfr_add(total_, total_, weight, MPFR_RNDN);
  }
}

mpfr_exp_t MpfrRow::lost_exponent() { return mpfr_get_emin() / 2; }

/// The most that lost weights may add to an answer: far too little for a double, and yet not zero.
Number MpfrRow::lost() const {
  Number lost(precision_, magnitudes_.value_peak);
  mpfr_mul_d(lost, lost, 2 * lost_factor * magnitudes_.terms * magnitudes_.value_factor, MPFR_RNDU);
  mpfr_mul_2si(lost, lost, lost_exponent(), MPFR_RNDU);
  return lost;
}

Number MpfrRow::score(index key) const {
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

MpfrInterval MpfrRow::around(const Number& value, const Number& radius) const {
  MpfrInterval interval{Number(precision_), Number(precision_)};
  mpfr_sub(interval.lowest, value, radius, MPFR_RNDD);
  mpfr_add(interval.highest, value, radius, MPFR_RNDU);
  return interval;
}

MpfrInterval MpfrRow::out(index channel) const {
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
  if (any_lost_) mpfr_add(radius, radius, lost(), MPFR_RNDU);
  return around(out, radius);
}

MpfrInterval MpfrRow::log_sum_exp() const {
  Number log(precision_), radius(precision_), term(precision_);
  mpfr_log(log, total_, MPFR_RNDN);
  mpfr_abs(radius, log, MPFR_RNDN);
  mpfr_add(log, largest_, log, MPFR_RNDN);
  mpfr_abs(term, log, MPFR_RNDN);
  mpfr_add(radius, radius, term, MPFR_RNDU);
  mpfr_mul_2si(radius, radius, 1 - precision_, MPFR_RNDU);  // two roundings, twice over
  mpfr_add_d(radius, radius, bound_.by_log_sum_exp, MPFR_RNDU);
  return around(log, radius);
}

}  // namespace attestone
