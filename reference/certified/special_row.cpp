// SPDX-License-Identifier: Apache-2.0
// Classifying the scores and values of a row that sees NaN or infinities.
#include "reference/certified/special_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/enclosure.hpp"
#include "reference/certified/mpfr_stage.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const Certified not_a_number{nan, 0, nan, true};

class SpecialRow {
 public:
  SpecialRow(const RowTask& task, const Inputs& inputs, const RowAnswer& answer, Decisions& decisions)
      : task_(task), inputs_(inputs), answer_(answer), decisions_(decisions), keys_(task.keys()) {
    for (const index key : keys_) raw_.push_back(raw_score(key));
    for (std::size_t i = 0; i < keys_.size(); ++i) scores_.push_back(score(i));
  }

  OpenElements answer(OpenElements open) {
    const double sink = task_.sink.value_or(-infinity);
    const auto any = [&](auto is) { return is(sink) || std::any_of(scores_.begin(), scores_.end(), is); };
    const std::vector<double> of_nan = keeps_any() ? std::vector<double>{} : std::vector<double>{nan, 0};
    if (any([](double s) { return std::isnan(s); })) return answer_all(not_a_number, of_nan, not_a_number, {});
    if (any([](double s) { return s == infinity; }))
      return answer_all(not_a_number, of_nan, not_a_number, {nan, infinity});
    top_ = std::max(sink, *std::max_element(scores_.begin(), scores_.end()));
    if (top_ == -infinity) return answer_all(not_a_number, {nan, 0}, {-infinity, 0, -infinity, true}, {-infinity, nan});
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
  index kv_head() const { return task_.problem->shape.kv_head(task_.query_head); }
  double value(std::size_t i, index channel) const {
    return inputs_.value.view().value(task_.batch, kv_head(), keys_[i], channel);
  }

  double raw_score(index key) const {
    double sum = 0;
    for (index c = 0; c < task_.problem->shape.dim; ++c)
      sum += inputs_.query.view().value(task_.batch, task_.query_head, task_.query, c) *
             inputs_.key.view().value(task_.batch, kv_head(), key, c);
    return sum * task_.problem->scale();
  }
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
  bool dropped(std::size_t i) const { return !bit(task_.kept, keys_[i]); }
  bool keeps_any() const {
    return std::any_of(keys_.begin(), keys_.end(), [&](index key) { return bit(task_.kept, key); });
  }
  /// Whether the weight of a key is below what the input's format can hold: kernels may take it for 0.
  bool vanishes(std::size_t i) const { return std::exp(scores_[i] - top_) < 2 * task_.problem->input.underflow(); }

  OpenElements answer_all(const Certified& out, const std::vector<double>& out_admissible, const Certified& log_sum_exp,
                          const std::vector<double>& log_admissible) {
    for (index channel = 0; channel < value_dim(); ++channel) {
      answer_.out(channel) = out;
      if (!out_admissible.empty()) answer_.admit(channel, out_admissible);
    }
    answer_.log_sum_exp() = log_sum_exp;
    if (!log_admissible.empty()) answer_.admit(-1, log_admissible);
    return {};
  }

  void answer_special_value(index channel) {
    double sum = 0;                                   // only NaN and infinities matter
    bool all_vanish = true, any_may_be_zero = false;  // the weights of infinities, or the dropped ones
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const double v = value(i, channel);
      if (std::isfinite(v)) continue;
      any_may_be_zero = any_may_be_zero || dropped(i) || vanishes(i);
      if (dropped(i)) continue;
      all_vanish = all_vanish && vanishes(i);
      if (scores_[i] != -infinity || std::isnan(v)) sum += v;
    }
    if (sum == 0 || (all_vanish && !std::isnan(sum))) {
      recompute(channel, sum, sum != 0);
    } else {
      answer_.out(channel) = {sum, 0, sum, true};
      if (any_may_be_zero && !std::isnan(sum)) answer_.admit(channel, {sum, nan});
    }
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
  /// `otherwise` is the infinity that is accepted too.
  void recompute(index channel, double otherwise, bool otherwise_is_the_answer) {
    const auto hidden = [&](std::size_t i) { return !dropped(i) && !std::isfinite(value(i, channel)); };
    if (!decide_without(hidden, {{channel}, false})) answer_.out(channel) = not_a_number;
    if (!has_special_value(channel)) return;
    std::vector<double> admissible{answer_.out(channel).rounded, nan};
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (!dropped(i) && std::isinf(value(i, channel))) admissible.push_back(value(i, channel));
    answer_.admit(channel, admissible);
    if (otherwise_is_the_answer) answer_.out(channel) = {otherwise, 0, otherwise, true};
  }

  /// log_sum_exp, and the channels that no special value concerns.
  void recompute_all() {
    OpenElements ordinary{{}, true};
    for (index channel = 0; channel < value_dim(); ++channel)
      if (!has_special_value(channel)) ordinary.channels.push_back(channel);
    decide_without([](std::size_t) { return false; }, ordinary);
  }

  const RowTask& task_;
  const Inputs& inputs_;
  const RowAnswer& answer_;
  Decisions& decisions_;
  std::vector<index> keys_;
  std::vector<double> raw_, scores_;  ///< before and after softcap and bias, in plain double
  double top_ = 0;
};

}  // namespace

OpenElements answer_special_row(const RowTask& task, const Inputs& inputs, OpenElements open, const RowAnswer& answer,
                                Decisions& decisions) {
  return SpecialRow(task, inputs, answer, decisions).answer(std::move(open));
}

}  // namespace attestone
