// SPDX-License-Identifier: Apache-2.0
// Attention is a sum over keys: their order does not matter.
#include "conformance/properties/property.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.mask.is_full()) return "the mask tells keys apart by their place";
  if (problem.score.has_bias()) return "the bias tells keys apart by their place";
  if (problem.dropout > 0) return "dropout tells keys apart by their place";
  return problem.shape.keys < 2 ? "fewer than two keys" : "";
}

/// Reverses the keys that each sequence really has.
void reverse_keys(const Problem& problem, Tensor& tensor, const Tensor& original) {
  const View to = tensor.view();
  const ConstView from = original.view();
  const index heads = to.strides()[1] == 0 ? 1 : problem.shape.kv_heads;
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < heads; ++h) {
      const index keys = problem.sequence(b).keys;
      for (index j = 0; j < keys; ++j)
        for (index c = 0; c < to.extents()[3]; ++c) to.set_code(b, h, j, c, from.code(b, h, keys - 1 - j, c));
    }
}

Verdict check(Trial& trial) {
  Inputs reversed = trial.inputs();
  reverse_keys(trial.problem(), reversed.key, trial.inputs().key);
  reverse_keys(trial.problem(), reversed.value, trial.inputs().value);
  // The truth is that of the original order; what rounding may do follows the order that the kernel saw.
  const ForwardBound bound(trial.problem(), reversed, trial.numerics());
  const KernelAnswer answer = trial.run(reversed);
  const Truth& truth = trial.truth();
  const Comparison changed = [&] {
    const Stopwatch watch(trial.times.truth);
    BoundTable bounds(trial.problem(), truth, bound);
    return compare(truth, bounds, answer.outputs, trial.numerics().tile_queries, nullptr,
                   trial.conventions().log_sum_exp_unit());
  }();
  if (!changed.could_tell()) return Verdict::inconclusive("weak-case", "an answer that ignores the scores would pass");
  return metamorphic(trial.compare_with_truth(trial.answer().outputs), changed, "key-order",
                     "with K and V in reverse order");
}

const Registration<Property> registered{{
    .name = "key_order_irrelevant",
    .claim = "reversing the order of keys and values together leaves the truth what it was",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
