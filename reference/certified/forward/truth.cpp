// SPDX-License-Identifier: Apache-2.0
// Where certified answers are kept.
#include "reference/certified/forward/truth.hpp"

#include <algorithm>
#include <utility>

namespace attestone {

Truth::Truth(const Problem& problem, std::vector<index> queries)
    : shape_(problem.shape),
      queries_(std::move(queries)),
      value_dim_(static_cast<std::size_t>(problem.shape.value_dim)) {
  const auto rows = static_cast<std::size_t>(shape_.batch * shape_.heads) * queries_.size();
  out_.resize(rows * value_dim_);
  log_sum_exp_.resize(rows);
}

std::size_t Truth::at(index batch, index head, index row) const {
  return static_cast<std::size_t>(batch * shape_.heads + head) * queries_.size() + static_cast<std::size_t>(row);
}

const std::vector<double>* Truth::admissible(index batch, index head, index row, index channel) const {
  const auto found = admissible_.find({at(batch, head, row), channel});
  return found == admissible_.end() ? nullptr : &found->second;
}

void Truth::admit(index batch, index head, index row, index channel, std::vector<double> answers) {
  admissible_[{at(batch, head, row), channel}] = std::move(answers);
}

}  // namespace attestone
