// SPDX-License-Identifier: Apache-2.0
// Partial answers that are put together wrongly, whatever their maxima.
#include <algorithm>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Rows that see one key pass wherever it lies; so do rows of one block; rows of several fail, be all scores equal or
/// not.
Alternatives predictions(const FailureFacts& evidence) {
  constexpr index least_block = 8;
  const Condition* keys = evidence.on("keys");
  if (!keys || keys->number < least_block || evidence.has(ProblemFeature::Of::mask) ||
      evidence.has(ProblemFeature::Of::format) || evidence.has(ProblemFeature::Of::lengths) ||
      evidence.has(ProblemFeature::Of::score) || evidence.has(ProblemFeature::Of::layout))
    return {};
  const bool of_blocks = keys->form == Condition::Form::above || keys->form == Condition::Form::above_no_multiple;
  if (!of_blocks) return {};
  Problem one_key = evidence.base, ties = evidence.base;
  one_key.mask = Mask("window", {0, 0});
  one_key.shape.keys = std::max(one_key.shape.keys, one_key.shape.queries);
  ties.fill = {"ties", {}};
  return {{{fresh_inputs(one_key, 221), Of::passes},
           {fresh_inputs(with(evidence.base, *keys->variable, keys->number), 222), Of::passes},
           {fresh_inputs(ties, 223), Of::fails},
           {fresh_inputs(evidence.base, 224), Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "merge_of_splits",
    .says = "the partial answers of several blocks of keys are put together wrongly, be their maxima alike or not",
    .look_at = "where splits or tiles are merged: their weights, sums and numbers",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
