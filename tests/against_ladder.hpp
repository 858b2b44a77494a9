// SPDX-License-Identifier: Apache-2.0
// A kernel's answer beside the ladder's, in units of what its arithmetic may cost.
#pragma once

#include "reference/attention/2_stable.hpp"
#include "tests/random_call.hpp"
#include "tests/tolerance.hpp"

namespace attestone {

/// |got - want| / tolerance; 0 for equal infinities, infinite for a NaN.
inline double error_ratio(double got, double want, double tolerance) {
  if (got == want) return 0;
  const double ratio = std::abs(got - want) / tolerance;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

/// The largest score of the keys that a row sees, by the definition.
inline double largest_score(const Operands& operands, index batch, index head, index query) {
  double largest = -std::numeric_limits<double>::infinity();
  for (index key = 0; key < operands.shape().keys; ++key)
    if (const Pair pair{batch, head, query, key}; operands.visible(pair))
      largest = std::max(largest, operands.score(pair));
  return largest;
}

/// The worst error of the last run, in units of its tolerance; empty rows must be exact.
inline double worst_ratio(const RandomCall& call, const Numerics& numerics) {
  const Answer want = stable_attention(call.problem, call.inputs);
  const Operands operands(call.problem, call.inputs);
  const ConstView out = call.outputs.out.view(), log_sum_exp = call.outputs.log_sum_exp.view();
  double worst = 0;
  for_each_row(call.problem.shape, [&](index b, index h, index i) {
    if (i >= out.rows(b)) return;
    const RowTolerance tolerance = std::isinf(want.log_sum_exp(b, h, i))
                                       ? RowTolerance{}
                                       : row_tolerance(call.problem, call.inputs, numerics, b, h, i);
    if (log_sum_exp.exists())
      worst =
          std::max(worst, error_ratio(log_sum_exp.value(b, h, i, 0), want.log_sum_exp(b, h, i), tolerance.log_sum_exp));
    if (call.outputs.max_logits)
      worst = std::max(worst, error_ratio(call.outputs.max_logits->view().value(b, h, i, 0),
                                          largest_score(operands, b, h, i), tolerance.max_logits));
    for (index c = 0; c < call.problem.shape.value_dim && out.exists(); ++c) {
      const double exact = want.out(b, h, i)[static_cast<std::size_t>(c)];
      worst = std::max(worst, error_ratio(out.value(b, h, i, c), exact, tolerance.out));
    }
  });
  return worst;
}

}  // namespace attestone
