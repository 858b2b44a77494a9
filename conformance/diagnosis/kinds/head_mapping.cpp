// SPDX-License-Identifier: Apache-2.0
// A row that reads the K, V, bias or sink of another head.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/kinds/other_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// If all heads hold the same, nobody notices which one is read.
Alternatives predictions(const FailureFacts& evidence) {
  if (evidence.least.shape.heads == 1) return {};
  Problem one_head = evidence.base;
  one_head.shape.heads = one_head.shape.kv_heads = 1;
  const FurtherCall alike{with_seed(evidence.base, 241), heads_alike(with_seed(evidence.base, 241))};
  if (!alike.inputs) return {};
  return {{{alike, Of::passes},
           {fresh_inputs(evidence.base, 241), Of::fails},
           {fresh_inputs(one_head, 242), Of::passes},
           {fresh_inputs(evidence.base, 243), Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "head_mapping",
    .says = "a head reads or writes what belongs to another one: right as soon as all heads hold the same",
    .look_at = "kv head = head / (heads / kv_heads), and the offsets of heads in every tensor",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
