// SPDX-License-Identifier: Apache-2.0
// A loop over the sequences; inside, each query takes in the keys of its own.
#include "reference/attention/7_ragged.hpp"

#include <algorithm>

#include "reference/attention/operands.hpp"
#include "reference/call/partial.hpp"

namespace attestone {
namespace {

RowStarts running_sums(const Problem& problem) {
  RowStarts c{0};
  for (index b = 0; b < problem.shape.batch; ++b) c.push_back(c.back() + problem.sequence(b).queries);
  return c;
}

}  // namespace

RaggedAnswer ragged_attention(const Problem& problem, const Inputs& inputs) {
  const Operands operands(problem, inputs);
  const auto& [batches, heads, kv_heads, queries, most_keys, dim, value_dim] = problem.shape;
  const RowStarts c = running_sums(problem);
  RaggedAnswer answer{c, Rows({1, heads, c.back(), value_dim}), Rows({1, heads, c.back(), 1})};
  for (index b = 0; b < batches; ++b)
    for (index r = c[static_cast<std::size_t>(b)]; r < c[static_cast<std::size_t>(b) + 1]; ++r)
      for (index head = 0; head < heads; ++head) {
        Pair pair{b, head, r - c[static_cast<std::size_t>(b)], 0};
        Partial row = Partial::of_sink(operands.sink(head), value_dim);
        for (; pair.key < problem.sequence(b).keys; ++pair.key)
          if (operands.visible(pair))
            row.merge(Partial::of_key(operands.score(pair), operands.value(pair), operands.dropout(pair)));
        std::ranges::copy(row.out(), answer.out(0, head, r).begin());
        answer.log_sum_exp(0, head, r)[0] = row.log_sum_exp();
      }
  return answer;
}

}  // namespace attestone
