// SPDX-License-Identifier: Apache-2.0
// Products by rows, so that neighbouring sums advance together.
#include "conformance/rival_rules/rules/baseline_matrix.hpp"

namespace attestone::inline conformance {

BaselineMatrix::BaselineMatrix(const ConstView& view, index batch, index head)
    : BaselineMatrix(view.extents()[2], view.extents()[3]) {
  for (index r = 0; r < view.rows(batch); ++r)
    for (index c = 0; c < columns_; ++c) at(r, c) = static_cast<float>(view.value(batch, head, r, c));
}

BaselineMatrix BaselineMatrix::transposed() const {
  BaselineMatrix other(columns_, rows_);
  for (index r = 0; r < rows_; ++r)
    for (index c = 0; c < columns_; ++c) other.at(c, r) = at(r, c);
  return other;
}

BaselineMatrix operator*(const BaselineMatrix& a, const BaselineMatrix& b) {
  BaselineMatrix sums(a.rows(), b.columns());
  if (sums.all().empty()) return sums;
  for (index i = 0; i < a.rows(); ++i) {
    const std::span<float> sum = sums.row(i);
    for (index k = 0; k < a.columns(); ++k) {
      const float factor = a.at(i, k);
      const std::span<const float> terms = b.row(k);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * terms[j];
    }
  }
  return sums;
}

}  // namespace attestone::inline conformance
