// SPDX-License-Identifier: Apache-2.0
// Adding biases by formula or from the tensor.
#include "reference/call/bias.hpp"

#include "reference/registry.hpp"

namespace attestone {

Bias::Bias(const Problem& problem, const Inputs& inputs) : problem_(problem) {
  if (problem.score.bias_tensor()) {
    const Shape& s = problem.shape;
    tensor_ = inputs.bias->view().broadcast_to({s.batch, s.heads, s.queries, s.keys});
  } else if (const ScoreTerm* term = problem.score.bias_formula()) {
    formula_ = Registry<BiasRule>::find(term->rule);
    argument_ = term->argument;
  }
}

void Bias::add_to(const Pair& first, std::span<double> row) const {
  if (formula_) formula_->add_biases(problem_.shape, problem_.sequence(first.batch), argument_, first, row);
  if (tensor_)
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] += tensor_->value(first.batch, first.head, first.query, first.key + static_cast<index>(i));
}

double Bias::of(const Pair& pair) const {
  double bias = 0;
  add_to(pair, {&bias, 1});
  return bias;
}

}  // namespace attestone
