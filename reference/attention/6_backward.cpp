// SPDX-License-Identifier: Apache-2.0
// Each row of the score matrix sends its share to every input that had a part in it.
#include "reference/attention/6_backward.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/operands.hpp"

namespace attestone {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(std::span<double> sum, double factor, std::span<const double> row) {
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += factor * row[c];
}

/// One pair that takes part: its weight p, and the gradient of that.
struct Weight {
  Pair pair;
  double dropout, p, dp;
};

/// The weights of one row whose log_sum_exp is L.
std::vector<Weight> weights(const Operands& operands, Pair pair, double L) {
  std::vector<Weight> row;
  for (pair.key = 0; pair.key < operands.shape().keys; ++pair.key) {
    if (!operands.visible(pair)) continue;
    const double dropout = operands.dropout(pair);
    const double dp = dropout == 0 ? 0 : dropout * dot(operands.dout(pair), operands.value(pair));
    row.push_back({pair, dropout, std::exp(operands.score(pair) - L), dp});
  }
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
    if (L == -std::numeric_limits<double>::infinity()) return;
    const std::vector<Weight> row = weights(operands, {batch, head, query, 0}, L);
    double delta = 0;
    for (const Weight& of : row) delta += of.p * of.dp;
    const index kv_head = problem.shape.kv_head(head);
    for (const auto& [pair, dropout, p, dp] : row) {
      const double ds = p * (dp - delta), du = ds * operands.slope(pair);
      add(gradient.value(batch, kv_head, pair.key), dropout * p, operands.dout(pair));
      add(gradient.key(batch, kv_head, pair.key), du, operands.query(pair));
      add(gradient.query(batch, head, query), du, operands.key(pair));
      if (inputs.bias) gradient.bias(batch, head, query)[static_cast<std::size_t>(pair.key)] += ds;
    }
    if (inputs.sink) gradient.sink(batch, head, query)[0] -= std::exp(operands.sink(head) - L) * delta;
  });
  return gradient;
}

}  // namespace attestone
