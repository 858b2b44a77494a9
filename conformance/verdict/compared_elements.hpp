// SPDX-License-Identifier: Apache-2.0
// Answer, truth and bounds, put side by side for each element.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "conformance/verdict/bound_table.hpp"
#include "conformance/verdict/element_error.hpp"
#include "conformance/verdict/error_field.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {

/// Answer, truth and bounds of single elements; for one thread, and quickest row by row.
class ComparedElements {
 public:
  ComparedElements(const Truth& truth, const BoundTable& bounds, const Outputs& got, double log_sum_exp_unit)
      : truth_(truth),
        bounds_(bounds),
        log_sum_exp_unit_(log_sum_exp_unit),
        out_(got.out.view()),
        log_sum_exp_(got.log_sum_exp.view()),
        max_logits_(got.max_logits ? std::optional(got.max_logits->view()) : std::nullopt),
        reader_(out_),
        row_(static_cast<std::size_t>(out_.extents()[3])) {
    if (max_logits_) asked_.push_back(max_logits_channel);
    if (log_sum_exp_.exists()) asked_.push_back(log_sum_exp_channel);
    for (index c = 0; c < channels(); ++c) asked_.push_back(c);
  }

  /// The elements of a row that are asked for: its numbers, and the channels of O.
  std::span<const index> asked() const { return asked_; }
  const DType& format(index channel) const { return channel < 0 ? log_sum_exp_.dtype() : out_.dtype(); }
  double got(std::size_t place, index channel) const {
    const RowPlace& at = bounds_.places()[place];
    if (channel < 0) {
      const ConstView& numbers = channel == log_sum_exp_channel ? log_sum_exp_ : *max_logits_;
      return log_sum_exp_unit_ * numbers.value(at.batch, at.head, at.query, 0);
    }
    if (place_of_row_ != place) reader_.read(at.batch, at.head, at.query, row_), place_of_row_ = place;
    return row_[static_cast<std::size_t>(channel)];
  }
  const Certified& truth(std::size_t place, index channel) const {
    const RowPlace& at = bounds_.places()[place];
    return truth_.element(at.batch, at.head, at.row, channel);
  }
  double error(std::size_t place, index channel) const { return error_of(got(place, channel), place, channel); }
  double error_of(double answer, std::size_t place, index channel) const {
    const RowPlace& at = bounds_.places()[place];
    const bool infinite = channel >= 0 && std::isinf(truth(place, channel).value);
    if (infinite && std::isnan(answer) && bounds_.row(place).infinity_may_be_nan) return 0;
    return element_error(answer, truth(place, channel), bounds_.deterministic(place, channel), format(channel),
                         truth_.admissible(at.batch, at.head, at.row, channel));
  }
  /// True if the scores of the row are finite; also if it sees no key.
  bool has_finite_scores(std::size_t place) const {
    return std::isfinite(truth(place, log_sum_exp_channel).value) || bounds_.row(place).visible_keys == 0;
  }
  /// True if NaN or an infinity is the only right answer in every order of IEEE evaluation, so that none needs a bound:
  /// of a row whose scores are not finite, or of finite scores that stay in range. (Where an answer without the special
  /// value is right too, how far that may be off is not known.)
  bool is_certainly_special(std::size_t place, index channel) const {
    const RowPlace& at = bounds_.places()[place];
    const std::vector<double>* admissible = truth_.admissible(at.batch, at.head, at.row, channel);
    if (std::isfinite(truth(place, channel).value) && !admissible) return false;
    if (bounds_.row(place).may_be_any_number) return false;
    const auto needs_bound = [](double answer) { return std::isfinite(answer) && answer != 0; };
    if (admissible && std::any_of(admissible->begin(), admissible->end(), needs_bound)) return false;
    return !has_finite_scores(place) || std::isfinite(bounds_.deterministic(place, log_sum_exp_channel));
  }
  double ulp(std::size_t place, index channel) const {
    const double right = truth(place, channel).value;
    return unit_in_last_place(format(channel), std::isfinite(right) ? right : 0);
  }
  /// |got - truth| / unit; of no meaning where one of them is not finite.
  double ulps(std::size_t place, index channel, double unit) const {
    const double answer = got(place, channel), right = truth(place, channel).value;
    return std::isfinite(answer) && std::isfinite(right) ? std::abs(answer - right) / unit : ErrorField::none;
  }
  /// The tensors that are asked for, O first.
  std::vector<TensorName> tensors() const {
    std::vector<TensorName> all;
    if (out_.exists()) all.push_back(TensorName::out);
    if (log_sum_exp_.exists()) all.push_back(TensorName::log_sum_exp);
    if (max_logits_) all.push_back(TensorName::max_logits);
    return all;
  }
  /// The errors of one of them, none of which is known yet.
  ErrorField field(TensorName tensor) const {
    Extents extents = tensor == TensorName::out ? out_.extents() : log_sum_exp_.extents();
    extents[2] = std::ssize(truth_.queries());
    return {text(tensor), {"batch", "head", "query", "channel"}, extents, truth_.queries()};
  }
  /// The unit of the largest finite element of O of each sequence and head: beside an element that happens to cancel to
  /// nearly 0, any error is a vast number of that element's own units, and says nothing.
  std::map<std::pair<index, index>, double> units_of_heads() const {
    std::map<std::pair<index, index>, double> units;
    for (std::size_t place = 0; place < bounds_.places().size(); ++place) {
      double& unit = units[{bounds_.places()[place].batch, bounds_.places()[place].head}];
      for (index c = 0; c < channels(); ++c) unit = std::max(unit, ulp(place, c));
    }
    return units;
  }

 private:
  index channels() const { return out_.exists() ? out_.extents()[3] : 0; }

  const Truth& truth_;
  const BoundTable& bounds_;
  double log_sum_exp_unit_;
  ConstView out_, log_sum_exp_;
  std::optional<ConstView> max_logits_;
  std::vector<index> asked_;
  RowReader reader_;
  mutable std::vector<double> row_;  ///< of O, that was asked about last
  mutable std::optional<std::size_t> place_of_row_;
};

}  // namespace attestone::inline conformance
