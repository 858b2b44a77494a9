// SPDX-License-Identifier: Apache-2.0
// Two rows of answers over parts of the keys, merged; and what the merged row may err by.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "conformance/verdict/bound_table.hpp"
#include "reference/call/partial.hpp"

namespace attestone::inline conformance {

/// One row as a kernel answered it over a part of the keys.
struct PartOfRow {
  double log_sum_exp;
  std::vector<double> out;
  std::unique_ptr<RowBound> bound;
};

/// The row over both parts: merged in double, with a bound that follows from the bounds of the parts.
class MergedRow {
 public:
  MergedRow(PartOfRow left, PartOfRow right);

  double got(index channel) const;  ///< log_sum_exp_channel included
  double allowed(index channel) const;

 private:
  /// By how much a weight moves if that distance errs by so much.
  double largest_move(double error) const;

  std::array<PartOfRow, 2> parts_;
  std::array<double, 2> weights_;
  std::vector<double> out_;
  double log_sum_exp_;
  bool one_is_empty_;
  double distance_;          ///< of the parts' log_sum_exp
  double rounded_distance_;  ///< the same where both parts have a weight
};

}  // namespace attestone::inline conformance
