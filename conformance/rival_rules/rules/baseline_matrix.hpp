// SPDX-License-Identifier: Apache-2.0
// A small matrix of floats, with the one product that the baseline needs.
#pragma once

#include <span>
#include <vector>

#include "reference/tensor/tensor.hpp"

namespace attestone::inline conformance {

/// Row-major floats.
class BaselineMatrix {
 public:
  BaselineMatrix(index rows, index columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}
  /// One head of a tensor; rows that do not exist are 0.
  BaselineMatrix(const ConstView&, index batch, index head);

  index rows() const { return rows_; }
  index columns() const { return columns_; }
  float& at(index row, index column) { return values_[static_cast<std::size_t>(row * columns_ + column)]; }
  float at(index row, index column) const { return values_[static_cast<std::size_t>(row * columns_ + column)]; }
  std::span<float> row(index row) { return {values_.data() + row * columns_, width()}; }
  std::span<const float> row(index row) const { return {values_.data() + row * columns_, width()}; }
  std::span<float> all() { return values_; }
  std::span<const float> all() const { return values_; }

  BaselineMatrix transposed() const;
  /// Every element through `change`.
  template <class Change>
  BaselineMatrix each(Change change) && {
    for (float& value : values_) value = change(value);
    return std::move(*this);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(columns_); }

  index rows_, columns_;
  std::vector<float> values_;
};

/// a b, each sum in f32 from the first term to the last.
BaselineMatrix operator*(const BaselineMatrix& a, const BaselineMatrix& b);

}  // namespace attestone::inline conformance
