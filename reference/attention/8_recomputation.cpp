// SPDX-License-Identifier: Apache-2.0
// A tile of keys stays, tiles of queries pass by, and each visible pair is worked out again from s, L and delta.
#include "reference/attention/8_recomputation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attestone {
namespace {

/// delta_i = do_i . o_i [batch, heads, queries, 1]
Rows deltas(const Operands& operands, const Answer& answer) {
  const Shape& shape = operands.shape();
  Rows delta({shape.batch, shape.heads, shape.queries, 1});
  for_each_row(shape, [&](index batch, index head, index query) {
    const auto o = answer.out(batch, head, query), dout = operands.dout({batch, head, query, 0});
    delta(batch, head, query)[0] = std::inner_product(o.begin(), o.end(), dout.begin(), 0.0);
  });
  return delta;
}

}  // namespace

Gradient recomputed_gradient(const Problem& problem, const Inputs& inputs, const Answer& answer, index query_block,
                             index key_block) {
  require(inputs.dout.has_value(), "a problem with gradients has a dO");
  const Shape& shape = problem.shape;
  const Operands operands(problem, inputs);
  const Rows delta = deltas(operands, answer);
  Gradient gradient(inputs);
  const auto visit = [&](const Pair& pair) {
    if (!operands.visible(pair)) return;
    const double L = answer.log_sum_exp(pair.batch, pair.head, pair.query);
    const double p = std::exp(operands.score(pair) - L), dp = weight_gradient(operands, pair);
    const double ds = p * (dp - delta(pair.batch, pair.head, pair.query)[0]);
    gradient.add(operands, pair, p, ds);
    if (inputs.sink) gradient.sink(0, pair.head, 0)[0] -= ds;
  };
  for (Pair at; at.batch < shape.batch; ++at.batch)
    for (at.head = 0; at.head < shape.heads; ++at.head)
      for (index key_tile = 0; key_tile < shape.keys; key_tile += key_block)
        for (index query_tile = 0; query_tile < shape.queries; query_tile += query_block)
          for (at.query = query_tile; at.query < std::min(query_tile + query_block, shape.queries); ++at.query)
            for (at.key = key_tile; at.key < std::min(key_tile + key_block, shape.keys); ++at.key) visit(at);
  return gradient;
}

}  // namespace attestone
