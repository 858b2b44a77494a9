// SPDX-License-Identifier: Apache-2.0
// Each row of the score matrix sends its share to every input that had a part in it.
#include "reference/attention/6_backward.hpp"

#include <cmath>
#include <limits>

#include "reference/attention/2_stable.hpp"

namespace attestone {
namespace {

/// One pair that takes part: its weight p, and the gradient of that.
struct Weight {
  Pair pair;
  double p, dp;
};

/// The weights of one row whose log_sum_exp is L.
std::vector<Weight> weights(const Operands& operands, Pair pair, double L) {
  std::vector<Weight> row;
  for (pair.key = 0; pair.key < operands.shape().keys; ++pair.key)
    if (operands.visible(pair))
      row.push_back({pair, std::exp(operands.score(pair) - L), weight_gradient(operands, pair)});
  return row;
}

}  // namespace

Gradient attention_gradient(const Problem& problem, const Inputs& inputs) {
  require(inputs.dout.has_value(), "a problem with gradients has a dO");
  const Operands operands(problem, inputs);
  const Answer answer = stable_attention(problem, inputs);
  Gradient gradient(inputs);
  for_each_row(problem.shape, [&](index batch, index head, index query) {
    const double L = answer.log_sum_exp(batch, head, query);
    if (L == -std::numeric_limits<double>::infinity()) return;  // nobody to send to
    const std::vector<Weight> row = weights(operands, {batch, head, query, 0}, L);
    double delta = 0;
    for (const Weight& of : row) delta += of.p * of.dp;
    for (const auto& [pair, p, dp] : row) gradient.add(operands, pair, p, p * (dp - delta));
    if (inputs.sink) gradient.sink(0, head, 0)[0] -= std::exp(operands.sink(head) - L) * delta;
  });
  return gradient;
}

}  // namespace attestone
