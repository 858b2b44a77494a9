// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic on dyadic numbers: MPFR tells whether it rounded, and precision is doubled until it did not.
#include "reference/certified/forward/ties.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace attestone {
namespace {

/// Runs `compute` (a function of the precision that returns a Number and whether it is exact) until it is exact.
template <class Compute>
Number exactly(Compute compute) {
  constexpr mpfr_prec_t first_precision = 512;
  for (mpfr_prec_t precision = first_precision;; precision *= 2) {
    bool exact = true;
    Number result = compute(precision, exact);
    if (exact) return result;
  }
}

/// A score as far as it is algebraic: what the softcap bends, and what is added after it.
struct AlgebraicScore {
  Number linear;  ///< scale q.k, plus the bias if there is no softcap
  double bias;    ///< the bias if there is a softcap

  bool operator<(const AlgebraicScore& other) const {
    const int order = mpfr_cmp(linear, other.linear);
    return order != 0 ? order < 0 : bias < other.bias;
  }
};

AlgebraicScore algebraic_score(const RowTask& task, index key) {
  const bool has_bias = task.problem->score.has_bias(), capped = task.problem->score.softcap().has_value();
  const double bias = has_bias ? task.bias(key) : 0;
  Number linear = exactly([&](mpfr_prec_t precision, bool& exact) {
    Number sum(precision), product(precision);
    for (index c = 0; c < task.head->dim; ++c) {
      mpfr_set_d(product, task.head->key_at(key, c), MPFR_RNDN);
      exact &= mpfr_mul_d(product, product, task.query_values[static_cast<std::size_t>(c)], MPFR_RNDN) == 0;
      exact &= mpfr_add(sum, sum, product, MPFR_RNDN) == 0;
    }
    exact &= mpfr_mul_d(sum, sum, task.problem->scale(), MPFR_RNDN) == 0;
    if (!capped) exact &= mpfr_add_d(sum, sum, bias, MPFR_RNDN) == 0;
    return sum;
  });
  return {linear, capped ? bias : 0};
}

/// A sink is not bent: with a softcap it is c tanh 0 and a bias.
AlgebraicScore algebraic_sink(const RowTask& task) {
  const Number sink(std::numeric_limits<double>::digits, *task.sink);
  if (!task.problem->score.softcap()) return {sink, 0};
  return {Number(std::numeric_limits<double>::digits), *task.sink};
}

}  // namespace

ExactScores::ExactScores(const RowTask& task, std::span<const index> keys) : task_(&task) {
  constexpr index sink_key = -1;
  std::map<AlgebraicScore, std::vector<index>> groups;
  if (task.sink) groups[algebraic_sink(task)].push_back(sink_key);
  for (const index key : keys) groups[algebraic_score(task, key)].push_back(key);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const bool has_sink = std::erase(group->second, sink_key) > 0;
    groups_.push_back({group->first.linear, std::move(group->second), has_sink});
  }
  if (keys.size() + task.sink.has_value() != 1) return;
  const AlgebraicScore& only = groups.begin()->first;
  if (!task.problem->score.softcap())
    only_score_ = only.linear;
  else if (mpfr_zero_p(only.linear))  // c tanh 0 = 0; of any other number it is transcendental
    only_score_ = Number(std::numeric_limits<double>::digits, only.bias);
}

Number ExactScores::difference(const Group& group, index channel, const Number& t) const {
  return exactly([&](mpfr_prec_t precision, bool& exact) {
    const auto members = static_cast<long>(group.keys.size()) + group.has_sink;
    Number total(precision, 1);
    exact &= mpfr_sub_d(total, total, task_->problem->dropout, MPFR_RNDN) == 0;
    exact &= mpfr_mul(total, total, t, MPFR_RNDN) == 0;
    exact &= mpfr_mul_si(total, total, -members, MPFR_RNDN) == 0;
    for (const index key : group.keys)
      if (bit(task_->kept, key)) exact &= mpfr_add_d(total, total, task_->head->value_at(key, channel), MPFR_RNDN) == 0;
    return total;
  });
}

std::optional<int> ExactScores::sign_of_difference(index channel, const Number& t) const {
  constexpr mpfr_prec_t precision = 128;
  constexpr long guard = 64;  // far more than the roundings of a sum of 2^60 terms
  Number sum(precision), magnitude(precision), weight(precision);
  const Group* leader = nullptr;
  for (const Group& group : groups_) {
    const Number d = difference(group, channel, t);
    if (mpfr_zero_p(d)) continue;
    if (task_->problem->score.softcap()) return std::nullopt;
    if (!leader) leader = &group;
    // Weights that can change the sign, beside the leader's 1 and whatever D is, have exponents below 2^12 and so a
    // relative error below 2^-115. All others may be as inexact as they like, or too small even for MPFR.
    mpfr_sub(weight, group.score, leader->score, MPFR_RNDN);
    mpfr_exp(weight, weight, MPFR_RNDN);
    mpfr_mul(weight, weight, d, MPFR_RNDN);
    mpfr_add(sum, sum, weight, MPFR_RNDN);
    mpfr_abs(weight, weight, MPFR_RNDN);
    mpfr_add(magnitude, magnitude, weight, MPFR_RNDN);
  }
  if (!leader) return 0;
  mpfr_div_2si(magnitude, magnitude, precision - guard, MPFR_RNDU);
  if (mpfr_cmpabs(sum, magnitude) <= 0) return std::nullopt;
  return mpfr_sgn(sum) > 0 ? 1 : -1;
}

std::optional<Number> ExactScores::rational_log_sum_exp() const { return only_score_; }

std::optional<Number> simplest_number(const MpfrInterval& interval) {
  constexpr mpfr_prec_t boundary_bits = std::numeric_limits<double>::digits + 1;  // of a boundary of f64
  if (!mpfr_number_p(interval.lowest) || !mpfr_number_p(interval.highest)) return std::nullopt;
  if (mpfr_sgn(interval.lowest) <= 0 && mpfr_sgn(interval.highest) >= 0) return Number(boundary_bits);
  const bool negative = mpfr_sgn(interval.highest) < 0;
  const Number& far = negative ? interval.lowest : interval.highest;
  const Number& near = negative ? interval.highest : interval.lowest;
  for (mpfr_prec_t bits = 1; bits <= boundary_bits; ++bits) {
    Number candidate(bits);
    mpfr_set(candidate, far, MPFR_RNDZ);
    if (mpfr_cmpabs(candidate, near) >= 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace attestone
