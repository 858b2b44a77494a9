// SPDX-License-Identifier: Apache-2.0
// A sequence that reads what belongs to another one.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/kinds/other_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// If all sequences hold the same, nobody notices which one is read.
Alternatives predictions(const FailureFacts& evidence) {
  if (evidence.least.shape.batch == 1 || evidence.has(ProblemFeature::Of::lengths)) return {};
  Problem one = evidence.base;
  one.shape.batch = 1;
  const Problem fresh = with_seed(evidence.base, 251);
  const auto& worst = evidence.verdict.worst;
  // Were it for what that sequence holds, all of them would be wrong that hold the same.
  const FurtherCall alike{fresh, sequences_alike(fresh, 0)},
      like_the_wrong_one{evidence.base, sequences_alike(evidence.base, worst ? worst->batch : 0)};
  if (!alike.inputs) return {};
  return {{{alike, Of::passes},
           {like_the_wrong_one, Of::passes},
           {fresh_inputs(evidence.base, 251), Of::fails},
           {fresh_inputs(one, 252), Of::passes},
           {fresh_inputs(evidence.base, 253), Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "batch_offset",
    .says = "a sequence reads or writes what belongs to another one: right as soon as all sequences hold the same",
    .look_at = "the offsets of sequences in every tensor, and what is kept from one to the next",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
