// SPDX-License-Identifier: Apache-2.0
// One walk along each row: every key corrects the maximum, the sum and the weighted sum.
#include "reference/attention/3_online.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/attention/operands.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Answer online_attention(const Problem& problem, const Inputs& inputs) {
  const Operands operands(problem, inputs);
  Answer answer(problem.shape);
  for_each_row(problem.shape, [&](index batch, index head, index query) {
    // The state: m, l, and a [value_dim], which is kept where the answer will stand. A sink was here before every key.
    double m = operands.sink(head), l = m == -infinity ? 0 : 1;
    const auto a = answer.out(batch, head, query);
    for (index key = 0; key < problem.shape.keys; ++key) {
      const Pair pair{batch, head, query, key};
      if (!operands.visible(pair)) continue;
      const double s = operands.score(pair), m_before = m;
      m = std::max(s, m_before);
      if (m == -infinity) continue;  // a score of -infinity weighs nothing, and infinity - infinity is no score
      const double shrink = std::exp(m_before - m), weight = std::exp(s - m);
      l = shrink * l + weight;
      for (double& channel : a) channel *= shrink;
      operands.add_value(pair, weight, a);
    }
    if (l == 0) return;
    for (double& channel : a) channel /= l;
    answer.log_sum_exp(batch, head, query) = m + std::log(l);
  });
  return answer;
}

}  // namespace attestone
