// SPDX-License-Identifier: Apache-2.0
// Rows of doubles: a tensor as the ladder reads and writes it.
#pragma once

#include <span>
#include <vector>

#include "reference/tensor/row_reader.hpp"

namespace attestone {

/// Numbers [batch, head, row, channel]. An axis of extent 1 is shared: every index of it means the same row, so a bias
/// that all heads share is read, and its gradient added up, as if each head had one.
class Rows {
 public:
  /// All 0.
  explicit Rows(const Extents& extents) : extents_(extents), all_(static_cast<std::size_t>(element_count(extents))) {}
  /// Copies the elements of a tensor; rows that do not exist hold 0.
  explicit Rows(const ConstView& view) : Rows(view.extents()) { all_ = packed_values(view); }

  std::span<double> operator()(index batch, index head, index row) {
    return std::span(all_).subspan(first(batch, head, row), width());
  }
  std::span<const double> operator()(index batch, index head, index row) const {
    return std::span(all_).subspan(first(batch, head, row), width());
  }
  /// Every number, in the order of the axes.
  const std::vector<double>& all() const { return all_; }

 private:
  std::size_t width() const { return static_cast<std::size_t>(extents_[3]); }
  std::size_t first(index batch, index head, index row) const {
    const auto own = [&](index at, std::size_t axis) { return extents_[axis] == 1 ? 0 : at; };
    return static_cast<std::size_t>((own(batch, 0) * extents_[1] + own(head, 1)) * extents_[2] + own(row, 2)) * width();
  }

  Extents extents_;
  std::vector<double> all_;
};

}  // namespace attestone
