// SPDX-License-Identifier: Apache-2.0
// Elements that are looked for elsewhere than they lie.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Packed numbers pass; the same numbers in the layout fail, whatever the extents.
Alternatives predictions(const FailureFacts& evidence) {
  if (!evidence.has(ProblemFeature::Of::layout)) return {};
  Problem packed = evidence.base, wider = evidence.base;
  packed.pack();
  wider.shape.queries += 2, wider.shape.keys += 2;
  std::vector<Prediction> all{{fresh_inputs(packed, 261), Of::passes},
                              {fresh_inputs(evidence.base, 261), Of::fails},
                              {fresh_inputs(wider, 262), Of::fails}};
  // Sequences that lie behind each other are work of unlike sizes, wherever they lie.
  if (evidence.base.layout == "ragged" && packed.lengths.empty() && packed.shape.keys > 1) {
    packed.lengths.assign(static_cast<std::size_t>(packed.shape.batch), packed.shape.keys);
    packed.lengths.back() -= 1;
    all.push_back({fresh_inputs(packed, 263), Of::passes});
  }
  return {all};
}

const Registration<KindOfFault> registered{{
    .name = "stride",
    .says = "elements are looked for elsewhere than they lie: right as soon as the same tensors are packed",
    .look_at = "strides and starts of each tensor, which may differ from those of any other",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
