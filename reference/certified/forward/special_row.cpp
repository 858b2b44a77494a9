// SPDX-License-Identifier: Apache-2.0
// Classifying the scores and values of a row that sees NaN or infinities.
#include "reference/certified/forward/special_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/forward/mpfr_stage.hpp"
#include "reference/certified/forward/possible_row.hpp"
#include "reference/certified/numbers/enclosure.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const Certified not_a_number{nan, 0, nan, true};

class SpecialRow {
 public:
  SpecialRow(const RowTask& task, const Inputs& inputs, const RowAnswer& answer, Decisions& decisions)
      : task_(task),
        answer_(answer),
        decisions_(decisions),
        keys_(task.keys()),
        row_(*task.problem, inputs, *task.biases, {task.batch, task.query_head, task.query, 0}, task.visible, task.kept,
             task.sink == -infinity ? std::nullopt : task.sink) {
    for (std::size_t i = 0; i < keys_.size(); ++i) raw_.push_back(row_.product(i) * task.problem->scale());
    for (std::size_t i = 0; i < keys_.size(); ++i) scores_.push_back(score(i));
  }

  OpenElements answer(OpenElements open) {
    if (!row_.has_maximum()) return answer_without_maximum();
    const auto all_finite = [](const std::vector<double>& all) {
      return std::all_of(all.begin(), all.end(), [](double s) { return std::isfinite(s); });
    };
    if (all_finite(raw_) && all_finite(scores_)) {
      std::erase_if(open.channels, [&](index channel) { return has_special_value(channel); });
    } else {  // the tiles knew nothing of the infinite scores: everything is computed anew
      recompute_all();
      open = {};
    }
    for (index channel = 0; channel < value_dim(); ++channel)
      if (has_special_value(channel)) answer_special_value(channel);
    return open;
  }

 private:
  index value_dim() const { return task_.problem->shape.value_dim; }
  double value(std::size_t i, index channel) const { return row_.value(i, channel); }

  double score(std::size_t i) const {
    const Problem& p = *task_.problem;
    const auto cap = p.score.softcap();
    return (cap ? *cap * std::tanh(raw_[i] / *cap) : raw_[i]) + task_.bias(keys_[i]);
  }
  bool has_special_value(index channel) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (!std::isfinite(value(i, channel))) return true;
    return false;
  }
  bool dropped(std::size_t i) const { return !row_.pairs()[i].kept; }

  /// A score NaN or +inf, or nothing but -inf: NaN wherever another answer is not admissible as well.
  OpenElements answer_without_maximum() {
    for (index channel = 0; channel < value_dim(); ++channel) {
      answer_.out(channel) = not_a_number;
      admit(channel, row_.out(channel), 0);
    }
    const Possible logarithm = row_.log_sum_exp();
    const bool empty = logarithm.meets(Possible::minus_infinite);
    answer_.log_sum_exp() = empty ? Certified{-infinity, 0, -infinity, true} : not_a_number;
    admit(-1, logarithm, 0);
    return {};
  }

  /// Where several answers are right: all of them, `finite` being the one that is a number.
  void admit(index channel, Possible kinds, double finite) {
    std::vector<double> answers;
    if (kinds.may_be_finite()) answers.push_back(finite);
    for (const double special : {nan, infinity, -infinity})
      if (kinds.meets(Possible::of(special))) answers.push_back(special);
    if (answers.size() > 1) answer_.admit(channel, answers);
  }

  void answer_special_value(index channel) {
    const Possible kinds = row_.out(channel);
    double sum = 0;  // only NaN and infinities matter
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (!dropped(i) && scores_[i] != -infinity && !std::isfinite(value(i, channel))) sum += value(i, channel);
    if (kinds.may_be_finite()) decide_finite(channel);
    const double finite = answer_.out(channel).rounded;
    if (sum != 0 || !kinds.may_be_finite()) answer_.out(channel) = {sum, 0, sum, true};
    admit(channel, kinds, finite);
  }

  /// Decides elements of the row in which hidden(i) keys, and those of score -infinity, do not take part. False if no
  /// key and no sink remains.
  template <class Hidden>
  bool decide_without(Hidden hidden, const OpenElements& open) {
    std::vector<std::uint64_t> visible(task_.visible.begin(), task_.visible.end());
    RowTask task = task_;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (hidden(i) || scores_[i] == -infinity)
        visible[static_cast<std::size_t>(keys_[i] / keys_per_word)] &=
            ~(std::uint64_t{1} << (keys_[i] % keys_per_word));
      else if (std::isinf(raw_[i]))
        task.infinite_scores[keys_[i]] = raw_[i];
    }
    task.visible = visible;
    if (task.keys().empty() && !task.sink) return false;
    decide_in_mpfr(task, open, answer_, decisions_);
    return true;
  }

  /// The answer without the keys whose value is not finite; a dropped one keeps its weight in the denominator.
  void decide_finite(index channel) {
    const auto hidden = [&](std::size_t i) { return !dropped(i) && !std::isfinite(value(i, channel)); };
    if (!decide_without(hidden, {{channel}, false})) answer_.out(channel) = {};
  }

  /// log_sum_exp, and the channels that no special value concerns.
  void recompute_all() {
    OpenElements ordinary{{}, true};
    for (index channel = 0; channel < value_dim(); ++channel)
      if (!has_special_value(channel)) ordinary.channels.push_back(channel);
    decide_without([](std::size_t) { return false; }, ordinary);
    for (const index channel : ordinary.channels) admit(channel, row_.out(channel), answer_.out(channel).rounded);
    admit(-1, row_.log_sum_exp(), answer_.log_sum_exp().rounded);
  }

  const RowTask& task_;
  const RowAnswer& answer_;
  Decisions& decisions_;
  std::vector<index> keys_;
  PossibleRow row_;                   ///< its pairs are those of keys_
  std::vector<double> raw_, scores_;  ///< before and after softcap and bias, in plain double
};

}  // namespace

OpenElements answer_special_row(const RowTask& task, const Inputs& inputs, OpenElements open, const RowAnswer& answer,
                                Decisions& decisions) {
  return SpecialRow(task, inputs, answer, decisions).answer(std::move(open));
}

}  // namespace attestone
