// SPDX-License-Identifier: Apache-2.0
// Costs of merging: undivided sums and parts have two numbers per row, m and l, in place of log_sum_exp.
#include "backends/distributed/methods/merge_costs.hpp"

namespace attestone::inline backends {
namespace {

bool divided(const RingVariant& variant) { return variant.merge == MergeForm::sigmoid; }

}  // namespace

Moment merged_sums(const Attended& own, const RingVariant& variant) {
  const index out = own.outs(dtype("f32")), numbers = own.numbers();
  if (divided(variant)) return {{"sum of out", out}, {"log_sum_exp", numbers}};
  return {{"sum of out", out}, {"largest score", numbers}, {"sum of weights", numbers}};
}

Moment merged_part(const CostedRank& rank, index rows, const RingVariant& variant) {
  const index channels = rows * rank.problem.shape.value_dim, numbers = rows * width(dtype("f32"));
  if (divided(variant)) return {{"part of out", channels * width(*variant.part)}, {"part of log_sum_exp", numbers}};
  return {{"part of out", channels * width(dtype("f32"))},
          {"part of largest score", numbers},
          {"part of sum of weights", numbers}};
}

void hold_merged_answer(const CostedRank& rank, const Attended& own, const RingVariant& variant, RankCosts& costs) {
  const Moment log_sum_exp{{"log_sum_exp", own.log_sum_exp()}};
  if (!divided(variant) || rank.problem.log_sum_exp_dtype() != dtype("f32"))
    costs.hold(merged_sums(own, variant) + log_sum_exp);
  costs.hold(log_sum_exp + Moment{{"sum of out", own.outs(dtype("f32"))}, {"out", own.outs(rank.problem.output)}});
}

}  // namespace attestone::inline backends
