// SPDX-License-Identifier: Apache-2.0
// The bounds of every judged element of one problem, worked out once for all properties that compare with them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "reference/certified/forward/truth.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"

namespace attestone::inline conformance {

/// One row (batch, head, query) of the truth; `row` counts Truth::queries().
struct RowPlace {
  index batch, head, row, query;
};

/// The bounds of one row.
struct RowBounds {
  index visible_keys = 0;
  bool zeros_would_pass = true, mean_would_pass = true;  ///< an answer of zeros, or the mean of V, conforms here
  bool infinity_may_be_nan = false;                      ///< an infinite element of O
  bool may_be_any_number = false;                        ///< where the truth is not finite: the row reads codes of that
};

/// The bounds of all elements of O, log_sum_exp and, if it is asked for, max_logits, each computed once and then looked
/// up. The numbers of a row stand beside the channels of O.
class BoundTable {
 public:
  /// With or without a check of which answers that know nothing would pass; without it, all of them would.
  enum class Rows { with_weak_answers, without_weak_answers };

  /// True if bounds of the row are wanted.
  using Chosen = std::function<bool(const RowPlace&)>;

  /// Both must outlive the table. The result does not depend on the number of threads. Where rows are chosen, nothing
  /// may be asked about others.
  BoundTable(const Problem&, const Truth&, const ForwardBound&, Rows = Rows::with_weak_answers,
             const Chosen& = nullptr);

  /// The chosen rows of the truth.
  const std::vector<RowPlace>& places() const { return places_; }
  const RowBounds& row(std::size_t place) const { return rows_[place]; }
  double deterministic(std::size_t place, index channel) const { return deterministic_[at(place, channel)]; }
  /// Never above the probabilistic bound.
  double probabilistic_at_least(std::size_t place, index channel) const { return at_least_[at(place, channel)]; }
  /// Costly when first asked for; known from then on, also to probabilistic_at_least.
  double probabilistic(std::size_t place, index channel);
  /// For as long as no other row is asked for.
  const RowBound& bound_of_row(std::size_t place);

 private:
  std::unique_ptr<RowBound> row_bound(std::size_t place) const;
  void evaluate(const Truth&, std::size_t place);
  std::size_t at(std::size_t place, index channel) const {
    return place * stride_ + static_cast<std::size_t>(channel + numbers_of_row);
  }

  const ForwardBound& bound_;
  Rows asked_;
  std::size_t stride_;  // the numbers of a row and the channels of O
  std::vector<RowPlace> places_;
  std::vector<RowBounds> rows_;
  std::vector<double> deterministic_, at_least_;
  std::vector<bool> exact_;                      // whether at_least_ is the probabilistic bound itself
  bool keeps_rows_;                              // all of them: they are few and short
  std::vector<std::unique_ptr<RowBound>> kept_;  // by place
  std::vector<std::size_t> recent_;              // places whose rows are kept only until there are too many
};

}  // namespace attestone::inline conformance
