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
  if (problem.wanted(TensorName::max_logits)) max_logits_.resize(rows);
}

Certified& Truth::element(index batch, index head, index row, index channel) {
  if (channel >= 0) return out(batch, head, row, channel);
  return channel == log_sum_exp_channel ? log_sum_exp(batch, head, row) : max_logits(batch, head, row);
}

const Certified& Truth::element(index batch, index head, index row, index channel) const {
  return const_cast<Truth*>(this)->element(batch, head, row, channel);
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
