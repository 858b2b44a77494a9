// SPDX-License-Identifier: Apache-2.0
// A coarse bound of one row's error.
#include "tests/backends/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {
namespace {

/// The largest sizes that occur in one row.
struct Sizes {
  double products = 0;  ///< scale sum |q k|
  double score = 0;     ///< |s|
  double value = 0;     ///< |v|
  index keys = 0;
};

Sizes sizes_of(const Problem& problem, const Inputs& inputs, index batch, index head, index query) {
  const Operands operands(problem, inputs);
  const index kv_head = problem.shape.kv_head(head);
  Sizes sizes;
  for (index key = 0; key < problem.shape.keys; ++key) {
    const Pair pair{batch, head, query, key};
    if (!operands.visible(pair)) continue;
    ++sizes.keys;
    double products = 0;
    for (index c = 0; c < problem.shape.dim; ++c)
      products +=
          std::abs(inputs.query.view().value(batch, head, query, c) * inputs.key.view().value(batch, kv_head, key, c));
    sizes.products = std::max(sizes.products, problem.scale() * products);
    sizes.score = std::max(sizes.score, std::abs(operands.score(pair)));
    for (const double v : operands.value(pair)) sizes.value = std::max(sizes.value, std::abs(v));
  }
  return sizes;
}

}  // namespace

RowTolerance row_tolerance(const Problem& problem, const Inputs& inputs, const Numerics& numerics, index batch,
                           index head, index query) {
  const Sizes sizes = sizes_of(problem, inputs, batch, head, query);
  const double u = numerics.accumulator_roundoff;
  const auto dim = static_cast<double>(problem.shape.dim), keys = static_cast<double>(sizes.keys);
  const auto tiles = static_cast<double>(numerics.tiles(problem.shape.keys));
  const auto chain = static_cast<double>(numerics.chain_length(problem.shape.keys)) * u;

  constexpr double score_roundings = 4, cap_roundings = 3;  // scale, constants; softcap and bias
  const double score_error = (dim + score_roundings) * u * sizes.products +
                             (cap_roundings * u + numerics.tanh_error + numerics.score_roundoff) * sizes.score;
  // |s - m| <= 2 max |s|; each tile may raise the maximum.
  const double tau = std::expm1(score_error + 2 * u * sizes.score + (1 + tiles) * numerics.exp_error);
  const double underflow = keys * numerics.weight_underflow;

  constexpr double cross_terms = 1.05;  // tau, chain and the roundoffs are below 2^-6
  RowTolerance tolerance;
  tolerance.out = cross_terms * sizes.value * (2 * tau + numerics.weight_roundoff + underflow + 2 * chain + 2 * u) +
                  cross_terms * numerics.output_roundoff * sizes.value + numerics.output_underflow;
  tolerance.log_sum_exp = cross_terms * (tau + underflow + chain + numerics.log_error * std::log1p(keys) +
                                         (u + numerics.log_sum_exp_roundoff) * (sizes.score + std::log1p(keys)));
  return tolerance;
}

}  // namespace attestone
