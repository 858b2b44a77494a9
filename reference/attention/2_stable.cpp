// SPDX-License-Identifier: Apache-2.0
// Two walks along each row of scores: the maximum first, then the sums relative to it.
#include "reference/attention/2_stable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/attention/operands.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

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
    const double sink = operands.sink(head);
    const double m = std::accumulate(s.begin(), s.end(), sink, [](double a, double b) { return std::max(a, b); });
    if (m == -infinity) return;

    const auto o = answer.out(batch, head, query);  // [value_dim]
    double l = std::exp(sink - m);
    for (std::size_t j = 0; j < visible.size(); ++j) {
      const double weight = std::exp(s[j] - m);
      l += weight;
      operands.add_value(visible[j], weight, o);
    }
    for (double& channel : o) channel /= l;
    answer.log_sum_exp(batch, head, query) = m + std::log(l);
  });
  return answer;
}

}  // namespace attestone
