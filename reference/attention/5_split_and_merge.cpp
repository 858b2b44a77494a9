// SPDX-License-Identifier: Apache-2.0
// Every part of the keys is answered apart; then the answers merge.
#include "reference/attention/5_split_and_merge.hpp"

#include <algorithm>

#include "reference/attention/operands.hpp"
#include "reference/call/partial.hpp"

namespace attestone {
namespace {

/// One query's knowledge after the keys first <= key < end.
Partial part(const Operands& operands, Pair pair, index first, index end) {
  Partial known(operands.shape().value_dim);
  for (pair.key = first; pair.key < end; ++pair.key)
    if (operands.visible(pair))
      known.merge(Partial::of_key(operands.score(pair), operands.value(pair), operands.dropout(pair)));
  return known;
}

}  // namespace

Answer split_attention(const Problem& problem, const Inputs& inputs, index parts) {
  const Operands operands(problem, inputs);
  const index keys = problem.shape.keys;
  Answer answer(problem.shape);
  for_each_row(problem.shape, [&](index batch, index head, index query) {
    Partial all = Partial::of_sink(operands.sink(head), problem.shape.value_dim);  // here, and in no part
    for (index t = 0; t < parts; ++t) {
      const Partial own = part(operands, {batch, head, query, 0}, keys * t / parts, keys * (t + 1) / parts);
      // Only the answer of a part travels, as it would between devices.
      all.merge(Partial::of_answer(own.log_sum_exp(), own.out()));
    }
    const std::vector<double> o = all.out();
    std::copy(o.begin(), o.end(), answer.out(batch, head, query).begin());
    answer.log_sum_exp(batch, head, query) = all.log_sum_exp();
  });
  return answer;
}

}  // namespace attestone
