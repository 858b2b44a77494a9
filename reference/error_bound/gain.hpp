// SPDX-License-Identifier: Apache-2.0
// The gain of a tensor: what share of the truth an answer reproduces on the whole (docs/tolerance.md, "Gain").
#pragma once

#include <span>
#include <vector>

namespace attestone {

/// Sums over the rows of one tensor, for the gain G = <answer, truth> / <truth, truth> and the bound on |G - 1|.
///
/// Rows are independent, equal ones are not: rows that a kernel cannot but compute alike (the same query, in the same
/// head, over the same keys) bear the same `kind`.
class Gain {
 public:
  /// One row: truth, answer and bounds by channel.
  void add(std::span<const double> truth, std::span<const double> answer, std::span<const double> bound,
           std::size_t kind);

  double gain() const;
  /// |G - 1| of a conforming answer: (sum_kinds (sum_rows sum_c B_c |x_c|)^2)^(1/2) / sum x^2.
  double bound() const;

 private:
  double agreement_ = 0, size_ = 0;
  std::vector<double> kinds_;  ///< sum of B |x| over the rows of each kind
};

}  // namespace attestone
