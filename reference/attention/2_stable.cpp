// SPDX-License-Identifier: Apache-2.0
// Two walks along each row of scores: the maximum first, then the sums relative to it.
#include "reference/attention/2_stable.hpp"

#include <algorithm>
#include <cmath>

#include "reference/attention/operands.hpp"

namespace attestone {

Answer stable_attention(const Problem& problem, const Inputs& inputs) {
  const Operands operands(problem, inputs);
  Answer answer(problem.shape);
  for_each_row(problem.shape, [&](index batch, index head, index query) {
    std::vector<Pair> visible;  // N(i)
    std::vector<double> s;      // [N(i)]
    for (index key = 0; key < problem.shape.keys; ++key) {
      const Pair pair{batch, head, query, key};
      if (!operands.visible(pair)) continue;
      visible.push_back(pair);
      s.push_back(operands.score(pair));
    }
    if (visible.empty()) return;

    const double m = *std::max_element(s.begin(), s.end());
    const auto o = answer.out(batch, head, query);  // [value_dim]
    double l = 0;
    for (std::size_t j = 0; j < visible.size(); ++j) {
      const double weight = std::exp(s[j] - m);
      const auto v = operands.value(visible[j]);
      l += weight;
      for (std::size_t c = 0; c < o.size(); ++c) o[c] += weight * v[c];
    }
    for (double& channel : o) channel /= l;
    answer.log_sum_exp(batch, head, query) = m + std::log(l);
  });
  return answer;
}

}  // namespace attestone
