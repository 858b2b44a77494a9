// SPDX-License-Identifier: Apache-2.0
// Partial answers with other maxima.
#include <cmath>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Only where rows meet a larger maximum in a later block of keys: with equal scores there is nothing to rescale, with
/// scores so near each other that all powers stay in their format there is.
Alternatives predictions(const FailureFacts& evidence) {
  constexpr index least_block = 8;
  if (evidence.verdict.reason == "wrong-max-logits") return {};  // which no sum is made of
  const Condition* keys = evidence.on("keys");
  if (!keys || keys->form != Condition::Form::above || keys->number < least_block ||
      evidence.has(ProblemFeature::Of::mask) || evidence.has(ProblemFeature::Of::format) ||
      evidence.has(ProblemFeature::Of::lengths))
    return {};
  Problem ties = evidence.base, rising = evidence.base, near = evidence.base;
  ties.fill = {"ties", {}};
  rising.fill = {"monotone", {}};
  near.fill = {}, near.given_scale = 0.5 / std::sqrt(static_cast<double>(near.shape.dim));
  return {{{fresh_inputs(ties, 231), Of::passes},
           {fresh_inputs(with(evidence.base, *keys->variable, keys->number), 232), Of::passes},
           {fresh_inputs(rising, 233), Of::fails},
           {fresh_inputs(near, 235), Of::fails},
           {fresh_inputs(evidence.base, 234), Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "rescaling_of_running_sum",
    .says = "blocks of keys with different maxima are not brought to the same one",
    .look_at = "what is multiplied by e to the old maximum less the new one: output, sum, and splits that are merged",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
