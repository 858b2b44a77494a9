// SPDX-License-Identifier: Apache-2.0
// Resolving the formula of one head.
#include "backends/cpu/parts/formula_bias.hpp"

#include <cmath>

#include "reference/require.hpp"

namespace attestone::inline backends {

float own_alibi_slope(index head, index heads) {
  // The paper's geometric sequence starts at 2^(-8/n) with that same ratio, for the largest power of two n <= heads.
  // Further heads take every second term of the sequence for 2n: ratio 2^(-4/n), powers 1, 3, 5, ...
  index n = 1;
  while (2 * n <= heads) n *= 2;
  const bool further = head >= n;
  const double ratio = std::exp2((further ? -4.0 : -8.0) / static_cast<double>(n));
  const index power = further ? 2 * (head - n) + 1 : head + 1;
  return static_cast<float>(std::pow(ratio, static_cast<double>(power)));
}

FormulaBias::FormulaBias(const Problem& problem, const KernelInputs& inputs, index batch, index head, double unit)
    : placed_(inputs.placement ? &inputs.placement->sequences[static_cast<std::size_t>(batch)] : nullptr) {
  const Sequence whole = placed_ ? placed_->whole : problem.sequence(batch);
  shift_ = whole.position(0);
  require(!unknown_rule(problem.score), "a kernel refuses biases that it does not know");
  const ScoreTerm* bias = problem.score.bias_formula();
  if (!bias) return;
  const index first_head = placed_ ? inputs.placement->first_head : 0;
  const index heads = placed_ ? inputs.placement->heads : problem.shape.heads;
  if (bias->rule == "alibi") alibi_slope = double{own_alibi_slope(first_head + head, heads)} * unit;
  if (bias->rule == "relative_position") relative_slope = double{static_cast<float>(bias->argument)} * unit;
}

std::optional<std::string> FormulaBias::unknown_rule(const Score& score) {
  const ScoreTerm* bias = score.bias_formula();
  if (!bias || bias->rule == "alibi" || bias->rule == "relative_position") return std::nullopt;
  return bias->rule;
}

}  // namespace attestone::inline backends
