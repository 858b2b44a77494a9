// SPDX-License-Identifier: Apache-2.0
// The answer of every step of the ladder: O and log_sum_exp in plain double.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "reference/shape.hpp"

namespace attestone {

/// O [batch, heads, queries, value_dim] and log_sum_exp [batch, heads, queries]. At first every row is empty: it has
/// seen no key, so O is 0 and log_sum_exp is -infinity (docs/rules.md, rule 4).
class Answer {
 public:
  explicit Answer(const Shape& shape)
      : shape_(shape),
        out_(static_cast<std::size_t>(shape.rows() * shape.value_dim), 0.0),
        log_sum_exp_(static_cast<std::size_t>(shape.rows()), -std::numeric_limits<double>::infinity()) {}

  /// Row (batch, head, query) of O: value_dim numbers.
  std::span<double> out(index batch, index head, index query) {
    return std::span(out_).subspan(row(batch, head, query) * channels(), channels());
  }
  std::span<const double> out(index batch, index head, index query) const {
    return std::span(out_).subspan(row(batch, head, query) * channels(), channels());
  }
  double& log_sum_exp(index batch, index head, index query) { return log_sum_exp_[row(batch, head, query)]; }
  double log_sum_exp(index batch, index head, index query) const { return log_sum_exp_[row(batch, head, query)]; }

 private:
  std::size_t row(index batch, index head, index query) const {
    return static_cast<std::size_t>((batch * shape_.heads + head) * shape_.queries + query);
  }
  std::size_t channels() const { return static_cast<std::size_t>(shape_.value_dim); }

  Shape shape_;
  std::vector<double> out_, log_sum_exp_;
};

}  // namespace attestone
