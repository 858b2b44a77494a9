// SPDX-License-Identifier: Apache-2.0
// The addends of one row's answer: the values of its entries, after dropout.
#pragma once

#include <vector>

#include "reference/error_bound/forward/row_scores.hpp"

namespace attestone {

/// Entry j, a visible key or the sink, contributes p_j z_j v_j; the sink, and a key that dropout drops, nothing.
class ValueRows {
 public:
  ValueRows(const DecodedInputs&, const RowScores&, index batch, index head, index query);

  /// z_j v_jc
  double operator()(std::size_t entry, std::size_t channel) const { return factor_ * rows_[entry][channel]; }
  /// The value_dim numbers v_j, or zeros.
  const double* row(std::size_t entry) const { return rows_[entry]; }
  /// The given value row, also of a key that dropout drops.
  const double* given(std::size_t entry) const { return entry < given_.size() ? given_[entry] : rows_[entry]; }
  /// |z_j v'_jc - z_j v_jc|, at most, where a kernel reads v'.
  double slack(std::size_t entry, std::size_t channel) const {
    return slack_.empty() || !slack_[entry] ? 0 : factor_ * slack_[entry][channel];
  }
  bool has_slack() const { return !slack_.empty(); }
  /// True if dropout keeps the entry; false for the sink.
  bool keeps(std::size_t entry) const { return rows_[entry] != nothing_; }
  /// z where it is not 0: 1, or 1 / (1 - rate).
  double factor() const { return factor_; }
  std::size_t size() const { return rows_.size(); }
  std::size_t channels() const { return channels_; }

 private:
  std::vector<const double*> rows_;
  std::vector<const double*> given_;  ///< of each key; empty: dropout drops none
  std::vector<const double*> slack_;  ///< of each entry, or null; empty: all are known
  const double* nothing_;
  std::size_t channels_;
  double factor_ = 1;
};

}  // namespace attestone
