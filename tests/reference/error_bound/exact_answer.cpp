// SPDX-License-Identifier: Apache-2.0
// The exact answer, by the formula of docs/rules.md in extended precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"

namespace attestone::emulation {

ExactRow exact(const Problem& problem, const Inputs& inputs, index batch, index head, index query) {
  const index kv_head = problem.shape.kv_head(head);
  const auto real = [](double x) { return static_cast<long double>(x); };
  const Bias bias(problem, inputs);
  const Dropout dropout(problem);
  std::vector<long double> scores;
  std::vector<index> keys;
  for (index key = 0; key < problem.shape.keys; ++key) {
    if (!problem.visible({batch, head, query, key}) || std::isinf(bias.of({batch, head, query, key}))) continue;
    long double s = 0;
    for (index c = 0; c < problem.shape.dim; ++c)
      s += real(inputs.query.view().value(batch, head, query, c)) *
           real(inputs.key.view().value(batch, kv_head, key, c));
    s *= real(problem.scale());
    if (const auto cap = problem.score.softcap()) s = real(*cap) * std::tanh(s / real(*cap));
    s += real(bias.of({batch, head, query, key}));
    scores.push_back(s);
    keys.push_back(key);
  }
  ExactRow row{std::vector<long double>(static_cast<std::size_t>(problem.shape.value_dim), 0.0L),
               -std::numeric_limits<long double>::infinity()};
  if (inputs.sink) scores.push_back(real(inputs.sink->view().value(0, head, 0, 0)));
  if (scores.empty()) return row;
  const long double m = *std::max_element(scores.begin(), scores.end());
  long double denominator = inputs.sink ? std::exp(scores.back() - m) : 0;
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const long double weight = std::exp(scores[j] - m);
    denominator += weight;
    if (dropout && !dropout.keeps({batch, head, query, keys[j]})) continue;
    for (std::size_t c = 0; c < row.out.size(); ++c)
      row.out[c] += weight * real(inputs.value.view().value(batch, kv_head, keys[j], static_cast<index>(c)));
  }
  for (long double& o : row.out) o /= denominator * (1 - real(problem.dropout));
  row.log_sum_exp = m + std::log(denominator);
  return row;
}

}  // namespace attestone::emulation
