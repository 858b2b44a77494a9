// SPDX-License-Identifier: Apache-2.0
// Attention as it is defined: an average of values, weighted by the exponentials of the scores.
#include "reference/attention/1_definition.hpp"

#include <cmath>

#include "reference/attention/operands.hpp"

namespace attestone {

Answer attention_by_definition(const Problem& problem, const Inputs& inputs) {
  const Operands operands(problem, inputs);
  Answer answer(problem.shape);
  for_each_row(problem.shape, [&](index batch, index head, index query) {
    // o [value_dim], l: the sums over the visible keys of e^s v and of e^s. The sink is in l only.
    const auto o = answer.out(batch, head, query);
    double l = std::exp(operands.sink(head));
    for (index key = 0; key < problem.shape.keys; ++key) {
      const Pair pair{batch, head, query, key};
      if (!operands.visible(pair)) continue;
      const double weight = std::exp(operands.score(pair));
      l += weight;
      operands.add_value(pair, weight, o);
    }
    if (l == 0) return;  // no visible key and no sink: the answer is empty already
    for (double& channel : o) channel /= l;
    answer.log_sum_exp(batch, head, query) = std::log(l);
  });
  return answer;
}

}  // namespace attestone
