// SPDX-License-Identifier: Apache-2.0
// What a kernel's declared arithmetic may cost one row, coarsely: the same for all channels, and no term is forgotten.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference/attention/operands.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {

/// How far a row of the answer may lie from the truth.
struct RowTolerance {
  double out = 0, log_sum_exp = 0, max_logits = 0;
};

/// The largest sizes that occur among the visible keys of one row, of which the sink is one.
struct RowSizes {
  double products = 0;   ///< scale sum |q k|
  double score = 0;      ///< |s|, also of the sink
  double value = 0;      ///< |v|, as large as dropout makes it
  double key = 0;        ///< |k|
  double query_sum = 0;  ///< scale sum |q|
  index keys = 0;
};

inline RowSizes sizes_of(const Problem& problem, const Inputs& inputs, index batch, index head, index query) {
  const Operands operands(problem, inputs);
  const index kv_head = problem.shape.kv_head(head);
  RowSizes sizes;
  if (inputs.sink) sizes.score = std::abs(inputs.sink->view().value(0, head, 0, 0)), ++sizes.keys;
  for (index key = 0; key < problem.shape.keys; ++key) {
    const Pair pair{batch, head, query, key};
    if (!operands.visible(pair)) continue;
    ++sizes.keys;
    double products = 0;
    double query_sum = 0;
    for (index c = 0; c < problem.shape.dim; ++c) {
      const double q = std::abs(inputs.query.view().value(batch, head, query, c));
      const double k = std::abs(inputs.key.view().value(batch, kv_head, key, c));
      products += q * k;
      query_sum += q;
      sizes.key = std::max(sizes.key, k);
    }
    sizes.query_sum = problem.scale() * query_sum;
    sizes.products = std::max(sizes.products, problem.scale() * products);
    sizes.score = std::max(sizes.score, std::abs(operands.score(pair)));
    for (const double v : operands.value(pair))
      sizes.value = std::max(sizes.value, std::abs(v) / (1 - problem.dropout));
  }
  return sizes;
}

/// For a row with visible keys, in the letters of docs/tolerance.md but with maxima in place of sums over keys: all
/// weights err by at most tau, so that the answer, an average of values of size at most `value`, errs by 2 tau value;
/// casting, adding up and dividing add their own.
inline RowTolerance row_tolerance(const Problem& problem, const Inputs& inputs, const Numerics& numerics, index batch,
                                  index head, index query) {
  const RowSizes sizes = sizes_of(problem, inputs, batch, head, query);
  const double u = numerics.value.accumulator.roundoff;
  const auto dim = static_cast<double>(problem.shape.dim), keys = static_cast<double>(sizes.keys);
  const auto tile_keys = static_cast<double>(numerics.weight.tile_keys);
  const double tiles = tile_keys == 0 ? 1 : std::ceil(keys / tile_keys);
  const double chain = (keys + tiles) * u;

  constexpr double score_roundings = 4, cap_roundings = 3;  // scale, constants; softcap and bias
  const RowCast &of_keys = numerics.score.keys, &of_values = numerics.value.values;
  const double moved_score =
      of_keys.roundoff * sizes.products + (of_keys.of_largest * sizes.key + of_keys.underflow) * sizes.query_sum;
  const double moved_value = (of_values.roundoff + of_values.of_largest) * sizes.value + of_values.underflow;
  const double score_error =
      moved_score + (dim + score_roundings) * u * sizes.products +
      (cap_roundings * u + numerics.score.tanh_error + numerics.score.stored.roundoff) * sizes.score;
  // |s - m| <= 2 max |s|; each tile may raise the maximum.
  const double tau = std::expm1(score_error + 2 * u * sizes.score + (1 + tiles) * numerics.weight.exp_error);
  const double underflow = keys * numerics.weight.cast.underflow;

  constexpr double cross_terms = 1.05;  // tau, chain and the roundoffs are below 2^-6
  RowTolerance tolerance;
  tolerance.out =
      cross_terms * sizes.value * (2 * tau + numerics.weight.cast.roundoff + underflow + 2 * chain + 2 * u) +
      cross_terms * (numerics.output.cast.roundoff * sizes.value + moved_value) + numerics.output.cast.underflow;
  tolerance.log_sum_exp = cross_terms * (tau + underflow + chain + numerics.output.log_error * std::log1p(keys) +
                                         (u + numerics.output.log_sum_exp_roundoff) * (sizes.score + std::log1p(keys)));
  tolerance.max_logits = cross_terms * (score_error + (2 * u + numerics.output.log_sum_exp_roundoff) * sizes.score);
  return tolerance;
}

}  // namespace attestone
